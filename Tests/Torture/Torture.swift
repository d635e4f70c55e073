import Foundation
import Leyden
import TestSupport

/// Tortures stores, and says what was wrong with them.
///
///     leyden-torture PROGRAM SECONDS [SEED]
///
/// Prints figures as lines `name value` and each problem as a line that begins with `problem`; ends
/// with 1 where there was one. The other roles are the processes that the programs start:
///
///     leyden-torture meet-fault TASK SEED PATH   a task and four commits, whatever happens to them
///     leyden-torture fill LIMIT SEED PATH     fills a disk, and tells what was refused
///     leyden-torture in-small-file-system SIZE SEED PATH   does that where there is little room
///     leyden-torture write SEED PATH          the next commits of the ledger, each told with its wait
///     leyden-torture observe WHICH SEED PATH  checks every change that it is told
///     leyden-torture read SEED PATH           reads everything, again and again
///     leyden-torture listen HOW PATH          tells of each commit that it was told of
///     leyden-torture decode KIND SEED FIRST END   decodes what nobody wrote: cases of a number each
///     leyden-torture commit-recorded DURABILITY SEED COUNT PATH   commits, and records which returned
///     leyden-torture check SEED PATH          opens a store and says what is wrong with it
@main
enum Torture {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      guard try run(arguments) else { exit(64) }
    } catch {
      let message = "\(error)\n"
      try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: [String]) throws -> Bool {
    guard let role = arguments.first, let last = arguments.last else { return false }
    let options = Array(arguments.dropFirst())
    let seed = options.dropFirst().first.flatMap(UInt64.init) ?? UInt64.random(in: 1...999_999)
    switch (role, options.count) {
    case ("kill", 1...2):
      report(try KillLoop(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("soak", 1...2):
      report(try Soak(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("read", 2): try LedgerReader.read(seed: UInt64(options[0]) ?? 0, open(last))
    case ("write", 2): try LedgerWriter.write(seed: UInt64(options[0]) ?? 0, to: last)
    case ("observe", 3):
      try LedgerObserver.observe(options[0], seed: UInt64(options[1]) ?? 0, last)
    case ("idle", 1...2):
      report(try Idle(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("signals", 1...2):
      report(try Signals(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("listen", 2): try Listener.listen(options[0], last)
    case ("decoders", 1...2):
      report(try Decoders(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("decode", 4):
      guard let first = Int(options[2]), let end = Int(options[3]), first <= end else {
        return false
      }
      try Decoders.decode(options[0], seed: seed, first..<end)
    case ("power", 1...2):
      report(try PowerLoss(seed: seed).run(for: .seconds(Double(options[0]) ?? 60)), seed)
    case ("commit-recorded", 4):
      try PowerLoss.commit(
        options[0], seed: UInt64(options[1]) ?? 0, Int(options[2]) ?? 1, last)
    case ("faults", 1...2), ("kill-points", 1...2):
      // Where there is little time, each so many calls one meets a fault.
      let step = max(1, 60 / max(1, Int(options[0]) ?? 60))
      let kinds = role == "faults" ? FaultRuns.kinds : FaultRuns.kills
      report(try FaultRuns(seed: seed).run(kinds, step: step), seed)
    case ("meet-fault", 3):
      guard let task = FaultyProcess.Task(rawValue: options[0]) else { return false }
      FaultyProcess.run(task, seed: UInt64(options[1]) ?? 0, last)
    case ("disk", 1...2):
      let size = (Int(options[0]) ?? 60) < 30 ? 1 << 20 : 6 << 20
      report(try FullDisk.run(seed: seed, size: size), seed)
    case ("fill", 3): try DiskFiller(limit: Int(options[0]) ?? 0, seed: seed, in: last).run()
    case ("in-small-file-system", 3):
      FullDisk.enterSmallFileSystem(size: Int(options[0]) ?? 0, seed: options[1], last)
    case ("check", 2):
      let store = try open(last)
      for problem in try problems(of: store, seed: UInt64(options[0]) ?? 0) {
        say("problem \(problem)")
      }
    default: return false
    }
    return true
  }

  /// Prints what a program found, and ends with 1 where that is a problem.
  private static func report(_ findings: Findings, _ seed: UInt64) {
    say("seed \(seed)")
    for (name, value) in findings.figures { say("\(name) \(value)") }
    for problem in findings.problems.prefix(20) { say("problem \(problem)") }
    say("problems \(findings.problems.count)")
    if !findings.problems.isEmpty { exit(1) }
  }

  /// What is wrong with a store, whatever commits it has seen.
  static func problems(of store: Store, seed: UInt64) throws -> [String] {
    try store.read { try Ledger(seed: seed, store).problems(of: store) }
  }

  /// Opens the store of a ledger.
  static func open(
    _ path: String, durability: Durability = .unsafe,
    _ models: [Object.Type] = [
      Account.self, Counter.self,
    ]
  ) throws -> Store {
    var configuration = Store.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: models)
    configuration.durability = durability
    return try Store(configuration: configuration)
  }
}

/// What a program found out.
struct Findings {
  var figures: [(name: String, value: String)] = []
  var problems: [String] = []

  mutating func note(_ name: String, _ value: some CustomStringConvertible) {
    figures.append((name, value.description))
  }
}

/// Writes a line to the standard output.
func say(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
}

extension Duration {
  /// The length in microseconds.
  var microseconds: Int { Int(self / .microseconds(1)) }
  /// The length in seconds.
  var seconds: Double { self / .seconds(1) }
}
