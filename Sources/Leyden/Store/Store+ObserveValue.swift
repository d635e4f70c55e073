import LeydenStorage

extension Store {
  /// Tells `block` what `value` makes of the store: now, and whenever that is something else.
  ///
  ///     let token = store.observe(value: { $0.objects(StoredNote.self).count }) { result in … }
  ///
  /// `value` runs at one version, and again after commits, of any process, that changed objects of a
  /// type that it read. A value that is equal to the last one is not told. The first call comes
  /// before `observe` returns (within a write: after it), the others in the same turns as those of
  /// results' observers.
  ///
  /// - Parameters:
  ///   - value: Makes the value of the store that it is given. It must not write.
  ///   - block: Whom to tell: a value, or what `value` threw. Both are kept until the token is
  ///     released or invalidated.
  /// - Returns: The token that keeps the observation alive.
  public func observe<Value: Equatable>(
    value: @escaping (Store) throws -> Value,
    _ block: @escaping (Result<Value, any Error>) -> Void
  ) -> NotificationToken {
    let token = NotificationToken()
    let callback = ValueObserver<Value>.Callback(
      value: { [weak self] session in try value(self ?? Store(session: session)) }, tell: block)
    notifier.add(ValueObserver(token, callback))
    return token
  }

  /// What `value` makes of the store as an asynchronous sequence: now, and whenever that is
  /// something else.
  ///
  ///     for await count in store.changes(of: { $0.objects(StoredNote.self).count }) { … }
  ///
  /// It may be iterated in any isolation domain: each iterator gives `value` a store of its own. It
  /// ends where `value` throws.
  ///
  /// - Parameter value: Makes the value of the store that it is given, at one version. It must not
  ///   write.
  /// - Returns: The sequence.
  public func changes<Value: Equatable & Sendable>(
    of value: @escaping @Sendable (Store) throws -> Value
  ) -> AsyncChanges<Value> {
    let core = session.core
    let models = session.models
    let ending = session.ending
    return AsyncChanges(sendable: {
      var history = ValueHistory<Value>()
      var own: Session?
      return ChangeReader(core.watcher) { () throws(StoreError) in
        guard let environment = ending.environment else { throw .closed }
        let session: Session
        if let own {
          session = own
        } else {
          session = try withExtendedLifetime(environment) { () throws(StoreError) in
            try Session(core: core, models: models, author: nil, isReadOnly: true)
          }
        }
        own = session
        try session.pin()
        defer { session.unpin() }
        let isDue = try session.step { (version, _, changes) throws(StorageError) in
          try history.advance(session, to: version, changes)
        }
        guard isDue == true else { return nil }
        switch history.make(session, { try value(Store(session: $0)) }) {
        case nil: return nil
        case .success(let value): return value
        case .failure(let error): throw error as? StoreError ?? .closed
        }
      }
    })
  }
}
