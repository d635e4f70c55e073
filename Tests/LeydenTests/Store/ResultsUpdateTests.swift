import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ResultsUpdateTests: StoreTestCase {
  private func filled() throws -> (Store, Results<Item>) {
    let store = try store()
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    return (store, store.objects(Item.self).where { $0.value < 5 }.sorted(by: \.value))
  }

  func testSettingAValueReachesAllObjectsAlsoThoseThatItTakesOut() throws {
    // given
    let (store, small) = try filled()

    // when
    try store.write { try small.setValue(7, forKey: "value") }

    // then
    XCTAssertEqual(small.count, 0)
    XCTAssertEqual(store.objects(Item.self).map(\.value), [7, 7, 7, 7, 7, 5, 6, 7, 8, 9])
  }

  func testAnUpdateReachesAllObjectsAlsoThoseThatItTakesOut() throws {
    // given
    let (store, small) = try filled()

    // when
    try store.write { try small.update { $0.value += 5 } }

    // then
    XCTAssertEqual(small.count, 0)
    XCTAssertEqual(store.objects(Item.self).map(\.value), [5, 6, 7, 8, 9, 5, 6, 7, 8, 9])
  }

  func testAnUpdatePassesOverWhatItDeleted() throws {
    // given
    let (store, small) = try filled()
    var seen: [Int] = []

    // when
    try store.write {
      try small.update { item in
        seen.append(item.value)
        try store.delete(store.objects(Item.self).where { $0.value == item.value + 1 })
      }
    }

    // then
    XCTAssertEqual(seen, [0, 2, 4])
    XCTAssertEqual(store.objects(Item.self).map(\.value), [0, 2, 4, 6, 7, 8, 9])
  }

  func testBulkChangesAreNotifiedLikeAnyOther() throws {
    // given
    let (store, small) = try filled()
    var changes: [String] = []
    let token = small.observe { change in
      guard case .update(_, let deletions, let insertions, let modifications) = change else {
        return
      }
      changes.append("-\(deletions) +\(insertions) ~\(modifications)")
    }

    // when
    try store.write { try small.setValue("x", forKey: "name") }
    try store.write { try small.setValue("x", forKey: "name") }
    try store.write { try small.update { $0.value += 2 } }

    // then
    XCTAssertEqual(changes, ["-[] +[] ~[0, 1, 2, 3, 4]", "-[3, 4] +[] ~[0, 1, 2]"])
    token.invalidate()
  }

  func testAWrongNameOrValueChangesNothing() throws {
    let (store, small) = try filled()
    for (value, key) in [(1, "valeu"), ("x", "value"), (nil, "value")] as [(Any?, String)] {
      XCTAssertThrowsError(try store.write { try small.setValue(value, forKey: key) }) { error in
        guard case StoreError.invalidValue(let text) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(text.contains("Item") && text.contains(key), text)
      }
    }
    XCTAssertEqual(store.objects(Item.self).map(\.value), Array(0..<10))
  }

  func testAPrimaryKeyCannotBeSet() throws {
    let store = try store()
    try store.write { for key in ["a", "b"] { try store.add(Card(key)) } }
    let cards = store.objects(Card.self)
    XCTAssertThrowsError(try store.write { try cards.setValue("a", forKey: "identifier") })
    XCTAssertEqual(cards.map(\.identifier), ["a", "b"])
  }

  func testNothingIsChangedOutsideAWrite() throws {
    let (_, small) = try filled()
    assertThrows(.notInWriteTransaction) { try small.setValue(1, forKey: "value") }
    assertThrows(.notInWriteTransaction) { try small.update { _ in XCTFail("Called") } }
  }

  func testWhatTheBodyThrowsRollsBack() throws {
    struct Stop: Error {}
    let (store, small) = try filled()
    XCTAssertThrowsError(
      try store.write {
        try small.update { item in
          if item.value == 3 { throw Stop() }
          item.value = 100
        }
      }
    ) { XCTAssertTrue($0 is Stop) }
    XCTAssertEqual(small.map(\.value), [0, 1, 2, 3, 4])
  }
}
