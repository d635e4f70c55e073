package import ConsoleKit

extension Output {
  /// Writes notes in the form that was asked for.
  ///
  /// A table needs to see all of them first; everything else is written as it comes.
  package func write(
    notes: some Collection<Note>, as format: OutputFormat, width: Int
  ) throws(CommandError) {
    switch format {
    case .table:
      guard !notes.isEmpty else { return }
      let rows = notes.map(\.row)
      let table = TextTable(columns: Note.columns, rows: rows, width: width)
      try line(table.heading)
      try line(table.rule)
      for row in rows { try line(table.line(row)) }
    case .plain:
      for note in notes { try line(note.fields) }
    case .ndjson:
      for note in notes { try line(note.json.text) }
    case .json:
      try line(JSON.array(notes.map(\.json)).text)
    }
  }

  /// Writes one note: a page for people, an object in JSON.
  package func write(note: Note, as format: OutputFormat) throws(CommandError) {
    switch format {
    case .table: try line(note.page)
    case .plain: try line(note.fields)
    case .json, .ndjson: try line(note.json.text)
    }
  }
}
