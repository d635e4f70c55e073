import ConsoleKit
import Leyden
import NotesKit

extension NotesSession {
  /// `notes list`: all notes.
  func list() throws {
    let notes = try openForReading().notes
    if notes.isEmpty { hint("No notes yet. Try: notes add \"First note\"") }
    try answer(notes)
  }

  /// `notes search TEXT`: the notes that contain a text.
  func search() throws {
    let text = arguments.operands[0]
    let notes = try openForReading().storedNotes(containing: text).values
    if notes.isEmpty { hint("No note contains “\(text.escapedForTerminal)”.") }
    report("Found \(notes.count) \(notes.count == 1 ? "note" : "notes").")
    try answer(notes)
  }

  /// `notes show ID`: one note.
  func show() throws {
    try answer(openForReading().find(arguments.operands[0]).value)
  }
}

extension NoteDataSource {
  // Enough to choose from; a longer list would push the message off the screen.
  private static let candidateLimit = 10

  /// Finds the note that has an id, or the only one whose id begins so.
  ///
  /// - Throws: A ``CommandError``: not found, or in conflict where several ids begin so.
  func find(_ text: String) throws(CommandError) -> StoredNote {
    if let note = store.object(ofType: StoredNote.self, forPrimaryKey: text) { return note }
    // A table marks a shortened id with an ellipsis; it may come back with it.
    let beginning = text.hasSuffix("…") ? String(text.dropLast()) : text
    guard !beginning.isEmpty else { throw .usage("An id is empty.") }
    let matches = storedNotes.where {
      $0.identifier.starts(with: beginning, options: .caseInsensitive)
    }
    var candidates: [StoredNote] = []
    for note in matches {
      candidates.append(note)
      if candidates.count > Self.candidateLimit { break }
    }
    if candidates.count == 1 { return candidates[0] }
    guard !candidates.isEmpty else {
      throw CommandError(
        .notFound, message: "There is no note “\(text.escapedForTerminal)”.",
        hint: "“notes list” shows all notes and their ids.", details: [("id", .string(text))])
    }
    var lines = candidates.prefix(Self.candidateLimit).map { note in
      "  \(note.identifier.escapedForTerminal)  \(note.title.escapedForTerminal)"
    }
    if candidates.count > Self.candidateLimit { lines.append("  …") }
    throw CommandError(
      .conflict, code: "ambiguous_id",
      message: "Several ids begin with “\(text.escapedForTerminal)”.",
      hint: "Type more of the one that is meant:\n" + lines.joined(separator: "\n"),
      details: [
        ("id", .string(text)),
        ("candidates", .strings(candidates.prefix(Self.candidateLimit).map(\.identifier))),
      ])
  }
}
