import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// Listeners and writers that come and go, are stopped and go on, and die: nobody may miss the last
/// commit.
///
/// In each round writers commit while processes are stopped, continued and killed; some writers die at a
/// chosen call, such as the one between a commit and its ring. Then all writers are killed, and the
/// listeners have to find the last commit without another one. Then the driver commits, and whoever
/// hears nothing but the bell has to find that.
final class Signals {
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private let path: String
  private let ledger: Ledger
  private var generator: SeededGenerator
  private var writers: [ChildProcess] = []
  private var listeners: [ListenerProcess] = []
  private var stopped: [Int32: () -> Void] = [:]
  private var figures: [String: Int] = [:]

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
    path = directory.url.appendingPathComponent("Ledger.leyden").path
    ledger = Ledger(seed: seed)
    generator = SeededGenerator(seed: seed)
  }

  /// Runs rounds until the time is over, or something was wrong.
  func run(for duration: Duration) throws -> Findings {
    let store = try Torture.open(path)
    var last = try store.write { try ledger.writeNext(in: store) } ?? 0
    listeners = try (Listener.ways + [Listener.bell, Listener.bell]).map {
      try ListenerProcess($0, path)
    }
    let beginning = ContinuousClock.now
    var problems: [String] = []
    while ContinuousClock.now - beginning < duration, problems.isEmpty {
      for listener in listeners where random(4) > 0 { try listener.wait(for: last) }
      try disturb()
      let found = store.objects(Counter.self).first?.value ?? 0
      let hearers = listeners
      problems += wait(hearers.filter { $0.way != Listener.bell }, for: found, "without a ring")
      last = try store.write { try ledger.writeNext(in: store) } ?? 0
      problems += wait(hearers, for: last, "after a ring")
      count("rounds")
    }
    for listener in listeners {
      if problems.isEmpty { try listener.end() }
      problems += listener.problems
    }
    problems += try Torture.problems(of: store, seed: seed)
    var findings = Findings(problems: problems)
    findings.note("commits", last)
    for (name, count) in figures.sorted(by: { $0.key < $1.key }) { findings.note(name, count) }
    return findings
  }

  private func wait(_ listeners: [ListenerProcess], for commit: Int, _ when: String) -> [String] {
    listeners.compactMap { listener in
      do {
        try listener.wait(for: commit)
        return listener.problems.first
      } catch {
        return "\(listener.way) knows of \(listener.told), not of \(commit), \(when): \(error)"
      }
    }
  }

  /// Lets writers commit while processes are stopped, continued, killed and started.
  private func disturb() throws {
    for _ in 0..<2 { writers.append(try startWriter()) }
    for _ in 0..<random(8) + 2 {
      Thread.sleep(forTimeInterval: Double(random(4_000)) / 1e6)
      switch random(10) {
      case 0..<3: stop(writers[random(writers.count)])
      case 3..<5: stop(listeners[random(listeners.count)].child)
      case 5..<7: continueAll()
      case 7:
        let listener = listeners[random(listeners.count)]
        stopped[listener.child.identifier] = nil
        try listener.startAnew()
        count("listeners killed")
      case 8: writers.append(try startWriter())
      default: for writer in writers { _ = try writer.linesSoFar() }
      }
    }
    if random(2) == 0 { continueAll() }
    // Stopped or not: where they are, they die.
    for writer in writers { writer.signal(SIGKILL) }
    for writer in writers {
      stopped[writer.identifier] = nil
      try writer.wait()
      count("writers killed")
    }
    writers = []
    continueAll()
  }

  /// Half of the writers die by themselves, at one of their calls about the store.
  private func startWriter() throws -> ChildProcess {
    var environment: [String: String] = [:]
    if FaultRuns.isPossible, random(2) == 0 {
      let kind = FaultRuns.kills[random(2)]
      environment = FaultRuns.environment(kind, random(200) + 1)
    }
    return try ChildProcess(
      "leyden-torture", ["write", "\(seed)", path], environment: environment)
  }

  private func stop(_ child: ChildProcess) {
    child.signal(SIGSTOP)
    stopped[child.identifier] = { child.signal(SIGCONT) }
    count("processes stopped")
  }

  private func continueAll() {
    for resume in stopped.values { resume() }
    stopped = [:]
  }

  private func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  private func count(_ what: String) { figures[what, default: 0] += 1 }
}
