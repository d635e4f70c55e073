import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ObjectMembersSubscriptTests: StoreTestCase {
  func testPropertiesAreReadAndSetByNameManagedOrNot() throws {
    let store = try store()
    let card = Card("a", title: "x")

    func check() throws {
      card["title"] = "y"
      card["rank"] = 4
      card["weight"] = 2
      card["score"] = 5
      card["done"] = NSNumber(value: true)
      XCTAssertEqual(card["title"] as? String, "y")
      XCTAssertEqual(card["rank"] as? Int, 4)
      XCTAssertEqual(card.weight, 2)
      XCTAssertEqual(card["score"] as? Int, 5)
      XCTAssertEqual(card.done, true)
      card["score"] = nil
      XCTAssertNil(card.score)
      XCTAssertNil(card["score"])
      card["score"] = 6 as Int?
      XCTAssertEqual(card.score, 6)
      card["score"] = NSNull()
      XCTAssertNil(card.score)
    }

    try check()
    try store.write {
      try store.add(card)
      try check()
    }
    XCTAssertEqual(card["title"] as? String, "y")
  }

  func testEveryPropertyOfTheSchemaIsThere() throws {
    let card = Card("a")
    card.due = Date(timeIntervalSinceReferenceDate: 1)
    let values = card.objectSchema.properties.filter { card[$0.name] != nil }
    XCTAssertEqual(
      values.map(\.name),
      [
        "identifier", "title", "rank", "weight", "when", "done", "picture", "due", "mark",
      ])
  }

  func testAnObjectThatIsKnownAsOneOnlyHasTheNamesOfItsOwnClass() throws {
    let object: Object = Card("a", title: "x")
    XCTAssertEqual(object["title"] as? String, "x")
    XCTAssertEqual(object.objectSchema.name, "Card")
    XCTAssertEqual(object.persistentIdentifier.typeName, "Card")
  }

  func testAWrongValueFailsTheWriteAndChangesNothing() throws {
    // given
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "x")) }

    for (key, value) in [("title", 5), ("titel", "x"), ("rank", "7"), ("rank", nil)]
      as [(String, Any?)]
    {
      // when
      XCTAssertThrowsError(
        try store.write {
          card.rank = 100
          card[key] = value
        }
      ) { error in
        // then
        guard case StoreError.invalidValue(let text) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(text.contains("Card") && text.contains(key), text)
      }
      XCTAssertEqual(card.title, "x")
      XCTAssertEqual(card.rank, 7)
    }
  }

  func testAPrimaryKeyCannotBeChangedByName() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a")) }
    XCTAssertThrowsError(try store.write { card["identifier"] = "b" })
    XCTAssertNoThrow(try store.write { card["identifier"] = "a" })
    XCTAssertEqual(card.identifier, "a")
  }

  func testADeletedObjectHasEmptyValues() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "x")) }
    try store.write { try store.delete(card) }
    XCTAssertEqual(card["title"] as? String, "")
    XCTAssertNil(card["score"])
    XCTAssertThrowsError(try store.write { card["title"] = "y" }) {
      XCTAssertEqual($0 as? StoreError, .invalidatedObject("Card.title"))
    }
  }
}
