import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class CommitAnnouncerTests: StoreTestCase {
  /// One notification, as it came.
  private struct Post: Sendable {
    let versions: ClosedRange<StoreVersion>
    let types: Set<String>
    let url: URL?
    let isOnMainThread: Bool
  }

  /// The notifications of one store.
  private final class Listener {
    private let posts = Locked<[Post]>([])
    private let condition = NSCondition()
    private var observer: (any NSObjectProtocol)?

    init(_ store: Store, _ handler: @escaping @Sendable () -> Void = {}) {
      let uuid = store.session.core.uuid
      observer = NotificationCenter.default.addObserver(
        forName: .leydenStoreDidChange, object: nil, queue: nil
      ) { [posts, condition] notification in
        guard let information = notification.userInfo,
          information[StoreChangeKey.store] as? UUID == uuid,
          let versions = information[StoreChangeKey.versions] as? ClosedRange<StoreVersion>,
          let types = information[StoreChangeKey.changedTypes] as? Set<String>
        else { return }
        condition.lock()
        posts.withLock {
          $0.append(
            Post(
              versions: versions, types: types,
              url: information[StoreChangeKey.fileURL] as? URL,
              isOnMainThread: Thread.isMainThread))
        }
        condition.broadcast()
        condition.unlock()
        handler()
      }
    }

    deinit { observer.map(NotificationCenter.default.removeObserver) }

    var all: [Post] { posts.withLock { $0 } }

    /// Waits until the notifications fulfil a condition.
    func wait(until isDone: ([Post]) -> Bool) -> Bool {
      let limit = Date(timeIntervalSinceNow: 10)
      condition.lock()
      defer { condition.unlock() }
      while !isDone(all) { if !condition.wait(until: limit) { return isDone(all) } }
      return true
    }
  }

  /// Commits as another process would: nobody here says that they will post it.
  private func commitAsAnotherProcess(_ store: Store, _ body: () throws -> Void) throws {
    try store.beginWrite()
    try body()
    _ = try store.session.commitWrite()
  }

  func testEachWriteIsPostedOnceOnItsThreadWhenItIsOver() throws {
    let store = try store()
    let listener = Listener(store)
    var observed: [Int] = []
    let token = store.observe { _, _ in observed.append(listener.all.count) }

    try store.write { try store.add(Item(1)) }
    try store.write {
      try store.add(Item(2))
      try store.add(Card("a"))
      XCTAssertEqual(listener.all.count, 1)
    }

    XCTAssertEqual(listener.all.map(\.types), [["Item"], ["Item", "Card"]])
    XCTAssertEqual(listener.all.last?.versions, store.version...store.version)
    XCTAssertTrue(listener.all.allSatisfy(\.isOnMainThread))
    XCTAssertEqual(listener.all.first?.url, store.session.core.url)
    XCTAssertEqual(observed, [1, 2], "observers are told afterwards")
    token.invalidate()
  }

  func testAHandlerMayWrite() throws {
    let store = try store()
    // A handler may be called on any thread; this one is called on the thread that writes.
    nonisolated(unsafe) let unsafeStore = store
    let rounds = Locked(0)
    let listener = Listener(store) {
      let round = rounds.withLock { rounds in
        rounds += 1
        return rounds
      }
      guard round < 3 else { return }
      XCTAssertFalse(unsafe unsafeStore.isInWriteTransaction)
      do { try unsafe unsafeStore.write { try unsafe unsafeStore.add(Item(0)) } } catch {
        XCTFail("\(error)")
      }
    }

    try store.write { try store.add(Item(1)) }

    let first = store.version.number - 2
    XCTAssertEqual(
      listener.all.map { $0.versions.lowerBound.number }, [first, first + 1, first + 2])
    XCTAssertEqual(store.objects(Item.self).count, 3)
  }

  func testNothingIsPostedForAWriteThatChangesNothing() throws {
    let store = try store()
    let item = Item(1)
    try store.write { try store.add(item) }
    let listener = Listener(store)

    try store.write { item.value = 1 }
    try store.write {
      item.value = 2
      try store.cancelWrite()
    }
    XCTAssertThrowsError(
      try store.write {
        item.value = 2
        throw StoreError.closed
      })
    try store.write { item.value = 3 }

    XCTAssertEqual(listener.all.count, 1)
  }

  func testCommitsOfOthersArePostedOnAThreadOfTheLibrary() throws {
    let store = try store()
    let listener = Listener(store)

    try commitAsAnotherProcess(store) { try store.add(Item(1)) }

    XCTAssertTrue(listener.wait { !$0.isEmpty })
    XCTAssertEqual(listener.all.map(\.types), [["Item"]])
    XCTAssertEqual(listener.all.map(\.isOnMainThread), [false])
  }

  func testEachCommitIsPostedOnceWhoeverMadeIt() throws {
    let store = try store()
    let configuration = try temporaryDirectory().configuration(objectTypes: [Card.self, Item.self])
    let listener = Listener(store)
    let first = store.version.number + 1
    let threads = (0..<3).map { number in
      Thread {
        guard let other = try? Store(configuration: configuration) else { return }
        for value in 0..<40 {
          guard (try? other.beginWrite()) != nil else { return }
          _ = try? other.add(Item(value))
          if number == 0 { _ = try? other.session.commitWrite() } else { try? other.commitWrite() }
        }
      }
    }
    threads.forEach { $0.start() }
    for value in 0..<40 { try store.write { try store.add(Item(value)) } }

    let last = first + 159
    func versions(_ posts: [Post]) -> [UInt64] {
      posts.flatMap { Array($0.versions.lowerBound.number...$0.versions.upperBound.number) }
    }
    XCTAssertTrue(listener.wait { versions($0).count >= 160 })

    XCTAssertEqual(versions(listener.all).sorted(), Array(first...last))
  }

  func testNothingOfOthersIsPostedWhenTheStoreIsClosed() throws {
    let directory = try temporaryDirectory()
    let store = try self.store()
    let listener = Listener(store)
    let announcer = store.session.core.announcer
    XCTAssertTrue(announcer.isWatching)

    store.close()

    let isOver = expectation(for: NSPredicate { _, _ in !announcer.isWatching }, evaluatedWith: nil)
    wait(for: [isOver], timeout: 10)
    XCTAssertFalse(announcer.isWatching)
    let other = try directory.store(objectTypes: [Card.self, Item.self])
    XCTAssertTrue(other.session.core.announcer.isWatching)
    try other.write { try other.add(Item(1)) }
    XCTAssertEqual(listener.all.count, 1)
  }

  func testTheVersionsThatNobodyClaimedAreRuns() {
    XCTAssertEqual(CommitAnnouncer.gaps(in: [], after: 3, through: 3), [])
    XCTAssertEqual(CommitAnnouncer.gaps(in: [], after: 3, through: 6), [4...6])
    XCTAssertEqual(CommitAnnouncer.gaps(in: [4, 6, 9], after: 3, through: 6), [5...5])
    XCTAssertEqual(CommitAnnouncer.gaps(in: [2, 5, 6], after: 3, through: 9), [4...4, 7...9])
    XCTAssertEqual(CommitAnnouncer.gaps(in: [4, 5], after: 3, through: 5), [])
  }
}
