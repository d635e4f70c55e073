package import LeydenStorage

/// The past of one observed value: what it was, and of which models it was made.
package struct ValueHistory<Value: Equatable> {
  private var version: UInt64?
  private var reads: Set<ObjectIdentifier> = []
  private var last: Value?

  /// Begins before the first value.
  package init() {}

  /// Whether there was a first look.
  var hasBegun: Bool { version != nil }

  /// Goes on to a version.
  ///
  /// - Returns: Whether the value has to be made again: it never was, or a model that it read
  ///   changed.
  package mutating func advance(
    _ session: Session, to version: UInt64,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> Bool {
    guard let old = self.version else {
      self.version = version
      return true
    }
    guard version > old else { return false }
    self.version = version
    guard let changes = try changes(old) else { return true }
    // Which types it read of dynamic objects was not noted.
    if reads.contains(ObjectIdentifier(DynamicObject.self)) { return !changes.types.isEmpty }
    return session.models.contains { model in
      guard reads.contains(ObjectIdentifier(model.objectType)),
        let type = session.binding(of: model.objectType)?.stored?.id
      else { return false }
      return changes.types[type]?.isEmpty == false
    }
  }

  /// Makes the value; the session keeps one version meanwhile.
  ///
  /// - Returns: The value or what `body` threw; `nil` where the value is equal to the last one.
  package mutating func make(
    _ session: Session, _ body: (Session) throws -> Value
  ) -> Result<Value, any Error>? {
    reads = []
    do {
      let value = try session.notingReads(in: &reads) { try body(session) }
      try session.check()
      if value == last { return nil }
      last = value
      return .success(value)
    } catch {
      last = nil
      return .failure(error)
    }
  }
}

/// Tells one callback a value that is made of a store, whenever it is another one.
package final class ValueObserver<Value: Equatable>: Observer {
  /// What to make, and whom to tell.
  package struct Callback {
    let value: (Session) throws -> Value
    let tell: (Result<Value, any Error>) -> Void
  }

  private var history = ValueHistory<Value>()

  init(_ token: NotificationToken, _ callback: Callback) { super.init(token, callback) }

  override func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? {
    guard try history.advance(session, to: version, changes) else { return nil }
    return { [self] in
      guard let callback = state.callback(as: Callback.self),
        let result = history.make(session, callback.value)
      else { return }
      callback.tell(result)
    }
  }

  override var hasBegun: Bool { history.hasBegun }

  override func end(_ error: StoreError) {
    let callback = state.callback(as: Callback.self)
    super.end(error)
    callback?.tell(.failure(error))
  }
}
