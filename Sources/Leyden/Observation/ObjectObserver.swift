import LeydenStorage

/// Tells one callback what changed in an object.
package final class ObjectObserver: Observer {
  /// Whom to tell.
  package struct Callback {
    package let step: (Session, ObjectHistory.Step) -> Void
    package let fail: (StoreError) -> Void
  }

  private var history: ObjectHistory

  /// Goes on from a past.
  package init(_ token: NotificationToken, _ history: ObjectHistory, _ callback: Callback) {
    self.history = history
    super.init(token, callback)
  }

  override func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? {
    guard let step = try history.advance(session, to: version, in: transaction, changes),
      let callback = state.callback(as: Callback.self)
    else { return nil }
    return { [self] in
      // Before the call, which may observe or write itself: nothing follows a deletion.
      if case .deleted = step { state.end() }
      callback.step(session, step)
    }
  }

  override var hasBegun: Bool { !history.isOfWrite }

  override func skip(
    _ changes: ObjectChangeSet, version: UInt64, _ session: Session, in transaction: Transaction
  ) throws(StorageError) {
    _ = try history.advance(session, to: version, in: transaction) { (_) throws(StorageError) in
      changes
    }
  }

  override func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    try history.restart(session, at: version, in: transaction)
  }

  override func end(_ error: StoreError) {
    let callback = state.callback(as: Callback.self)
    super.end(error)
    callback?.fail(error)
  }
}
