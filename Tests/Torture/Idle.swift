import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// Processes that observe a store to which nothing happens: what that costs.
///
/// Each is told of a commit before and after, so that it was there all the time. How often a process
/// falls asleep does not depend on what else the machine does; the time that it uses is judged in long runs
/// only.
struct Idle {
  /// The most that a process may use of one processor.
  private static let mostProcessorTime = 0.001

  private static let longRun = 30.0

  private let directory: TemporaryDirectory
  private let ledger: Ledger

  init(seed: UInt64) throws {
    directory = try TemporaryDirectory()
    ledger = Ledger(seed: seed)
  }

  /// Lets them be for a while.
  func run(for duration: Duration) throws -> Findings {
    let path = directory.url.appendingPathComponent("Ledger.leyden").path
    let store = try Torture.open(path)
    for _ in 0..<100 { _ = try store.write { try ledger.writeNext(in: store) } }
    let listeners = try (Listener.ways + [Listener.pool]).map { try ListenerProcess($0, path) }
    for listener in listeners { try listener.wait(for: 100) }
    try commit(store, listeners)
    // What follows a commit, such as a second look, is over.
    Thread.sleep(forTimeInterval: 2)
    let beginning = ContinuousClock.now
    let before = listeners.map { ProcessFigures($0.child.identifier) }
    Thread.sleep(forTimeInterval: duration.seconds)
    let after = listeners.map { ProcessFigures($0.child.identifier) }
    let seconds = (ContinuousClock.now - beginning).seconds
    try commit(store, listeners)

    var findings = Findings()
    let uses = zip(after, before).map { $0.use(since: $1) }
    for (listener, use) in zip(listeners, uses) {
      // Tasks run in the runtime's pool, which looks after its threads.
      let others = listener.way == "tasks" ? uses.last?.sleeps ?? 0 : 0
      judge(listener.way, use, besides: others, seconds, &findings)
      try listener.end()
      findings.problems += listener.problems
    }
    return findings
  }

  private func commit(_ store: Store, _ listeners: [ListenerProcess]) throws {
    let number = try store.write { try ledger.writeNext(in: store) } ?? 0
    for listener in listeners { try listener.wait(for: number) }
  }

  private func judge(
    _ way: String, _ use: (sleeps: Int, time: Int), besides others: Int, _ seconds: Double,
    _ findings: inout Findings
  ) {
    let share = Double(use.time) / 1e9 / seconds
    findings.note(
      way,
      String(
        format: "%.2f wake-ups a second, %.4f %% of a processor", Double(use.sleeps) / seconds,
        share * 100))
    // One more at each end, and threads of the pool that come to rest.
    if Double(use.sleeps - others) > seconds + 4 {
      findings.problems.append("\(way): \(use.sleeps) wake-ups in \(seconds) seconds")
    }
    if seconds >= Self.longRun, share > Self.mostProcessorTime {
      findings.problems.append("\(way): \(share * 100) % of a processor")
    }
  }
}
