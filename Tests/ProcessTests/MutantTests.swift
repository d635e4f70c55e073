import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Stores with bytes that nobody intended: whatever they are, opening, verifying and reading what
/// was found to be whole end no process, and what is read is what was written.
final class MutantTests: ProcessTestCase {
  private static let seed: UInt64 = 4_242
  private static let inOneProcess = 250

  func testChangedBytesAreNoticedAndEndNoProcess() throws {
    let url = try makeStore()
    let whole = StoreBytes(
      Array(try Data(contentsOf: url.appendingPathComponent("data.mdb"))))
    let count = testScale(500)
    let outcomes = try run(count, in: url)
    var tally = Tally()
    for number in 0..<count {
      let mutation = StoreMutation(whole, seed: Self.seed, number: number)
      let outcome = outcomes[number] ?? "nothing was said"
      let context = "mutant \(number) of seed \(Self.seed), \(mutation.name): \(outcome)"
      XCTAssertNotEqual(outcome, "crash", context)
      XCTAssertNotEqual(outcome, "different", context)
      // What nobody reads may be anything.
      if mutation.uses.isEmpty { continue }
      tally.note(mutation, outcome)
    }

    XCTAssertGreaterThan(tally.changed, count / 2)
    XCTAssertGreaterThanOrEqual(
      Double(tally.noticed), 0.99 * Double(tally.changed), tally.description)
    if ProcessInfo.processInfo.environment["LEYDEN_TEST_FIGURES"] != nil {
      try FileHandle.standardError.write(contentsOf: Data("\(tally)\n".utf8))
    }
  }

  /// How many mutants of which kind were noticed where.
  private struct Tally: CustomStringConvertible {
    var changed = 0
    var outcomes: [String: Int] = [:]
    var missed: [String: Int] = [:]

    mutating func note(_ mutation: StoreMutation, _ outcome: String) {
      changed += 1
      outcomes[outcome, default: 0] += 1
      guard outcome == "same" else { return }
      for use in mutation.uses { missed["\(use.part), \(use.role)", default: 0] += 1 }
    }

    var noticed: Int { changed - outcomes["same", default: 0] }

    var description: String {
      let all = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let places = missed.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
      return "\(noticed) of \(changed): " + all.joined(separator: ", ") + "; missed in "
        + places.joined(separator: ", ")
    }
  }

  private func makeStore() throws -> URL {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Specimen.self, Item.self] + Ship.types)
    let store = try Store(configuration: configuration)
    try Specimen.fill(store, count: 30)
    try Ship.fill(store, count: 4)
    try store.write { for number in 0..<20 { try store.add(Item(number)) } }
    store.close()
    return try XCTUnwrap(configuration.fileURL)
  }

  /// Takes all mutants, many in one process, and the rest in another one where it ends.
  private func run(_ count: Int, in url: URL) throws -> [Int: String] {
    var outcomes: [Int: String] = [:]
    var next = 0
    while next < count {
      let end = min(next + Self.inOneProcess, count)
      let child = try ChildProcess(
        "leyden-test-child", ["mutants", "\(Self.seed)", "\(next)", "\(end)", url.path])
      var begun = next
      for line in try child.remainingLines(within: .seconds(300)) {
        let words = line.split(separator: " ").map(String.init)
        begun = words.first.flatMap { Int($0) } ?? begun
        if words.count == 2 { outcomes[begun] = words[1] }
      }
      let ending = try child.wait()
      if ending != .exited(0), outcomes[begun] == nil { outcomes[begun] = "crash" }
      if ending != .exited(0) { XCTFail("\(ending) at \(begun): \(child.errorOutput)") }
      next = ending == .exited(0) ? end : begun + 1
    }
    return outcomes
  }
}
