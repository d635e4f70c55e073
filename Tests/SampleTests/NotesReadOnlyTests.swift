import Foundation
import XCTest

/// Notes on a file system that may not be written: they are listed, nothing is touched, and whoever
/// would write is told where that failed.
final class NotesReadOnlyTests: SampleTestCase {
  /// Runs a line of shell that sees the test's directory as read only.
  private func readOnlyShell(_ line: String) throws -> SampleProgram.Outcome {
    let mount =
      #"mount --bind "$TMPDIR" "$TMPDIR" && mount -o remount,bind,ro "$TMPDIR" || exit 77; "#
    let script = "unshare -m sh -c '\(mount)\(line)' || exit $?"
    let outcome = try shell("PATH=$PATH:/usr/sbin:/sbin; \(script)")
    try XCTSkipIf(
      outcome.status == 77 || outcome.errors.contains("unshare"), "This user may not mount.")
    return outcome
  }

  private func contents() throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: storeURL.path)
    return try names.reduce(into: [:]) {
      $0[$1] = try Data(contentsOf: storeURL.appending(path: $1))
    }
  }

  func testNotesAreListedAndNothingIsChanged() throws {
    for number in 1...10 { try notes("add", "Note \(number)") }
    let list = try notes("list", "--json").output

    for hasLock in [true, false] {
      if !hasLock {
        for name in ["lock.mdb", "signal"] {
          try FileManager.default.removeItem(at: storeURL.appending(path: name))
        }
      }
      let before = try contents()

      let readOnly = try readOnlyShell("notes --readonly list --json")
      let plain = try readOnlyShell("notes list --json")
      let once = try readOnlyShell("notes-watch --once")

      XCTAssertEqual(readOnly, .init(status: 0, output: list, errors: ""))
      XCTAssertEqual(plain, .init(status: 0, output: list, errors: ""))
      XCTAssertEqual(once.status, 0, once.errors)
      XCTAssertEqual(try contents(), before)
    }
  }

  func testWritingIsRefusedByNameAndChangesNothing() throws {
    try notes("add", "Milk")
    let before = try contents()

    let add = try readOnlyShell("notes add x")
    let readOnly = try readOnlyShell("notes --readonly add x")

    XCTAssertEqual(add.status, 73)
    XCTAssertTrue(add.errors.contains("Notes.leyden"), add.errors)
    XCTAssertTrue(add.errors.contains("permissions"), add.errors)
    XCTAssertEqual(readOnly.status, 74)
    XCTAssertEqual(add.output + readOnly.output, "")
    XCTAssertEqual(try contents(), before)
  }
}
