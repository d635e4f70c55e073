import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What a callback may do, and what it sees meanwhile.
final class CallbackTests: StoreTestCase {
  func testClosingItsStoreInACallbackEndsAllObservers() throws {
    let store = try store()
    let other = try anotherStore()
    let item = try store.write { try store.add(Item(1)) }
    var calls: [String] = []
    var tokens: [NotificationToken] = []
    for name in ["a", "b", "c"] {
      tokens.append(
        store.objects(Item.self).observe { change in
          guard case .update(let items, _, _, _) = change else { return }
          calls.append(name)
          guard name == "b" else { return }
          store.close()
          XCTAssertTrue(items.isInvalidated)
          XCTAssertEqual(items.count, 0)
        })
    }
    tokens.append(store.observe { _, _ in calls.append("store") })
    tokens.append(item.observe { _ in calls.append("object") })

    try store.write { item.value = 2 }
    try other.write { try other.add(Item(3)) }

    XCTAssertEqual(calls, ["a", "b"])
    XCTAssertTrue(item.isInvalidated)
    XCTAssertFalse(store.refresh())
    XCTAssertEqual(other.objects(Item.self).map(\.value), [2, 3])
    assertThrows(.closed) { try store.write {} }
  }

  func testRefreshingAndWaitingInACallbackDoNothing() throws {
    let store = try store()
    let other = try anotherStore()
    var answers: [Bool] = []
    var counts: [Int] = []
    let token = store.objects(Item.self).observe { change in
      guard case .update(let items, _, _, _) = change else { return }
      if counts.isEmpty {
        do { try other.write { try other.add(Item(2)) } } catch { XCTFail("\(error)") }
      }
      answers += [store.refresh(), store.waitForChanges(timeout: nil)]
      counts.append(items.count)
    }

    try store.write { try store.add(Item(1)) }
    store.refresh()

    XCTAssertEqual(answers, [false, false, false, false])
    XCTAssertEqual(counts, [1, 2])
    token.invalidate()
  }

  func testAnObserverThatIsMadeInACallbackBeginsAtOnceAndHearsOfLaterCommits() throws {
    let store = try store()
    var inner: ChangeRecorder<Item, Int>?
    let token = store.objects(Item.self).observe { change in
      guard case .update = change, inner == nil else { return }
      let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
      XCTAssertEqual(recorder.initialCalls, 1)
      XCTAssertEqual(recorder.values, [1])
      inner = recorder
    }

    try store.write { try store.add(Item(1)) }
    XCTAssertEqual(inner?.changes, [])
    try store.write { try store.add(Item(2)) }

    XCTAssertEqual(inner?.changes, ["-[] +[1] ~[]"])
    XCTAssertEqual(inner?.violations, [])
    token.invalidate()
  }

  func testAWriteShowsWhatOthersCommittedAndTellsItAfterwardsOnly() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    try other.write { try other.add(Item(1)) }

    try store.beginWrite()
    XCTAssertEqual(store.objects(Item.self).map(\.value), [1])
    XCTAssertEqual(recorder.changes, [])
    XCTAssertFalse(store.refresh())
    try store.add(Item(2))
    XCTAssertEqual(recorder.changes, [])
    try store.commitWrite()

    XCTAssertEqual(recorder.changes, ["-[] +[0, 1] ~[]"])
    XCTAssertEqual(recorder.violations, [])
    XCTAssertFalse(store.refresh())
  }

  func testACancelledWriteTellsWhatOthersCommittedBefore() throws {
    let store = try store()
    let other = try anotherStore()
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    try other.write { try other.add(Item(1)) }

    try store.beginWrite()
    try store.add(Item(2))
    try store.cancelWrite()

    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    XCTAssertEqual(recorder.values, [1])
  }

  func testAnObjectIsToldOnceThatEverythingWasDeleted() throws {
    let store = try store()
    let other = try anotherStore()
    for deleter in [store, other] {
      let cards = try store.write { try (0..<3).map { try store.add(Card("\($0)")) } }
      let recorder = ChangeRecorder(store.objects(Card.self)) { $0.identifier }
      var calls: [String] = []
      let token = cards[1].observe { change in
        if case .deleted = change { calls.append("deleted") } else { calls.append("other") }
      }

      try deleter.write { try deleter.deleteAll() }
      store.refresh()
      try store.write { try store.add(Card("1")) }
      try store.write { try store.deleteAll(Card.self) }

      XCTAssertEqual(calls, ["deleted"])
      XCTAssertEqual(
        recorder.changes, ["-[0, 1, 2] +[] ~[]", "-[] +[0] ~[]", "-[0] +[] ~[]"])
      token.invalidate()
    }
  }

  func testPositionsOfModificationsAreThoseBeforeAndAfter() async throws {
    let store = try store()
    let ranks = [("A", 10), ("B", 20), ("C", 30), ("D", 40), ("E", 50)]
    try store.write { for (name, rank) in ranks { try store.add(Card(name, rank: rank)) } }
    var changes = store.objects(Card.self).sorted(by: \.rank).changes.makeAsyncIterator()
    _ = await changes.next()

    try store.write {
      let cards = store.objects(Card.self)
      let d = cards[3]
      try store.delete(cards[0])
      try store.add([Card("Y", rank: 5), Card("X", rank: 25)])
      d.title = "D!"
    }

    let next = await changes.next()
    let change = try XCTUnwrap(next)
    XCTAssertEqual(change.deletions, [0])
    XCTAssertEqual(change.insertions, [0, 2])
    XCTAssertEqual(change.modifications, [3])
    XCTAssertEqual(change.newModifications, [4])
    XCTAssertEqual(change.moves, [])
    XCTAssertEqual(change.collection[change.newModifications[0]].identifier, "D")
    XCTAssertEqual(change.collection.map(\.identifier).joined(), "YBXCDE")
  }

  func testACallbackThatDoesNotReturnHoldsUpItsOwnThreadOnly() throws {
    let store = try store()
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let recorder = ChangeRecorder(store.objects(Item.self)) { $0.value }
    let (isBlocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let hasEnded = expectation(description: "the thread ends")
    Thread.detachNewThread {
      defer { hasEnded.fulfill() }
      guard let own = try? Store(configuration: configuration) else { return }
      let token = own.objects(Item.self).observe { change in
        guard case .update = change else { return }
        isBlocked.signal()
        mayEnd.wait()
      }
      do { try own.write { try own.add(Item(1)) } } catch { XCTFail("\(error)") }
      token.invalidate()
    }

    XCTAssertEqual(isBlocked.wait(timeout: .now() + 30), .success)
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(30)))
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    try store.write { try store.add(Item(2)) }
    XCTAssertEqual(recorder.changes.last, "-[] +[1] ~[]")
    mayEnd.signal()
    wait(for: [hasEnded], timeout: 30)
  }

  func testVersionsRiseWithEachCommitThatChangesSomething() throws {
    let store = try store()
    let other = try anotherStore()
    let first = store.version
    let item = try store.write { try store.add(Item(1)) }
    let second = store.version
    try other.write { try other.add(Item(2)) }

    XCTAssertLessThan(first, second)
    XCTAssertLessThan(second, store.version)
    XCTAssertEqual(store.version, other.version)
    let third = store.version
    try store.read {
      try other.write { try other.add(Item(3)) }
      XCTAssertEqual(store.version, third)
      XCTAssertLessThan(third, other.version)
    }
    XCTAssertEqual(store.version, other.version)
    try store.beginWrite()
    item.value = 9
    try store.cancelWrite()
    XCTAssertEqual(store.version, other.version)
  }
}
