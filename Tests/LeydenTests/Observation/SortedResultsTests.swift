import Leyden
import TestSupport
import XCTest

/// Results sorted by a property: which rows move, and which are only modified.
final class SortedResultsTests: StoreTestCase {
  private func observe(
    _ values: [Int], inside range: Range<Int>
  ) throws -> ChangeRecorder<Item, Int> {
    let store = try store()
    try store.write { try store.add(values.map { Item($0) }) }
    let items = store.objects(Item.self).where { $0.value.contains(range) }
      .sorted(by: \.value, ascending: false)
    return ChangeRecorder(items) { $0.value }
  }

  private func item(_ value: Int) throws -> Item {
    try XCTUnwrap(store().objects(Item.self).where { $0.value == value }.first)
  }

  /// The values 2, 4, 6 and 8 are among the results and 20 is not; the order is descending.
  private func assertChange(
    _ expected: String, _ values: [Int], file: StaticString = #filePath, line: UInt = #line,
    when body: (Store) throws -> Void
  ) throws {
    let recorder = try observe([2, 20, 4, 6, 8], inside: 1..<10)
    XCTAssertEqual(recorder.values, [8, 6, 4, 2], file: file, line: line)

    try store().write { try body(store()) }

    XCTAssertEqual(recorder.changes, [expected], file: file, line: line)
    XCTAssertEqual(recorder.values, values, file: file, line: line)
    XCTAssertEqual(recorder.violations, [], file: file, line: line)
  }

  func testARowWithTheHighestValueMovesToTheFront() throws {
    try assertChange("-[2] +[0] ~[]", [9, 8, 6, 2]) { _ in try item(4).value = 9 }
  }

  func testARowThatLeavesIsDeletedAtItsPosition() throws {
    try assertChange("-[2] +[] ~[]", [8, 6, 2]) { _ in try item(4).value = 0 }
  }

  func testARowThatComesIsInsertedAtItsPlace() throws {
    try assertChange("-[] +[3] ~[]", [8, 6, 4, 3, 2]) { _ in try item(20).value = 3 }
  }

  func testARowThatKeepsItsPlaceIsModified() throws {
    try assertChange("-[] +[] ~[2]", [8, 6, 3, 2]) { _ in try item(4).value = 3 }
  }

  func testDeletingOutsideAndCreatingInsideTellsTheNewRowOnly() throws {
    let recorder = try observe([15, 5], inside: 1..<10)

    try store().write {
      try store().delete(item(15))
      try store().add(Item(3))
    }

    XCTAssertEqual(recorder.changes, ["-[] +[1] ~[]"])
    XCTAssertEqual(recorder.violations, [])
  }

  func testEqualValuesKeepTheOrderOfCreationDescendingToo() throws {
    let store = try store()
    try store.write {
      try store.add(["a", "b", "c"].map { Card($0, rank: 1) } + [Card("d", rank: 2)])
    }
    let cards = store.objects(Card.self).sorted(by: \.rank, ascending: false)

    XCTAssertEqual(cards.map(\.identifier), ["d", "a", "b", "c"])
    XCTAssertEqual(cards.sorted(by: \.done).map(\.identifier), ["d", "a", "b", "c"])
  }
}

/// Three rows that change their order: the fewest are told to move.
final class MovedRowsTests: StoreTestCase {
  /// Cards 1, 2 and 3, at the ranks 10, 20 and 30.
  private func assertChange(
    _ expected: String, order: String, file: StaticString = #filePath, line: UInt = #line,
    when body: ([Card]) throws -> Void
  ) throws {
    let store = try store()
    let cards = (1...3).map { Card("\($0)", rank: $0 * 10) }
    try store.write { try store.add(cards) }
    let recorder = ChangeRecorder(store.objects(Card.self).sorted(by: \.rank)) { $0.value }

    try store.write { try body(cards) }

    XCTAssertEqual(recorder.changes, [expected], file: file, line: line)
    XCTAssertEqual(
      recorder.values.map(\.identifier).joined(), order, file: file, line: line)
    XCTAssertEqual(recorder.violations, [], file: file, line: line)
  }

