import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What observers hear where the log does not say what changed.
final class ResyncTests: StoreTestCase {
  func testACommitThatIsTooLargeToListIsFoundByComparison() async throws {
    let store = try store()
    let other = try anotherStore()
    try store.write { for value in 0..<50 { try store.add(Item(value)) } }
    let sorted = ChangeRecorder(
      store.objects(Item.self).where { $0.value < 100 }.sorted(by: \.value)
    ) { $0.value }
    sorted.isMerging = true
    var iterator = store.objects(Item.self).where { $0.value < 100 }.changes.makeAsyncIterator()
    _ = await iterator.next()

    try other.write {
      for item in other.objects(Item.self) {
        if item.value % 5 == 0 {
          try other.delete(item)
        } else if item.value % 7 == 0 {
          item.value = 99 - item.value
        }
      }
      for value in 0..<100_000 { try other.add(Item(1_000 + value)) }
      try other.add(Item(33))
    }
    XCTAssertTrue(store.refresh())

    let next = await iterator.next()
    let change = try XCTUnwrap(next)
    XCTAssertTrue(change.isResync)
    XCTAssertFalse(change.isInitial)
    XCTAssertEqual(sorted.violations, [])
    XCTAssertEqual(sorted.changes.count, 1)
    XCTAssertEqual(
      sorted.values,
      store.objects(Item.self).map(\.value).filter { $0 < 100 }.sorted())

    try store.write { try store.add(Item(1)) }
    XCTAssertEqual(sorted.violations, [])
    let last = await iterator.next()
    XCTAssertEqual(last?.isResync, false)
    XCTAssertEqual(last?.insertions.count, 1)
  }
}
