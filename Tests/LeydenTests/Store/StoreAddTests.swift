import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreAddTests: StoreTestCase {
  func testAddingAgainWithAKeyUpdatesTheObject() throws {
    let store = try store()
    let first = try store.write { try store.add(Card("pk", rank: 2), update: .modified) }

    let second = try store.write { try store.add(Card("pk", rank: 3), update: .modified) }

    XCTAssertEqual(store.objects(Card.self).count, 1)
    XCTAssertEqual(first.rank, 3)
    XCTAssertEqual(first, second)
    XCTAssertEqual(first.hashValue, second.hashValue)
  }

  func testObjectsOfSeveralTypesAreAddedFromOneArray() throws {
    let store = try store()
    let objects: [Object] = [Card("a"), Item(1), Card("b"), Item(2)]

    try store.write { try store.add(objects) }

    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a", "b"])
    XCTAssertEqual(store.objects(Item.self).map(\.value), [1, 2])
    XCTAssertTrue(objects.allSatisfy(\.isManaged))
  }

  func testAnUnmanagedObjectHasAllItsValues() throws {
    let store = try store()
    try store.write { try store.add(Card("pk", rank: 2)) }
    let fresh = Card()
    fresh.identifier = "pk"

    let card = try store.write { try store.add(fresh, update: .modified) }

    XCTAssertEqual(card.rank, 7)
  }

  func testUpdatingWritesOnlyWhatDiffers() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "t", rank: 2)) }
    let title = ChangeRecorder(store.objects(Card.self), keyPaths: ["title"]) { $0.title }
    let rank = ChangeRecorder(store.objects(Card.self), keyPaths: ["rank"]) { $0.rank }
    let version = store.version

    try store.write { try store.add(Card("a", title: "t", rank: 2), update: .modified) }
    XCTAssertEqual(store.version, version)
    try store.write { try store.add(Card("a", title: "t", rank: 3), update: .all) }

    XCTAssertEqual(card.rank, 3)
    XCTAssertEqual(title.changes, [])
    XCTAssertEqual(rank.changes, ["-[] +[] ~[0]"])
  }

  func testAddingWhatIsThereAlreadyDoesNothing() throws {
    let store = try store()
    let item = try store.write { try store.add(Item(1)) }
    let version = store.version

    let same = try store.write { try store.add(item) }

    XCTAssertTrue(same === item)
    XCTAssertEqual(store.objects(Item.self).count, 1)
    XCTAssertEqual(store.version, version)
  }

  func testAddingADeletedObjectIsRefused() throws {
    let store = try store()
    let item = try store.write { try store.add(Item(1)) }
    try store.write { try store.delete(item) }

    assertThrows(.invalidatedObject("Item")) { try store.write { try store.add(item) } }
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testAnObjectOfAnotherStoreIsCopied() throws {
    let store = try store()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Card.self])
    let card = try foreign.write { try foreign.add(Card("a", title: "there")) }

    let copy = try store.write { try store.add(card) }

    XCTAssertEqual(copy.title, "there")
    XCTAssertNotEqual(copy, card)
    XCTAssertEqual(foreign.objects(Card.self).count, 1)
    try store.write { copy.title = "here" }
    XCTAssertEqual(card.title, "there")
  }

  func testDeletingTwiceOrWhatIsNotThereIsRefused() throws {
    let store = try store()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Card.self])
    let card = try store.write { try store.add(Card("a")) }
    let stranger = try foreign.write { try foreign.add(Card("a")) }

    assertThrows(.wrongStore) { try store.write { try store.delete(Card("a")) } }
    assertThrows(.wrongStore) { try store.write { try store.delete(stranger) } }
    assertThrows(.invalidatedObject("Card")) {
      try store.write {
        try store.delete(card)
        try store.delete(card)
      }
    }
    XCTAssertFalse(card.isInvalidated)
    try store.write { try store.delete(card) }
    assertThrows(.invalidatedObject("Card")) { try store.write { try store.delete(card) } }
    XCTAssertFalse(stranger.isInvalidated)
  }

  func testAHandleOfOneStoreDeletesThroughAnother() throws {
    let store = try store()
    let other = try anotherStore()
    let card = try store.write { try store.add(Card("a")) }

    try other.write { try other.delete(card) }

    XCTAssertTrue(card.isInvalidated)
    XCTAssertEqual(store.objects(Card.self).count, 0)
  }

  func testKeysOfEveryKindFindTheirObject() throws {
    final class Numbered: Object {
      @Persisted(primaryKey: true) var number: Int
      @Persisted var text = ""
    }
    final class Identified: Object {
      @Persisted(primaryKey: true) var id: UUID
      @Persisted var text = ""
    }
    let store = try temporaryDirectory().store(
      named: "Keys", objectTypes: [Numbered.self, Identified.self, Card.self])
    let numbers = [Int.min, -1, 0, 1, 255, 256, Int.max]
    let ids = (0..<5).map { _ in UUID() }
    let texts = [
      "", "a", "a\0", "a\0b", "aa", "é", "日本語", String(repeating: "k", count: 510),
      String(repeating: "k", count: 511), String(repeating: "k", count: 512),
      String(repeating: "k", count: 70_000), String(repeating: "k", count: 3_000) + "1",
      String(repeating: "k", count: 3_000) + "2", String(repeating: "🦉", count: 400),
    ]
    try store.write {
      for number in numbers {
        let object = Numbered()
        object.number = number
        object.text = "\(number)"
        try store.add(object)
      }
      for id in ids {
        let object = Identified()
        object.id = id
        object.text = id.uuidString
        try store.add(object)
      }
      for (position, text) in texts.enumerated() { try store.add(Card(text, rank: position)) }
    }

    for number in numbers {
      XCTAssertEqual(
        store.object(ofType: Numbered.self, forPrimaryKey: number)?.text, "\(number)")
    }
    for id in ids {
      XCTAssertEqual(
        store.object(ofType: Identified.self, forPrimaryKey: id)?.text, id.uuidString)
    }
    for (position, text) in texts.enumerated() {
      XCTAssertEqual(store.object(ofType: Card.self, forPrimaryKey: text)?.rank, position)
      XCTAssertThrowsError(try store.write { try store.add(Card(text)) })
    }
    XCTAssertEqual(store.object(ofType: Card.self, forPrimaryKey: "e\u{301}")?.identifier, "é")
    XCTAssertNil(store.object(ofType: Card.self, forPrimaryKey: "b"))
    XCTAssertNil(store.object(ofType: Numbered.self, forPrimaryKey: 2))
    try store.write { try store.delete(store.objects(Card.self)) }
    for text in texts { XCTAssertNil(store.object(ofType: Card.self, forPrimaryKey: text)) }
  }
}
