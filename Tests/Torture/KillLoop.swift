import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// Writers and observers that are killed at random, one after the other, and started again.
///
/// After each kill the store has to hold what the ledger says: every commit that was acknowledged, and
/// of the one that was not either all or nothing.
final class KillLoop {
  /// The place of one process.
  private final class Slot {
    let arguments: [String]
    var child: ChildProcess?

    init(_ arguments: [String]) { self.arguments = arguments }
  }

  private static let name = "leyden-torture"
  private let seed: UInt64
  private let directory: TemporaryDirectory
  private let path: String
  private let slots: [Slot]
  private var generator: SeededGenerator
  private var ledger: Ledger
  private var acknowledged: Set<Int> = []
  private var longestWait = 0
  private var problems: [String] = []

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
    path = directory.url.appendingPathComponent("Ledger.leyden").path
    generator = SeededGenerator(seed: seed)
    ledger = Ledger(seed: seed)
    slots =
      (0..<3).map { _ in Slot(["write", "\(seed)"]) }
      + ["sorted", "filtered"].map { Slot(["observe", $0, "\(seed)"]) }
  }

  /// Kills until the time is over, or something was wrong.
  func run(for duration: Duration) throws -> Findings {
    let beginning = ContinuousClock.now
    let store = try Torture.open(path)
    let mirror = try LedgerObserver.Mirror("all", of: store, seed: seed)
    for slot in slots { try start(slot) }
    var kills = 0
    while ContinuousClock.now - beginning < duration, problems.isEmpty {
      try live(.milliseconds(Int.random(in: 1...30, using: &generator)), store)
      // Sometimes several at once, as where memory runs out.
      let count = [1, 1, 1, 2, 3][Int.random(in: 0..<5, using: &generator)]
      try kill(slots.shuffled(using: &generator).prefix(count))
      kills += count
      check(store)
      store.refresh()
      problems += mirror.newProblems()
      if Int.random(in: 0..<100, using: &generator) == 0 { try reopen() }
    }
    let time = (ContinuousClock.now - beginning).seconds
    try end(store)
    var findings = Findings(problems: problems)
    findings.note("kills", kills)
    findings.note("kills a second", String(format: "%.1f", Double(kills) / time))
    findings.note("commits", ledger.count)
    findings.note("acknowledged", acknowledged.count)
    findings.note("changes told", mirror.calls)
    findings.note("longest wait for a turn in ms", longestWait / 1_000)
    return findings
  }

  private func start(_ slot: Slot) throws {
    slot.child = try ChildProcess(Self.name, slot.arguments + [path])
  }

  /// Lets the processes be for a while, and hears what they say.
  private func live(_ duration: Duration, _ store: Store) throws {
    let deadline = ContinuousClock.now + duration
    while ContinuousClock.now < deadline {
      store.waitForChanges(timeout: deadline - ContinuousClock.now)
    }
    for slot in slots { if let child = slot.child { note(try child.linesSoFar(), of: slot) } }
  }

  private func kill(_ slots: some Sequence<Slot>) throws {
    for slot in slots { slot.child?.signal(SIGKILL) }
    for slot in slots {
      guard let child = slot.child else { continue }
      note(try child.remainingLines(), of: slot)
      let ending = try child.wait()
      if ending != .killed(SIGKILL) {
        problems.append("\(slot.arguments) ended by itself: \(ending), \(child.errorOutput)")
      }
      try start(slot)
    }
  }

  /// Takes what a process said: a commit that returned, or something that was wrong.
  private func note(_ lines: [String], of slot: Slot) {
    for line in lines {
      let words = line.split(separator: " ")
      if words.count == 2, let number = Int(words[0]), let wait = Int(words[1]) {
        longestWait = max(longestWait, wait)
        if !acknowledged.insert(number).inserted {
          problems.append("commit \(number) was acknowledged twice")
        }
      } else if line.hasPrefix("problem") {
        problems.append("\(slot.arguments): \(line)")
      }
    }
  }

  /// Compares the store with the ledger, at some version from now.
  private func check(_ store: Store) {
    do {
      try store.read {
        ledger.advance(to: store.objects(Counter.self).first?.value ?? 0)
        // All is verified now and then, which takes longer than everything else here.
        let verifies = Int.random(in: 0..<4, using: &generator) == 0
        problems += ledger.problems(of: store, verifying: verifies)
      }
    } catch { problems.append("\(error)") }
    // A version is read after what was heard before it: nothing acknowledged may be missing.
    if let last = acknowledged.max(), last > ledger.count {
      problems.append("commit \(last) was acknowledged, but there are \(ledger.count)")
    }
  }

  /// Opens the store as somebody does who was not there before.
  private func reopen() throws {
    let reader = try ChildProcess(Self.name, ["check", "\(seed)", path])
    for line in try reader.remainingLines() where line.hasPrefix("problem") {
      problems.append("opened anew: \(line)")
    }
    if try reader.wait() != .exited(0) {
      problems.append("opened anew: \(reader.errorOutput)")
    }
  }

  /// Lets all come to their end.
  private func end(_ store: Store) throws {
    try store.write {
      let counter =
        try store.object(ofType: Counter.self, forPrimaryKey: "commits")
        ?? store.create(Counter.self, value: ["name": "commits"])
      counter.isOver = true
    }
    for slot in slots {
      guard let child = slot.child else { continue }
      note(try child.remainingLines(), of: slot)
      let ending = try child.wait()
      if ending != .exited(0) {
        problems.append("\(slot.arguments): \(ending), \(child.errorOutput)")
      }
    }
    check(store)
    store.close()
    try reopen()
  }
}
