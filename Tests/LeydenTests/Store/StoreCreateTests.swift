import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A value like those that programs keep beside their models.
private struct CardValue: Encodable {
  var identifier: String
  var title: String?
  var rank: Int8 = 1
  var when = Date(timeIntervalSinceReferenceDate: 0.1)
  var mark = UUID()
  var picture = Data([1, 2, 3])
  var pinned: Bool?
  var unknown: [String: [Int]] = ["x": [1, 2]]
  var link = URL(string: "https://example.org")
}

/// A model whose key makes itself.
private final class Ticket: Object {
  @Persisted(primaryKey: true) var identifier: UUID = UUID()
  @Persisted var seat: Int = 5
}

private enum Color: String, PersistableEnum, Codable { case red, green }

/// A model of the types that have a stored form of another type, or more than one.
private final class Sample: Object {
  @Persisted var color: Color = .green
  @Persisted var other: Color?
  @Persisted var small: Int8
  @Persisted var ratio: Float
  @Persisted var price: Decimal
  @Persisted var identifier: ObjectId = ObjectId.generate()
}

private enum Refusal: Error { case encoding }

final class StoreCreateTests: StoreTestCase {
  func testCreatingTwiceWithUpdateChangesOneObject() throws {
    // given
    let store = try store()

    // when
    let (first, second) = try store.write {
      let first = try store.create(Card.self, value: ["k", "first"], update: .modified)
      let second = try store.create(Card.self, value: ["k", "second"], update: .modified)
      return (first, second)
    }

    // then
    XCTAssertEqual(store.objects(Card.self).count, 1)
    XCTAssertEqual(first.title, "second")
    XCTAssertEqual(first, second)
  }

  func testMissingKeysHaveDefaultsWhenCreatingAndAreUntouchedWhenUpdating() throws {
    // given
    let store = try store()

    // when
    let card = try store.write {
      try store.create(Card.self, value: ["identifier": "a", "code": "x", "score": 3])
    }
    // then
    XCTAssertEqual(card.rank, 7)
    XCTAssertEqual(card.title, "")
    XCTAssertNil(card.due)

    // when
    for policy in [UpdatePolicy.modified, .all] {
      try store.write {
        card.rank = 9
        let value: [String: Any?] = ["identifier": "a", "score": nil, "title": "\(policy)"]
        try store.create(Card.self, value: value, update: policy)
      }
      // then
      XCTAssertEqual(card.rank, 9)
      XCTAssertEqual(card.code, "x")
      XCTAssertNil(card.score)
      XCTAssertEqual(card.title, "\(policy)")
    }
  }

  func testAddingOrUpdatingAnUnmanagedObjectHasNoMissingValues() throws {
    // given
    let store = try store()
    try store.write { try store.create(Card.self, value: ["identifier": "a", "rank": 100]) }

    // when
    try store.write { try store.add(Card("a", title: "x"), update: .modified) }

    // then
    XCTAssertEqual(store.objects(Card.self).map(\.rank), [7])
  }

  func testAnExistingKeyIsRefusedWithoutUpdate() throws {
    let store = try store()
    try store.write { try store.create(Card.self, value: ["identifier": "a"]) }

    XCTAssertThrowsError(
      try store.write { try store.create(Card.self, value: ["identifier": "a", "rank": 1]) }
    ) { error in
      guard case StoreError.duplicatePrimaryKey(let type, let key) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(type, "Card")
      XCTAssertTrue(key.contains("a"))
    }
    XCTAssertEqual(store.objects(Card.self).map(\.rank), [7])
  }

  func testAMissingKeyWithoutADefaultIsRefusedByName() throws {
    let store = try store()

    for value in [[:], ["title": "x"]] as [[String: Any]] {
      assertInvalid("Card.identifier is missing") {
        try store.write { try store.create(Card.self, value: value, update: .modified) }
      }
    }
    XCTAssertEqual(store.objects(Card.self).count, 0)
  }

  func testAKeyThatMakesItselfNeedNotBeGiven() throws {
    // given
    let store = try temporaryDirectory().store(named: "Tickets", objectTypes: [Ticket.self])

    // when
    try store.write {
      try store.create(Ticket.self)
      try store.create(Ticket.self, value: ["seat": 6])
      try store.create(Ticket.self, value: [:] as [String: Any], update: .all)
    }

    // then
    XCTAssertEqual(store.objects(Ticket.self).map(\.seat), [5, 6, 5])
    XCTAssertEqual(Set(store.objects(Ticket.self).map(\.identifier)).count, 3)
  }

