import LeydenStorage

/// How collections are observed.
extension CollectionHandle {
  /// The row that a collection belongs to, or the embedded object.
  ///
  /// - Throws: ``StoreError/unsupported(_:)`` where it belongs to none;
  ///   ``StoreError/invalidatedObject(_:)`` where that is gone.
  static func owner(_ handle: CollectionHandle?) throws(StoreError) -> ManagedRow {
    guard let handle, let row = handle.row else {
      throw .unsupported("observing a collection before its owner was added to a store")
    }
    guard row.exists else {
      try row.session.check()
      throw .invalidatedObject(handle.name)
    }
    return row
  }

  /// What an observer of a collection begins with.
  ///
  /// - Parameters:
  ///   - handle: Where the collection is; `nil` where no store has it.
  ///   - keyPaths: Properties of the objects in it, by name.
  ///   - element: What it holds.
  ///   - query: What is asked of its elements; `nil` for all of them.
  /// - Returns: The owner, and a past before the first step.
  /// - Throws: As ``owner(_:)``; ``StoreError/invalidQuery(_:position:)`` where a name is wrong.
  private static func begin(
    _ handle: CollectionHandle?, _ keyPaths: [String]?, _ element: any Persistable.Type,
    _ query: ElementQuery?
  ) throws(StoreError) -> (row: ManagedRow, history: CollectionHistory) {
    let row = try owner(handle)
    let column = Int(handle?.column ?? 0)
    let name = row.binding.name(of: column)
    var filter = ObservedProperties.all
    if let model = element.model {
      filter = try ObservedProperties(keyPaths, of: model)
    } else if let first = keyPaths?.first {
      throw .invalidQuery("\(name) holds no objects with a property \(first)", position: 0)
    }
    guard let place = CollectionPlace(row, column: column) else {
      throw .invalidatedObject(name)
    }
    let query = query ?? ElementQuery(row, column: column)
    return (row, CollectionHistory(of: place, query, name: name, filter: filter))
  }

  /// Observes a collection.
  ///
  /// - Parameters:
  ///   - collection: What is observed, and given to `step` for as long as somebody has it.
  ///   - handle: Where it is; `nil` where no store has it.
  ///   - keyPaths: Properties of the objects in it, by name.
  ///   - element: What it holds.
  ///   - query: What is asked of its elements; `nil` for all of them.
  ///   - make: Makes the collection where nobody has it any more.
  ///   - step: Tells a step.
  ///   - fail: Tells an error.
  /// - Returns: The token that keeps the observation alive.
  static func observe<C: AnyObject>(
    _ collection: C, _ handle: CollectionHandle?, _ keyPaths: [String]?,
    of element: any Persistable.Type, _ query: ElementQuery? = nil,
    make: @escaping (CollectionHandle) -> C?,
    step: @escaping (C, CollectionHistory.Step) -> Void, fail: @escaping (StoreError) -> Void
  ) -> NotificationToken {
    let token = NotificationToken()
    do throws(StoreError) {
      let (row, history) = try begin(handle, keyPaths, element, query)
      let find = row.finder
      let column = handle?.column ?? 0
      let callback = CollectionObserver.Callback(
        step: { [weak collection] session, told in
          let collection =
            collection
            ?? find(session).flatMap { make(CollectionHandle(access: $0, column: column)) }
          if let collection { step(collection, told) }
        }, fail: fail)
      Notifier.of(row.session).add(CollectionObserver(token, history, callback))
    } catch {
      token.invalidate()
      fail(error)
    }
    return token
  }

  /// The changes of a collection as an asynchronous sequence; it ends with the collection's owner.
  ///
  /// `look` is called before each element is given out.
  static func changes<C>(
    of collection: C, _ handle: CollectionHandle?, _ element: any Persistable.Type,
    _ query: ElementQuery? = nil, look: @escaping () -> Void = {}
  ) -> AsyncChanges<CollectionChange<C>> {
    steps(of: handle, element, query) {
      look()
      return CollectionChange(
        collection, $0.changes, isInitial: $0.isInitial, isResync: $0.isResync,
        version: $0.version)
    }
  }

  /// What `told` makes of each step of a collection, and `fail` of an error at the beginning, as an asynchronous
  /// sequence; it ends with the collection's owner.
  static func steps<Change>(
    of handle: CollectionHandle?, _ element: any Persistable.Type, _ query: ElementQuery? = nil,
    fail: ((StoreError) -> Change)? = nil, _ told: @escaping (CollectionHistory.Step) -> Change
  ) -> AsyncChanges<Change> {
    AsyncChanges {
      do throws(StoreError) {
        var (row, history) = try begin(handle, nil, element, query)
        let session = row.session
        return ChangeReader(session.core.watcher) { () throws(StoreError) in
          let step = try session.step { (version, transaction, changes) throws(StorageError) in
            try history.advance(session, to: version, in: transaction, changes)
          }
          if step == nil, history.isGone { throw .closed }
          return step.map(told)
        }
      } catch {
        if let fail { return .single(fail(error)) }
        return ChangeReader(nil) { () throws(StoreError) in throw error }
      }
    }
  }
}

extension ManagedRow {
  /// Finds the same object in its session again, without keeping that.
  var finder: (Session) -> ManagedRow? {
    let model = ModelReference(binding.model)
    if let embedded = self as? EmbeddedRow {
      let owner = embedded.owner.finder
      let (column, number) = (embedded.column, embedded.number)
      return { session in
        guard let owner = owner(session), let binding = model.binding(in: session) else {
          return nil
        }
        return EmbeddedRow(owner: owner, column: column, number: number, binding)
      }
    }
    let row = root.row
    return { session in model.binding(in: session).map { session.row(row, $0) } }
  }
}
