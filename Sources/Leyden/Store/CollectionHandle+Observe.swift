import LeydenStorage

/// How collections are observed.
extension CollectionHandle {
  /// A column of an object that is found by its row.
  init(_ session: Session, _ type: PersistedObject.Type, row: UInt64, column: Int) {
    let binding = session.requiredBinding(of: type)
    self.init(
      access: LiveRow(session: session, binding: binding, type: binding.stored?.id ?? 0, row: row),
      column: Int32(column))
  }

  /// The row that a collection belongs to.
  ///
  /// - Throws: ``StoreError/unsupported(_:)`` where it belongs to none;
  ///   ``StoreError/invalidatedObject(_:)`` where that is gone.
  static func owner(_ handle: CollectionHandle?) throws(StoreError) -> LiveRow {
    guard let handle else {
      throw .unsupported("observing a collection before its owner was added to a store")
    }
    guard let row = handle.access as? LiveRow else {
      throw .unsupported("observing a collection of an embedded object; observe its owner instead")
    }
    guard !row.binding.model.isDynamic else {
      throw .unsupported("observing a collection of a dynamic object")
    }
    guard row.exists else {
      try row.session.check()
      throw .invalidatedObject(row.binding.name(of: Int(handle.column)))
    }
    return row
  }

  /// What an observer of a collection begins with.
  ///
  /// - Parameters:
  ///   - handle: Where the collection is; `nil` where no store has it.
  ///   - keyPaths: Properties of the objects in it, by name.
  ///   - element: What it holds.
  /// - Returns: The session, and a past before the first step.
  /// - Throws: As ``owner(_:)``; ``StoreError/invalidQuery(_:position:)`` where a name is wrong.
  private static func begin(
    _ handle: CollectionHandle?, _ keyPaths: [String]?, _ element: any Persistable.Type
  ) throws(StoreError) -> (session: Session, history: CollectionHistory) {
    let row = try owner(handle)
    let column = Int(handle?.column ?? 0)
    var filter = ObservedProperties.all
    if let target = element.targetType as? PersistedObject.Type {
      filter = try ObservedProperties(keyPaths, of: ModelType.of(target))
    } else if let first = keyPaths?.first {
      let name = row.binding.name(of: column)
      throw .invalidQuery("\(name) holds no objects with a property \(first)", position: 0)
    }
    return (
      row.session,
      CollectionHistory(
        of: row.binding.model.objectType, row: row.row, column: column, filter: filter)
    )
  }

  /// Observes a collection.
  ///
  /// - Parameters:
  ///   - collection: What is observed, and given to `step` for as long as somebody has it.
  ///   - handle: Where it is; `nil` where no store has it.
  ///   - keyPaths: Properties of the objects in it, by name.
  ///   - element: What it holds.
  ///   - make: Makes the collection where nobody has it any more.
  ///   - step: Tells a step.
  ///   - fail: Tells an error.
  /// - Returns: The token that keeps the observation alive.
  static func observe<C: AnyObject>(
    _ collection: C, _ handle: CollectionHandle?, _ keyPaths: [String]?,
    of element: any Persistable.Type, make: @escaping (CollectionHandle) -> C,
    step: @escaping (C, CollectionHistory.Step) -> Void, fail: @escaping (StoreError) -> Void
  ) -> NotificationToken {
    let token = NotificationToken()
    do throws(StoreError) {
      let (session, history) = try begin(handle, keyPaths, element)
      let callback = CollectionObserver.Callback(
        step: { [weak collection] in
          let handle = {
            CollectionHandle($0, history.ownerType, row: history.row, column: history.column)
          }
          step(collection ?? make(handle($0)), $1)
        }, fail: fail)
      Notifier.of(session).add(CollectionObserver(token, history, callback))
    } catch {
      token.invalidate()
      fail(error)
    }
    return token
  }

  /// The changes of a collection as an asynchronous sequence; it ends with the collection's owner.
  static func changes<C: AnyObject>(
    of collection: C, _ handle: CollectionHandle?, _ element: any Persistable.Type
  ) -> AsyncChanges<CollectionChange<C>> {
    changes(handle, element) {
      CollectionChange(
        collection, $0.changes, isInitial: $0.isInitial, isResync: $0.isResync,
        version: $0.version)
    }
  }

  /// The changes of a collection as an asynchronous sequence of what `tell` makes of each step, and `fail` of an
  /// error at the beginning.
  static func changes<Change>(
    _ handle: CollectionHandle?, _ element: any Persistable.Type,
    fail: ((StoreError) -> Change)? = nil, tell: @escaping (CollectionHistory.Step) -> Change
  ) -> AsyncChanges<Change> {
    AsyncChanges {
      do throws(StoreError) {
        var (session, history) = try begin(handle, nil, element)
        return ChangeReader(session.core.watcher) { () throws(StoreError) in
          let step = try session.step { (version, transaction, changes) throws(StorageError) in
            try history.advance(session, to: version, in: transaction, changes)
          }
          guard let step else {
            if history.isGone { throw .closed }
            return nil
          }
          return tell(step)
        }
      } catch {
        if let fail { return .single(fail(error)) }
        return ChangeReader(nil) { () throws(StoreError) in throw error }
      }
    }
  }
}
