import LeydenStorage

/// Tells the observers of one session what changed: the only delivery there is, for commits of this
/// process and of others.
///
/// A turn: (1) keep the newest version; (2) for each observer, in the order of their registration,
/// work out what changed since its last call, up to the version that the session shows then, and
/// call it; (3) let the version go; (4) take another turn where a callback wrote meanwhile. A
/// callback that writes moves the kept version forward, and never causes a call within a call.
package final class Notifier {
  private unowned let session: Session
  private var observers: [Observer] = []
  /// Whether a turn is being taken: then a call came from an observer.
  package private(set) var isDelivering = false
  private var isDue = false
  /// What the log says between two versions; valid for one turn.
  private var readChanges: [ClosedRange<UInt64>: ObjectChangeSet?] = [:]
  /// The version up to which everybody was told.
  package private(set) var deliveredVersion: UInt64

  private init(_ session: Session, deliveredVersion: UInt64) {
    self.session = session
    self.deliveredVersion = deliveredVersion
  }

  /// Gives a session its notifier, to whom everything up to now is old.
  package static func begin(_ session: Session) throws(StoreError) {
    session.companion = Notifier(session, deliveredVersion: try session.version())
  }

  /// The session's notifier.
  package static func of(_ session: Session) -> Notifier {
    guard let notifier = session.companion as? Notifier else {
      preconditionFailure("A session is observed only after `begin`")
    }
    return notifier
  }

  /// Adds an observer and makes its first call: at once, or after the running write.
  package func add(_ observer: Observer) {
    observers.append(observer)
    guard session.writer == nil else { return }
    let isOutermost = !isDelivering
    isDelivering = true
    do throws(StoreError) {
      try session.pin()
      defer { session.unpin() }
      try deliver(to: observer)
    } catch { observer.end(error) }
    guard isOutermost else { return }
    isDelivering = false
    if isDue { deliver() }
  }

  /// Takes a turn.
  ///
  /// - Returns: Whether anything is newer than what was delivered before. Within a write, and within
  ///   a callback, nothing is done and the answer is false.
  @discardableResult
  package func deliver() -> Bool {
    guard session.writer == nil, !session.isClosed else { return false }
    guard !isDelivering else {
      isDue = true
      return false
    }
    isDelivering = true
    defer { isDelivering = false }
    let before = deliveredVersion
    repeat {
      isDue = false
      do throws(StoreError) { try takeTurn() } catch {
        for observer in observers where observer.isAlive { observer.end(error) }
        break
      }
    } while isDue && !session.isClosed
    return deliveredVersion > before
  }

  private func takeTurn() throws(StoreError) {
    try session.pin()
    defer { session.unpin() }
    readChanges = [:]
    for observer in observers where observer.isAlive {
      do throws(StoreError) { try deliver(to: observer) } catch { observer.end(error) }
      if session.isClosed { return }
    }
    observers.removeAll { !$0.isAlive }
    deliveredVersion = max(deliveredVersion, try session.version())
  }

  private func deliver(to observer: Observer) throws(StoreError) {
    let call = try session.withTransaction { (transaction) throws(StorageError) in
      let version = try ChangeLog.newestVersion(in: transaction)
      try session.refreshCatalog(in: transaction)
      return try observer.advance(session, to: version, in: transaction) {
        (old) throws(StorageError) in
        try changes(after: old, through: version, in: transaction)
      }
    }
    // Outside of the transaction: the callback may do whatever it likes with the store.
    if observer.isAlive { call?() }
  }

  private func changes(
    after old: UInt64, through new: UInt64, in transaction: Transaction
  ) throws(StorageError) -> ObjectChangeSet? {
    guard old <= new else { return nil }
    if let known = readChanges[old...new] { return known }
    let changes = try ChangeLog.changes(after: old, through: new, in: transaction)
    readChanges[old...new] = .some(changes)
    return changes
  }

}

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

  /// Ends the observation and tells why.
  func end(_ error: StoreError) { state.end() }
}
