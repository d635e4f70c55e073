import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Writes that cannot end well: what a setter could not throw, they throw, and leave nothing.
final class FailedWriteTests: StoreTestCase {
  private struct Refusal: Error {}

  /// A card that was deleted by another store, and one that is there.
  private func cards() throws -> (gone: Card, kept: Card) {
    let (store, other) = (try store(), try anotherStore())
    let (gone, kept) = try store.write {
      (try store.add(Card("gone", title: "t")), try store.add(Card("kept", title: "t")))
    }
    let same = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "gone"))
    try other.write { try other.delete(same) }
    return (gone, kept)
  }

  func testCommitThrowsWhatASetterCouldNot() throws {
    let store = try store()
    let (gone, kept) = try cards()
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.value }
    let version = store.version

    try store.beginWrite()
    kept.title = "changed"
    gone.rank = 1
    try store.add(Card("new"))
    assertThrows(.invalidatedObject("Card.rank")) { try store.commitWrite() }

    XCTAssertFalse(store.isInWriteTransaction)
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["kept"])
    XCTAssertEqual(kept.title, "t")
    XCTAssertEqual(recorder.changes, [])
    assertThrows(.notInWriteTransaction) { try store.commitWrite() }
    try store.write { kept.title = "next" }
    XCTAssertEqual(recorder.changes, ["-[] +[] ~[0]"])
  }

  func testTheFirstOfSeveralReasonsIsThrown() throws {
    let store = try store()
    let (gone, kept) = try cards()

    assertThrows(.invalidatedObject("Card.rank")) {
      try store.write {
        gone.rank = 1
        kept.identifier = "other"
        gone.title = "x"
      }
    }
    XCTAssertThrowsError(
      try store.write {
        kept.identifier = "other"
        gone.rank = 1
      }
    ) { error in
      guard case StoreError.invalidValue(let reason) = error else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("Card.identifier"), reason)
    }
    XCTAssertEqual(kept.identifier, "kept")
  }

  func testWhatTheBodyThrowsComesBeforeWhatASetterCouldNot() throws {
    let store = try store()
    let (gone, kept) = try cards()

    XCTAssertThrowsError(
      try store.write {
        gone.rank = 1
        kept.rank = 1
        throw Refusal()
      }
    ) { XCTAssertTrue($0 is Refusal, "\($0)") }

    XCTAssertEqual(kept.rank, 7)
    XCTAssertFalse(store.isInWriteTransaction)
  }

  func testACancelledWriteHasNothingToThrowAndTheNextOneIsWhole() throws {
    let store = try store()
    let (gone, kept) = try cards()

    try store.beginWrite()
    gone.rank = 1
    try store.cancelWrite()
    try store.write {
      gone.rank = 2
      try store.cancelWrite()
    }
    try store.write { kept.rank = 3 }

    XCTAssertEqual(kept.rank, 3)
  }

  func testARolledBackObjectFailsTheWriteThatSetsIt() throws {
    let store = try store()
    let item = Item(1)
    try store.beginWrite()
    try store.add(item)
    try store.cancelWrite()

    assertThrows(.invalidatedObject("Item.value")) {
      try store.write {
        item.value = 2
        try store.add(Item(3))
      }
    }
    assertThrows(.invalidatedObject("Item")) { try store.write { try store.add(item) } }
    assertThrows(.invalidatedObject("Item")) { try store.write { try store.delete(item) } }
    XCTAssertEqual(store.objects(Item.self).count, 0)
  }

  func testAnObjectDeletedInTheWriteFailsItWhenItIsSetAfterwards() throws {
    let store = try store()
    let item = try store.write { try store.add(Item(1)) }

    assertThrows(.invalidatedObject("Item.value")) {
      try store.write {
        item.value = 2
        try store.delete(item)
        XCTAssertEqual(item.value, 0)
        item.value = 3
      }
    }

    XCTAssertEqual(item.value, 1)
    XCTAssertFalse(item.isInvalidated)
  }

  func testAWriteOfOneStoreWithinThatOfAnotherIsRefusedOnTheSameThreadOnly() throws {
    let store = try store()
    let memory = try Store(
      configuration: .init(inMemoryIdentifier: #function, objectTypes: [Item.self]))
    let other = try temporaryDirectory().configuration(named: "Other", objectTypes: [Item.self])

    for (outer, inner) in [(store, memory), (memory, store)] {
      try outer.write {
        try outer.add(Item(1))
        assertThrows(.nestedWrite) { try inner.write { try inner.add(Item(2)) } }
        assertThrows(.nestedWrite) { try inner.beginWrite() }
        // Opening a store makes it, which is a write, too.
        assertThrows(.nestedWrite) { try Store(configuration: other) }
        XCTAssertFalse(inner.isInWriteTransaction)
        assertThrows(.notInWriteTransaction) { try inner.add(Item(2)) }

        let problems = Locked<[String]>([])
        let isDone = expectation(description: "another thread writes to another store")
        let name = "Thread \(outer === store)"
        let configuration = try temporaryDirectory().configuration(
          named: name, objectTypes: [Item.self])
        Thread.detachNewThread {
          do {
            let store = try Store(configuration: configuration)
            try store.write { try store.add(Item(3)) }
          } catch { problems.withLock { $0.append("\(error)") } }
          isDone.fulfill()
        }
        wait(for: [isDone], timeout: 30)
        XCTAssertEqual(problems.withLock { $0 }, [])
      }
    }

    XCTAssertEqual(store.objects(Item.self).map(\.value), [1])
    XCTAssertEqual(memory.objects(Item.self).map(\.value), [1])
  }

  func testAUniqueViolationAtTheEndRollsBackAndTheStoreGoesOn() throws {
    final class Place: Object {
      @Persisted(unique: true) var name: String = ""
      @Persisted var rank: Int
    }
    let store = try temporaryDirectory().store(named: "Places", objectTypes: [Place.self])
    let place = try store.write { try store.create(Place.self, value: ["name": "a"]) }
    let recorder = ChangeRecorder(store.objects(Place.self)) { [$0.name, "\($0.rank)"] }

    for _ in 0..<3 {
      XCTAssertThrowsError(
        try store.write {
          place.rank += 1
          try store.create(Place.self, value: ["name": "a"])
          XCTAssertEqual(store.objects(Place.self).where { $0.name == "a" }.count, 2)
        }
      ) { error in
        guard case StoreError.uniqueViolation = error else { return XCTFail("\(error)") }
      }
      XCTAssertFalse(store.isInWriteTransaction)
      XCTAssertEqual(place.rank, 0)
    }
    XCTAssertEqual(recorder.changes, [])
    try store.write { try store.create(Place.self, value: ["name": "b"]) }
    XCTAssertEqual(recorder.changes, ["-[] +[1] ~[]"])
    XCTAssertNil(store.failure)
  }
}
