import ConsoleKit
import Foundation
import NotesKit

/// The clock and the ids, which the environment can replace so that a run repeats exactly.
///
/// `NOTES_NOW` is an ISO 8601 time that stands for now; `NOTES_IDS=sequence` numbers new notes `n1`,
/// `n2` and so on.
struct Fixtures {
  private let fixedTime: Date?
  private let numbersNotes: Bool

  init(environment: [String: String]) throws(CommandError) {
    numbersNotes = environment["NOTES_IDS"] == "sequence"
    guard let text = environment["NOTES_NOW"], !text.isEmpty else {
      fixedTime = nil
      return
    }
    guard let time = try? Date(text, strategy: .iso8601) else {
      throw .usage(
        "NOTES_NOW is not a time: “\(text.escapedForTerminal)”.",
        hint: "Write it like 2026-01-31T12:00:00Z.", details: [("time", .string(text))])
    }
    fixedTime = time
  }

  /// The time that notes are edited at.
  var now: Date { fixedTime ?? Date() }

  /// Returns an id that no note of `dataSource` has.
  ///
  /// Inside a write nobody else can take it.
  func newIdentifier(in dataSource: NoteDataSource) -> String {
    guard numbersNotes else { return UUID().uuidString }
    let numbers = dataSource.storedNotes.compactMap { note -> Int? in
      note.identifier.hasPrefix("n") ? Int(note.identifier.dropFirst()) : nil
    }
    return "n\((numbers.max() ?? 0) + 1)"
  }
}
