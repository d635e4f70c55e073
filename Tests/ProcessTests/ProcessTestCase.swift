import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A test with a store that other processes use as well.
class ProcessTestCase: XCTestCase {
  private var directory: TemporaryDirectory?

  override func tearDown() { directory = nil }

  /// The directory of this test.
  func temporaryDirectory() throws -> TemporaryDirectory {
    if let directory { return directory }
    let made = try TemporaryDirectory()
    directory = made
    return made
  }

  /// Where the store is.
  func path() throws -> String {
    try temporaryDirectory().configuration(objectTypes: [Card.self]).fileURL?.path ?? ""
  }

  /// Opens the store.
  func store() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Card.self, Item.self])
  }

  /// Starts the other program in a role.
  func child(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess("leyden-test-child", arguments + [path()])
  }

  /// Delivers what others commit until `isDone`, for a minute at the most.
  func wait(for store: Store, until isDone: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while !isDone() {
      if ContinuousClock.now > deadline { return XCTFail("nothing more came for a minute") }
      store.waitForChanges(timeout: .seconds(10))
    }
  }
}

extension XCTestCase {
  /// Skips the test where system calls of a program cannot be made to fail.
  func skipWhereCallsCannotFail() throws {
    #if os(Linux)
      try XCTSkipUnless(
        sanitizerOptions.isEmpty, "a sanitizer has calls of its own, which would fail too")
    #else
      throw XCTSkip("Calls are made to fail on Linux only.")
    #endif
  }
}
