import Leyden
import TestSupport
import XCTest

final class StoreObserverTests: StoreTestCase {
  func testAStoreObserverIsCalledOnceForEachChange() throws {
    let store = try store()
    var calls: [StoreVersion] = []
    let token = store.observe { notification, changed in
      guard case .didChange = notification else { return XCTFail("\(notification)") }
      XCTAssertTrue(changed === store)
      XCTAssertFalse(changed.isInWriteTransaction)
      calls.append(changed.version)
    }
    XCTAssertEqual(calls, [])

    try store.write { try store.add(Item(1)) }
    try store.write { try store.add(Card("a")) }

    XCTAssertEqual(calls.count, 2)
    XCTAssertEqual(calls.last, store.version)
    token.invalidate()
  }

  func testAWriteThatChangesNothingOrIsRolledBackTellsNothing() throws {
    let store = try store()
    let item = Item(1)
    try store.write { try store.add(item) }
    var calls = 0
    let token = store.observe { _, _ in calls += 1 }

    try store.write { item.value = 1 }
    try store.write {}
    XCTAssertThrowsError(
      try store.write {
        item.value = 2
        throw StoreError.closed
      })

    XCTAssertEqual(calls, 0)
    token.invalidate()
  }

  func testCommitsOfOthersAreMergedIntoOneCall() throws {
    let store = try store()
    let other = try anotherStore()
    var counts: [Int] = []
    let token = store.observe { _, store in counts.append(store.objects(Item.self).count) }

    for value in 0..<3 { try other.write { try other.add(Item(value)) } }
    XCTAssertEqual(counts, [])
    XCTAssertTrue(store.refresh())
    XCTAssertFalse(store.refresh())

    XCTAssertEqual(counts, [3])
    token.invalidate()
  }

  func testObserversOfAllKindsAreCalledInTheOrderOfTheirRegistration() throws {
    let store = try store()
    let item = Item(1)
    try store.write { try store.add(item) }
    var calls: [String] = []
    let tokens = [
      store.observe { _, _ in calls.append("store 1") },
      store.objects(Item.self).observe { if case .update = $0 { calls.append("results") } },
      item.observe { _ in calls.append("object") },
      store.observe { _, _ in calls.append("store 2") },
    ]

    try store.write { item.value = 2 }

    XCTAssertEqual(calls, ["store 1", "results", "object", "store 2"])
    tokens.forEach { $0.invalidate() }
  }

  func testAStoreObserverThatIsMadeInAWriteHearsOfItsCommit() throws {
    let store = try store()
    var calls = 0
    var token: NotificationToken?

    try store.write {
      try store.add(Item(1))
      token = store.observe { _, _ in calls += 1 }
      XCTAssertEqual(calls, 0)
    }

    XCTAssertEqual(calls, 1)
    token?.invalidate()
  }

  func testAStoreObserverThatWritesIsCalledAgainAfterwards() throws {
    let store = try store()
    var depth = 0
    var calls = 0
    let token = store.observe { _, store in
      depth += 1
      defer { depth -= 1 }
      XCTAssertEqual(depth, 1)
      calls += 1
      guard calls < 4 else { return }
      do { try store.write { try store.add(Item(calls)) } } catch { XCTFail("\(error)") }
    }

    try store.write { try store.add(Item(0)) }

    XCTAssertEqual(calls, 4)
    XCTAssertEqual(store.objects(Item.self).map(\.value), [0, 1, 2, 3])
    token.invalidate()
  }

  func testNothingIsToldAfterTheTokenIsGoneOrTheStoreClosed() throws {
    let store = try store()
    let other = try anotherStore()
    var calls = 0
    var token: NotificationToken? = store.observe { _, _ in calls += 1 }
    let second = store.observe { _, _ in calls += 10 }
    XCTAssertNotNil(token)
    token = nil

    try store.write { try store.add(Item(1)) }
    store.close()
    try other.write { try other.add(Item(2)) }
    XCTAssertFalse(store.refresh())

    XCTAssertEqual(calls, 10)
    second.invalidate()
  }

  func testAnObserverDoesNotKeepItsStore() throws {
    var store: Store? = try anotherStore()
    weak let reference = store
    let token = try XCTUnwrap(store).observe { _, _ in }

    store = nil

    XCTAssertNil(reference)
    token.invalidate()
  }
}
