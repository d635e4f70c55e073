import Foundation
import XCTest

/// What `notes` says and exits with when it cannot do what it was asked, and that nothing is lost or
/// made by it.
final class NotesFailureTests: SampleTestCase {
  func testReadingWhereThereIsNoStoreCreatesNone() throws {
    for arguments in [
      ["list"], ["search", "x"], ["show", "n1"], ["edit", "n1", "-t", "x"], ["rm", "n1"],
    ] {
      let outcome = try program("notes", arguments).run()

      XCTAssertEqual(outcome.status, 3, "\(arguments)")
      XCTAssertEqual(outcome.output, "", "\(arguments)")
      XCTAssertTrue(outcome.errors.contains(storeURL.path), "\(arguments): \(outcome.errors)")
    }
    XCTAssertEqual(try program("notes-watch", []).run().status, 3)
    XCTAssertEqual(try program("notes-watch", ["--once"]).run().status, 3)
    XCTAssertEqual(try filesInDirectory(), [])
  }

  func testAWrongCommandLineSaysWhatIsWrongAndWhatWasMeant() throws {
    let expected: [([String], String)] = [
      ([], "notes: No command given.\nTry “notes --help”.\n"),
      (["lsit"], "notes: Unknown command “lsit”.\nDid you mean “list”?\n"),
      (["list", "--jsno"], "notes: Unknown option “--jsno”.\nDid you mean “--json”?\n"),
      (
        ["-b", "x", "add", "t"],
        "notes: Unknown option “-b”.\nWrite it behind its command: notes add … -b …\n"
      ),
      (
        ["add"], "notes: Something is missing behind “add”.\nUsage: notes add TITLE [-] [OPTIONS]\n"
      ),
      (
        ["list", "--format", "tabel"],
        "notes: Unknown format “tabel”.\nDid you mean “table”?\n"
      ),
      (["list", "--store"], "notes: The option --store needs a value: --store PATH.\n"),
      (["list", "--json=1"], "notes: The option --json takes no value.\n"),
    ]

    for (arguments, message) in expected {
      let outcome = try program("notes", arguments).run()
      XCTAssertEqual(outcome, .init(status: 64, output: "", errors: message), "\(arguments)")
    }
    XCTAssertEqual(try filesInDirectory(), [])
  }

  func testInputThatCannotBeUsedCreatesNothing() throws {
    let empty = try notes("add", "  ")
    let invalid = try program("notes", ["add", "Title", "-"]).run(input: Data([0x61, 0xFF]))
    let argument = try shell(#"notes add $'bad\xff'"#)

    XCTAssertEqual([empty.status, invalid.status, argument.status], [65, 65, 65])
    XCTAssertEqual(try filesInDirectory(), [])
  }

  func testAnUnknownIdIsAnErrorWithItsData() throws {
    try notes("add", "Milk")

    let outcome = try notes("show", "x9", "--json")

    XCTAssertEqual(outcome.status, 3)
    XCTAssertEqual(outcome.output, "")
    XCTAssertEqual(
      outcome.errors,
      #"{"error":{"code":"not_found","message":"There is no note “x9”.","#
        + #""hint":"“notes list” shows all notes and their ids.","id":"x9"}}"# + "\n")
  }

  func testAnAmbiguousIdNamesTheCandidates() throws {
    try notes("add", "First")
    try notes("add", "Second")

    let outcome = try notes("rm", "n")

    XCTAssertEqual(outcome.status, 4)
    XCTAssertTrue(outcome.errors.contains("  n1  First\n"), outcome.errors)
    XCTAssertTrue(outcome.errors.contains("  n2  Second\n"), outcome.errors)
    XCTAssertTrue(try notes("rm", "n", "--json").errors.contains(#""candidates":["n"#))
    XCTAssertEqual(try notes("list", "-q").output.split(separator: "\n").count, 2)
  }

  func testRemovingSeveralOfWhichOneIsUnknownRemovesNone() throws {
    try notes("add", "First")
    try notes("add", "Second")

    let outcome = try notes("rm", "n1", "n9", "n2")

    XCTAssertEqual(outcome.status, 3)
    XCTAssertEqual(try notes("list", "-q").output.split(separator: "\n").count, 2)
  }

  func testAMissingParentIsNotMade() throws {
    let outcome = try notes("--store", directory.path + "/missing/Notes.leyden", "add", "Milk")

    XCTAssertEqual(outcome.status, 73)
    XCTAssertEqual(try filesInDirectory(), [])
  }

  func testAReadOnlySessionWritesNothing() throws {
    try notes("add", "Milk")

    XCTAssertEqual(try notes("--readonly", "list", "-q").output, "n1\n")
    XCTAssertEqual(try notes("--readonly", "add", "Bread").status, 74)
    XCTAssertEqual(try notes("--readonly", "rm", "n1").status, 74)
    XCTAssertEqual(try notes("list", "-q").output, "n1\n")
  }

  func testWhatIsNoStoreIsLeftAlone() throws {
    try FileManager.default.createDirectory(at: storeURL, withIntermediateDirectories: false)
    let data = storeURL.appending(path: "data.mdb")
    let bytes = Data(repeating: 0x41, count: 20_000)
    try bytes.write(to: data)

    XCTAssertEqual(try notes("list").status, 6)
    XCTAssertEqual(try notes("add", "Milk").status, 6)
    XCTAssertEqual(try Data(contentsOf: data), bytes)
  }
}
