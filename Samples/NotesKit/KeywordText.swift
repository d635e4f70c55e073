/// Keywords as one text, each ended by a line feed, so that a query can search them together.
///
/// Any list comes back as it went in: a line feed or backslash inside a keyword is written `\n` or
/// `\\`, and an empty keyword is an empty line.
struct KeywordText {
  /// What is stored.
  let text: String

  /// Takes what is stored.
  init(text: String) {
    self.text = text
  }

  /// Joins keywords.
  init(_ keywords: [String]) {
    text = keywords.map { Self.escaped($0) + "\n" }.joined()
  }

  /// The keywords, in order.
  var keywords: [String] {
    var keywords: [String] = []
    var keyword = String.UnicodeScalarView()
    var isEscaped = false
    // Scalar by scalar: as characters, a return and the line feed behind it would be one.
    for scalar in text.unicodeScalars {
      if isEscaped {
        keyword.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if scalar == "\n" {
        keywords.append(String(keyword))
        keyword = String.UnicodeScalarView()
      } else {
        keyword.append(scalar)
      }
    }
    return keywords
  }

  /// A keyword, or a part of one to search for, in the form that it is stored in.
  static func escaped(_ keyword: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in keyword.unicodeScalars {
      switch scalar {
      case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
      case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
