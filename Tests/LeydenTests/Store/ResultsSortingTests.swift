import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ResultsSortingTests: StoreTestCase {
  private func cards(_ values: [(String, String, Int)]) throws -> Results<Card> {
    let store = try store()
    try store.write {
      for (identifier, title, rank) in values {
        try store.add(Card(identifier, title: title, rank: rank))
      }
    }
    return store.objects(Card.self)
  }

  func testTheFirstDescriptorCountsMostAndEqualObjectsKeepTheirOrder() throws {
    // given
    let cards = try cards([
      ("a", "x", 2), ("b", "y", 1), ("c", "x", 1), ("d", "y", 1), ("e", "x", 2),
    ])

    // then
    func sorted(_ descriptors: [SortDescriptor<Card>]) throws -> String {
      try cards.sorted(by: descriptors).map(\.identifier).joined()
    }
    XCTAssertEqual(try sorted([SortDescriptor(\.title), SortDescriptor(\.rank)]), "caebd")
    XCTAssertEqual(
      try sorted([SortDescriptor(\.title), SortDescriptor(\.rank, order: .reverse)]), "aecbd")
    XCTAssertEqual(
      try sorted([SortDescriptor(\.rank), SortDescriptor(\.title, order: .reverse)]), "bdcae")
    XCTAssertEqual(try sorted([SortDescriptor(\.rank, order: .reverse)]), "aebcd")
    XCTAssertEqual(try sorted([]), "abcde")
    XCTAssertEqual(
      try cards.sorted(by: \.identifier, ascending: false).sorted(by: [SortDescriptor(\.rank)])
        .map(\.identifier).joined(), "dcbea")
  }

  func testNilComesFirstAscendingByDescriptorsToo() throws {
    let cards = try cards([("a", "", 0), ("b", "", 0), ("c", "", 0)])
    let store = try store()
    try store.write { cards[1].score = -1 }
    XCTAssertEqual(
      try cards.sorted(by: [SortDescriptor(\.score)]).map(\.identifier), ["a", "c", "b"])
    XCTAssertEqual(
      try cards.sorted(by: [SortDescriptor(\.score, order: .reverse)]).map(\.identifier),
      ["b", "a", "c"])
  }

  func testTextsAreSortedAsSwiftSortsThem() throws {
    // given
    let titles = [
      "zoo", "10", "éte", "9", "Pear", "öl", "pear", "Zinc", "ete", "Öl", "oil", "-x", "_x", " x",
      "'x",
    ]
    let cards = try cards(titles.enumerated().map { ("\($0)", $1, 0) })
    let right = titles.sorted()

    // then
    XCTAssertEqual(try cards.sorted(byKeyPath: "title").map(\.title), right)
    XCTAssertEqual(try cards.sorted(by: [SortDescriptor(\.title)]).map(\.title), right)
    XCTAssertEqual(
      try cards.sorted(by: [SortDescriptor(\.title, comparator: .lexical)]).map(\.title), right)
    XCTAssertEqual(
      try cards.sorted(by: [SortDescriptor(\.title, comparator: .lexical, order: .reverse)])
        .map(\.title), right.reversed())
    XCTAssertEqual(cards.where { $0.title >= "oil" }.count, 6)
  }

  func testADescriptorOverAnythingButAStoredPropertyIsRefusedByItsNumber() throws {
    let cards = try cards([("a", "x", 0)])
    XCTAssertThrowsError(
      try cards.sorted(by: [SortDescriptor(\.rank), SortDescriptor(\.title.count)])
    ) { error in
      guard case StoreError.invalidQuery(_, 1) = error else { return XCTFail("\(error)") }
    }
  }

  // Foundation on Linux has no other comparator than the plain one.
  #if canImport(Darwin)
    func testComparatorsThatOrderTextsOtherwiseAreRefused() throws {
      let cards = try cards([("a", "x", 0)])
      for comparator in [String.StandardComparator.localizedStandard, .localized] {
        XCTAssertThrowsError(
          try cards.sorted(by: [
            SortDescriptor(\.rank), SortDescriptor(\.title, comparator: comparator),
          ])
        ) { error in
          guard case StoreError.invalidQuery(let text, 1) = error else {
            return XCTFail("\(error)")
          }
          XCTAssertTrue(text.contains("Card.title"), text)
        }
      }
    }
  #endif

  func testAnUnknownNameIsRefused() throws {
    let cards = try cards([])
    for name in ["titel", "", "title.count"] {
      XCTAssertThrowsError(try cards.sorted(byKeyPath: name)) { error in
        guard case StoreError.invalidQuery = error else { return XCTFail("\(error)") }
      }
    }
    XCTAssertNoThrow(try cards.sorted(byKeyPath: "rank", ascending: false))
  }

  func testSortedByNameIsSortedByKeyPath() throws {
    let cards = try cards([("a", "x", 2), ("b", "y", 1), ("c", "x", 3)])
    XCTAssertEqual(
      try cards.sorted(byKeyPath: "rank", ascending: false).map(\.identifier), ["c", "a", "b"])
    XCTAssertEqual(
      try cards.sorted(byKeyPath: "rank").map(\.identifier),
      cards.sorted(by: \.rank).map(\.identifier))
  }
}
