import Foundation
package import ConsoleKit

extension Note {
  /// The note as a row in JSON: `id`, `title`, `content`, `keywords`, `lastEdited`.
  package var json: JSON {
    .object([
      ("id", .string(identifier)), ("title", .string(title)), ("content", .string(content)),
      ("keywords", .strings(keywords)), ("lastEdited", .string(lastEdited.formatted(.iso8601))),
    ])
  }

  /// The note as tab-separated fields, in the same order; keywords are separated by commas.
  package var fields: String {
    [
      identifier, title, content, keywords.joined(separator: ","), lastEdited.formatted(.iso8601),
    ].map(\.escapedAsField).joined(separator: "\t")
  }

  /// The columns of a table of notes.
  package static let columns = [
    TextTable.Column("ID", minimumWidth: 5, priority: 3),
    TextTable.Column("TITLE", minimumWidth: 8, priority: 4),
    TextTable.Column("KEYWORDS", minimumWidth: 8, priority: 1),
    TextTable.Column("EDITED", priority: 2),
  ]

  /// The note as a row of a table with ``columns``.
  package var row: [String] {
    [
      abbreviatedIdentifier, title.escapedForTerminal,
      keywords.joined(separator: ", ").escapedForTerminal, editedLocally,
    ]
  }

  /// The note as a page for people: its properties, then its text.
  package var page: String {
    let head = [
      ("ID", identifier.escapedForTerminal), ("Title", title.escapedForTerminal),
      ("Keywords", keywords.joined(separator: ", ").escapedForTerminal), ("Edited", editedLocally),
    ]
    let lines = head.filter { !$0.1.isEmpty }.map { $0.0.fitted(to: 10) + $0.1 }
    let text = content.isEmpty ? [] : ["", content.escapedForTerminalKeepingLines]
    return (lines + text).joined(separator: "\n")
  }

  /// The identifier, or the beginning of a long one, marked with `…`; the programs take either.
  private var abbreviatedIdentifier: String {
    let identifier = identifier.escapedForTerminal
    return identifier.count > 12 ? identifier.prefix(8) + "…" : identifier
  }

  /// Minutes are enough for people, in the time zone that they live in.
  private var editedLocally: String {
    lastEdited.formatted(
      Date.ISO8601FormatStyle(dateSeparator: .dash, dateTimeSeparator: .space, timeZone: .current)
        .year().month().day().time(includingFractionalSeconds: false)
    ).prefix(16).description
  }
}
