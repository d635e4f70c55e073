import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport

/// Several processes that write, read and observe for a long time: nothing may grow for ever.
///
/// Memory is told and not judged, because a machine's other work moves it; descriptors and the highest
/// page are judged.
final class Soak {
  /// A file beyond this number of pages has grown without need: the accounts and the longest log take
  /// some two thousand, and what readers hold meanwhile a few times as many.
  static let mostPages = 20_000

  /// What was measured at one moment.
  private struct Sample {
    var seconds: Double
    var commits: Int
    var pages: Int
    var logEntries: Int
    var processes: [ProcessFigures]
  }

  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var ledger: Ledger
  private var samples: [Sample] = []
  private var problems: [String] = []
  private let roles: [[String]]

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
    let beginning = ContinuousClock.now
    var nextSample = duration / 20
    while ContinuousClock.now - beginning < duration, problems.isEmpty {
      store.waitForChanges(timeout: .milliseconds(50))
      problems += mirror.newProblems()
      for child in children { note(try child.linesSoFar()) }
      if ContinuousClock.now - beginning >= nextSample {
        nextSample += duration / 20
        try sample((ContinuousClock.now - beginning).seconds, store, children)
      }
    }
    try end(store, children)
    return findings()
  }

  private func note(_ lines: [String]) {
    problems += lines.filter { $0.hasPrefix("problem") }
  }

  private func sample(_ seconds: Double, _ store: Store, _ children: [ChildProcess]) throws {
    let environment = try store.session.core.environment
    let logEntries = try store.session.withTransaction { (transaction) throws(StorageError) in
      guard let log = try transaction.table(named: "log") else { return 0 }
      return try transaction.count(of: log)
    }
    samples.append(
      Sample(
        seconds: seconds, commits: store.objects(Counter.self).first?.value ?? 0,
        pages: environment.usedBytes / environment.pageSize, logEntries: logEntries,
        processes: ([getpid()] + children.map(\.identifier)).map(ProcessFigures.init)))
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
    guard let last = samples.last, samples.count > 3 else { return findings }
    // Before the middle a process still gets to know its work.
    let middle = samples[samples.count / 2]
    findings.note("commits", last.commits)
    findings.note("highest page", "\(middle.pages), then \(last.pages)")
    findings.note("log entries", "\(middle.logEntries), then \(last.logEntries)")
    for (number, role) in (["driver"] + roles.map(\.[0])).enumerated() {
      let (before, after) = (middle.processes[number], last.processes[number])
      let hours = (last.seconds - middle.seconds) / 3_600
      let slope = Double(after.heap - before.heap) / 1_024 / hours
      findings.note(
        role,
        "resident \(before.resident), then \(after.resident) KiB; heap \(before.heap), then "
          + "\(after.heap) KiB, \(Int(slope)) MiB an hour; descriptors \(before.descriptors), then "
          + "\(after.descriptors); threads \(before.threads), then \(after.threads)")
      if after.descriptors > before.descriptors {
        findings.problems.append(
          "\(role): descriptors \(before.descriptors) to \(after.descriptors)")
      }
    }
    if last.pages > Self.mostPages { findings.problems.append("\(last.pages) pages") }
    return findings
  }
}

/// What a process uses, as the system tells.
private struct ProcessFigures {
  /// Memory in KiB, with the pages of the store's file.
  var resident = 0
  /// Memory in KiB that is the process's own.
  var heap = 0
  var threads = 0
  var descriptors = 0

  init(_ process: Int32) {
    let directory = "/proc/\(process)"
    let status = (try? String(contentsOfFile: "\(directory)/status", encoding: .utf8)) ?? ""
    for line in status.split(separator: "\n") {
      let words = line.split { " \t:".contains($0) }
      guard words.count > 1, let value = Int(words[1]) else { continue }
      switch words[0] {
      case "VmRSS": resident = value
      case "RssAnon": heap = value
      case "Threads": threads = value
      default: break
      }
    }
    descriptors =
      (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/fd"))?.count ?? 0
  }
}
