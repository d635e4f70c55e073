import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Observers keep nothing of the file from being used again while they wait.
final class ObserverPagesTests: ProcessTestCase {
  private static let seed: UInt64 = 3_117

  func testObserversInAnyProcessDoNotMakeTheFileGrow() throws {
    let alone = try highestPage("alone") { _, _ in {} }

    let inThisProcess = try highestPage("here") { store, other in
      let observers = CardObservers(store)
      let others = CardObservers(other)
      let calls = observers.calls
      return {
        other.refresh()
        XCTAssertGreaterThan(observers.calls, calls)
        XCTAssertGreaterThanOrEqual(others.calls, calls)
      }
    }

    let elsewhere = try highestPage("elsewhere") { store, _ in
      let child = try ChildProcess("leyden-test-child", ["follow", self.path(of: "elsewhere")])
      // It is told before the next commit: the run is the same each time.
      return { while try child.requiredLine() != "\(store.version)" {} }
    }

    XCTAssertGreaterThan(alone, 200, "seed \(Self.seed)")
    XCTAssertLessThanOrEqual(Double(inThisProcess), 1.1 * Double(alone), "seed \(Self.seed)")
    XCTAssertLessThanOrEqual(Double(elsewhere), 1.1 * Double(alone), "seed \(Self.seed)")
    if ProcessInfo.processInfo.environment["LEYDEN_TEST_FIGURES"] != nil {
      let figures = "highest page \(alone), observed \(inThisProcess), elsewhere \(elsewhere)\n"
      try FileHandle.standardError.write(contentsOf: Data(figures.utf8))
    }
  }

  /// Makes the same commits each time, and returns the highest page that was ever used.
  ///
  /// `begin` gets this store and another one of the same file; what it returns is done after each commit
  /// that changed something.
  private func highestPage(
    _ name: String, _ begin: (Store, Store) throws -> () throws -> Void
  ) throws -> Int {
    let store = try open(name)
    let other = try open(name)
    var commits = RandomCommits(seed: Self.seed)
    commits.size = 150
    try store.write { try store.add(Card("first")) }
    var cards = CardList(store)
    let afterCommit = try begin(store, other)
    // A thread that posts notifications is no observer, and may be kept from going on while it reads.
    try store.session.core.announcer.whileNotReading {
      for _ in 0..<600 {
        let operations = commits.next(for: cards)
        let version = store.version
        try store.write { for operation in operations { try operation.apply(to: store) } }
        for operation in operations { cards.apply(operation) }
        if store.version > version { try afterCommit() }
      }
    }
    XCTAssertEqual(cards.values, store.values(of: Card.self), "seed \(Self.seed)")
    return store.diagnostics.highestPage
  }

  private func path(of name: String) throws -> String {
    try temporaryDirectory().url.appendingPathComponent("\(name).leyden").path
  }

  private func open(_ name: String) throws -> Store {
    try temporaryDirectory().store(named: name, objectTypes: [Card.self, Item.self])
  }
}
