import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ResultsPositionsTests: StoreTestCase {
  func testAnObjectIsFoundAtItsPosition() throws {
    // given
    let store = try store()
    try store.write { for value in [3, 1, 2, 5, 4] { try store.add(Item(value)) } }
    let items = store.objects(Item.self)
    let sorted = items.where { $0.value < 5 }.sorted(by: \.value)
    let two = try XCTUnwrap(items.where { $0.value == 2 }.first)
    let five = try XCTUnwrap(items.where { $0.value == 5 }.first)

    // then
    XCTAssertEqual(items.index(of: two), 2)
    XCTAssertEqual(sorted.index(of: two), 1)
    XCTAssertNil(sorted.index(of: five))
    XCTAssertNil(items.index(of: Item(2)), "an unmanaged object is in no results")

    // when
    try store.write { try store.delete(two) }

    // then
    XCTAssertNil(items.index(of: two))
    XCTAssertEqual(sorted.index(of: try XCTUnwrap(sorted.last)), 2)
  }

  func testAnObjectOfAnotherStoreIsInNoResults() throws {
    let store = try store()
    let other = try temporaryDirectory().store(named: "Other", objectTypes: [Item.self])
    try store.write { try store.add(Item(1)) }
    let item = try other.write { try other.add(Item(1)) }
    XCTAssertNil(store.objects(Item.self).index(of: item))
  }

  func testTheFirstObjectThatMatchesIsFound() throws {
    // given
    let store = try store()
    try store.write { for value in [3, 1, 2, 5, 4] { try store.add(Item(value)) } }
    let items = store.objects(Item.self)
    let sorted = items.sorted(by: \.value, ascending: false)

    // then
    XCTAssertEqual(items.index(matching: { $0.value > 3 }), 3)
    XCTAssertEqual(sorted.index(matching: { $0.value < 4 }), 2)
    XCTAssertNil(items.index(matching: { $0.value > 5 }))
  }

  func testANumberThatWasCountedIsOneOfPositionsThatStayValid() throws {
    // given
    let store = try store()
    let other = try anotherStore()
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    let large = store.objects(Item.self).where { $0.value >= 5 }
    XCTAssertEqual(large.count, 5)

    // when
    try other.write { try other.delete(other.objects(Item.self).where { $0.value == 7 }) }

    // then
    let object = large[4]
    XCTAssertTrue(object.isInvalidated)
    XCTAssertEqual(large.count, 4)
    XCTAssertEqual(large.map(\.value), [5, 6, 8, 9])
    try store.write {
      try store.add(Item(11))
      XCTAssertEqual(large.count, 5)
    }
    XCTAssertEqual(large.count, 5)
    XCTAssertEqual(store.objects(Item.self).where { $0.value >= 5 }.count, 5)
  }

  func testAPositionWithinAWriteCountsWhatTheWriteDid() throws {
    let store = try store()
    let items = store.objects(Item.self).sorted(by: \.value)
    try store.write {
      let item = try store.add(Item(5))
      XCTAssertEqual(items.index(of: item), 0)
      try store.add(Item(3))
      XCTAssertEqual(items.index(of: item), 1)
      item.value = 1
      XCTAssertEqual(items.index(of: item), 0)
      XCTAssertEqual(items.index(matching: { $0.value == 3 }), 1)
    }
  }
}
