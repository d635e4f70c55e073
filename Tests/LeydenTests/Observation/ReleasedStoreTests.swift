import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Sequences of changes outlive the store that made them.
final class ReleasedStoreTests: StoreTestCase {
  /// Makes something of a store that nobody holds afterwards.
  private func made<Result>(_ body: (Store) throws -> Result) throws -> Result {
    let store = try Store(
      configuration: .init(inMemoryIdentifier: "released", objectTypes: [Card.self]))
    if store.objects(Card.self).isEmpty { try store.write { try store.add(Card("a")) } }
    return try body(store)
  }

  func testAValueOfTheStoreGoesOnWhereItsStoreIsReleased() async throws {
    // given
    let counts = try made { $0.changes(of: { $0.objects(Card.self).count }) }
    var iterator = counts.makeAsyncIterator()

    // then
    let first = await iterator.next()
    XCTAssertEqual(first, 1)

    // when
    try made { store in _ = try store.write { try store.add(Card("b")) } }

    // then
    let second = await iterator.next()
    XCTAssertEqual(second, 2)
  }

  func testCommitsGoOnWhereTheirStoreIsReleased() async throws {
    // given
    var iterator = try made { $0.commits }.makeAsyncIterator()

    // when
    try made { store in _ = try store.write { try store.add(Card("b")) } }

    // then
    let types = await iterator.next()?.changedTypes
    XCTAssertEqual(types, ["Card"])
  }
}
