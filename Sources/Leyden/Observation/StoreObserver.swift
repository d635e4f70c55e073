import LeydenStorage

/// Tells one callback, once in each turn in which it did, that the store's version moved on.
package final class StoreObserver: Observer {
  /// Whom to tell.
  package typealias Callback = (Session) -> Void

  private var version: UInt64

  /// Everything up to `version` is old.
  package init(_ token: NotificationToken, version: UInt64, _ callback: @escaping Callback) {
    self.version = version
    super.init(token, callback)
  }

  override func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? {
    guard version > self.version else { return nil }
    self.version = version
    guard let callback = state.callback(as: Callback.self) else { return nil }
    return { callback(session) }
  }

  override func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    self.version = version
  }
}
