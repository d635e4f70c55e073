import ConsoleKit
import Foundation
import Leyden
import NotesKit

extension NotesSession {
  /// `notes edit ID`: changes what the options say, or the text in an editor.
  func edit() throws {
    let title = arguments.value("title")
    let keywords = givenKeywords
    let body = try givenBody()
    guard title.map({ !$0.allSatisfy(\.isWhitespace) }) ?? true else {
      throw CommandError(.badInput, message: "A note needs a title; the new one is empty.")
    }
    let dataSource = try openForChanging()
    let note = try dataSource.find(arguments.operands[0]).value
    if title == nil, keywords == nil, body == nil {
      try editText(of: note, in: dataSource)
    } else {
      try finish(
        change(note.identifier, in: dataSource) { note in
          if let title { note.title = title }
          if let keywords { note.keywords = keywords }
          if let body { note.content = body }
        }, was: note)
    }
  }

  /// Opens the note's text in an editor and saves what comes back.
  ///
  /// Meanwhile others can read and write: no version and no lock of the store is held.
  private func editText(of note: Note, in dataSource: NoteDataSource) throws {
    let draft = try EditorDraft(text: note.content)
    guard let text = try draft.edit(environment: ProcessInfo.processInfo.environment) else {
      draft.discard()
      return try finish(note, was: note)
    }
    do {
      let edited = try change(note.identifier, in: dataSource) { current in
        guard current.content == note.content else {
          throw CommandError(
            .conflict, code: "edit_conflict",
            message: "The note was changed by somebody else while it was being edited.",
            details: [("id", .string(note.identifier))])
        }
        current.content = text
      }
      draft.discard()
      try finish(edited, was: note)
    } catch {
      throw draft.keeping(after: error)
    }
  }

  /// Changes a note in one write, stamped with the time; one that comes out equal is not written.
  private func change(
    _ identifier: String, in dataSource: NoteDataSource, _ body: (inout Note) throws -> Void
  ) throws -> Note {
    try dataSource.write {
      let before = try dataSource.find(identifier).value
      var note = before
      try body(&note)
      guard note != before else { return note }
      note.lastEdited = fixtures.now
      try dataSource.store.add(value: note, as: StoredNote.self, update: .modified)
      return note
    }
  }

  private func finish(_ note: Note, was before: Note) throws(CommandError) {
    report(note == before ? "No changes; nothing was saved." : "Saved.")
    try answer(changed: note)
  }
}
