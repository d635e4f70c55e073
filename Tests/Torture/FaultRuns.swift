import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// Processes in which one system call fails, or that are killed at one: each call in its turn, until a
/// process comes through unharmed.
///
/// Afterwards the store has to open, to hold all that was acknowledged and nothing that was refused,
/// and to take another commit.
final class FaultRuns {
  /// What the process finds: a store, or none.
  private struct Scenario {
    let name: String
    var commits = 0
    /// `data.mdb` as the process finds it.
    var data: Data?
    /// Whether it was written by a program without indexes, which the process builds.
    var isPlain = false
    var task = FaultyProcess.Task.nothing
    /// Whether somebody may have the store open meanwhile.
    var mayHaveWitness: Bool { data != nil && task != .compacting }
  }

  /// All that can happen to a call.
  static let kinds = ["eio", "enospc", "eintr", "short", "before", "after", "torn"]
  /// The ways to be killed at one.
  static let kills = ["before", "after", "torn"]
  private static var library: String {
    BuildProducts.directory.appendingPathComponent("libleyden-faults.so").path
  }

  /// Whether calls can meet faults on this system.
  static var isPossible: Bool { FileManager.default.fileExists(atPath: library) }

  /// What a process's environment has to have for its call with a number to meet a fault.
  static func environment(_ kind: String, _ number: Int) -> [String: String] {
    ["LD_PRELOAD": library, "LEYDEN_FAULT": "\(kind):\(number)"]
  }

  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var runs = 0
  private var unharmed = 0
  private var killed = 0
  private var outcomes: [String: Int] = [:]
  private var problems: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
  }

  /// Runs all scenarios with all faults.
  ///
  /// - Parameters:
  ///   - kinds: What happens to the calls.
  ///   - step: Each how many calls one meets a fault.
  /// - Returns: How many runs there were and how they ended, and what was wrong.
  /// - Throws: What keeps it from being found out.
  func run(_ kinds: [String], step: Int) throws -> Findings {
    var findings = Findings()
    var generator = SeededGenerator(seed: seed)
    for scenario in try scenarios(withLog: step == 1) {
      var calls = 0
      for kind in kinds {
        var number = step > 1 ? Int.random(in: 1...step, using: &generator) : 1
        while try meets(kind, number, scenario), problems.count < 20 { number += step }
        calls = max(calls, number - 1)
      }
      findings.note("calls in \(scenario.name)", calls)
    }
    findings.note("runs", runs)
    findings.note("of these killed", killed)
    findings.note("of these unharmed", unharmed)
    for (name, count) in outcomes.sorted(by: { $0.key < $1.key }) { findings.note(name, count) }
    findings.problems = problems
    return findings
  }

  // MARK: One run

  /// Lets a process meet a fault; false where it came through unharmed.
  private func meets(_ kind: String, _ number: Int, _ scenario: Scenario) throws -> Bool {
    let url = directory.url.appendingPathComponent("\(runs).leyden")
    defer { try? FileManager.default.removeItem(at: url) }
    if let data = scenario.data {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      try data.write(to: url.appendingPathComponent("data.mdb"))
    }
    // Every other time somebody has the store open meanwhile, and goes on after the process is gone.
    let witness = scenario.mayHaveWitness && runs % 2 == 0 ? try open(url, scenario) : nil
    runs += 1
    let child = try ChildProcess(
      "leyden-torture", ["meet-fault", scenario.task.rawValue, "\(seed)", url.path],
      environment: Self.environment(kind, number))
    let lines = try child.remainingLines()
    let ending = try child.wait()
    let fault = child.errorOutput.split(separator: "\n").first { $0.hasPrefix("fault") }
    let context = "\(scenario.name), \(kind):\(number) (\(fault ?? "no fault")), seed \(seed)"
    check(ending, lines, isKilling: Self.kills.contains(kind), fault != nil, context)
    note(lines, kind)
    try checkStore(url, scenario, lines, ending, witness, context)
    checkCopy(of: url, scenario, hasFirst: lines.first?.contains("committed") ?? false, context)
    witness?.close()
    if fault == nil { unharmed += 1 }
    return fault != nil
  }

  private func check(
    _ ending: ChildProcess.Ending, _ lines: [String], isKilling: Bool, _ wasHit: Bool,
    _ context: String
  ) {
    if isKilling && wasHit {
      killed += 1
      if ending != .killed(SIGKILL) { problems.append("\(context): \(ending)") }
      return
    }
    if ending != .exited(0) { problems.append("\(context): \(ending), \(lines)") }
    if lines.contains(where: { $0.contains("untyped") }) || lines.count != 4 {
      problems.append("\(context): \(lines)")
    }
    // One of them may have met the fault itself.
    if lines.count(where: { $0.contains("committed") }) < 3 {
      problems.append("\(context): the store is not usable after the fault: \(lines)")
    }
  }

  private func note(_ lines: [String], _ kind: String) {
    for line in lines where line.contains("error") {
      let words = line.split(separator: " ", maxSplits: 2)
      outcomes["\(kind): \(words[0]) ends in \(words.last ?? "")", default: 0] += 1
    }
  }

  /// Every acknowledged commit is there, none that was refused, and of one without an answer either
  /// all or nothing; then the store takes another one.
  private func checkStore(
    _ url: URL, _ scenario: Scenario, _ lines: [String], _ ending: ChildProcess.Ending,
    _ witness: Store?, _ context: String
  ) throws {
    let acknowledged = scenario.commits + lines.filter { $0.contains("committed") }.count
    do {
      // The witness of another program does not know what is to be checked.
      let store = try (scenario.isPlain ? nil : witness) ?? Torture.open(url.path)
      defer { store.close() }
      let count = store.objects(Counter.self).first?.value ?? 0
      let atMost = ending == .killed(SIGKILL) ? acknowledged + 1 : acknowledged
      if count < acknowledged || count > atMost {
        problems.append("\(context): \(count) commits, \(acknowledged) acknowledged: \(lines)")
      }
      var ledger = Ledger(seed: seed)
      ledger.advance(to: count)
      problems += ledger.problems(of: store).map { "\(context): \($0.prefix(300))" }
      // Whoever died between writing its commit and showing it to readers has it shown by the next.
      let next = try store.write { try ledger.writeNext(in: store) } ?? 0
      if next != count + 1 && next != atMost + 1 {
        problems.append("\(context): \(count) commits, and the next one is \(next)")
      }
      ledger.advance(to: next)
      problems += ledger.problems(of: store).map { "\(context), written after: \($0.prefix(300))" }
    } catch { problems.append("\(context): the store does not open: \(error)") }
  }

  /// A copy is whole, or there is none.
  private func checkCopy(of url: URL, _ scenario: Scenario, hasFirst: Bool, _ context: String) {
    let copy = URL(fileURLWithPath: FaultyProcess.copy(of: url.path))
    defer { try? FileManager.default.removeItem(at: copy) }
    guard FileManager.default.fileExists(atPath: copy.path) else {
      if hasFirst, scenario.task == .copying { problems.append("\(context): there is no copy") }
      return
    }
    do {
      let store = try Torture.open(copy.path)
      defer { store.close() }
      var ledger = Ledger(seed: seed)
      ledger.advance(to: scenario.commits)
      problems += ledger.problems(of: store).map { "\(context), the copy: \($0.prefix(300))" }
    } catch { problems.append("\(context): the copy does not open: \(error)") }
  }

  private func open(_ url: URL, _ scenario: Scenario) throws -> Store {
    scenario.isPlain
      ? try Torture.open(url.path, [PlainAccount.self, Counter.self]) : try Torture.open(url.path)
  }

  // MARK: Scenarios

  private func scenarios(withLog: Bool) throws -> [Scenario] {
    let numbers = (20...200).map { (number: $0, size: sizeOfCommit($0 + 1)) }
    let small = numbers.min { $0.size < $1.size }?.number ?? 30
    let large = numbers.max { $0.size < $1.size }?.number ?? 30
    var scenarios = [
      Scenario(name: "making a store"),
      try scenario("a small commit", small) { $0 },
      try scenario("a large commit", large) { $0 },
    ]
    var plain = try plainScenario("building indexes", small)
    plain.isPlain = true
    scenarios.append(plain)
    for task in [FaultyProcess.Task.compacting, .copying] {
      var scenario = try scenario(task.rawValue, small) { $0 }
      scenario.task = task
      scenarios.append(scenario)
    }
    if withLog {
      // More commits than the log keeps, so that each new one lets old ones go.
      scenarios.append(
        try scenario("trimming the log", small) { store in
          let filler = try store.write { try store.create(Counter.self, value: ["name": "filler"]) }
          for _ in 0..<10_100 { try store.write { filler.value += 1 } }
          return store
        })
    }
    return scenarios
  }

  private func sizeOfCommit(_ number: Int) -> Int {
    Ledger(seed: seed).operations(of: number).reduce(0) { size, operation in
      if case .put(let value) = operation { return size + 100 + value.note.count }
      return size + 100
    }
  }

  private func scenario(
    _ name: String, _ commits: Int, _ prepare: (Store) throws -> Store
  ) throws -> Scenario {
    try scenario(name, commits, [Account.self, Counter.self]) { store in
      let ledger = Ledger(seed: seed)
      for _ in 0..<commits { _ = try store.write { try ledger.writeNext(in: store) } }
      _ = try prepare(store)
    }
  }

  /// A store of a program that had no indexes yet.
  private func plainScenario(_ name: String, _ commits: Int) throws -> Scenario {
    try scenario(name, commits, [PlainAccount.self, Counter.self]) { store in
      var ledger = Ledger(seed: seed)
      ledger.advance(to: commits)
      try store.write {
        try store.create(Counter.self, value: ["name": "commits", "value": commits])
        for value in ledger.accounts { try store.add(PlainAccount(value)) }
      }
    }
  }

  private func scenario(
    _ name: String, _ commits: Int, _ models: [Object.Type], _ fill: (Store) throws -> Void
  ) throws -> Scenario {
    let url = directory.url.appendingPathComponent("\(name).leyden")
    let store = try Torture.open(url.path, models)
    try fill(store)
    store.close()
    let data = try Data(contentsOf: url.appendingPathComponent("data.mdb"))
    return Scenario(name: name, commits: commits, data: data)
  }
}

extension PlainAccount {
  fileprivate convenience init(_ value: AccountValue) {
    self.init()
    number = value.number
    group = value.group
    owner = value.owner
    code = value.code
    balance = value.balance
    note = value.note
  }
}
