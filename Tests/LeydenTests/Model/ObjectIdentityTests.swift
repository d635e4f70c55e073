import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// When two objects are equal, and what a hash goes by.
final class ObjectIdentityTests: StoreTestCase {
  func testManagedObjectsAreEqualWhereTheirRowIsOverAllStores() throws {
    let (store, other) = (try store(), try anotherStore())
    let (first, second) = try store.write {
      (try store.add(Card("a", title: "t")), try store.add(Card("b", title: "t")))
    }
    let same = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "a"))
    let again = try XCTUnwrap(store.objects(Card.self).first)

    for card in [same, again] {
      XCTAssertFalse(card === first)
      XCTAssertEqual(card, first)
      XCTAssertEqual(card.hashValue, first.hashValue)
      XCTAssertTrue(card.isSameObject(as: first))
      XCTAssertNotEqual(card, second)
      XCTAssertFalse(card.isSameObject(as: second))
      XCTAssertFalse(card.isSameObject(as: nil))
    }
    XCTAssertEqual(Set([first, second, same, again]).count, 2)
  }

  func testRowsOfOneNumberInTwoStoresOrTypesDiffer() throws {
    let directory = try temporaryDirectory()
    let stores = try ["One", "Two"].map {
      try directory.store(named: $0, objectTypes: [Card.self, Item.self])
    }
    let cards = try stores.map { store in try store.write { try store.add(Card("a")) } }

    XCTAssertEqual(
      cards[0].access?.identity?.row, cards[1].access?.identity?.row, "both are the first")
    XCTAssertNotEqual(cards[0], cards[1])
    XCTAssertFalse(cards[0].isSameObject(as: cards[1]))
    let item: Object = try stores[0].write { try stores[0].add(Item(1)) }
    XCTAssertNotEqual(item, cards[0] as Object)
  }

  func testUnmanagedObjectsAreEqualToThemselvesOnly() throws {
    let (first, second) = (Card("a"), Card("a"))

    XCTAssertEqual(first, first)
    XCTAssertNotEqual(first, second)
    XCTAssertFalse(first.isSameObject(as: first), "it is no object of a store")
    XCTAssertEqual(Set([first, second, first]).count, 2)
    let store = try store()
    try store.write { try store.add(first) }
    XCTAssertNotEqual(first, second)
  }

  func testAnObjectKnowsItsStore() throws {
    let store = try store()
    let card = Card("a")
    XCTAssertNil(card.store)
    XCTAssertFalse(card.isManaged)
    XCTAssertFalse(card.isInvalidated)

    try store.write { try store.add(card) }

    XCTAssertTrue(card.isManaged)
    XCTAssertEqual(card.store?.objects(Card.self).count, 1)
    XCTAssertEqual(card.store?.version, store.version)
  }
}
