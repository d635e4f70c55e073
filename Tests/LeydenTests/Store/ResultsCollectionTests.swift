import Leyden
import TestSupport
import XCTest

/// Results are a collection like any other.
final class ResultsCollectionTests: StoreTestCase {
  private func items() throws -> Results<Item> {
    let store = try store()
    try store.write { for value in [5, 3, 9, 1, 7] { try store.add(Item(value)) } }
    return store.objects(Item.self)
  }

  func testPartsHaveTheElementsOfTheWhole() throws {
    let items = try items()

    XCTAssertEqual(items.prefix(2).map(\.value), [5, 3])
    XCTAssertEqual(items.suffix(2).map(\.value), [1, 7])
    XCTAssertEqual(items.dropFirst().map(\.value), [3, 9, 1, 7])
    XCTAssertEqual(items.dropLast(4).map(\.value), [5])
    XCTAssertEqual(items[1..<3].map(\.value), [3, 9])
    XCTAssertEqual(items[1..<1].map(\.value), [])
    XCTAssertEqual(items[1...].startIndex, 1)
    XCTAssertEqual(items[1...][2].value, 9)
    XCTAssertEqual(items.reversed().map(\.value), [7, 1, 9, 3, 5])
    XCTAssertEqual(items.split { $0.value == 9 }.map { $0.map(\.value) }, [[5, 3], [1, 7]])
    XCTAssertEqual(items.chunkedEnds, [5, 7])
  }

  func testPartsAreOfTheStoreNowAndNotOfAnEarlierLook() throws {
    let store = try store()
    let items = try items()
    XCTAssertEqual(items.map(\.value), [5, 3, 9, 1, 7])

    try store.write {
      try store.delete(items[0])
      try store.add(Item(8))
    }

    // Each looks first: another look before it would hide that.
    func parts(_ part: (Results<Item>) -> [Int]) throws -> [Int] {
      let items = store.objects(Item.self)
      for _ in items {}
      try store.write { try store.add(Item(2)) }
      defer { XCTAssertNoThrow(try store.write { try store.delete(items.suffix(1)) }) }
      return part(items)
    }
    XCTAssertEqual(items.prefix(1).map(\.value), [3])
    XCTAssertEqual(try parts { $0.prefix(9).map(\.value) }, [3, 9, 1, 7, 8, 2])
    XCTAssertEqual(try parts { $0.suffix(2).map(\.value) }, [8, 2])
    XCTAssertEqual(try parts { $0.dropFirst(4).map(\.value) }, [8, 2])
    XCTAssertEqual(try parts { $0.dropLast().map(\.value) }, [3, 9, 1, 7, 8])
    XCTAssertEqual(try parts { $0.prefix { $0.value != 2 }.map(\.value) }, [3, 9, 1, 7, 8])
    XCTAssertEqual(try parts { $0.drop { $0.value != 2 }.map(\.value) }, [2])
    XCTAssertEqual(try parts { $0.reversed().map(\.value) }, [2, 8, 7, 1, 9, 3])
    XCTAssertEqual(try parts { $0.last { $0.value < 3 }.map { [$0.value] } ?? [] }, [2])
    XCTAssertEqual(try parts { $0.firstIndex { $0.value == 2 }.map { [$0] } ?? [] }, [5])
    XCTAssertEqual(try parts { $0.lastIndex { $0.value < 3 }.map { [$0] } ?? [] }, [5])
  }

  func testAlgorithmsSeeEachElementOnce() throws {
    let items = try items()

    XCTAssertEqual(items.filter { $0.value > 4 }.map(\.value), [5, 9, 7])
    XCTAssertEqual(items.reduce(0) { $0 + $1.value }, 25)
    XCTAssertEqual(items.sorted { $0.value < $1.value }.map(\.value), [1, 3, 5, 7, 9])
    XCTAssertEqual(items.lazy.map(\.value).filter { $0 < 4 }.first, 3)
    XCTAssertEqual(items.firstIndex { $0.value == 1 }, 3)
    XCTAssertEqual(items.lastIndex { $0.value > 4 }, 4)
    XCTAssertEqual(items.first { $0.value < 4 }?.value, 3)
    XCTAssertTrue(items.contains { $0.value == 7 })
    XCTAssertTrue(items.allSatisfy { $0.value > 0 })
    XCTAssertEqual(zip(items, 0...).map { $0.value + $1 }, [5, 4, 11, 4, 11])
    XCTAssertEqual(items.enumerated().map { $0.offset }, [0, 1, 2, 3, 4])
    XCTAssertEqual(Set(items).count, 5)
    XCTAssertEqual(Array(items).count, 5)
    XCTAssertEqual(items.compactMap { $0.value > 5 ? $0.value : nil }, [9, 7])
    XCTAssertEqual(items.indices, 0..<5)
    XCTAssertEqual(items.index(items.startIndex, offsetBy: 3), 3)
    XCTAssertEqual(items.max { $0.value < $1.value }?.value, 9)
  }

  func testDeletingWhileGoingThroughAnyFormOfResultsIsSafe() throws {
    let store = try store()
    let items = try items()
    var seen: [Int] = []
    func delete(_ item: Item) {
      seen.append(item.value)
      do { try store.delete(item) } catch { XCTFail("\(error)") }
    }
    func check(_ expected: [Int], _ body: () throws -> Void) throws {
      try store.write {
        seen = []
        try body()
        XCTAssertEqual(seen, expected)
        try store.cancelWrite()
      }
    }

    try check([5, 3, 9, 1, 7]) { items.forEach(delete) }
    try check([5, 3, 9, 1, 7]) { _ = items.map(delete) }
    try check([5, 3, 9, 1, 7]) { for item in Array(items) { delete(item) } }
    try check([5, 3, 9]) { for item in items.prefix(3) { delete(item) } }
    try check([9, 7]) { for item in items.where({ $0.value > 5 }) { delete(item) } }
    try check([1, 3, 5, 7, 9]) { for item in items.sorted(by: \.value) { delete(item) } }
    try check([5, 3, 9, 1, 7]) { for item in items { delete(item) } }
    try check([5, 3, 9, 1, 7]) {
      _ = items.filter { item in
        delete(item); return true
      }
    }
    try check([5, 3, 9, 1, 7]) { items.reduce(into: ()) { delete($1) } }
    try store.write {
      try store.delete(items.where { $0.value > 5 })
      XCTAssertEqual(items.count, 3)
      try store.delete(items.prefix(2))
      XCTAssertEqual(items.map(\.value), [1])
      try store.delete(items)
    }
    XCTAssertEqual(items.count, 0)
  }

  func testWaitingWithinAReadReturnsAtOnce() throws {
    let store = try store()
    let other = try anotherStore()

    try store.read {
      try other.write { try other.add(Item(1)) }
      XCTAssertFalse(store.waitForChanges())
      XCTAssertFalse(store.refresh())
      XCTAssertEqual(store.objects(Item.self).count, 0)
    }

    XCTAssertTrue(store.waitForChanges())
    XCTAssertEqual(store.objects(Item.self).count, 1)
  }
}

extension Results where Element == Item {
  /// The values at both ends, through the collection's own members.
  fileprivate var chunkedEnds: [Int] { [first, last].compactMap { $0?.value } }
}
