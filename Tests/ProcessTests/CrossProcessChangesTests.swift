import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Commits of one process, told to another.
final class CrossProcessChangesTests: ProcessTestCase {
  func testTheChangesOfAThousandCommitsLeadToTheRowsOfTheWriter() throws {
    let store = try store()
    let counter = try store.write { try store.add(Item(0)) }
    let cards = store.objects(Card.self)
    let recorders = [
      ChangeRecorder(cards.sorted(by: \.title), reading: \.value),
      ChangeRecorder(cards.where { $0.rank > 2 }, reading: \.value),
      ChangeRecorder(
        cards.where { $0.done }.sorted(by: \.score, ascending: false), reading: \.value),
      ChangeRecorder(cards, reading: \.value),
    ]

    let count = testScale(1_000)
    let writer = try child("write", "11", "\(count)")
    try wait(for: store) { counter.value == count }

    XCTAssertEqual(try writer.wait(), .exited(0), writer.errorOutput)
    // The last commit may have come between the last delivery and the look at the counter.
    store.refresh()
    var commits = RandomCommits(seed: 11)
    var expected = CardList()
    for _ in 0..<count { expected.apply(commits.next(for: expected)) }
    XCTAssertTrue(recorders[3].values == expected.values, "seed 11")
    XCTAssertTrue(store.values(of: Card.self) == expected.values, "seed 11")
    XCTAssertTrue(recorders[1].values == expected.values.filter { $0.rank > 2 }, "seed 11")
    for recorder in recorders {
      XCTAssertEqual(recorder.violations, [], "seed 11")
      XCTAssertLessThanOrEqual(recorder.changes.count, count)
      XCTAssertGreaterThan(recorder.changes.count, 0)
    }
    XCTAssertFalse(store.refresh())
  }

  func testAnotherProcessIsToldOfAThousandCommits() throws {
    let store = try store()
    let observers = try ["all", "sorted", "filtered"].map { try child("observe", $0) }
    var rows = try observers.map { try ChangeLine(line: $0.requiredLine()).apply(to: []) }
    XCTAssertEqual(rows, [[], [], []])

    var commits = RandomCommits(seed: 12)
    var expected = CardList()
    for _ in 0..<testScale(1_000) {
      let operations = commits.next(for: expected)
      try store.write { for operation in operations { try operation.apply(to: store) } }
      expected.apply(operations)
    }
    let last = CardOperation.add(CardValue("end"))
    try store.write { try last.apply(to: store) }
    expected.apply(last)

    for (position, observer) in observers.enumerated() {
      for line in try observer.remainingLines() {
        rows[position] = try ChangeLine(line: line).apply(to: rows[position])
      }
      XCTAssertEqual(try observer.wait(), .exited(0), observer.errorOutput)
    }
    let inOrder = expected.values.enumerated().sorted {
      ($0.element.title, $0.offset) < ($1.element.title, $1.offset)
    }
    XCTAssertTrue(rows[0].map(\.value) == expected.values, "seed 12")
    XCTAssertTrue(rows[1].map(\.value) == inOrder.map(\.element), "seed 12")
    XCTAssertTrue(rows[2].map(\.value) == expected.values.filter { $0.rank > 2 }, "seed 12")
  }

