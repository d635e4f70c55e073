import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class PersistentIdentifierTests: StoreTestCase {
  func testAnAddedObjectIsFoundByItsIdentifier() throws {
    // given
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "x")) }

    // when
    let identifier = card.persistentIdentifier

    // then
    XCTAssertFalse(identifier.isTemporary)
    XCTAssertEqual(identifier.typeName, "Card")
    XCTAssertEqual(store.object(for: identifier, as: Card.self), card)
    let same = try XCTUnwrap(store.objects(Card.self).first)
    XCTAssertEqual(same.persistentIdentifier, identifier)
  }

  func testAnIdentifierIsTemporaryUntilTheObjectIsAdded() throws {
    // given
    let store = try store()
    let first = Card("a")
    let second = Card("b")
    let before = first.persistentIdentifier

    // then
    XCTAssertTrue(before.isTemporary)
    XCTAssertEqual(first.persistentIdentifier, before)
    XCTAssertNotEqual(second.persistentIdentifier, before)
    XCTAssertNil(store.object(for: before, as: Card.self))

    // when
    try store.write { try store.add(first) }

    // then
    XCTAssertFalse(first.persistentIdentifier.isTemporary)
    XCTAssertNotEqual(first.persistentIdentifier, before)
    XCTAssertNil(store.object(for: before, as: Card.self))
  }

  func testTemporaryIdentifiersOfManyObjectsDiffer() {
    var identifiers: Set<PersistentIdentifier> = []
    for _ in 0..<1_000 { identifiers.insert(Item(1).persistentIdentifier) }
    XCTAssertEqual(identifiers.count, 1_000)
  }

  func testAnIdentifierOfADeletedOrRolledBackObjectResolvesToNothing() throws {
    // given
    let store = try store()
    let card = try store.write { try store.add(Card("a")) }
    let deleted = card.persistentIdentifier
    var rolledBack: PersistentIdentifier?

    // when
    try store.write { try store.delete(card) }
    try store.beginWrite()
    rolledBack = try store.add(Card("a")).persistentIdentifier
    XCTAssertNotNil(store.object(for: try XCTUnwrap(rolledBack), as: Card.self))
    try store.cancelWrite()
    try store.write { try store.add(Card("a")) }

    // then
    XCTAssertNil(store.object(for: deleted, as: Card.self))
    XCTAssertNil(store.object(for: try XCTUnwrap(rolledBack), as: Card.self))
  }

  func testAnIdentifierOfAnotherTypeOrStoreResolvesToNothing() throws {
    // given
    let directory = try temporaryDirectory()
    let store = try store()
    let other = try directory.store(named: "Other", objectTypes: [Card.self, Item.self])

    // when
    let card = try store.write { try store.add(Card("a")) }
    try other.write { try other.add(Card("a")) }

    // then
    XCTAssertNil(store.object(for: card.persistentIdentifier, as: Item.self))
    XCTAssertNil(other.object(for: card.persistentIdentifier, as: Card.self))
  }

  func testTheURINamesStoreTypeAndRowAndIsReadBack() throws {
    // given
    let store = try store()
    let card = try store.write { try store.add(Card("a")) }

    // when
    let identifier = card.persistentIdentifier
    let text = identifier.uriRepresentation.absoluteString

    // then
    let pattern = /leyden:\/\/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\/Card\/p[0-9]+/
    XCTAssertNotNil(text.wholeMatch(of: pattern), text)
    let uri = try XCTUnwrap(URL(string: text))
    XCTAssertEqual(PersistentIdentifier(uri: uri), identifier)
    let temporary = Card("b").persistentIdentifier
    XCTAssertEqual(PersistentIdentifier(uri: temporary.uriRepresentation), temporary)
  }

  func testAnIdentifierSurvivesBeingEncoded() throws {
    // given
    let store = try store()
    let identifiers = try store.write {
      try ["a", "b"].map { try store.add(Card($0)).persistentIdentifier }
    }

    // when
    let data = try JSONEncoder().encode(identifiers)

    // then
    XCTAssertEqual(
      try JSONDecoder().decode([PersistentIdentifier].self, from: data), identifiers)
    XCTAssertThrowsError(
      try JSONDecoder().decode([PersistentIdentifier].self, from: Data(#"["Card/p1"]"#.utf8)))
  }

  func testTypeNamesOfAnyTextSurviveTheURI() throws {
    let store = UUID()
    for name in ["Überschrift", "a b", "a/b", "a%2Fb", "?", "#", "日本", "a;b:c"] {
      let identifier = PersistentIdentifier(
        row: .max, in: store, typeName: name)
      XCTAssertEqual(PersistentIdentifier(uri: identifier.uriRepresentation), identifier, name)
    }
  }

  func testOtherURIsAreNoIdentifiers() throws {
    let store = UUID().uuidString
    let wrong = [
      "leyden://\(store)/Card", "leyden://\(store)/Card/4", "leyden://\(store)/Card/p",
      "leyden://\(store)/Card/p04", "leyden://\(store)/Card/p+4", "leyden://\(store)/Card/p-4",
      "leyden://\(store)/Card/p18446744073709551616", "leyden://\(store)//p4",
      "leyden://\(store)/Card/p4/", "leyden://\(store)/Card/p4?x", "leyden://\(store)/Card/p4#x",
      "leyden://host/Card/p4", "leyden:///Card/p4", "leyden:///Card/tx", "https://\(store)/Card/p4",
      "leyden://\(store)/Card/t\(store)", "leyden:Card/p4", "",
    ]
    for text in wrong {
      guard let uri = URL(string: text) else { continue }
      XCTAssertNil(PersistentIdentifier(uri: uri), text)
    }
  }

  func testAnIdentifierHoldsForOtherStoresOfTheSameFile() throws {
    // given
    let store = try store()
    let identifier = try store.write { try store.add(Card("a", title: "x")).persistentIdentifier }

    // when
    let other = try anotherStore()

    // then
    XCTAssertEqual(other.object(for: identifier, as: Card.self)?.title, "x")
  }
}
