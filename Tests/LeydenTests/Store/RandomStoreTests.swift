import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Random programs against a plain array: whatever is asked, the store answers as the array does.
final class RandomStoreTests: StoreTestCase {
  func testEveryQueryAnswersAsAnArrayDoes() throws {
    try forEachSeed(6) { seed in
      let directory = try TemporaryDirectory()
      let types: [Object.Type] = [Card.self, Item.self]
      var store = try directory.store(objectTypes: types)
      var commits = RandomCommits(seed: seed)
      var cards = CardList()
      var kept = CardQuery.all.map { ($0, $0.results(store)) }

      for step in 0..<40 {
        let operations = commits.next(for: cards)
        var after = cards
        try store.beginWrite()
        for operation in operations {
          try operation.apply(to: store)
          after.apply(operation)
        }
        if commits.number(below: 3) == 0 {
          compare(kept, after, "seed \(seed), step \(step), in the write")
        }
        if commits.number(below: 5) == 0 {
          try store.cancelWrite()
        } else {
          try store.commitWrite()
          cards = after
        }
        if commits.number(below: 10) == 0 {
          store.close()
          store = try directory.store(objectTypes: types)
          kept = CardQuery.all.map { ($0, $0.results(store)) }
        }
        if step % 4 == 0 {
          compare(
            CardQuery.all.map { ($0, $0.results(store)) }, cards, "seed \(seed), step \(step)")
        }
        compare(kept, cards, "seed \(seed), step \(step), kept")
        for card in cards.values.prefix(5) {
          XCTAssertEqual(
            store.object(ofType: Card.self, forPrimaryKey: card.identifier)?.value, card,
            "seed \(seed), step \(step)")
        }
        XCTAssertNil(store.failure, "seed \(seed), step \(step)")
      }
      XCTAssertNoThrow(try store.verify(), "seed \(seed)")
    }
  }

  private func compare(
    _ queries: [(CardQuery, Results<Card>)], _ cards: CardList, _ context: String
  ) {
    for (query, results) in queries {
      let expected = query.expected(cards.values)
      XCTAssertEqual(results.count, expected.count, "\(query.name), \(context)")
      XCTAssertEqual(results.values, expected, "\(query.name), \(context)")
      XCTAssertEqual(results.first?.identifier, expected.first?.identifier, query.name)
      XCTAssertEqual(results.last?.identifier, expected.last?.identifier, query.name)
      if let position = expected.indices.randomElement() {
        XCTAssertEqual(results[position].identifier, expected[position].identifier, query.name)
      }
    }
  }

  func testLargeValuesThatAreReplacedLeaveNothingBehind() throws {
    let store = try store()
    var commits = RandomCommits(seed: 99)
    commits.size = 10
    var cards = CardList()
    for _ in 0..<60 {
      let operations = commits.next(for: cards)
      try store.write {
        for operation in operations {
          try operation.apply(to: store)
          _ = store.objects(Card.self).where { $0.rank == 1 }.count
        }
      }
      cards.apply(operations)
    }
    XCTAssertEqual(store.values(of: Card.self), cards.values)
    XCTAssertNoThrow(try store.verify())

    try store.write { try store.deleteAll() }

    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
    XCTAssertNoThrow(try store.verify())
  }
}