  func testAWrongValueIsRefusedByNameAndLeavesTheStoreAsItWas() throws {
    // given
    let store = try store()
    try store.write { try store.create(Card.self, value: ["identifier": "a", "title": "old"]) }
    let version = store.version

    // then
    let cases: [([String: Any], String)] = [
      (["title": NSNull()], "Card.title is String and cannot be nil"),
      (["rank": "7"], "Card.rank is Int and cannot be the String"),
      (["rank": 1.5], "Card.rank is Int and cannot be the Double"),
      (["done": 1], "Card.done is Bool and cannot be the Int"),
      (["when": "2024-01-01"], "Card.when is Date"),
      (["code": Data()], "Card.code is Optional<String>"),
      (["title": ["x"]], "Card.title is String"),
    ]
    for (value, words) in cases {
      assertInvalid(words) {
        try store.write {
          var all = value
          all["identifier"] = "a"
          try store.create(Card.self, value: all, update: .modified)
        }
      }
    }
    assertInvalid("Card.title is String and cannot be nil") {
      try store.write {
        try store.create(Card.self, value: ["identifier": "b", "title": nil] as [String: Any?])
      }
    }
    assertInvalid("Card cannot be made from one Int") {
      try store.write { try store.create(Card.self, value: 5) }
    }
    assertInvalid("Card has 15 properties, and 16 values came") {
      try store.write { try store.create(Card.self, value: [Any](repeating: 1, count: 16)) }
    }
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(store.objects(Card.self).map(\.title), ["old"])
  }

