import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class LiveReadingTests: StoreTestCase {
  private func fill(_ count: Int) throws -> Store {
    let store = try store()
    try store.write { for value in 0..<count { try store.add(Item(value)) } }
    return store
  }

  func testDeletingEachElementOfALoopReachesAll() throws {
    let store = try fill(40)
    var seen: [Int] = []

    try store.write {
      for item in store.objects(Item.self) {
        seen.append(item.value)
        try store.delete(item)
      }
    }

    XCTAssertEqual(seen, Array(0..<40))
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testALoopOverWhatAnotherStoreDeletesGivesInvalidatedObjects() throws {
    let store = try fill(40)
    let other = try anotherStore()
    var invalid = 0

    for (position, item) in store.objects(Item.self).enumerated() {
      if position == 0 {
        try other.write { try other.deleteAll() }
        store.refresh()
      }
      XCTAssertTrue(item.isInvalidated)
      XCTAssertEqual(item.value, 0)
      invalid += 1
    }

    XCTAssertEqual(invalid, 40)
  }

  func testAnArrayOfResultsStaysAsItWas() throws {
    let store = try fill(1)
    let kept = Array(store.objects(Item.self))

    try store.write {
      try store.delete(kept)
      try store.add(Item(5))
    }

    XCTAssertEqual(kept.count, 1)
    XCTAssertEqual(kept.map(\.isInvalidated), [true])
    XCTAssertEqual(store.objects(Item.self).map(\.value), [5])
  }

  func testPositionsStayValidWhateverOthersCommit() throws {
    let store = try fill(10)
    let other = try anotherStore()
    let items = store.objects(Item.self)
    let sorted = items.sorted(by: \.value, ascending: false)
    let filtered = items.where { $0.value > 4 }

    for results in [items, sorted, filtered] {
      let count = results.count
      let slice = results.prefix(3)
      try other.write { try other.deleteAll(Item.self) }
      for position in 0..<count { XCTAssertTrue(results[position].isInvalidated) }
      for position in results.indices { XCTAssertTrue(results[position].isInvalidated) }
      XCTAssertTrue(slice.allSatisfy(\.isInvalidated))
      XCTAssertEqual(slice.count, 3)
      XCTAssertEqual(results.count, 0)
      XCTAssertNil(results.first)
      XCTAssertNil(results.last)
      try other.write { for value in 0..<10 { try other.add(Item(value)) } }
    }
  }

  func testAFirstPositionThatWasThereStaysValid() throws {
    let store = try fill(1)
    let other = try anotherStore()
    let items = store.objects(Item.self)

    XCTAssertFalse(items.isEmpty)
    try other.write { try other.deleteAll() }

    XCTAssertTrue(items[0].isInvalidated)
  }

  func testReadKeepsOneVersion() throws {
    let store = try fill(3)
    let other = try anotherStore()
    let items = store.objects(Item.self)
    let first = try XCTUnwrap(items.first)

    try store.read {
      let version = store.version
      try other.write {
        try XCTUnwrap(other.objects(Item.self).first).value = 9
        try other.add(Item(7))
      }
      XCTAssertEqual(items.map(\.value), [0, 1, 2])
      XCTAssertEqual(first.value, 0)
      XCTAssertEqual(items.count, 3)
      XCTAssertEqual(items.where { $0.value == 9 }.count, 0)
      XCTAssertEqual(store.version, version)
      XCTAssertLessThan(version, other.version)
      try store.read { XCTAssertEqual(first.value, 0) }
    }

    XCTAssertEqual(items.map(\.value), [9, 1, 2, 7])
    XCTAssertEqual(first.value, 9)
  }

  func testAWriteInsideAReadMovesOn() throws {
    let store = try fill(1)
    let other = try anotherStore()
    let items = store.objects(Item.self)

    try store.read {
      try other.write { try other.add(Item(1)) }
      XCTAssertEqual(items.count, 1)
      try store.write {
        XCTAssertEqual(items.count, 2)
        try store.add(Item(2))
        XCTAssertEqual(items.count, 3)
      }
      XCTAssertEqual(items.count, 3)
      XCTAssertEqual(items[2].value, 2)
    }

    XCTAssertEqual(items.map(\.value), [0, 1, 2])
  }

  func testResultsSeeTheRunningWrite() throws {
    let store = try fill(3)
    let other = try anotherStore()
    let big = store.objects(Item.self).where { $0.value > 5 }.sorted(by: \.value)
    XCTAssertEqual(big.count, 0)

    try store.beginWrite()
    for item in store.objects(Item.self) { item.value += 10 }
    XCTAssertEqual(big.map(\.value), [10, 11, 12])
    XCTAssertEqual(other.objects(Item.self).map(\.value), [0, 1, 2])
    try store.add(Item(7))
    XCTAssertEqual(big.map(\.value), [7, 10, 11, 12])
    try store.cancelWrite()

    XCTAssertEqual(big.count, 0)
    XCTAssertEqual(store.objects(Item.self).map(\.value), [0, 1, 2])
  }

  func testResultsDoNotRememberACancelledWrite() throws {
    let store = try fill(1)
    let items = store.objects(Item.self)

    try store.beginWrite()
    try store.add(Item(10))
    XCTAssertEqual(items.map(\.value), [0, 10])
    try store.cancelWrite()
    try store.beginWrite()
    try store.add(Item(20))
    XCTAssertEqual(items.map(\.value), [0, 20])
    try store.commitWrite()

    XCTAssertEqual(items.map(\.value), [0, 20])
  }

  func testPositionsOfAClosedStoreHoldInvalidatedObjects() throws {
    let store = try anotherStore()
    try store.write { try store.add([Item(1), Item(2)]) }
    let items = store.objects(Item.self)
    let count = items.map(\.value).count

    store.close()

    XCTAssertEqual(items.count, 0)
    for position in 0..<count { XCTAssertTrue(items[position].isInvalidated) }
  }

  func testADeletedObjectReadsAsEmptyAndCannotBeSet() throws {
    let store = try store()
    let other = try anotherStore()
    var value = CardValue("c", title: "title", rank: 5)
    value.code = "x"
    value.picture = Data(repeating: 1, count: 5_000)
    value.when = Date(timeIntervalSinceReferenceDate: 5)
    let card = try store.write { try store.add(value: value, as: Card.self) }
    let kept = try store.write { try store.add(Card("kept", rank: 1)) }
    let messages = LogMessages()

    let foreign = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "c"))
    try other.write { try other.delete(foreign) }

    XCTAssertEqual(card.title, "")
    XCTAssertNil(card.code)
    XCTAssertEqual(card.rank, 0)
    XCTAssertEqual(card.picture, Data())
    XCTAssertEqual(card.when, Date(timeIntervalSinceReferenceDate: 0))
    XCTAssertTrue(card.isInvalidated)
    XCTAssertEqual(messages.all.count, 1, "\(messages.all)")
    XCTAssertTrue(card.description.hasPrefix("Card {"), card.description)
    assertThrows(.invalidatedObject("Card.title")) {
      try store.write {
        kept.rank = 2
        card.title = "back"
      }
    }
    XCTAssertEqual(kept.rank, 1)
  }

  func testObjectsOfAClosedStoreAreInvalidated() throws {
    let store = try anotherStore()
    let item = try store.write { try store.add(Item(4)) }
    let items = store.objects(Item.self)
    XCTAssertEqual(items.count, 1)

    store.close()

    XCTAssertTrue(item.isInvalidated)
    XCTAssertTrue(items.isInvalidated)
    XCTAssertEqual(item.value, 0)
    XCTAssertEqual(items.count, 0)
    XCTAssertNil(items.first)
    XCTAssertNil(store.object(ofType: Card.self, forPrimaryKey: "a"))
    XCTAssertNil(store.failure)
  }
}
