import LeydenStorage

extension LinkingObjects {
  /// Calls `block` with the objects as they are, and again after every change.
  ///
  /// Calls come as for results: an object is inserted when its first link comes and deleted when its last one
  /// goes, and modified when it changes itself.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties of the objects whose changes count as modifications, by name, also through
  ///     links; `nil` means all of their own.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  /// - Complexity: As for results.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObservedChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    do throws(StoreError) {
      let row = try CollectionHandle.owner(handle)
      guard let results, let column = handle?.column else { throw .closed }
      let find = row.finder
      return results.observe(keyPaths: keyPaths) { [weak self] change in
        func objects(_ results: Results<Element>) -> LinkingObjects {
          if let self { return self }
          guard let row = find(results.session) else { return LinkingObjects() }
          return LinkingObjects(CollectionHandle(access: row, column: column), results)
        }
        switch change {
        case .initial(let results): block(.initial(objects(results)))
        case .update(let results, let deletions, let insertions, let modifications):
          block(
            .update(
              objects(results), deletions: deletions, insertions: insertions,
              modifications: modifications))
        case .error(let error): block(.error(error))
        }
      }
    } catch {
      block(.error(error))
      let token = NotificationToken()
      token.invalidate()
      return token
    }
  }

  /// As by names; modifications count for the given properties only.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [PartialKeyPath<Element>],
    _ block: @escaping (ObservedChange<LinkingObjects<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ModelType.of(Element.self).names(of: keyPaths), block)
  }

  /// The changes as an asynchronous sequence.
  public var changes: AsyncChanges<CollectionChange<LinkingObjects<Element>>> {
    results?.changes(of: self)
      ?? AsyncChanges { ChangeReader(nil) { () throws(StoreError) in throw .closed } }
  }
}
