import Foundation
import XCTest

/// The live table of `notes-watch` on a terminal, and that the terminal is given back.
final class NotesWatchScreenTests: SampleTestCase {
  private static let enter = "\u{1B}[?1049h"
  private static let leave = "\u{1B}[?1049l"
  private static let showCursor = "\u{1B}[?25h"

  /// Adds the note `Milk`, starts the watcher on a terminal and waits until it shows the note.
  private func watch(
    rows: Int = 24, columns: Int = 80
  ) throws -> (process: Process, terminal: PseudoTerminal) {
    try notes("add", "Milk")
    let terminal = try PseudoTerminal(rows: rows, columns: columns)
    let process = try terminal.start(
      program("notes-watch", [], environment: ["TERM": "xterm", "NOTES_NOW": ""]))
    addTeardownBlock { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    XCTAssertTrue(
      terminal.output.wait(for: Self.enter, "Milk", "q quit"), terminal.output.unread)
    return (process, terminal)
  }

  func testItShowsChangesAsTheyComeAndEndsWithQ() throws {
    let (process, terminal) = try watch()

    try notes("add", "Bread", environment: ["NOTES_NOW": ""])
    XCTAssertTrue(terminal.output.wait(for: "+ n2 │ Bread", "2 notes", "+1 -0"))
    try notes("edit", "n1", "-t", "Butter", environment: ["NOTES_NOW": ""])
    XCTAssertTrue(terminal.output.wait(for: "> n1 │ Butter"))
    try notes("rm", "n2")
    XCTAssertTrue(terminal.output.wait(for: "1 note ", "+0 -1"))

    try terminal.type("q")
    XCTAssertTrue(terminal.output.wait(for: Self.showCursor, Self.leave))
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testTheTerminalIsGivenBackWhateverEndsTheProgram() throws {
    for (number, status) in [
      (SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129), (SIGSEGV, SIGSEGV),
    ] {
      let (process, terminal) = try watch()
      let inUse = terminal.settings

      kill(process.processIdentifier, number)

      XCTAssertTrue(terminal.output.wait(for: Self.showCursor, Self.leave), "signal \(number)")
      process.waitUntilExit()
      XCTAssertEqual(process.terminationStatus, status, "signal \(number)")
      XCTAssertNotEqual(terminal.settings, inUse, "signal \(number)")
      let untouched = try PseudoTerminal(rows: 24, columns: 80)
      XCTAssertEqual(terminal.settings, untouched.settings, "signal \(number)")
      try notes("rm", "n1")
    }
  }

  func testANewSizeIsDrawnWithoutAKey() throws {
    try notes("add", String(repeating: "wide ", count: 20))
    let (process, terminal) = try watch(columns: 100)

    terminal.resize(rows: 10, columns: 30)
    kill(process.processIdentifier, SIGWINCH)

    XCTAssertTrue(terminal.output.wait(for: "\u{1B}[10;1H", "wide wide wide wide wi…"))
  }

  func testAStoppedWatcherGivesTheTerminalBackAndDrawsAllWhenItGoesOn() throws {
    let (process, terminal) = try watch()
    let inUse = terminal.settings

    kill(process.processIdentifier, SIGTSTP)
    XCTAssertTrue(terminal.output.wait(for: Self.showCursor, Self.leave))
    try notes("add", "Bread", environment: ["NOTES_NOW": ""])
    terminal.resize(rows: 10, columns: 60)
    kill(process.processIdentifier, SIGCONT)

    XCTAssertTrue(terminal.output.wait(for: Self.enter, "Milk", "Bread", "2 notes"))
    XCTAssertEqual(terminal.settings, inUse)
    try terminal.type("q")
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testAWatcherThatWasHaltedFromOutsideDrawsAllWhenItGoesOn() throws {
    let (process, terminal) = try watch()

    kill(process.processIdentifier, SIGSTOP)
    try notes("add", "Bread", environment: ["NOTES_NOW": ""])
    terminal.resize(rows: 10, columns: 60)
    kill(process.processIdentifier, SIGCONT)

    XCTAssertTrue(terminal.output.wait(for: Self.enter, "Milk", "Bread", "2 notes"))
    kill(process.processIdentifier, SIGTERM)
    XCTAssertTrue(terminal.output.wait(for: Self.leave))
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 143)
    XCTAssertEqual(terminal.settings, try PseudoTerminal(rows: 24, columns: 80).settings)
  }

  func testTheSelectionStaysWithItsNote() throws {
    try notes("add", "Second", environment: ["NOTES_NOW": "2026-01-30T12:00:00Z"])
    let (_, terminal) = try watch()

    try terminal.type("j")
    XCTAssertTrue(terminal.output.wait(for: "\u{1B}[7m  n1 │ Second"))
    try notes("add", "Newest", environment: ["NOTES_NOW": ""])

    XCTAssertTrue(terminal.output.wait(for: "+ n3 │ Newest", "\u{1B}[7m  n1 │ Second"))
  }

  func testWithoutAUsableTerminalThereAreLines() throws {
    try notes("add", "Milk")
    let terminal = try PseudoTerminal(rows: 24, columns: 80)

    let process = try terminal.start(
      program("notes-watch", ["--timeout", "0.1"], environment: ["TERM": "dumb"]))

    XCTAssertTrue(terminal.output.wait(for: #"{"type":"initial","rows":[{"id":"n1""#))
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 124)
  }
}
