import ConsoleKit

extension Syntax {
  /// The command line of `notes`.
  static let notes = Syntax(
    program: "notes",
    summary: "Keeps notes in a Leyden store.",
    options: [
      Option("store", value: "PATH", help: "The store, a directory; see below for the default."),
      Option("readonly", help: "Open the store for reading only."),
      Option("format", value: "FORMAT", help: "table, plain, json or ndjson."),
      Option("json", help: "The same as --format json: one array; errors are JSON too."),
      Option("quiet", "q", help: "Print ids alone."),
      Option("verbose", "v", help: "Say on standard error what was done."),
    ],
    commands: [add, list, search, show, edit, remove],
    notes: """
      The store is the one behind --store, else the one in NOTES_STORE, else
      notes/Notes.leyden in XDG_DATA_HOME or ~/.local/share. Only “add” creates it.

      Without --format, notes are a table on a terminal and tab-separated fields elsewhere: id,
      title, content, keywords, time of the last edit. An id may be shortened to a beginning that
      no other id has.

      Exit codes: 0 done, 1 failed, 2 cancelled, 3 not found, 4 conflict or ambiguous id,
      5 store busy, 6 store damaged or of another version, 64 wrong usage, 65 unusable input,
      73 cannot create, 74 reading or writing failed, 130 and 143 ended by a signal.
      """)

  private static let add = Command(
    "add", operands: "TITLE [-]", operandCount: 1...2,
    summary: "Adds a note and prints its id.",
    options: [
      Option("body", "b", value: "TEXT", help: "The text; “-” reads it from standard input."),
      Option("stdin", help: "Read the text from standard input; “-” behind the title does too."),
      keywords,
    ],
    details: "The store is created where it is missing.",
    examples: [
      "notes add \"Milk\" -b \"two bottles\" -k shopping,kitchen",
      "fortune | notes add \"Fortune\" -",
    ])

  private static let list = Command(
    "list", summary: "Lists all notes, the last edited first.",
    examples: ["notes list", "notes list --json | jq -r '.[].title'"])

  private static let search = Command(
    "search", operands: "TEXT", operandCount: 1...1,
    summary: "Lists the notes that have a text in title, keywords or content.",
    details: "Case and accents make no difference. The last edited notes come first.",
    examples: ["notes search cafe", "notes search shopping --format ndjson"])

  private static let show = Command(
    "show", operands: "ID", operandCount: 1...1, summary: "Shows one note.",
    examples: ["notes show 5F0C", "notes show 5F0C --json | jq -r .content"])

  private static let edit = Command(
    "edit", operands: "ID", operandCount: 1...1,
    summary: "Changes a note, with options or in an editor.",
    options: [
      Option("title", "t", value: "TITLE", help: "The new title."),
      Option("body", "b", value: "TEXT", help: "The new text; “-” reads it from standard input."),
      Option("stdin", help: "Read the new text from standard input."),
      keywords,
    ],
    details: """
      Without options the text is opened in VISUAL or EDITOR, a command line such as
      “code --wait”. A text that was left as it was changes nothing; an emptied one cancels. If it
      cannot be saved, it stays in a file that is named.
      """,
    examples: ["notes edit 5F0C", "notes edit 5F0C -t \"Milk and bread\""])

  private static let remove = Command(
    "rm", operands: "ID…", operandCount: 1...Int.max,
    summary: "Deletes notes, all that are named or none.",
    examples: ["notes rm 5F0C", "notes search draft -q | xargs notes rm"])

  private static let keywords = Option(
    "keywords", "k", value: "KEYWORDS", help: "Keywords, separated by commas; may be repeated.")
}
