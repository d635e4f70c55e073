import ConsoleKit
import Foundation
import NotesKit

/// What `notes-watch` was asked to do.
struct WatchOptions: Sendable {
  /// The store's directory.
  let url: URL
  /// Whether to show what there is and end.
  let isOnce: Bool
  /// How long to wait for a change; `nil` for ever.
  let timeout: Duration?
  /// After how many changes to end; `nil` for never.
  let changeLimit: Int?
  /// Whether there is a terminal to show a live table on.
  let usesScreen: Bool

  init(_ arguments: ParsedArguments) throws(CommandError) {
    let environment = ProcessInfo.processInfo.environment
    url = try StoreLocation(
      arguments, variable: "NOTES_STORE", fileName: "Notes.leyden", directory: "notes",
      environment: environment
    ).url
    isOnce = arguments.has("once")
    timeout = try arguments.number("timeout") { Double($0) }.map { .seconds($0) }
    changeLimit = try arguments.number("until") { Int($0) }
    let terminal = environment["TERM"] ?? ""
    usesScreen =
      !isOnce && !arguments.has("json")
      && StandardStreams.inputIsTerminal && StandardStreams.outputIsTerminal
      && terminal != "" && terminal != "dumb"
  }

  /// Opens the notes to read them; nothing is created.
  ///
  /// The store belongs to the calling thread.
  func openNotes() throws -> NoteDataSource {
    try NoteDataSource(url: url, readOnly: true)
  }
}

extension ParsedArguments {
  /// The value of an option as a number above zero.
  fileprivate func number<Number: Numeric & Comparable>(
    _ option: String, _ parse: (String) -> Number?
  ) throws(CommandError) -> Number? {
    guard let text = value(option) else { return nil }
    guard let number = parse(text), number > 0, number.magnitude < 1_000_000_000 else {
      throw .usage(
        "“\(text.escapedForTerminal)” behind --\(option) is not a number above zero.",
        details: [("option", .string("--" + option)), ("value", .string(text))])
    }
    return number
  }
}

extension Syntax {
  /// The command line of `notes-watch`.
  static let notesWatch = Syntax(
    program: "notes-watch",
    summary: "Shows the notes of a Leyden store while they change.",
    options: [
      Option(
        "store", value: "PATH", help: "The store, a directory; the default is that of “notes”."),
      Option("once", help: "Write the notes that there are and end."),
      Option("timeout", value: "SECONDS", help: "End with 124 when nothing changed for so long."),
      Option("until", value: "COUNT", help: "End after so many changes."),
      Option("json", help: "Write lines of JSON on a terminal too; errors are JSON as well."),
    ],
    examples: [
      "notes-watch",
      "notes-watch --once | jq '.rows | length'",
      "notes-watch --timeout 60 | jq -c '.rows[].title'",
    ],
    notes: """
      On a terminal it shows a live table: j, k and the arrows move, q ends. Elsewhere it writes a
      line with "type":"initial" and all notes in "rows", the last edited first, and then a line
      with "type":"change" for each change that was delivered; several commits may be one change.

      In a change, "deletions" and "modifications" are positions in the rows before it,
      "insertions" positions in the rows after it. A note that changed its place is in deletions
      and insertions, and in "moves" as [from, to]. "rows" holds the notes at the insertions, in
      their order, then those at the modifications.

      Exit codes: 0 ended by q, --once or --until, 3 no such store, 124 --timeout, 130 Ctrl-C,
      141 the reader has left, 143 TERM; else as “notes”.
      """)
}
