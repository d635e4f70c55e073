import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What no model names stays in a store, until it is compacted and may be removed.
final class RemovingUnusedTests: StoreTestCase {
  private typealias Old = OlderProgram.Contact
  private typealias New = NewerProgram.Contact

  private func open(_ types: [Object.Type]) throws -> Store {
    try temporaryDirectory().store(objectTypes: types)
  }

  /// A store of cards with long pictures, and of contacts with all that the newer program knows.
  private func fill() throws {
    let store = try open([New.self, Card.self])
    try store.write {
      for number in 0..<50 {
        let card = Card("\(number)")
        card.picture = Data(repeating: 1, count: 10_000)
        try store.add(card)
      }
    }
    for number in 0..<10 { try NewerProgram.takeTurn(number, in: store) }
    store.close()
  }

  func testWithoutBeingAskedEverythingStays() throws {
    try fill()
    let old = try open([Old.self])
    XCTAssertTrue(try old.compact())
    XCTAssertNoThrow(try old.verify())
    old.close()
    let store = try open([New.self, Card.self])
    XCTAssertEqual(store.objects(Card.self).count, 50)
    XCTAssertEqual(store.objects(New.self).where { $0.email != nil }.count, 10)
  }

  func testTypesPropertiesAndIndexesThatNoModelNamesAreRemoved() throws {
    try fill()
    let old = try open([Old.self])
    let recorder = ChangeRecorder(old.objects(Old.self)) { "\($0.name) \($0.visits)" }
    let size = old.diagnostics.fileSize
    let version = old.version
    let contact = try XCTUnwrap(old.object(ofType: Old.self, forPrimaryKey: 3))

    XCTAssertTrue(try old.compact(removingUnused: true))

    XCTAssertNoThrow(try old.verify())
    XCTAssertLessThan(old.diagnostics.fileSize, size / 4)
    XCTAssertGreaterThan(old.version, version)
    XCTAssertEqual(contact.name, "newer 3")
    XCTAssertEqual(old.objects(Old.self).where { $0.name.starts(with: "newer") }.count, 10)
    try old.write { contact.visits = 77 }
    for number in 20..<25 { try OlderProgram.takeTurn(number, in: old) }
    XCTAssertEqual(contact.visits, 82)
    XCTAssertEqual(recorder.values.count, 15)
    XCTAssertEqual(recorder.violations, [])
    XCTAssertNoThrow(try old.verify())
    let settled = old.version
    XCTAssertTrue(try old.compact(removingUnused: true))
    XCTAssertEqual(old.version, settled, "there is nothing left to remove")
    old.close()

    // Whoever names it again gets it anew.
    let store = try open([New.self, Card.self])
    XCTAssertEqual(store.objects(Card.self).count, 0)
    XCTAssertEqual(store.objects(New.self).count, 15)
    XCTAssertEqual(store.objects(New.self).where { $0.email == nil }.count, 15)
    XCTAssertEqual(Set(store.objects(New.self).map(\.rating)), [1.5])
    XCTAssertEqual(Set(store.objects(New.self).map(\.history)), ["new"])
    XCTAssertEqual(store.objects(New.self).where { $0.rating > 1 }.count, 15)
    XCTAssertEqual(store.object(ofType: New.self, forPrimaryKey: 3)?.visits, 82)
    for number in 30..<33 { try NewerProgram.takeTurn(number, in: store) }
    try store.write { try store.add(Card("again")) }
    XCTAssertEqual(store.objects(Card.self).count, 1)
    XCTAssertNoThrow(try store.verify())
  }

  func testWhatAnotherStoreOfTheProgramNamesStays() throws {
    try fill()
    let old = try open([Old.self])
    let cards = try open([Card.self])
    XCTAssertTrue(try old.compact(removingUnused: true))
    XCTAssertEqual(cards.objects(Card.self).count, 50)
    XCTAssertEqual(cards.object(ofType: Card.self, forPrimaryKey: "9")?.picture.count, 10_000)
    XCTAssertNoThrow(try cards.verify())
    cards.close()
    XCTAssertTrue(try old.compact(removingUnused: true))
    XCTAssertEqual(try open([Card.self]).objects(Card.self).count, 0)
  }

  func testRandomStoresStayRight() throws {
    try forEachSeed(10) { seed in
      let directory = try temporaryDirectory()
      let store = try directory.store(named: "\(seed)", objectTypes: [Card.self, Item.self])
      var commits = RandomCommits(seed: seed)
      var cards = CardList(store)
      for turn in 0..<60 {
        let operations = commits.next(for: cards)
        try store.write {
          for operation in operations { try operation.apply(to: store) }
          try store.add(Item(turn))
        }
        cards.apply(operations)
        guard turn % 20 == 19 else { continue }
        XCTAssertTrue(try store.compact(removingUnused: turn == 39), "seed \(seed)")
        XCTAssertNoThrow(try store.verify(), "seed \(seed)")
      }
      XCTAssertTrue(store.values(of: Card.self) == cards.values, "seed \(seed)")
      store.close()
      let items = try directory.store(named: "\(seed)", objectTypes: [Item.self])
      XCTAssertTrue(try items.compact(removingUnused: true))
      XCTAssertEqual(items.objects(Item.self).map(\.value), Array(0..<60), "seed \(seed)")
      XCTAssertNoThrow(try items.verify(), "seed \(seed)")
    }
  }
}
