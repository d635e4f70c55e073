import Foundation
import XCTest

/// `notes edit` with an editor: what becomes of the note, and that no text is lost.
final class NotesEditorTests: SampleTestCase {
  override func setUpWithError() throws {
    try super.setUpWithError()
    try notes("add", "Milk", "-b", "text")
  }

  /// Edits the note with a script that gets the file as `$1`.
  private func edit(_ script: String) throws -> SampleProgram.Outcome {
    try notes("edit", "n1", "-v", environment: ["EDITOR": try editor(script) + " --wait"])
  }

  /// Makes an editor that takes `--wait FILE`; its path holds a space.
  private func editor(_ script: String) throws -> String {
    let file = directory.appending(path: "editor.sh")
    try "#!/bin/sh\n[ \"$1\" = --wait ] && shift\n\(script)\n"
      .write(to: file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
    return "'\(file.path)'"
  }

  private func content() throws -> String {
    let fields = try notes("list").output.split(
      separator: "\t", omittingEmptySubsequences: false)
    return try String(XCTUnwrap(fields.count > 2 ? fields[2] : nil))
  }

  /// The text in the file that a message names.
  private func keptText(_ outcome: SampleProgram.Outcome) throws -> Data {
    let path = try XCTUnwrap(
      outcome.errors.firstMatch(of: /The edited text is in (.*)\.\n/), outcome.errors)
    return try Data(contentsOf: URL(filePath: String(path.1)))
  }

  private func draftCount() throws -> Int {
    try filesInDirectory().count { $0.hasPrefix("note-") }
  }

  func testAChangedTextIsSaved() throws {
    let outcome = try edit("echo more >> \"$1\"")

    XCTAssertEqual(outcome, .init(status: 0, output: "n1\n", errors: "Saved.\n"))
    XCTAssertEqual(try content(), "text\\nmore")
    XCTAssertEqual(try draftCount(), 0)
  }

  func testATextLeftAsItWasChangesNothing() throws {
    let outcome = try edit("true")

    XCTAssertEqual(
      outcome, .init(status: 0, output: "n1\n", errors: "No changes; nothing was saved.\n"))
    XCTAssertEqual(try content(), "text")
    XCTAssertEqual(try draftCount(), 0)
  }

  func testAnEmptiedTextCancels() throws {
    let outcome = try edit(": > \"$1\"")

    XCTAssertEqual(outcome.status, 2)
    XCTAssertEqual(try content(), "text")
    XCTAssertEqual(try draftCount(), 0)
  }

  func testTheTextOfAnEditorThatFailedIsKept() throws {
    let outcome = try edit("echo more >> \"$1\"; exit 1")

    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("editor.sh"), outcome.errors)
    XCTAssertEqual(try content(), "text")
    XCTAssertEqual(try keptText(outcome), Data("text\nmore\n".utf8))
  }

  func testAMissingEditorIsNamed() throws {
    let outcome = try notes("edit", "n1", environment: ["EDITOR": "/missing/editor"])

    XCTAssertEqual(outcome.status, 1)
    XCTAssertTrue(outcome.errors.contains("The editor “/missing/editor” failed"), outcome.errors)
    XCTAssertEqual(try draftCount(), 0)
  }

  func testWhenSomebodyElseChangedTheTextNeitherIsLost() throws {
    let notes = SampleProgram.folder.appending(path: "notes").path

    let outcome = try edit("'\(notes)' edit n1 -b theirs -q; echo mine > \"$1\"")

    XCTAssertEqual(outcome.status, 4)
    XCTAssertEqual(try content(), "theirs")
    XCTAssertEqual(try keptText(outcome), Data("mine\n".utf8))
  }

  func testATextThatIsNoUTF8IsRefusedAndKept() throws {
    let outcome = try edit("printf 'a\\377' > \"$1\"")

    XCTAssertEqual(outcome.status, 65)
    XCTAssertEqual(try content(), "text")
    XCTAssertEqual(try keptText(outcome), Data([0x61, 0xFF]))
  }

  func testVisualWinsOverEditorAndAPathMayHoldSpaces() throws {
    let editor = try editor("echo visual > \"$1\"")
    let path = editor.trimmingCharacters(in: CharacterSet(charactersIn: "'"))

    let outcome = try notes("edit", "n1", environment: ["EDITOR": "false", "VISUAL": path])

    XCTAssertEqual(outcome.status, 0)
    XCTAssertEqual(try content(), "visual")
  }

  func testWithoutAnEditorAndATerminalTheOptionsAreNamed() throws {
    let outcome = try notes("edit", "n1")

    XCTAssertEqual(outcome.status, 64)
    XCTAssertTrue(outcome.errors.contains("-b"), outcome.errors)
    XCTAssertEqual(try draftCount(), 0)
  }
}
