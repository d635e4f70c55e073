extension Unicode.Scalar {
  /// Whether a terminal could obey this scalar instead of showing it: control characters, the line
  /// and paragraph separators, and what reorders the text around it.
  ///
  /// All of these are below U+FFFF.
  var isUnsafeOnTerminals: Bool {
    switch value {
    case 0x00...0x1F, 0x7F...0x9F: true
    case 0x061C, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

extension String {
  /// This text on one line, harmless on any terminal: what a terminal could obey is written as `\n`,
  /// `\t`, `\r` or `\u{…}`.
  package var escapedForTerminal: String { escaped(keepingLines: false, escapingBackslash: false) }

  /// This text with its line breaks, and otherwise as harmless as ``escapedForTerminal``.
  package var escapedForTerminalKeepingLines: String {
    escaped(keepingLines: true, escapingBackslash: false)
  }

  /// This text as one field of a table of tab-separated values; a backslash is doubled, so that the
  /// original can be told from it.
  package var escapedAsField: String { escaped(keepingLines: false, escapingBackslash: true) }

  private func escaped(keepingLines: Bool, escapingBackslash: Bool) -> String {
    let mustChange = unicodeScalars.contains {
      $0.isUnsafeOnTerminals || (escapingBackslash && $0 == "\\")
    }
    guard mustChange else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      switch scalar {
      case "\n" where keepingLines: text.append(scalar)
      case "\n": text.append(contentsOf: "\\n".unicodeScalars)
      case "\t": text.append(contentsOf: "\\t".unicodeScalars)
      case "\r": text.append(contentsOf: "\\r".unicodeScalars)
      case "\\" where escapingBackslash: text.append(contentsOf: "\\\\".unicodeScalars)
      case let scalar where scalar.isUnsafeOnTerminals:
        text.append(contentsOf: "\\u{\(String(scalar.value, radix: 16))}".unicodeScalars)
      default: text.append(scalar)
      }
    }
    return String(text)
  }
}
