import Leyden
import TestSupport
import XCTest

final class CommitReaderTests: StoreTestCase {
  @MainActor
  func testACommitIsOneElementWithItsVersionAndTypes() async throws {
    let store = try anotherStore()
    var commits = store.commits.makeAsyncIterator()

    try store.write { try store.add(Item(1)) }
    let first = await commits.next()
    try store.write { try store.add(Card("a")) }
    let second = await commits.next()

    XCTAssertEqual(first?.changedTypes, ["Item"])
    XCTAssertEqual(second?.changedTypes, ["Card"])
    XCTAssertEqual(second?.version, store.version)
  }

  @MainActor
  func testCommitsThatWereNotAskedForAreMerged() async throws {
    let store = try anotherStore()
    var commits = store.commits.makeAsyncIterator()
    let item = Item(1)

    try store.write { try store.add(item) }
    try store.write { try store.add(Card("a")) }
    try store.write { item.value = 1 }
    let notice = await commits.next()

    XCTAssertEqual(notice?.changedTypes, ["Card", "Item"])
    XCTAssertEqual(notice?.version, store.version)
  }

  @MainActor
  func testAnotherActorWaitsForCommits() async throws {
    let store = try anotherStore()
    let commits = store.commits
    let task = Task.detached {
      var types: [Set<String>] = []
      for await commit in commits {
        types.append(commit.changedTypes)
        if commit.changedTypes.contains("Card") { break }
      }
      return types
    }

    try store.write { try store.add(Item(1)) }
    try store.write { try store.add(Card("a")) }
    let types = await task.value

    XCTAssertEqual(types.reduce(Set()) { $0.union($1) }, ["Item", "Card"])
  }

  @MainActor
  func testTheSequenceEndsWhenItsTaskIsCancelledAndWhenTheStoreIsClosed() async throws {
    let store = try anotherStore()
    let commits = store.commits
    let cancelled = Task.detached { for await _ in commits {} }
    let closed = Task.detached { for await _ in commits {} }

    cancelled.cancel()
    await cancelled.value
    store.close()
    await closed.value

    var iterator = store.commits.makeAsyncIterator()
    let element = await iterator.next()
    XCTAssertNil(element)
  }
}