  func testWhateverIsRefusedIsNamedShortly() throws {
    let store = try store()
    let far = [
      .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .infinity, .nan, 1e17,
    ].map(Date.init(timeIntervalSinceReferenceDate:))
    let long = String(repeating: "x", count: 1_000_000)
    let values: [Any] = far + [long, Data(count: 1_000_000), [long], [far], Card(long), store]

    for value in values {
      XCTAssertThrowsError(
        try store.write { try store.create(Item.self, value: ["value": value]) }
      ) { error in
        guard case StoreError.invalidValue(let text) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(text.hasPrefix("Item.value is Int and cannot be the "), text)
        XCTAssertLessThan(text.utf8.count, 1_000)
      }
    }
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testAnEncodableValueGivesItsParts() throws {
    // given
    let store = try store()
    let value = CardValue(identifier: "a", title: "x", pinned: true)

    // when
    let card = try store.write { try store.create(Card.self, value: value) }

    // then
    XCTAssertEqual(card.title, "x")
    XCTAssertEqual(card.rank, 1)
    XCTAssertEqual(card.when, value.when)
    XCTAssertEqual(card.mark, value.mark)
    XCTAssertEqual(card.picture, value.picture)
    XCTAssertEqual(card.pinned, true)

    // when
    try store.write {
      try store.create(Card.self, value: CardValue(identifier: "a", rank: 2), update: .modified)
    }
    // then
    XCTAssertEqual(card.title, "x", "an optional that is nil is not encoded, and so is missing")
    XCTAssertEqual(card.rank, 2)
  }

  func testAnEncodableThatFailsFailsTheWrite() throws {
    struct Failing: Encodable {
      func encode(to encoder: any Encoder) throws { throw Refusal.encoding }
    }
    let store = try store()
    XCTAssertThrowsError(
      try store.write {
        try store.create(Item.self, value: ["value": 1])
        try store.create(Item.self, value: Failing())
      }
    ) { XCTAssertTrue($0 is Refusal) }
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testAnEncodableNumberOrTextIsNoObject() throws {
    enum Name: String, Encodable { case card }
    let store = try store()
    assertInvalid("Item cannot be made from one Name") {
      try store.write { try store.create(Item.self, value: Name.card) }
    }
  }

  func testAnotherObjectGivesItsPropertiesByName() throws {
    // given
    let directory = try temporaryDirectory()
    let store = try store()
    let other = try directory.store(named: "Other", objectTypes: [Card.self])
    let card = try other.write { try other.add(Card("a", title: "x", rank: 3)) }

    // when
    let copy = try store.write { try store.create(Card.self, value: card) }
    let item = try store.write { try store.create(Item.self, value: card) }

    // then
    XCTAssertEqual(copy.title, "x")
    XCTAssertEqual(copy.rank, 3)
    XCTAssertNotEqual(copy, card)
    XCTAssertEqual(item.name, "item", "a card has no such property")
  }

  func testWhatAJSONReaderGivesIsTaken() throws {
    // given
    let store = try store()
    let text = #"""
      {"identifier": "a", "title": "Grüße", "rank": 3, "weight": 2, "done": true, "score": null,
       "ratio": 0.25, "unknown": [1, {"x": null}]}
      """#

    // when
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
    let card = try store.write { try store.create(Card.self, value: value) }

    // then
    XCTAssertEqual(card.title, "Grüße")
    XCTAssertEqual(card.rank, 3)
    XCTAssertEqual(card.weight, 2)
    XCTAssertEqual(card.done, true)
    XCTAssertNil(card.score)
    XCTAssertEqual(card.ratio, 0.25)
  }

  func testEnumerationsAndNumbersAreTakenInEachOfTheirForms() throws {
    // given
    let store = try temporaryDirectory().store(named: "Samples", objectTypes: [Sample.self])
    let identifier = ObjectId.generate()

    // when
    let (first, second) = try store.write {
      let first = try store.create(
        Sample.self,
        value: [
          "color": Color.red, "other": "green", "small": 5, "ratio": 0.1, "price": 3.133,
          "identifier": identifier,
        ])
      let text = #"{"color": "red", "other": null, "small": -128, "ratio": 2, "price": 0.1}"#
      let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
      return (first, try store.create(Sample.self, value: value))
    }

    // then
    XCTAssertEqual(first.color, .red)
    XCTAssertEqual(first.other, .green)
    XCTAssertEqual(first.small, 5)
    XCTAssertEqual(first.ratio, 0.1)
    XCTAssertEqual(first.price, Decimal(string: "3.133"))
    XCTAssertEqual(first.identifier, identifier)
    XCTAssertEqual(first["color"] as? Color, .red)
    XCTAssertEqual(second.color, .red)
    XCTAssertNil(second.other)
    XCTAssertEqual(second.small, .min)
    XCTAssertEqual(second.ratio, 2)
    XCTAssertEqual(second.price, Decimal(string: "0.1"))
    XCTAssertEqual(store.objects(Sample.self).max(of: \.ratio), 2)
    XCTAssertEqual(store.objects(Sample.self).sum(of: \.price), Decimal(string: "3.233"))
    XCTAssertEqual(store.objects(Sample.self).sum(of: \.small), -123)
    XCTAssertEqual(store.objects(Sample.self).average(of: \.small), -61.5)
    for (key, value) in [("color", "blue"), ("small", 128), ("small", 0.5)] as [(String, Any)] {
      assertInvalid("Sample.\(key) is") {
        try store.write { try store.create(Sample.self, value: [key: value]) }
      }
    }
  }

  func testNothingIsCreatedOutsideAWrite() throws {
    let store = try store()
    assertThrows(.notInWriteTransaction) {
      try store.create(Card.self, value: ["identifier": "a"])
    }
  }

  func testAnUpdateWithEqualValuesIsNoChange() throws {
    // given
    let store = try store()
    let value: [String: Any] = ["identifier": "a", "rank": 3, "weight": -0.0]
    try store.write { try store.create(Card.self, value: value) }
    let version = store.version

    // when
    for policy in [UpdatePolicy.modified, .all] {
      try store.write { try store.create(Card.self, value: value, update: policy) }
    }

    // then
    XCTAssertEqual(store.version, version)
  }

  /// Checks that `body` throws an invalid value whose text begins so.
  private func assertInvalid<Result>(
    _ words: String, file: StaticString = #filePath, line: UInt = #line, _ body: () throws -> Result
  ) {
    XCTAssertThrowsError(try body(), file: file, line: line) { error in
      guard case StoreError.invalidValue(let text) = error else {
        return XCTFail("\(error)", file: file, line: line)
      }
      XCTAssertTrue(text.hasPrefix(words), text, file: file, line: line)
    }
  }
}
