import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A child made by `fork` has nothing of its parent's stores, and is told so.
final class ForkedStoreTests: StoreTestCase {
  func testEveryCallOfAChildIsRefusedAndTheParentGoesOn() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", title: "title")) }
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.identifier }
    let copy = try temporaryDirectory().url.appendingPathComponent("Copy.leyden")
    let configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    let reading = try anotherStore()

    let result = try ForkedChild.run {
      let calls: [() throws -> Void] = [
        { try store.write {} }, { try store.read {} }, { try store.beginWrite() },
        { try store.writeCopy(to: copy) }, { try store.compact() }, { try store.verify() },
      ]
      for (number, call) in calls.enumerated() {
        do {
          try call()
          return UInt8(number + 1)
        } catch StoreError.usedAfterFork {}
      }
      guard card.title.isEmpty, store.failure == .usedAfterFork else { return 11 }
      guard store.objects(Card.self).count == 0, !store.refresh() else { return 12 }
      guard recorder.errors == [.usedAfterFork] else { return 13 }
      // It waits for nobody, although it has no failure yet.
      guard !reading.waitForChanges(timeout: .seconds(20)) else { return 14 }
      guard reading.failure == .usedAfterFork else { return 15 }
      do {
        try Store.deleteFiles(for: configuration)
        return 16
      } catch StoreError.alreadyOpen {}
      store.close()
      let own = try Store(configuration: configuration)
      try own.write { try own.add(Card("child")) }
      return own.objects(Card.self).count == 2 ? 0 : 17
    }

    XCTAssertEqual(result, 0)
    store.refresh()
    XCTAssertEqual(recorder.values, ["a", "child"])
    XCTAssertEqual(card.title, "title")
    try store.write { card.title = "new" }
    XCTAssertNoThrow(try store.verify())
  }

  func testAWriteOfTheParentIsNoneOfTheChild() throws {
    let store = try store()
    try store.beginWrite()
    try store.add(Card("a"))

    let result = try ForkedChild.run {
      do {
        try store.commitWrite()
        return 1
      } catch StoreError.usedAfterFork {}
      return store.isInWriteTransaction ? 2 : 0
    }

    XCTAssertEqual(result, 0)
    try store.commitWrite()
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a"])
    XCTAssertNoThrow(try store.verify())
  }
}
