import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Changes as a sequence: who reads it waits without polling, and misses nothing.
final class AsyncChangesTests: StoreTestCase {
  /// What a reader tells the test.
  private struct Lines: Sendable {
    let stream: AsyncStream<String>
    let continuation: AsyncStream<String>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }
  }

  /// Reads changes in a task with a store of its own until 100 items are there.
  private func reader(
    _ configuration: Store.Configuration, _ lines: Lines
  ) -> Task<[Int], any Error> {
    Task {
      let store = try Store(configuration: configuration)
      var values: [Int] = []
      for await change in store.objects(Item.self).changes {
        if change.isInitial {
          values = change.collection.map(\.value)
          lines.continuation.yield("ready")
        }
        for position in change.deletions.reversed() { values.remove(at: position) }
        let items = Array(change.collection)
        for position in change.insertions { values.insert(items[position].value, at: position) }
        lines.continuation.yield("change")
        if values.count == 100 { break }
      }
      lines.continuation.yield("end")
      return values
    }
  }

  func testAReaderIsWokenByCommitsAndMissesNothing() async throws {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let store = try store()
    let lines = Lines()
    let task = reader(configuration, lines)
    var iterator = lines.stream.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first, "ready")

    for value in 0..<100 { try store.write { try store.add(Item(value)) } }

    let values = try await task.value
    XCTAssertEqual(values, Array(0..<100))
  }

  @MainActor
  func testWhoAsksWithinAWriteIsToldWhenItIsGivenUp() async throws {
    for end in ["cancelled", "without a change"] {
      let store = try store()
      let other = try anotherStore()
      try other.write { try other.deleteAll(Item.self) }
      var iterator = store.objects(Item.self).changes.makeAsyncIterator()
      let first = await iterator.next()
      XCTAssertEqual(first?.isInitial, true)
      try other.write { try other.add(Item(7)) }

      try store.beginWrite()
      // On the same actor: it runs as soon as the reader waits.
      let ending = Task { @MainActor in
        if end == "cancelled" { try store.cancelWrite() } else { try store.commitWrite() }
      }
      let change = await iterator.next()
      XCTAssertEqual(change?.insertions, [0], end)
      try await ending.value
    }
  }

  func testEachCommitWakesItsReader() async throws {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let store = try store()
    let lines = Lines()
    let task = reader(configuration, lines)
    var iterator = lines.stream.makeAsyncIterator()
    for expected in ["ready", "change"] {
      let line = await iterator.next()
      XCTAssertEqual(line, expected)
    }

    let start = ContinuousClock.now
    for value in 0..<100 {
      try store.write { try store.add(Item(value)) }
      let line = await iterator.next()
      XCTAssertEqual(line, "change")
    }

    _ = try await task.value
    // A hundred safety checks, one a second, would take longer.
    XCTAssertLessThan(ContinuousClock.now - start, .seconds(50))
  }

  func testACancelledReaderEnds() async throws {
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    for _ in 0..<50 {
      let lines = Lines()
      let task = reader(configuration, lines)
      var iterator = lines.stream.makeAsyncIterator()
      _ = await iterator.next()
      task.cancel()

      let values = try await task.value
      XCTAssertEqual(values, [])
    }
  }

  func testASequenceOfAClosedStoreEnds() async throws {
    let store = try anotherStore()
    var iterator = store.objects(Item.self).changes.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first?.isInitial, true)

    store.close()

    let next = await iterator.next()
    XCTAssertNil(next)
  }

  func testTwoReadersOfOneCollectionEachHaveTheirOwnPast() async throws {
    let store = try store()
    let items = store.objects(Item.self)
    var slow = items.changes.makeAsyncIterator()
    var quick = items.changes.makeAsyncIterator()
    _ = await slow.next()
    _ = await quick.next()

    for value in 0..<5 {
      try store.write { try store.add(Item(value)) }
      let change = await quick.next()
      XCTAssertEqual(change?.insertions, [value])
    }

    let merged = await slow.next()
    XCTAssertEqual(merged?.insertions, [0, 1, 2, 3, 4])
    XCTAssertEqual(merged?.version, store.version)
  }
}
