import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport

/// Several processes that write, read and observe for a long time: nothing may grow for ever.
///
/// What a process gets to know in the first sixth of the time is its work. From then on descriptors may
/// not become more, and memory may not grow by a mebibyte an hour, if the run is long enough to tell. The
/// highest page may not rise by more than a tenth, if the log was full by then; where somebody has since
/// been slower to read a version than ever before, which keeps its pages from being used again, by as
/// much more as that version was older.
final class Soak {
  /// What was measured at one moment.
  private struct Sample {
    var seconds: Double
    var commits: Int
    var pages: Int
    var logEntries: Int
    /// The most versions so far from one that is read to the newest.
    var active: Int
    var processes: [ProcessFigures]
  }

  /// The entries that a log keeps at the most: one for each commit of the last 10,000, further parts of
  /// long ones, and what one commit adds before it lets go.
  private static let longestLog = 10_100
  /// In MiB an hour.
  private static let steepestGrowth = 1.0
  /// The seconds from which on a slope is one of memory, and not of single pages.
  private static let longRun = 1_500.0
  private static let samples = 60

  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var ledger: Ledger
  private var samples: [Sample] = []
  private var mostActive = 1
  private var problems: [String] = []
  private let roles: [[String]]
  private var names: [String] { ["driver"] + roles.map(\.[0]) }

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
    ledger = Ledger(seed: seed)
    roles = [
      ["write", "\(seed)"], ["write", "\(seed)"], ["read", "\(seed)"],
      ["observe", "sorted", "\(seed)"],
    ]
  }

  /// Runs until the time is over.
  func run(for duration: Duration) throws -> Findings {
    let path = directory.url.appendingPathComponent("Ledger.leyden").path
    let store = try Torture.open(path)
    let mirror = try LedgerObserver.Mirror("filtered", of: store, seed: seed)
    let children = try roles.map { try ChildProcess("leyden-torture", $0 + [path]) }
    // When all are there: what a process does to begin is no growth.
    for child in children { note([try child.requiredLine()]) }
    let beginning = ContinuousClock.now
    var nextSample = duration / Self.samples
    while ContinuousClock.now - beginning < duration, problems.isEmpty {
      store.waitForChanges(timeout: .milliseconds(50))
      problems += mirror.newProblems()
      for child in children { note(try child.linesSoFar()) }
      if ContinuousClock.now - beginning >= nextSample {
        nextSample += duration / Self.samples
        try sample((ContinuousClock.now - beginning).seconds, store, children)
      }
    }
    try end(store, children)
    return findings()
  }

  private func note(_ lines: [String]) {
    for line in lines {
      if line.hasPrefix("problem") { problems.append(line) }
      if line.hasPrefix("active"), let active = Int(line.dropFirst(7)) {
        mostActive = max(mostActive, active)
      }
    }
  }

  private func sample(_ seconds: Double, _ store: Store, _ children: [ChildProcess]) throws {
    let environment = try store.session.core.environment
    let logEntries = try store.session.withTransaction { (transaction) throws(StorageError) in
      guard let log = try transaction.table(named: "log") else { return 0 }
      return try transaction.count(of: log)
    }
    let sample = Sample(
      seconds: seconds, commits: store.objects(Counter.self).first?.value ?? 0,
      pages: environment.usedBytes / environment.pageSize, logEntries: logEntries,
      active: mostActive,
      processes: ([getpid()] + children.map(\.identifier)).map(ProcessFigures.init))
    samples.append(sample)
    let heaps = zip(names, sample.processes).map { "\($0) \($1.heap)" }
    say(
      "after \(Int(seconds)) s: \(sample.commits) commits, highest page \(sample.pages), "
        + "\(mostActive) versions active, \(logEntries) log entries, heap in KiB \(heaps.joined(separator: ", "))"
    )
  }

  private func end(_ store: Store, _ children: [ChildProcess]) throws {
    try store.write {
      try store.create(
        Counter.self, value: ["name": "commits", "isOver": true], update: .modified)
    }
    for (child, role) in zip(children, roles) {
      note(try child.remainingLines())
      let ending = try child.wait()
      if ending != .exited(0) { problems.append("\(role): \(ending), \(child.errorOutput)") }
    }
    ledger.advance(to: store.objects(Counter.self).first?.value ?? 0)
    problems += ledger.problems(of: store)
  }

  // MARK: Figures

  private func findings() -> Findings {
    var findings = Findings(problems: problems)
    guard let last = samples.last, samples.count > 6 else { return findings }
    let steady = Array(samples[(samples.count / 6)...])
    let first = steady[0]
    findings.note("commits", last.commits)
    findings.note("highest page", "\(first.pages), then \(last.pages)")
    findings.note("log entries", "\(first.logEntries), then \(last.logEntries)")
    findings.note("versions active at the most", "\(first.active), then \(last.active)")
    if first.logEntries >= 10_000, last.pages * 10 * first.active > first.pages * 11 * last.active {
      findings.problems.append("the highest page rose from \(first.pages) to \(last.pages)")
    }
    if let longest = samples.map(\.logEntries).max(), longest > Self.longestLog {
      findings.problems.append("the log had \(longest) entries")
    }
    for (number, name) in names.enumerated() {
      judge(name, steady.map { ($0.seconds / 3_600, $0.processes[number]) }, &findings)
    }
    return findings
  }

  /// Judges what one process used at which hour.
  private func judge(
    _ name: String, _ figures: [(hours: Double, process: ProcessFigures)],
    _ findings: inout Findings
  ) {
    guard let (_, first) = figures.first, let (end, last) = figures.last else { return }
    let growth = slope(figures.map { ($0.hours, Double($0.process.heap) / 1_024) })
    findings.note(
      name,
      "resident \(first.resident), then \(last.resident) KiB; heap \(first.heap), then "
        + "\(last.heap) KiB, \(String(format: "%+.2f", growth)) MiB an hour; descriptors "
        + "\(first.descriptors), then \(last.descriptors); threads \(first.threads), then "
        + "\(last.threads)")
    if end * 3_600 >= Self.longRun, growth >= Self.steepestGrowth {
      findings.problems.append("\(name): memory grows by \(growth) MiB an hour")
    }
    let descriptors = figures.map { $0.process.descriptors }.max() ?? 0
    if descriptors > first.descriptors {
      findings.problems.append("\(name): descriptors \(first.descriptors) to \(descriptors)")
    }
  }
}
