import Foundation
import Leyden
import NotesKit
import XCTest

/// What a program hears of `notes`, which runs in another process.
final class NotesObservedTests: SampleTestCase {
  /// What was posted on the notification centre, from any thread.
  private final class Posts: Sendable {
    private let types = Locked<[Set<String>]>([])
    private let versions = Locked<[UInt64]>([])

    func take(_ notification: Notification, of store: UUID) -> Bool {
      guard let information = notification.userInfo,
        information[StoreChangeKey.store] as? UUID == store,
        let range = information[StoreChangeKey.versions] as? ClosedRange<StoreVersion>,
        let changed = information[StoreChangeKey.changedTypes] as? Set<String>
      else { return false }
      types.withLock { $0.append(changed) }
      return versions.withLock { versions in
        versions += Array(range.lowerBound.number...range.upperBound.number)
        return true
      }
    }

    var allTypes: [Set<String>] { types.withLock { $0 } }
    var allVersions: [UInt64] { versions.withLock { $0 } }
  }

  @MainActor
  func testEveryStepOfAnotherProgramIsHeardByAllKindsOfObservers() async throws {
    let store = try Store(
      configuration: .init(fileURL: storeURL, objectTypes: [StoredNote.self]))
    var calls: [String] = []
    var tokens = [
      store.objects(StoredNote.self).observe { change in
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return
        }
        calls.append("-\(deletions) +\(insertions) ~\(modifications)")
      },
      store.observe { _, _ in calls.append("store") },
    ]
    var commits = store.commits.makeAsyncIterator()

    try notes("add", "Milk")
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    let note = try XCTUnwrap(store.objects(StoredNote.self).first)
    tokens.append(
      note.observe(keyPaths: ["content"]) { change in
        switch change {
        case .change(_, let properties):
          calls += properties.map { "\($0.oldValue ?? "nil") → \($0.newValue ?? "nil")" }
        case .deleted: calls.append("deleted")
        case .error(let error): calls.append("\(error)")
        }
      })
    let first = await commits.next()
    try notes("edit", "n1", "-b", "new")
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    try notes("rm", "n1")
    XCTAssertTrue(store.waitForChanges(timeout: .seconds(10)))
    let second = await commits.next()

    XCTAssertEqual(
      calls,
      [
        "-[] +[0] ~[]", "store", "-[] +[] ~[0]", "store", " → new", "-[0] +[] ~[]", "store",
        "deleted",
      ])
    XCTAssertEqual(first?.changedTypes, ["StoredNote"])
    XCTAssertEqual(second?.version, store.version)
    tokens.forEach { $0.invalidate() }
  }

  func testEachCommitOfAnotherProgramIsPostedOnce() throws {
    let store = try Store(
      configuration: .init(fileURL: storeURL, objectTypes: [StoredNote.self]))
    let posts = Posts()
    let uuid = store.session.core.uuid
    let isComplete = expectation(description: "three commits")
    let observer = NotificationCenter.default.addObserver(
      forName: .leydenStoreDidChange, object: nil, queue: nil
    ) { notification in
      guard posts.take(notification, of: uuid) else { return }
      XCTAssertFalse(Thread.isMainThread)
      if posts.allVersions.count == 3 { isComplete.fulfill() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let before = store.version.number

    try notes("add", "Milk")
    try notes("list")
    try notes("edit", "n1", "-b", "new")
    try notes("edit", "n1", "-b", "new")
    try notes("rm", "n1")
    wait(for: [isComplete], timeout: 10)

    XCTAssertEqual(posts.allVersions, [before + 1, before + 2, before + 3])
    XCTAssertTrue(posts.allTypes.allSatisfy { $0 == ["StoredNote"] })
  }
}
