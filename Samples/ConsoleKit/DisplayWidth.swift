extension Character {
  /// The columns that a terminal takes for this character: 0, 1 or 2.
  ///
  /// A character of several scalars (a family, a flag, a letter with its accent) is drawn as one and
  /// has the width of what it shows.
  package var displayWidth: Int {
    guard let first = unicodeScalars.first else { return 0 }
    // A variation selector 16 asks for the emoji form of what is otherwise a narrow sign.
    if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
    switch first.properties.generalCategory {
    case .control, .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator:
      return 0
    default:
      return first.isEastAsianWide ? 2 : 1
    }
  }
}

extension Unicode.Scalar {
  /// The blocks whose characters Unicode's East Asian Width (UAX 11) calls wide or full-width, apart
  /// from emoji, which have a property of their own.
  private static let wideBlocks: [ClosedRange<UInt32>] = [
    0x1100...0x115F,  // Hangul initials
    0x2329...0x232A,  // angle brackets
    0x2E80...0x303E,  // radicals, punctuation
    0x3041...0x33FF,  // kana, Bopomofo, squared signs
    0x3400...0x4DBF,  // ideographs, extension A
    0x4E00...0x9FFF,  // ideographs
    0xA000...0xA4CF,  // Yi
    0xA960...0xA97F,  // Hangul initials, extended
    0xAC00...0xD7A3,  // Hangul syllables
    0xF900...0xFAFF,  // compatibility ideographs
    0xFE10...0xFE19,  // vertical forms
    0xFE30...0xFE6F,  // compatibility forms
    0xFF01...0xFF60,  // full-width forms
    0xFFE0...0xFFE6,  // full-width signs
    0x16FE0...0x18DFF,  // Tangut, Khitan
    0x1B000...0x1B2FF,  // kana, historic
    0x1F200...0x1F2FF,  // enclosed ideographs
    0x20000...0x3FFFD,  // ideographs, later extensions
  ]

  fileprivate var isEastAsianWide: Bool {
    guard value >= 0x1100 else { return false }
    return Self.wideBlocks.contains { $0.contains(value) }
  }
}

extension StringProtocol {
  /// The columns that a terminal takes for this text, which must be free of control characters.
  package var displayWidth: Int {
    // Printable ASCII is one column a byte; most text is no more than that.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return utf8.count }
    return reduce(0) { $0 + $1.displayWidth }
  }

  /// This text in exactly `width` columns: filled up with spaces, or cut between two characters with
  /// `…` in the place of what is missing.
  package func fitted(to width: Int) -> String {
    let whole = displayWidth
    if whole <= width { return String(self) + String(repeating: " ", count: width - whole) }
    guard width > 0 else { return "" }
    var kept = ""
    var columns = 0
    for character in self {
      let next = columns + character.displayWidth
      if next > width - 1 { break }
      kept.append(character)
      columns = next
    }
    // A wide character that did not fit leaves one column over.
    return kept + "…" + String(repeating: " ", count: width - 1 - columns)
  }
}
