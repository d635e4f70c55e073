import LeydenStorage

/// Tells one callback what changed in a list, a set or a map.
///
/// It holds nothing of the collection: that leads to the session, which owns its observers.
package final class CollectionObserver: Observer {
  /// Whom to tell.
  package struct Callback {
    let step: (Session, CollectionHistory.Step) -> Void
    let fail: (StoreError) -> Void
  }

  private var history: CollectionHistory

  /// Begins before the first step.
  package init(_ token: NotificationToken, _ history: CollectionHistory, _ callback: Callback) {
    self.history = history
    super.init(token, callback)
  }

  override func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? {
    let step = try history.advance(session, to: version, in: transaction, changes)
    let isGone = history.isGone
    guard let callback = state.callback(as: Callback.self) else { return nil }
    guard let step else {
      if isGone { state.end() }
      return nil
    }
    return { [self] in
      if step.isInitial, isGone {
        return end(.invalidatedObject(history.name))
      }
      // Before the call, which may observe or write itself: nothing follows.
      if isGone { state.end() }
      callback.step(session, step)
    }
  }

  override var hasBegun: Bool { history.hasBegun }

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
