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
  /// How many observers there may be before those that ended are let go without a turn.
  private var tidyingCount = 16
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
    if observers.count >= tidyingCount {
      // Each keeps its past, and where nobody writes there is no turn that lets go of it.
      observers.removeAll { !$0.isAlive }
      tidyingCount = max(16, observers.count * 2)
    }
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
    // Nobody is told any more, and the versions that were kept for it would make the file grow.
    if session.isClosed { leftOver = [] }
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
    defer {
      session.unpin()
      readChanges = [:]
    }
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
    let changes = try session.changes(after: old, through: new, in: transaction)
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
      let committed = try session.commitWrite {
        (changes, version, transaction) throws(StorageError) in
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