  func testTheLastBeforeTheSecond() throws {
    try assertChange("-[2] +[1] ~[]", order: "132") { $0[2].rank = 15 }
  }

  func testTheSecondBeforeTheFirst() throws {
    try assertChange("-[1] +[0] ~[]", order: "213") { $0[1].rank = 5 }
  }

  func testTheFirstToTheEnd() throws {
    try assertChange("-[0] +[2] ~[]", order: "231") { $0[0].rank = 35 }
  }

  func testTheLastToTheFront() throws {
    try assertChange("-[2] +[0] ~[]", order: "312") { $0[2].rank = 5 }
  }

  func testTurnedAround() throws {
    try assertChange("-[1, 2] +[0, 1] ~[]", order: "321") { cards in
      cards[2].rank = 1
      cards[1].rank = 2
    }
  }

  func testAModifiedRowBesideAMovedOneIsNotMoved() throws {
    try assertChange("-[0] +[2] ~[1]", order: "231") { cards in
      cards[1].title = "modified"
      cards[0].rank = 35
    }
  }

  func testOneMoveIsEnoughWhereAllChanged() throws {
    try assertChange("-[0] +[2] ~[1, 2]", order: "231") { cards in
      cards[1].rank = 1
      cards[2].rank = 2
      cards[0].rank = 3
    }
  }

  func testRowsThatAreGoneAtBothEnds() throws {
    let store = try store()
    try store.write { for rank in 0..<5 { try store.add(Card("\(rank)", rank: rank)) } }
    let recorder = ChangeRecorder(store.objects(Card.self).sorted(by: \.rank)) { $0.value }

    try store.write {
      try store.delete(store.objects(Card.self).where { $0.rank == 0 || $0.rank == 4 })
    }

    XCTAssertEqual(recorder.changes, ["-[0, 4] +[] ~[]"])
    XCTAssertEqual(recorder.violations, [])
  }

  func testANewRowIsNeverModified() throws {
    let store = try store()
    let other = try anotherStore()
    try store.write { try store.add(Card("a", rank: 1)) }
    let recorder = ChangeRecorder(store.objects(Card.self).sorted(by: \.rank)) { $0.value }

    let card = try other.write { try other.add(Card("b", rank: 0)) }
    try other.write { card.rank = 5 }
    try other.write { card.title = "later" }
    store.refresh()

    XCTAssertEqual(recorder.changes, ["-[] +[1] ~[]"])
    XCTAssertEqual(recorder.violations, [])
  }

  func testACardThatIsDeletedAndMadeAgainWithItsKeyIsAnotherOne() throws {
    let store = try store()
    try store.write { try store.add(["a", "b", "c"].map { Card($0) }) }
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.value }
    let old = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "b"))

    try store.write {
      try store.delete(old)
      try store.add(Card("b"))
    }

    XCTAssertEqual(recorder.changes, ["-[1] +[2] ~[]"])
    XCTAssertEqual(recorder.violations, [])
    XCTAssertTrue(old.isInvalidated)
  }

  func testWhatOneCommitInsertsAndTheNextDeletesIsNotToldOf() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.value }

    let card = try other.write { try other.add(Card("a")) }
    try other.write { try other.delete(card) }

    XCTAssertTrue(store.refresh())
    XCTAssertEqual(recorder.changes, [])
  }

  func testWhatOneCommitChangesAndTheNextChangesBackIsAtMostAModification() throws {
    let store = try store()
    let other = try anotherStore()
    try store.write { try store.add([Card("a", rank: 1), Card("b", rank: 2), Card("c", rank: 3)]) }
    let recorder = ChangeRecorder(store.objects(Card.self).sorted(by: \.rank)) { $0.identifier }

    let card = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "a"))
    try other.write { card.rank = 9 }
    try other.write { card.rank = 1 }
    store.refresh()

    XCTAssertEqual(recorder.changes.filter { $0 != "-[] +[] ~[0]" }, [])
  }
}
