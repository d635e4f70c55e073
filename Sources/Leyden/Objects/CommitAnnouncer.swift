import Foundation
import LeydenStorage

/// Posts `Notification.Name.leydenStoreDidChange` for one environment: each commit once.
///
/// The steps: (1) who commits by `write` claims the version while it holds the writer's lock, so
/// that nobody else sees it unclaimed; (2) when the write is over, it posts on its own thread;
/// (3) the notifier thread posts what nobody claimed, the commits of other processes above all,
/// merging neighbours.
///
/// The notifier thread sleeps on the bell. It exists only while somebody in this process has the
/// store open and somebody asked for the notification's name: one who never did cannot hear.
package final class CommitAnnouncer: Sendable {
  /// - `sessions`: how many stores of the environment are open;
  /// - `isWatching`: whether the notifier thread runs, or is about to;
  /// - `posted`: every version up to it was posted or claimed; `nil` before the first look;
  /// - `claimed`: versions of this process beyond that.
  private struct State {
    var sessions = 0
    var isWatching = false
    var posted: UInt64?
    var claimed: Set<UInt64> = []
  }

  /// The name, spelled apart from the public one: asking for that begins to listen.
  static let notificationName = Notification.Name("leydenStoreDidChange")

  private let state = Locked(State())
  /// Held while the store is read: who closes the last session waits, and the file is closed then.
  private let reading = NSLock()

  init() {}

  // MARK: Commits of this process

  /// Says that a version is going to be posted by who commits it; the caller holds the writer's
  /// lock.
  package func claim(_ version: UInt64) { _ = state.withLock { $0.claimed.insert(version) } }

  /// Takes ``claim(_:)`` back, of a commit that failed.
  package func withdraw(_ version: UInt64) { _ = state.withLock { $0.claimed.remove(version) } }

  /// Posts a claimed version on the calling thread; the write is over.
  package func post(_ version: UInt64, changing types: Set<UInt32>, of core: StoreCore) {
    state.withLock { if !$0.isWatching { $0.claimed.remove(version) } }
    let catalog = core.catalog
    Self.post(version...version, Set(types.compactMap { catalog.types[$0]?.name }), of: core)
  }

  private static func post(
    _ versions: ClosedRange<UInt64>, _ types: Set<String>, of core: StoreCore
  ) {
    let first = StoreVersion(number: versions.lowerBound)
    let last = StoreVersion(number: versions.upperBound)
    NotificationCenter.default.post(
      name: notificationName, object: nil,
      userInfo: [
        StoreChangeKey.store: core.uuid, StoreChangeKey.fileURL: core.url,
        StoreChangeKey.versions: first...last, StoreChangeKey.changedTypes: types,
      ])
  }

  // MARK: Commits of others

  /// A store of the environment was opened.
  func beginSession(_ core: StoreCore) {
    let isFirst = state.withLock { state in
      state.sessions += 1
      return state.sessions == 1
    }
    if isFirst { Self.listening.withLock { $0.add(core) } }
    if Self.listening.withLock(\.isWanted) { watch(core) }
  }

  /// A store of the environment was closed; the thread ends within a second.
  func endSession() {
    state.withLock { $0.sessions -= 1 }
    reading.withLock {}
  }

  /// Which stores are open, and whether anybody asked for the notification's name.
  private struct Listening {
    var isWanted = false
    private var cores: [WeakCore] = []

    mutating func add(_ core: StoreCore) {
      cores.removeAll { $0.core == nil || $0.core === core }
      cores.append(WeakCore(core))
    }

    var open: [StoreCore] { cores.compactMap(\.core) }
  }

  private struct WeakCore {
    weak var core: StoreCore?

    init(_ core: StoreCore) { self.core = core }
  }

  // The notification centre is the process's, and so is this.
  private static let listening = Locked(Listening())

  /// Begins to post commits of other processes, for all stores that are open or will be.
  package static func beginListening() {
    let open = listening.withLock { state in
      state.isWanted = true
      return state.open
    }
    for core in open { core.announcer.watch(core) }
  }

  private func watch(_ core: StoreCore) {
    let mustStart = state.withLock { state in
      guard !state.isWatching, state.sessions > 0 else { return false }
      // Before the look below: from here on who commits leaves its claim until it was seen.
      state.isWatching = true
      state.posted = nil
      return true
    }
    guard mustStart else { return }
    guard let signal = core.openEnvironment?.signal else {
      return state.withLock { $0.isWatching = false }
    }
    // Here and not on the thread, so that what is committed from now on is posted.
    look(core)
    let reference = WeakCore(core)
    let thread = Thread {
      while true {
        // The bell before the store: a commit between the two is not missed.
        let ticket = signal.ticket
        guard let core = reference.core, core.announcer.goesOn() else { return }
        core.announcer.look(core)
        try? core.openEnvironment?.takeCare()
        withExtendedLifetime(consume core) {}
        // At least once a second, in case that a writer died between its commit and the bell.
        _ = signal.wait(since: ticket, timeout: .seconds(1))
      }
    }
    thread.name = "leyden.notifier"
    thread.start()
  }

  /// Runs `body` while the notifier thread does not read.
  ///
  /// Waits for a second at the most: it may be kept from reading by somebody who waits for the caller.
  package func whileNotReading<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let isHeld = reading.lock(before: Date(timeIntervalSinceNow: 1))
    defer { if isHeld { reading.unlock() } }
    return try body()
  }

  /// Whether commits of other processes are posted.
  package var isWatching: Bool { state.withLock { $0.isWatching } }

  private func goesOn() -> Bool {
    state.withLock { state in
      if state.sessions == 0 { state.isWatching = false }
      return state.isWatching
    }
  }

  /// Posts what is new and was not claimed.
  private func look(_ core: StoreCore) {
    // What cannot be read now is posted when it can: nothing is marked as posted before.
    let news = try? reading.withLock {
      try state.withLock(\.sessions) > 0 ? self.news(core) : []
    }
    guard let news else { return }
    for (versions, types) in news { Self.post(versions, types, of: core) }
  }

  private func news(
    _ core: StoreCore
  ) throws(StorageError) -> [(ClosedRange<UInt64>, Set<String>)] {
    let transaction = try core.environment.beginRead()
    defer { transaction.end() }
    let newest = try ChangeLog.newestVersion(in: transaction)
    let (posted, claimed) = state.withLock { ($0.posted ?? newest, $0.claimed) }
    var news: [(ClosedRange<UInt64>, Set<String>)] = []
    for range in Self.gaps(in: claimed, after: posted, through: newest) {
      let types = try ChangeLog.changedTypes(
        after: range.lowerBound - 1, through: range.upperBound, core: core, in: transaction)
      news.append((range, types))
    }
    state.withLock { state in
      state.posted = max(newest, posted)
      state.claimed = state.claimed.filter { $0 > newest }
    }
    return news
  }

  /// The runs of versions that are not claimed.
  package static func gaps(
    in claimed: Set<UInt64>, after old: UInt64, through new: UInt64
  ) -> [ClosedRange<UInt64>] {
    guard old < new else { return [] }
    var gaps: [ClosedRange<UInt64>] = []
    var start = old + 1
    for version in claimed.filter({ $0 > old && $0 <= new }).sorted() {
      if start < version { gaps.append(start...(version - 1)) }
      start = version + 1
    }
    if start <= new { gaps.append(start...new) }
    return gaps
  }
}

extension ChangeLog {
  /// The stored names of the types that commits changed; of all types where the log does not tell.
  static func changedTypes(
    after old: UInt64, through new: UInt64, core: StoreCore, in transaction: Transaction
  ) throws(StorageError) -> Set<String> {
    let catalog = try core.catalog(in: transaction)
    let changes = try changes(after: old, through: new, in: transaction)
    let types = changes.map { Array($0.types.keys) } ?? Array(catalog.types.keys)
    return Set(types.compactMap { catalog.types[$0]?.name })
  }
}
