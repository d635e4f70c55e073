import Foundation
import XCTest

/// `notes` and `notes-watch` among other programs: readers that leave, full disks, closed streams.
final class NotesPipeTests: SampleTestCase {
  override func setUpWithError() throws {
    try super.setUpWithError()
    // More than a pipe holds, so that a writer notices when its reader has left.
    try notes("add", "Long", "-b", String(repeating: "x", count: 100_000))
    try notes("add", "Short")
  }

  func testAReaderThatLeavesEndsTheListQuietly() throws {
    let outcome = try shell("notes list | head -c 1; echo \" ${PIPESTATUS[0]}\"")

    XCTAssertTrue(["n 141\n", "n 0\n"].contains(outcome.output), outcome.output)
    XCTAssertEqual(outcome.errors, "")
  }

  func testAFullDiskIsAnError() throws {
    let outcome = try shell("notes list > /dev/full")

    XCTAssertEqual(outcome.status, 74)
    XCTAssertTrue(outcome.errors.contains("Standard output could not be written"), outcome.errors)
  }

  func testClosedStreamsAreNotTheStoresFiles() throws {
    let before = try notes("list").output

    let closed = try shell("notes list >&-")
    let allClosed = try shell("notes list 0<&- 1>&- 2>&-; notes add More 0<&- 1>&- 2>&-")

    XCTAssertEqual([closed.status, allClosed.status], [74, 74])
    XCTAssertEqual(try notes("rm", "n3").status, 0, "the note was added though nobody was told")
    XCTAssertEqual(try notes("list").output, before)
  }

  func testTheWatcherEndsWhenItsReaderLeavesThoughNothingHappens() throws {
    let outcome = try shell(
      "timeout 20 notes-watch | head -n 1 > /dev/null; echo ${PIPESTATUS[0]}")

    XCTAssertEqual(outcome, .init(status: 0, output: "141\n", errors: ""))
  }
}
