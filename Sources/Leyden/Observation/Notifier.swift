import LeydenStorage

/// Tells the observers of one session what changed: the only delivery there is, for commits of this
/// process and of others.
///
/// A turn: (1) make the calls that a write left over, each at the version that it is of; (2) keep the
/// newest version; (3) for each observer, in the order of their registration, work out what changed
/// since its last call, up to the version that the session shows then, and call it; (4) let the
/// version go; (5) take another turn where a callback wrote meanwhile. A callback that writes moves
/// the kept version forward, and never causes a call within a call.
package final class Notifier {
  private unowned let session: Session
  private var observers: [Observer] = []
  /// Whether a turn is being taken: then a call came from an observer.
  package private(set) var isDelivering = false
  private var isDue = false
  /// Calls that a write without notifying found due, with the version from before it.
  private var leftOver: [(past: ReadTransaction, calls: [(Observer, () -> Void)])] = []
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
    makeLeftOverCalls()
    try session.pin()
    defer { session.unpin() }
    deliver(to: observers)
    if session.isClosed { return }
    observers.removeAll { !$0.isAlive }
    deliveredVersion = max(deliveredVersion, try session.version())
  }

  private func makeLeftOverCalls() {
    while !leftOver.isEmpty, !session.isClosed {
      let (past, calls) = leftOver.removeFirst()
      session.show(past) {
        for (observer, call) in calls where observer.isAlive && !session.isClosed { call() }
      }
    }
  }

  private func deliver(to observers: [Observer]) {
    readChanges = [:]
    for observer in observers where observer.isAlive {
      do throws(StoreError) { try deliver(to: observer) } catch { observer.end(error) }
      if session.isClosed { return }
    }
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

  // MARK: Writing

  /// Delivers what is due to the observers of some tokens, before a write that they will not hear
  /// of; not within a callback, which would be called within a call.
  ///
  /// - Throws: ``StoreError/wrongStore`` where a token observes another store.
  package func deliver(to tokens: [NotificationToken]) throws(StoreError) {
    let chosen = try observers(of: tokens)
    guard !chosen.isEmpty, !isDelivering, session.writer == nil, !session.isClosed else { return }
    isDelivering = true
    makeLeftOverCalls()
    do throws(StoreError) {
      try session.pin()
      deliver(to: chosen)
      session.unpin()
      isDelivering = false
    } catch {
      isDelivering = false
      throw error
    }
    if isDue { deliver() }
  }

  /// Ends the session's write, posts its commit, and tells the observers but those of `tokens`.
  ///
  /// What is due to the left out ones from before the write is worked out at the version that it
  /// began with, and told after it; then they step over this commit, exactly, whatever follows it.
  ///
  /// - Throws: As `Session.commitWrite`; ``StoreError/wrongStore`` where a token observes another
  ///   store. The write is over and rolled back then.
  package func commitWrite(withoutNotifying tokens: [NotificationToken]) throws(StoreError) {
    guard let writer = session.writer else { throw .notInWriteTransaction }
    let core = session.core
    let version = writer.version
    var skipping: Skipping?
    var types: Set<UInt32> = []
    do throws(StoreError) {
      let chosen = try observers(of: tokens)
      if !chosen.isEmpty { skipping = try Skipping(chosen, session) }
    } catch {
      session.cancelWrite()
      deliver()
      throw error
    }
    do throws(StoreError) {
      let committed = try session.commitWrite { (changes, version, transaction) throws(StorageError) in
        core.announcer.claim(version)
        types = Set(changes.types.filter { !$0.value.isEmpty }.keys)
        try skipping?.skip(changes, version: version, self.session, in: transaction)
      }
      if let left = skipping?.end() { leftOver.append(left) }
      // Before the observers, whose own writes post later versions.
      if committed != nil { core.announcer.post(version, changing: types, of: core) }
    } catch {
      core.announcer.withdraw(version)
      skipping?.undo(session)
      if let left = skipping?.end() { leftOver.append(left) }
      deliver()
      throw error
    }
    deliver()
  }

  private func observers(of tokens: [NotificationToken]) throws(StoreError) -> [Observer] {
    var chosen: [Observer] = []
    for token in tokens where token.state.isAlive {
      guard let observer = observers.first(where: { $0.state === token.state }) else {
        throw .wrongStore
      }
      chosen.append(observer)
    }
    return chosen
  }
}

/// The observers that are not told of a write, from before its commit until after it.
private struct Skipping {
  private let observers: [Observer]
  /// The version before the write: the newest one while the writer's lock is held.
  private let past: ReadTransaction
  private var calls: [(Observer, () -> Void)] = []

  /// Brings the observers up to the version before the write.
  init(_ observers: [Observer], _ session: Session) throws(StoreError) {
    self.observers = observers
    let past = try session.storage { () throws(StorageError) in
      try session.core.environment.beginRead()
    }
    self.past = past
    do throws(StoreError) {
      calls = try session.storage { () throws(StorageError) in
        let version = try ChangeLog.newestVersion(in: past)
        var calls: [(Observer, () -> Void)] = []
        for observer in observers where observer.hasBegun {
          let call = try observer.advance(session, to: version, in: past) {
            (old) throws(StorageError) in
            try ChangeLog.changes(after: old, through: version, in: past)
          }
          if let call { calls.append((observer, call)) }
        }
        return calls
      }
    } catch {
      past.end()
      throw error
    }
  }

  /// Takes the observers over the write's own changes.
  func skip(
    _ changes: ObjectChangeSet, version: UInt64, _ session: Session, in transaction: Transaction
  ) throws(StorageError) {
    for observer in observers {
      try observer.skip(changes, version: version, session, in: transaction)
    }
  }

  /// Takes the observers back to before the write, which failed after all.
  func undo(_ session: Session) {
    for observer in observers where observer.hasBegun {
      do throws(StoreError) {
        try session.storage { () throws(StorageError) in
          try observer.restart(
            session, at: try ChangeLog.newestVersion(in: past), in: past)
        }
      } catch { observer.end(error) }
    }
  }

  /// Gives what is still to be told, or lets the version go.
  func end() -> (past: ReadTransaction, calls: [(Observer, () -> Void)])? {
    if calls.isEmpty {
      past.end()
      return nil
    }
    return (past, calls)
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

  /// Whether there is a past to go on from.
  var hasBegun: Bool { true }

  /// Takes the past over the changes of the write that `transaction` is about to commit, without
  /// telling. One that has no past yet stays so: it will begin after the write.
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
