import ConsoleKit
import NotesKit

/// What the screen shows: the notes, which one is selected, what changed last.
///
/// The selection stays with its note, wherever that moves; where the note is deleted, the one that
/// takes its place is selected.
struct NoteScreen {
  private let title: String
  private var notes: [Note] = []
  private var selectedIdentifier: String?
  /// The selected position, which decides where the selected note is gone.
  private var selectedPosition = 0
  private var topPosition = 0
  private var marks: [String: Character] = [:]
  private var lastChange = ""

  /// Whether the notes have not been delivered yet.
  private(set) var isEmptyHanded = true
  /// How many changes there were after the first delivery.
  private(set) var changeCount = 0

  /// Starts without notes.
  init(title: String) {
    self.title = title.escapedForTerminal
  }

  // MARK: What happens

  /// Takes a delivery in.
  mutating func apply(_ change: NoteChange) {
    change.apply(to: &notes) { $0 }
    selectedPosition =
      notes.firstIndex { $0.identifier == selectedIdentifier }
      ?? min(selectedPosition, max(notes.count - 1, 0))
    select(selectedPosition)
    isEmptyHanded = false
    guard !change.isInitial else { return }
    changeCount += 1
    marks = [:]
    for placed in change.insertions { marks[placed.note.identifier] = "+" }
    for modified in change.modifications { marks[modified.note.identifier] = "~" }
    for move in change.moves { marks[notes[move.to].identifier] = ">" }
    lastChange =
      "  change \(changeCount): +\(change.insertions.count - change.moves.count)"
      + " -\(change.deletions.count - change.moves.count)"
      + " ~\(change.modifications.count) >\(change.moves.count)"
  }

  /// Obeys a key on a terminal of so many rows; returns whether it asks to end.
  mutating func handle(_ key: Key, rows: Int) -> Bool {
    let page = max(Self.bodyHeight(rows: rows) - 1, 1)
    switch key {
    case .character("q"): return true
    case .up, .character("k"): select(selectedPosition - 1)
    case .down, .character("j"): select(selectedPosition + 1)
    case .pageUp: select(selectedPosition - page)
    case .pageDown: select(selectedPosition + page)
    case .home, .character("g"): select(0)
    case .end, .character("G"): select(notes.count - 1)
    case .character: break
    }
    return false
  }

  private mutating func select(_ position: Int) {
    selectedPosition = max(min(position, notes.count - 1), 0)
    selectedIdentifier =
      notes.indices.contains(selectedPosition)
      ? notes[selectedPosition].identifier : nil
  }

  // MARK: How it looks

  /// A line of the screen, and whether it is drawn in reverse.
  struct Line: Equatable {
    let text: String
    var isReversed = false
  }

  private static let chromeHeight = 4  // title, headings, rule, status

  private static func bodyHeight(rows: Int) -> Int { max(rows - chromeHeight, 1) }

  /// The screen in `rows` lines of at most `columns` columns.
  mutating func lines(rows: Int, columns: Int) -> [Line] {
    let height = Self.bodyHeight(rows: rows)
    topPosition = min(topPosition, selectedPosition, max(notes.count - height, 0))
    topPosition = max(topPosition, selectedPosition - height + 1)

    // Two columns are for the mark.
    let visible = notes[topPosition...].prefix(height)
    let texts = visible.map(\.row)
    let table = TextTable(columns: Note.columns, rows: texts, width: max(columns - 2, 1))
    var body = zip(visible, texts).enumerated().map { offset, pair in
      let mark = marks[pair.0.identifier] ?? " "
      return Line(
        text: "\(mark) \(table.line(pair.1))".fitted(to: columns),
        isReversed: topPosition + offset == selectedPosition)
    }
    if notes.isEmpty { body = [Line(text: "  No notes yet.")] }
    body += Array(repeating: Line(text: ""), count: max(height - body.count, 0))

    let count = "\(notes.count) \(notes.count == 1 ? "note" : "notes")"
    let all =
      [Line(text: title), Line(text: "  " + table.heading), Line(text: "  " + table.rule)] + body
      + [Line(text: "\(count)\(lastChange)  j k move  q quit")]
    // On a screen with no room for all, the notes matter most.
    let needed = rows >= Self.chromeHeight + 1 ? all : Array(body.prefix(max(rows, 0)))
    return needed.map { Line(text: $0.text.clipped(to: columns), isReversed: $0.isReversed) }
  }
}

extension String {
  fileprivate func clipped(to columns: Int) -> String {
    displayWidth <= columns ? self : fitted(to: columns)
  }
}
