import LeydenStorage

/// One observation: its past, and whom to tell.
package class Observer {
  final let state: NotificationToken.State

  init(_ token: NotificationToken, _ callback: Any) {
    state = token.state
    state.begin(callback)
  }

  /// Whether the token is held and no error ended the observation.
  final var isAlive: Bool { state.isAlive }

  /// Brings the past forward to the version that `transaction` sees.
  ///
  /// `changes` reads what changed after a version, `nil` where the log does not reach. What is
  /// returned is the call to make, or `nil` where nothing that concerns the observer has changed.
  func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? { nil }

  /// Whether there is a past to go on from.
  var hasBegun: Bool { true }

  /// Takes the past over the changes of the write that `transaction` will commit, without telling.
  ///
  /// One that has no past yet stays so: it will begin after the write.
  func skip(
    _ changes: ObjectChangeSet, version: UInt64, _ session: Session, in transaction: Transaction
  ) throws(StorageError) {
    guard hasBegun else { return }
    _ = try advance(session, to: version, in: transaction) { (_) throws(StorageError) in changes }
  }

  /// Replaces the past by what `transaction` sees.
  func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {}

  /// Ends the observation and tells why.
  func end(_ error: StoreError) { state.end() }
}
