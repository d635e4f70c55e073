import Leyden
import TestSupport
import XCTest

/// Ten items with the values 0…9, of which those between 0 and 5 are observed: positions 0…3 hold
/// 1, 2, 3 and 4.
final class FilteredResultsTests: StoreTestCase {
  private func observe() throws -> ChangeRecorder<Item, Int> {
    let store = try store()
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    let items = store.objects(Item.self).where { $0.value > 0 && $0.value < 5 }
    return ChangeRecorder(items) { $0.value }
  }

  private func items(_ values: Int...) throws -> [Item] {
    try values.map { value in
      try XCTUnwrap(store().objects(Item.self).where { $0.value == value }.first)
    }
  }

  /// Makes one commit and compares what the observer was told.
  private func assertChanges(
    _ expected: [String], file: StaticString = #filePath, line: UInt = #line,
    when body: (Store) throws -> Void
  ) throws {
    let recorder = try observe()
    XCTAssertEqual(recorder.values, [1, 2, 3, 4], file: file, line: line)

    try store().write { try body(store()) }

    XCTAssertEqual(recorder.changes, expected, file: file, line: line)
    XCTAssertEqual(recorder.violations, [], file: file, line: line)
    XCTAssertEqual(recorder.initialCalls, 1, file: file, line: line)
  }

  func testDeletingOutsideOfTheResultsCallsNobody() throws {
    try assertChanges([]) { store in
      try store.delete(store.objects(Item.self).where { $0.value > 4 })
    }
  }

  func testDeletingResultsTellsTheirPositions() throws {
    try assertChanges(["-[1, 2, 3] +[] ~[]"]) { store in
      try store.delete(store.objects(Item.self).where { $0.value > 1 })
    }
  }

  func testTheOrderOfDeletionsDoesNotMatter() throws {
    try assertChanges(["-[1, 2, 3] +[] ~[]"]) { store in try store.delete(items(2, 3, 4)) }
  }

  func testTheReverseOrderOfDeletionsDoesNotMatter() throws {
    try assertChanges(["-[1, 2, 3] +[] ~[]"]) { store in try store.delete(items(4, 3, 2)) }
  }

  func testTheFirstRowIsDeletedAtZero() throws {
    try assertChanges(["-[0] +[] ~[]"]) { store in try store.delete(items(1)) }
  }

  func testTheLastRowIsDeletedAtItsPosition() throws {
    try assertChanges(["-[3] +[] ~[]"]) { store in try store.delete(items(4)) }
  }

  func testCreatingOutsideOfTheResultsCallsNobody() throws {
    try assertChanges([]) { store in try store.add(Item(5)) }
  }

  func testNewRowsComeAtTheEnd() throws {
    try assertChanges(["-[] +[4, 5] ~[]"]) { store in
      try store.add([Item(5), Item(3), Item(5), Item(2)])
    }
  }

  func testARowThatStaysInsideIsModified() throws {
    try assertChanges(["-[] +[] ~[2]"]) { _ in try items(3)[0].value = 4 }
  }

  func testARowThatStaysOutsideCallsNobody() throws {
    try assertChanges([]) { _ in try items(5)[0].value = 6 }
  }

  func testAModificationIsToldAtItsOldPosition() throws {
    try assertChanges(["-[1] +[] ~[2]"]) { store in
      let third = try items(3)[0]
      try store.delete(items(2))
      third.value = 4
    }
  }

  func testACommitOfAnotherTypeCallsNobody() throws {
    try assertChanges([]) { store in try store.add(Card("a")) }
  }

  func testARowThatComesInsideIsInsertedInOrderOfCreation() throws {
    try assertChanges(["-[] +[0, 5] ~[]"]) { _ in
      let (first, last) = try (items(0)[0], items(9)[0])
      first.value = 1
      last.value = 1
    }
  }

  func testARowThatLeavesIsDeleted() throws {
    try assertChanges(["-[1] +[] ~[]"]) { _ in try items(2)[0].value = 9 }
  }

  func testAnEqualValueIsNoChange() throws {
    try assertChanges([]) { _ in try items(2)[0].value = 2 }
  }

  func testAValueThatIsAsBeforeAtTheEndIsNoChange() throws {
    try assertChanges([]) { store in
      let item = try items(2)[0]
      item.value = 9
      XCTAssertEqual(store.objects(Item.self).where { $0.value == 2 }.count, 0)
      item.value = 2
    }
  }

  func testARowThatIsMadeAndDeletedInOneWriteNeverWas() throws {
    try assertChanges([]) { store in try store.delete(store.add(Item(3))) }
  }

  func testARowThatIsMadeAndModifiedInOneWriteIsInsertedOnly() throws {
    try assertChanges(["-[] +[4] ~[]"]) { store in try store.add(Item(8)).value = 2 }
  }

  func testARowThatIsModifiedAndDeletedInOneWriteIsDeletedOnly() throws {
    try assertChanges(["-[2] +[] ~[]"]) { store in
      let item = try items(3)[0]
      item.value = 4
      try store.delete(item)
    }
  }

  func testDeletingEverythingTellsEveryPosition() throws {
    try assertChanges(["-[0, 1, 2, 3] +[] ~[]"]) { store in try store.deleteAll() }
  }
}
