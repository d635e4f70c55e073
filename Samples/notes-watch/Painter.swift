import ConsoleKit

/// Draws a screen on the terminal, and of the next one only the lines that differ.
struct Painter {
  private var shown: [NoteScreen.Line] = []

  /// Makes the terminal show `screen`.
  ///
  /// A new painter draws all of it.
  mutating func paint(_ screen: inout NoteScreen, on terminal: Terminal) {
    let size = terminal.size
    let lines = screen.lines(rows: size.rows, columns: size.columns)
    var text = shown.isEmpty ? "\u{1B}[2J" : ""
    for (row, line) in lines.enumerated() where !shown.indices.contains(row) || shown[row] != line {
      text += "\u{1B}[\(row + 1);1H"
      text += line.isReversed ? "\u{1B}[7m\(line.text)\u{1B}[0m" : line.text
      text += "\u{1B}[K"
    }
    shown = lines
    // Between these two, a terminal that knows them shows nothing half drawn.
    if !text.isEmpty { terminal.write("\u{1B}[?2026h" + text + "\u{1B}[?2026l") }
  }
}
