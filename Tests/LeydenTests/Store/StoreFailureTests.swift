import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// A read that fails gives the empty value, and everybody is told who can be told.
final class StoreFailureTests: StoreTestCase {
  /// Two cards, of which the first one's record is damaged.
  private func damage() throws -> (damaged: Card, whole: Card) {
    let store = try store()
    let damaged = try store.write { try store.add(Card("a", title: "title", rank: 3)) }
    let whole = try store.write { try store.add(Card("b", title: "good")) }
    let row = try XCTUnwrap(damaged.access?.identity?.row)
    let table = try store.type(named: "Card").tableName
    try store.change { write in
      let key = unsafe withUnsafeBytes(of: row.bigEndian) { unsafe Array($0) }
      try write.change(key: key, in: write.makeTable(named: table)) { $0[$0.count - 1] ^= 1 }
    }
    return (damaged, whole)
  }

  private func assertFails(_ name: String, _ body: () throws -> Void) {
    XCTAssertThrowsError(try body(), name) { error in
      guard case .corrupted? = error as? StoreError else { return XCTFail("\(name): \(error)") }
    }
  }

  func testItIsEmptyIsLoggedOnceAndEveryLaterCallThrowsIt() throws {
    let messages = LogMessages()
    let store = try store()
    let (damaged, whole) = try damage()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    XCTAssertNil(store.failure)

    XCTAssertEqual(damaged.rank, 0)
    XCTAssertEqual(damaged.title, "")

    let failure = try XCTUnwrap(store.failure)
    XCTAssertEqual(messages.all, [failure.description])
    let copy = try temporaryDirectory().url.appendingPathComponent("Copy.leyden")
    assertFails("write") { try store.write { whole.title = "x" } }
    assertFails("beginWrite") { try store.beginWrite() }
    assertFails("read") { try store.read {} }
    assertFails("copy") { try store.writeCopy(to: copy) }
    assertFails("compact") { try store.compact() }
    XCTAssertFalse(store.isInWriteTransaction)
    XCTAssertFalse(FileManager.default.fileExists(atPath: copy.path))
    XCTAssertFalse(store.refresh())
    XCTAssertEqual(recorder.errors, [failure])
    XCTAssertFalse(store.waitForChanges(timeout: .seconds(10)))
    XCTAssertEqual(store.failure, failure)
    // Others are not concerned, and what is wrong can be found out.
    XCTAssertEqual(
      try anotherStore().object(ofType: Card.self, forPrimaryKey: "b")?.title, "good")
    XCTAssertFalse(try store.verificationReport().isClean)
  }

  func testTheRunningWriteThrowsItAndIsRolledBack() throws {
    let store = try store()
    let (damaged, whole) = try damage()

    assertFails("write") {
      try store.write {
        whole.title = "x"
        XCTAssertEqual(damaged.title, "")
        whole.rank = 9
      }
    }

    XCTAssertNotNil(store.failure)
    let other = try anotherStore()
    XCTAssertEqual(other.object(ofType: Card.self, forPrimaryKey: "b")?.title, "good")
    XCTAssertEqual(other.object(ofType: Card.self, forPrimaryKey: "b")?.rank, 7)
  }

  func testReadThrowsWhatFailedInItsBlock() throws {
    let store = try store()
    let (damaged, _) = try damage()

    assertFails("read") { try store.read { _ = damaged.title } }

    XCTAssertNotNil(store.failure)
  }

  func testAnObserverOfWhatCannotBeReadIsToldAndEnds() throws {
    let store = try store()
    let (damaged, _) = try damage()
    var calls: [String] = []
    let token = damaged.observe { change in
      switch change {
      case .error(let error): calls.append("\(error)")
      case .change: calls.append("change")
      case .deleted: calls.append("deleted")
      }
    }

    store.refresh()

    XCTAssertEqual(calls.count, 1)
    XCTAssertTrue(calls.first?.contains("damaged") ?? false, "\(calls)")
    token.invalidate()
  }

  // MARK: Threads

  func testAWriteWhoseThreadEndsIsUndoneAndHoldsNobodyUp() throws {
    let store = try store()
    let other = try anotherStore()
    let holder = Unchecked(store)
    Thread {
      try? holder.value.beginWrite()
      _ = try? holder.value.add(Card("lost"))
      holder.hasBegun.signal()
    }.start()
    XCTAssertEqual(holder.hasBegun.wait(timeout: .now() + 20), .success)

    // Waits until that thread has ended.
    try other.write { try other.add(Card("a")) }

    XCTAssertEqual(other.objects(Card.self).map(\.identifier), ["a"])
    assertThrows(.notInWriteTransaction) { try store.commitWrite() }
    XCTAssertFalse(store.isInWriteTransaction)
    try store.write { try store.add(Card("b")) }
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a", "b"])
    XCTAssertNoThrow(try store.verify())
  }

  /// A store that one thread has after the other.
  private final class Unchecked: @unchecked Sendable {
    // SAFETY: The second thread waits for the signal of the first one, which ends then.
    let value: Store
    let hasBegun = DispatchSemaphore(value: 0)
    init(_ value: Store) { self.value = value }
  }
}
