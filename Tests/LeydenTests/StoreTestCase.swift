import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A test with a store of its own, gone afterwards.
class StoreTestCase: XCTestCase {
  private var directory: TemporaryDirectory?
  private var opened: Store?

  override func tearDown() {
    // Also where a token holds what it tells, and so itself: no thread goes on watching this store.
    opened?.close()
    opened?.session.belongings = []
    opened = nil
    directory = nil
  }

  /// The directory of this test.
  func temporaryDirectory() throws -> TemporaryDirectory {
    if let directory { return directory }
    let made = try TemporaryDirectory()
    directory = made
    return made
  }

  /// The test's store of cards and items.
  func store() throws -> Store {
    if let opened { return opened }
    let store = try anotherStore()
    opened = store
    return store
  }

  /// One more store of the same directory.
  func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Card.self, Item.self])
  }

  /// Closes the test's store, so that the next ``store()`` opens it anew.
  func closeStore() {
    opened?.close()
    opened = nil
  }

  /// Checks that `body` throws `expected`.
  func assertThrows<Result>(
    _ expected: StoreError, file: StaticString = #filePath, line: UInt = #line,
    _ body: () throws -> Result
  ) {
    XCTAssertThrowsError(try body(), file: file, line: line) { error in
      XCTAssertEqual(error as? StoreError, expected, file: file, line: line)
    }
  }
}

/// Runs a random test, more often where the environment asks for it.
///
/// `LEYDEN_TEST_SCALE` multiplies the number of programs; the seed is part of each failure message.
func forEachSeed(_ count: Int, _ body: (UInt64) throws -> Void) rethrows {
  for seed in 1...UInt64(testScale(count)) { try body(seed) }
}
