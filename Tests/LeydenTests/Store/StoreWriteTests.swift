import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreWriteTests: StoreTestCase {
  func testChangesOutsideOfAWriteAreRefused() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a")) }

    assertThrows(.notInWriteTransaction) { try store.add(Card("b")) }
    assertThrows(.notInWriteTransaction) { try store.add(card) }
    assertThrows(.notInWriteTransaction) { try store.add(value: CardValue("b"), as: Card.self) }
    assertThrows(.notInWriteTransaction) { try store.delete(card) }
    assertThrows(.notInWriteTransaction) { try store.delete(store.objects(Card.self)) }
    assertThrows(.notInWriteTransaction) { try store.deleteAll() }
    assertThrows(.notInWriteTransaction) { try store.deleteAll(Card.self) }
    assertThrows(.notInWriteTransaction) { try store.commitWrite() }
    assertThrows(.notInWriteTransaction) { try store.cancelWrite() }
    XCTAssertEqual(store.objects(Card.self).count, 1)
  }

  func testAWriteThatClosesItsStoreFailsAndLeavesNothing() throws {
    let store = try store()
    let other = try anotherStore()

    assertThrows(.closed) {
      try other.write {
        try other.add(Item(1))
        other.close()
      }
    }

    XCTAssertEqual(store.objects(Item.self).count, 0)
    try store.write { try store.add(Item(2)) }
    XCTAssertEqual(store.objects(Item.self).map(\.value), [2])
  }

  func testAWriteInsideAWriteOfAnyStoreIsRefused() throws {
    let store = try store()
    let other = try anotherStore()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Card.self])

    try store.write {
      try store.add(Item(1))
      assertThrows(.nestedWrite) { try store.beginWrite() }
      assertThrows(.nestedWrite) { try store.write {} }
      assertThrows(.nestedWrite) { try other.write {} }
      assertThrows(.nestedWrite) { try foreign.write {} }
      XCTAssertTrue(store.isInWriteTransaction)
      XCTAssertFalse(other.isInWriteTransaction)
    }

    XCTAssertEqual(store.objects(Item.self).count, 1)
    try foreign.write { try foreign.add(Card("a")) }
  }

  func testABodyThatCancelsLeavesNothing() throws {
    let store = try store()
    let version = store.version
    let item = Item(3)

    let result = try store.write {
      try store.add(item)
      try store.cancelWrite()
      XCTAssertFalse(store.isInWriteTransaction)
      return 7
    }

    XCTAssertEqual(result, 7)
    XCTAssertEqual(store.objects(Item.self).count, 0)
    XCTAssertEqual(store.version, version)
    XCTAssertTrue(item.isInvalidated)
    XCTAssertEqual(item.value, 0)
  }

  func testABodyThatCommitsHasCommitted() throws {
    let store = try store()

    try store.write {
      try store.add(Item(1))
      try store.commitWrite()
    }
    try store.write {
      try store.add(Item(2))
      try store.commitWrite()
      try store.beginWrite()
      try store.add(Item(3))
    }

    XCTAssertEqual(store.objects(Item.self).map(\.value), [1, 2, 3])
  }

  func testACancelledWriteGivesPreviousValuesBack() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "before", rank: 1)) }
    let large = String(repeating: "z", count: 5_000)
    try store.write { card.code = large }
    let deleted = try store.write { try store.add(Card("b", title: "gone?")) }

    try store.beginWrite()
    card.title = "after"
    card.rank = 2
    card.code = nil
    try store.delete(deleted)
    XCTAssertEqual(card.title, "after")
    XCTAssertTrue(deleted.isInvalidated)
    try store.cancelWrite()

    XCTAssertEqual(card.title, "before")
    XCTAssertEqual(card.rank, 1)
    XCTAssertEqual(card.code, large)
    XCTAssertFalse(deleted.isInvalidated)
    XCTAssertEqual(deleted.title, "gone?")
  }

  func testAStoreThatIsLetGoOfInAWriteRollsItBack() throws {
    let store = try store()
    do {
      let other = try anotherStore()
      try other.beginWrite()
      try other.add(Item(1))
    }
    try store.write { try store.add(Item(2)) }

    XCTAssertEqual(store.objects(Item.self).map(\.value), [2])
  }

  func testClosingAStoreInAWriteRollsItBack() throws {
    let store = try store()
    let other = try anotherStore()
    let item = Item(1)
    try other.beginWrite()
    try other.add(item)

    other.close()

    XCTAssertTrue(item.isInvalidated)
    assertThrows(.closed) { try other.write {} }
    assertThrows(.closed) { try other.read {} }
    XCTAssertEqual(other.objects(Item.self).count, 0)
    try store.write { try store.add(Item(2)) }
    XCTAssertEqual(store.objects(Item.self).map(\.value), [2])
  }

  func testASetterThatBreaksARuleFailsTheWholeWrite() throws {
    let store = try store()
    let other = try anotherStore()
    let (a, b) = try store.write {
      (try store.add(Card("a", title: "a")), try store.add(Card("b", title: "b")))
    }
    let other1 = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "b"))
    try other.write { try other.delete(other1) }

    XCTAssertThrowsError(
      try store.write {
        a.title = "changed"
        b.title = "dead"
        a.identifier = "other"
      }
    ) { error in
      guard case StoreError.invalidatedObject(let name) = error else { return XCTFail("\(error)") }
      XCTAssertEqual(name, "Card.title")
    }

    XCTAssertEqual(a.title, "a")
    XCTAssertEqual(b.title, "")
  }

  func testAPrimaryKeyCannotBeChanged() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "a")) }

    XCTAssertThrowsError(
      try store.write {
        card.title = "changed"
        card.identifier = "b"
        XCTAssertEqual(card.identifier, "a")
      }
    ) { error in
      guard case StoreError.invalidValue(let reason) = error else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("Card.identifier"), reason)
    }

    XCTAssertEqual(card.title, "a")
    try store.write { card.identifier = "a" }
  }

  func testAFailedAddThatIsCaughtLeavesTheWriteUsable() throws {
    let store = try store()
    try store.write { try store.add(Card("a", title: "first")) }

    try store.write {
      assertThrows(.duplicatePrimaryKey(type: "Card", key: "\"a\"")) {
        try store.add(Card("a", title: "second"))
      }
      try store.add(Card("b"))
    }

    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a", "b"])
    XCTAssertEqual(store.objects(Card.self).first?.title, "first")
  }

  func testRowsOfARolledBackWriteAreNeverGivenAgain() throws {
    let other = try anotherStore()
    var rows: Set<UInt64> = []
    var given = 0

    for round in 0..<20 {
      let writer = round % 2 == 0 ? try store() : other
      try writer.beginWrite()
      for value in 0..<(round * 50) {
        let item = try writer.add(Item(value))
        rows.insert(try XCTUnwrap(item.access?.identity?.row))
        given += 1
      }
      if round % 3 == 0 { try writer.commitWrite() } else { try writer.cancelWrite() }
      if round % 5 == 4 { closeStore() }
    }
    for round in 0..<6 {
      let writer = try store()
      try writer.beginWrite()
      for value in 0..<3_000 {
        rows.insert(try XCTUnwrap(writer.add(Item(value)).access?.identity?.row))
        given += 1
      }
      if round % 3 == 0 { try writer.commitWrite() } else { try writer.cancelWrite() }
      if round % 2 == 1 { closeStore() }
    }

    XCTAssertEqual(rows.count, given)
  }
}
