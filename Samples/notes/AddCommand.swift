import ConsoleKit
import Foundation
import Leyden
import NotesKit

extension NotesSession {
  /// `notes add TITLE`: writes a new note and prints its id.
  func add() throws {
    var note = Note(title: arguments.operands[0], keywords: givenKeywords ?? [])
    guard !note.title.allSatisfy(\.isWhitespace) else {
      throw CommandError(
        .badInput, message: "A note needs a title.", hint: "Usage: notes add TITLE [-b TEXT]",
        details: [("title", .string(note.title))])
    }
    note.content = try givenBody() ?? ""

    // The input is read and checked by now: what cannot be used creates no store.
    let dataSource = try openForAdding()
    note = try dataSource.write {
      note.identifier = fixtures.newIdentifier(in: dataSource)
      note.lastEdited = fixtures.now
      try dataSource.store.add(value: note, as: StoredNote.self)
      return note
    }
    report("Added “\(note.title.escapedForTerminal)”.")
    try answer(changed: note)
  }

  /// The text of `-b`, or of standard input where `-` or `--stdin` asks for it; `nil` without any.
  func givenBody() throws(CommandError) -> String? {
    let operand = arguments.operands.dropFirst().first
    if let operand, operand != "-" {
      throw .usage(
        "“\(operand.escapedForTerminal)” is one argument too many.",
        hint: "Quote a title of several words; the text goes behind -b.",
        details: [("argument", .string(operand))])
    }
    let body = arguments.value("body")
    guard operand == "-" || body == "-" || arguments.has("stdin") else { return body }
    guard body == nil || body == "-" else {
      throw .usage("The text is given twice: with -b and on standard input.")
    }
    guard let text = String(validating: try StandardStreams.readInput(), as: UTF8.self) else {
      throw CommandError(
        .badInput, message: "Standard input is not valid UTF-8.",
        hint: "Convert it first, for instance with iconv.")
    }
    // The line feed that ends a text file is not part of the text.
    return text.last == "\n" ? String(text.dropLast()) : text
  }

  /// The keywords of all `-k`, without empty ones; `nil` where there is no `-k`.
  var givenKeywords: [String]? {
    guard arguments.has("keywords") else { return nil }
    return arguments.values("keywords").flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      .filter { !$0.isEmpty }
  }
}
