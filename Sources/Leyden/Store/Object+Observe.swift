import LeydenStorage

extension ObjectMembers {
  /// Calls `block` when properties of the object change, and once when it is deleted.
  ///
  ///     let token = note.observe { change in
  ///       if case .change(let note, let properties) = change { … }
  ///     }
  ///
  /// There is no first call. Each call covers everything since the one before, with the old and the
  /// new value of every property that differs; the changes of the store's own writes as those of
  /// others. Calls come in the same turns as those of results' observers. An object that is
  /// observed within a write begins with the values that it has there. One that is deleted already
  /// gives `.deleted` at once; one that no store has, and an unknown name, `.error`.
  ///
  /// - Parameters:
  ///   - keyPaths: The properties whose changes are told, by name; `nil` means all. A path through links
  ///     (`"owner.age"`) tells its first property, also where only what it leads to changed.
  ///   - block: Whom to tell. It is kept until the token is released or invalidated, or the object
  ///     was deleted.
  /// - Returns: The token that keeps the observation alive. It does not keep the object.
  /// - Complexity: O(1) for each commit that does not change the object. The observed values are
  ///   kept in memory.
  public func observe(
    keyPaths: [String]? = nil, _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let token = NotificationToken()
    do throws(StoreError) {
      let (row, history) = try beginHistory(keyPaths)
      guard history.isThere else {
        token.invalidate()
        block(.deleted)
        return token
      }
      let makeChange = changeMaker()
      let callback = ObjectObserver.Callback(
        step: { block(makeChange($0, $1)) }, fail: { block(.error($0)) })
      Notifier.of(row.session).add(ObjectObserver(token, history, callback))
    } catch {
      token.invalidate()
      block(.error(error))
    }
    return token
  }

  /// Calls `block` when some properties of the object change, and once when it is deleted.
  ///
  /// - Parameters:
  ///   - keyPaths: Stored properties of the model, also through links. Another path gives `.error`.
  ///   - block: Whom to tell, as for observing by names.
  /// - Returns: The token that keeps the observation alive.
  public func observe(
    keyPaths: [PartialKeyPath<Self>], _ block: @escaping (ObjectChange<Self>) -> Void
  ) -> NotificationToken {
    let model = ModelType.of(type(of: self))
    return observe(keyPaths: keyPaths.map { model.path(for: $0)?.name ?? "\($0)" }, block)
  }

  /// The changes of the object's properties from now on as an asynchronous sequence.
  ///
  ///     for await change in note.changes { … }
  ///
  /// Each iterator begins where the sequence was asked for, and gives one element for one or more
  /// commits. It ends after `.deleted` and after `.error`.
  public var changes: AsyncChanges<ObjectChange<Self>> {
    let makeChange = changeMaker()
    let begun: Result<(row: LiveRow, history: ObjectHistory), StoreError>
    do throws(StoreError) { begun = .success(try beginHistory(nil)) } catch {
      begun = .failure(error)
    }
    switch begun {
    case .failure(let error):
      return AsyncChanges { .single(.error(error)) }
    case .success(let (_, history)) where !history.isThere:
      return AsyncChanges { .single(.deleted) }
    case .success(let (row, history)):
      let session = row.session
      return AsyncChanges {
        var history = history
        return ChangeReader(session.core.watcher) { () throws(StoreError) in
          guard history.isThere else { throw .closed }
          let step = try session.step { (version, transaction, changes) throws(StorageError) in
            try history.advance(session, to: version, in: transaction, changes)
          }
          return step.map { makeChange(session, $0) }
        }
      }
    }
  }

  /// The object's values now, as the past of an observer.
  private func beginHistory(
    _ keyPaths: [String]?
  ) throws(StoreError) -> (row: LiveRow, history: ObjectHistory) {
    let model = modelType
    let observed = try ObservedProperties(keyPaths, of: model)
    guard let row = access as? LiveRow else {
      throw .unsupported("observing a \(model.name) before it was added to a store")
    }
    return (row, try ObjectHistory(row, observed))
  }

  /// Makes what observers are told; the object itself where somebody still has it.
  private func changeMaker() -> (Session, ObjectHistory.Step) -> ObjectChange<Self> {
    let model = ModelReference(modelType)
    let row = access?.identity?.row ?? 0
    return { [weak self] session, step in
      guard case .change(let differences) = step,
        let object = self ?? model.object(row, in: session) as? Self
      else { return .deleted }
      return change(object, differences, session)
    }
  }
}

/// What an observer of an object is told.
private func change<T: Object>(
  _ object: T, _ differences: [ObjectHistory.Difference], _ session: Session
) -> ObjectChange<T> {
  .change(object, differences.map { PropertyChange($0, of: object, session) })
}

extension ChangeReader {
  /// Gives one element and ends.
  static func single(_ element: Element) -> ChangeReader {
    var isRead = false
    return ChangeReader(nil) { () throws(StoreError) in
      guard !isRead else { throw .closed }
      isRead = true
      return element
    }
  }
}
