import LeydenStorage

extension Results {
  /// Calls `block` with the elements as they are, and again after every change.
  ///
  ///     let token = notes.observe { change in
  ///       if case .update(let notes, let deletions, let insertions, let modifications) = change { … }
  ///     }
  ///
  /// The first call is `.initial`, before `observe` returns (within a write: after it). Each later
  /// call covers everything since the one before, commits of other processes included: at the end
  /// of the store's own writes, in `refresh()` and in `waitForChanges()`. While `block` runs, the
  /// store stays at the version that it was called for. It may write, observe, and end observations.
  ///
  /// The elements of a list are other ones where it holds other values; its owner's deletion takes all of them
  /// away, and ends the observation.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes count as modifications, by name; also those of other objects
  ///     through links (`"owner.age"`), where a changed link counts as well. `nil` means all of the objects'
  ///     own. A name that the model does not have gives `.error`.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  /// - Complexity: O(*k* log *n*) for each commit with *k* changed objects of the type, and for *n*
  ///   results; through links, O(links to what changed). The first call evaluates the query.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObservedChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    switch source {
    case .rows(let evaluation): return observe(evaluation, keyPaths, block)
    case .elements(let evaluation):
      let query = evaluation.query
      return CollectionHandle.observe(
        evaluation, evaluation.handle, keyPaths, of: Element.self, query,
        make: { $0.row.map { ElementEvaluation($0, query) } },
        step: { evaluation, step in
          _ = evaluation.current()
          block(step.told(of: Results(evaluation)))
        }, fail: { block(.error($0)) })
    }
  }

  private func observe(
    _ evaluation: Evaluation, _ keyPaths: [String]?,
    _ block: @escaping (ObservedChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    let token = NotificationToken()
    do throws(StoreError) {
      guard let model = evaluation.binding?.model else {
        throw .invalidQuery("the store does not have the type", position: 0)
      }
      let filter = try ObservedProperties(keyPaths, of: model)
      let callback = ResultsObserver.Callback(
        step: { evaluation, step in
          let results = Results(evaluation)
          if step.isInitial { return block(.initial(results)) }
          block(
            .update(
              results, deletions: step.changes.deletions, insertions: step.changes.insertions,
              modifications: step.changes.modifications))
        }, fail: { block(.error($0)) })
      Notifier.of(session).add(ResultsObserver(token, evaluation, filter: filter, callback))
    } catch {
      block(.error(error))
      token.invalidate()
    }
    return token
  }

  /// The changes as an asynchronous sequence, with moves and new positions.
  ///
  ///     for await change in notes.changes { … }
  public var changes: AsyncChanges<CollectionChange<Results<Element>>> { changes(of: self) }

  /// The changes of a collection that shows these results.
  func changes<C>(of collection: C) -> AsyncChanges<CollectionChange<C>> {
    switch source {
    case .rows(let evaluation):
      AsyncChanges {
        var history = ResultsHistory(evaluation, filter: .all)
        return ChangeReader(session.core.watcher) { () throws(StoreError) in
          let step = try session.step {
            (version, transaction, changes) throws(StorageError) in
            try history.advance(evaluation, to: version, in: transaction, changes)
          }
          return step.map {
            CollectionChange(
              collection, $0.changes, isInitial: $0.isInitial, isResync: $0.isResync,
              version: $0.version)
          }
        }
      }
    case .elements(let evaluation):
      CollectionHandle.changes(
        of: collection, evaluation.handle, Element.self, evaluation.query
      ) { _ = evaluation.current() }
    }
  }
}

extension Results where Element: PersistedObject {
  /// Calls `block` with the objects as they are, and again after changes; modifications count for
  /// the given properties only.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell, as for observing by names.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [PartialKeyPath<Element>],
    _ block: @escaping (ObservedChange<Results<Element>>) -> Void
  ) -> NotificationToken {
    observe(keyPaths: ModelType.of(Element.self).names(of: keyPaths), block)
  }
}

extension ModelType {
  /// The names of what key paths lead to; of another path its description, which is no name.
  func names(of paths: [AnyKeyPath]) -> [String] {
    paths.map { path(for: $0)?.name ?? "\($0)" }
  }
}
