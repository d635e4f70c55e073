/// Lays rows of text out in columns of equal width, within the width of the screen.
///
/// Widths are counted in terminal columns, so wide and joined characters keep the borders straight.
/// Where the screen is too narrow, columns with a lower priority go first, then the flexible columns
/// shrink; a text that is cut shows it with `…`.
package struct TextTable {
  /// A column's heading, and what may happen to it on a narrow screen.
  package struct Column: Sendable {
    /// The heading.
    package var title: String
    /// The least width that is still worth having; `nil` for a column that is never cut.
    package var minimumWidth: Int?
    /// Columns with the lowest priority are left out first; the highest one always stays.
    package var priority: Int

    /// Makes a column.
    package init(_ title: String, minimumWidth: Int? = nil, priority: Int) {
      self.title = title
      self.minimumWidth = minimumWidth
      self.priority = priority
    }
  }

  private static let border = " │ "

  /// The columns that are shown: their positions in the rows, and their widths.
  private let shown: [(position: Int, width: Int)]
  private let columns: [Column]

  /// Lays out `columns` for `rows` (each one text per column, already escaped) in `width` columns.
  package init(columns: [Column], rows: some Sequence<[String]>, width: Int) {
    self.columns = columns
    var natural = columns.map(\.title.displayWidth)
    for row in rows {
      for (position, text) in row.enumerated() {
        natural[position] = max(natural[position], text.displayWidth)
      }
    }
    func least(_ position: Int) -> Int {
      min(natural[position], columns[position].minimumWidth ?? natural[position])
    }
    func borders(_ count: Int) -> Int { max(count - 1, 0) * Self.border.count }

    // 1. Leave out what has no room even at its least width.
    var kept = Array(columns.indices)
    while kept.count > 1, kept.map(least).reduce(0, +) + borders(kept.count) > width {
      guard let last = kept.min(by: { columns[$0].priority < columns[$1].priority }) else { break }
      kept.removeAll { $0 == last }
    }
    // 2. Take what is too much from the widest column that can give it, a column at a time.
    var widths = natural
    var excess = kept.map { widths[$0] }.reduce(0, +) + borders(kept.count) - width
    while excess > 0 {
      let flexible = kept.filter { widths[$0] > least($0) }
      guard let widest = flexible.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    // 3. A single column that is still too wide is cut like any other text.
    shown = kept.map {
      (position: $0, width: kept.count == 1 ? min(widths[$0], width) : widths[$0])
    }
  }

  /// The headings.
  package var heading: String { line(columns.map(\.title)) }

  /// The line between headings and rows.
  package var rule: String {
    shown.map { String(repeating: "─", count: $0.width) }.joined(separator: "─┼─")
  }

  /// A row, its texts fitted into the columns; without spaces at its end.
  package func line(_ row: [String]) -> String {
    var line = shown.map { row[$0.position].fitted(to: $0.width) }.joined(separator: Self.border)
    while line.last == " " { line.removeLast() }
    return line
  }
}