  func testARowOfAnotherProcessComesByItself() throws {
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Card.self), reading: \.value)

    let editor = try child("edit")
    XCTAssertEqual(try editor.requiredLine(), "ready")
    XCTAssertFalse(store.refresh())
    let expected = ["add": "-[] +[0] ~[]", "edit": "-[] +[] ~[0]", "delete": "-[0] +[] ~[]"]
    for step in ["add", "edit", "edit", "delete"] {
      editor.send(step)
      XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)), step)
      XCTAssertEqual(recorder.changes.last, expected[step])
      XCTAssertEqual(try editor.requiredLine(), step)
      XCTAssertFalse(store.refresh(), step)
    }

    XCTAssertEqual(recorder.changes.count, 4)
    XCTAssertEqual(recorder.violations, [])
  }

  func testAnObjectThatAnotherProcessDeletesIsEmptyAndItsObserverIsTold() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("edited", title: "here", rank: 5)) }
    let kept = try store.write { try store.add(Card("kept")) }
    var calls: [String] = []
    let token = card.observe { change in
      switch change {
      case .change(_, let properties):
        calls += properties.map {
          "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")"
        }
      case .deleted: calls.append("deleted")
      case .error(let error): calls.append("\(error)")
      }
    }
    let editor = try child("edit")
    XCTAssertEqual(try editor.requiredLine(), "ready")

    for step in ["edit", "delete"] {
      editor.send(step)
      XCTAssertEqual(try editor.requiredLine(), step)
      XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    }

    XCTAssertEqual(calls, ["rank 5 6", "deleted"])
    XCTAssertTrue(card.isInvalidated)
    XCTAssertEqual(card.title, "")
    XCTAssertEqual(card.rank, 0)
    XCTAssertThrowsError(
      try store.write {
        kept.rank = 1
        card.title = "back"
      }
    ) { XCTAssertEqual($0 as? StoreError, .invalidatedObject("Card.title")) }
    XCTAssertEqual(kept.rank, 7)
    token.invalidate()
  }

  func testAnEditThatChangesNothingWakesNobody() throws {
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Card.self), reading: \.value)
    let editor = try child("edit")
    XCTAssertEqual(try editor.requiredLine(), "ready")
    editor.send("add")
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    XCTAssertEqual(try editor.requiredLine(), "add")

    editor.send("same")
    XCTAssertEqual(try editor.requiredLine(), "same")

    XCTAssertFalse(store.waitForChanges(timeout: .zero))
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
  }

  func testTwoCommitsThatFallTogetherAreOneChange() throws {
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Card.self), reading: \.value)
    let editor = try child("edit")
    XCTAssertEqual(try editor.requiredLine(), "ready")

    for step in ["add", "edit", "edit"] {
      editor.send(step)
      XCTAssertEqual(try editor.requiredLine(), step)
    }

    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    XCTAssertEqual(recorder.values.first?.rank, 9)
  }

  func testAReaderCausesNoChange() throws {
    let store = try store()
    try store.write { try store.add(Card("a")) }
    let recorder = ChangeRecorder(store.objects(Card.self), reading: \.value)
    let version = store.version

    let reader = try child("count")

    XCTAssertEqual(try reader.requiredLine(), "1")
    XCTAssertEqual(try reader.wait(), .exited(0))
    XCTAssertFalse(store.refresh())
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(recorder.changes, [])
  }

  func testAReaderDoesNotWaitForAWriter() throws {
    let store = try store()
    try store.beginWrite()
    try store.add(Card("a"))

    let reader = try child("count")

    XCTAssertEqual(try reader.requiredLine(), "0")
    try store.commitWrite()
  }

  func testAThreadWithAStoreOfItsOwnIsHeardToTheEnd() throws {
    let store = try store()
    let items = store.objects(Item.self)
    var mirror: [Int] = []
    var calls = 0
    let token = items.observe { change in
      guard case .update(let items, let deletions, let insertions, let modifications) = change
      else { return }
      calls += 1
      XCTAssertEqual(deletions + modifications, [])
      XCTAssertEqual(insertions, Array(mirror.count..<items.count))
      mirror += insertions.map { items[$0].value }
      XCTAssertEqual(items.count, mirror.count)
    }
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])

    let count = testScale(2_000)
    let writer = Thread {
      do {
        let store = try Store(configuration: configuration)
        for value in 0..<count { try store.write { try store.add(Item(value)) } }
      } catch { XCTFail("\(error)") }
    }
    writer.start()
    try wait(for: store) { mirror.count == count }

    XCTAssertEqual(mirror, Array(0..<count))
    XCTAssertLessThanOrEqual(calls, count)
    token.invalidate()
  }
}
