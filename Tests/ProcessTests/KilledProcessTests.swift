import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Processes that are killed: what was acknowledged is there, and nobody waits for them.
final class KilledProcessTests: ProcessTestCase {
  func testEveryAcknowledgedCommitSurvivesItsWriter() throws {
    var generator = SeededGenerator(seed: 21)
    var expected = CardList()
    var count = 0
    let observing = try store()
    try observing.write { try observing.add(Item(0)) }
    let recorder = ChangeRecorder(
      observing.objects(Card.self).sorted(by: \.title), reading: \.value)
    var kept: Store?

    for round in 0..<testScale(200) {
      let context = "seed 21, round \(round)"
      let seed = 10_000 + UInt64(round)
      let writer = try child("write", "\(seed)", "100000")
      var acknowledged = count
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        acknowledged = try XCTUnwrap(Int(writer.requiredLine(within: .seconds(10))), context)
      }
      writer.signal(SIGKILL)
      let rest = try writer.remainingLines()
      acknowledged = rest.last.flatMap { Int($0) } ?? acknowledged
      XCTAssertEqual(try writer.wait(), .killed(SIGKILL), context)

      // Half of the time nobody has the store open while the writer dies.
      let store = try kept ?? self.store()
      // A commit whose writer died before it showed it to readers is shown by the next writer.
      try store.beginWrite()
      try store.cancelWrite()
      let stored = try XCTUnwrap(store.objects(Item.self).first?.value, context)
      XCTAssertGreaterThanOrEqual(stored, acknowledged, context)
      XCTAssertLessThanOrEqual(stored, acknowledged + 1, context)
      var commits = RandomCommits(seed: seed)
      for _ in count..<stored { expected.apply(commits.next(for: expected)) }
      count = stored
      let values = store.values(of: Card.self)
      XCTAssertTrue(values == expected.values, context)
      for card in expected.values.shuffled(using: &generator).prefix(3) {
        XCTAssertEqual(
          store.object(ofType: Card.self, forPrimaryKey: card.identifier)?.value, card, context)
      }
      observing.refresh()
      XCTAssertTrue(recorder.values.count == expected.count, context)
      XCTAssertEqual(recorder.violations, [], context)
      XCTAssertNoThrow(try store.verify(), context)
      if values != expected.values { return }
      kept = round % 2 == 0 ? store : nil
    }
  }

  func testAWriterThatIsKilledInsideAWriteDoesNotBlockTheNextOne() throws {
    let store = try store()
    for round in 0..<10 {
      let holder = try child("hold")
      XCTAssertEqual(try holder.requiredLine(), "holding")
      let next = try child("edit")
      XCTAssertEqual(try next.requiredLine(), "ready")
      next.send("add")
      holder.signal(SIGKILL)
      XCTAssertEqual(try holder.wait(), .killed(SIGKILL))

      XCTAssertEqual(try next.requiredLine(within: .seconds(10)), "add")
      try store.write { try store.deleteAll() }
      XCTAssertEqual(store.objects(Card.self).count, 0, "\(round)")
      XCTAssertNoThrow(try store.verify())
    }
  }

  func testRowsOfAKilledOrRolledBackWriteAreNeverGivenAgain() throws {
    let store = try store()
    var rows: Set<UInt64> = []
    var given = 0
    for round in 0..<8 {
      let count = [1, 10, 100, testScale(5_000)][round % 4]
      let other = try child("rows", "\(count)")
      let lines =
        round % 2 == 0
        ? try other.remainingLines() : try (0..<(count / 2)).map { _ in try other.requiredLine() }
      other.signal(SIGKILL)
      let numbers =
        lines.compactMap { UInt64($0) } + (try other.remainingLines().compactMap { UInt64($0) })
      try other.wait()
      given += numbers.count
      rows.formUnion(numbers)
      for value in 0..<count {
        let item = try store.write { try store.add(Item(value)) }
        rows.insert(try XCTUnwrap(item.access?.identity?.row))
        given += 1
      }
    }

    XCTAssertEqual(rows.count, given)
    XCTAssertNoThrow(try store.verify())
  }

  func testKilledObserversLeaveTheStoreToOthers() throws {
    let store = try store()
    try store.write { for number in 0..<100 { try store.add(Card("\(number)")) } }
    let living = try child("observe", "sorted")
    var rows = try ChangeLine(line: living.requiredLine()).apply(to: [])

    for round in 0..<30 {
      let observer = try child("observe", round % 2 == 0 ? "sorted" : "filtered")
      _ = try observer.requiredLine()
      observer.signal(SIGKILL)
      try observer.wait()
      try store.write { store.objects(Card.self)[round].rank += 1 }
    }
    try store.write { try store.add(Card("end")) }

    for line in try living.remainingLines() { rows = try ChangeLine(line: line).apply(to: rows) }
    XCTAssertTrue(rows.map(\.value) == store.objects(Card.self).sorted(by: \.title).values)
    XCTAssertNoThrow(try store.verify())
  }
}
