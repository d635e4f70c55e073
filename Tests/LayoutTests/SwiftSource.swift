import Foundation

/// A Swift file without its comments and the text of its string literals: what it declares and names.
struct SwiftSource {
  /// The code that is left; its lines are those of the file.
  let code: String

  /// Takes a file's text.
  init(_ text: String) {
    var code = ""
    var rest = text[...]
    while let character = rest.first {
      if rest.hasPrefix("//") {
        rest = rest.drop { !$0.isNewline }
      } else if rest.hasPrefix("/*") {
        let end = rest.range(of: "*/")?.upperBound ?? rest.endIndex
        code += rest[..<end].filter(\.isNewline)
        rest = rest[end...]
      } else if character == "\"" || rest.hasPrefix("#\"") {
        let literal = Self.stringLiteral(at: rest)
        code += "\"\"" + literal.filter(\.isNewline)
        rest = rest[literal.endIndex...]
      } else {
        code.append(character)
        rest = rest.dropFirst()
      }
    }
    self.code = code
  }

  /// The string literal that `text` begins with; what it interpolates belongs to it.
  private static func stringLiteral(at text: Substring) -> Substring {
    let pounds = text.prefix { $0 == "#" }
    let quotes = text[pounds.endIndex...].hasPrefix("\"\"\"") ? "\"\"\"" : "\""
    let end = quotes + pounds
    var rest = text[pounds.endIndex...].dropFirst(quotes.count)
    var depth = 0
    while !rest.isEmpty {
      if depth == 0, rest.hasPrefix(end) {
        return text[..<rest.index(rest.startIndex, offsetBy: end.count)]
      } else if rest.hasPrefix("\\" + pounds + "(") {
        depth += 1
        rest = rest.dropFirst(pounds.count + 2)
      } else if depth > 0, rest.first == "(" || rest.first == ")" {
        depth += rest.first == "(" ? 1 : -1
        rest = rest.dropFirst()
      } else if depth > 0, rest.first == "\"" {
        rest = rest[stringLiteral(at: rest).endIndex...]
      } else if depth == 0, pounds.isEmpty, rest.first == "\\" {
        rest = rest.dropFirst(2)
      } else {
        rest = rest.dropFirst()
      }
    }
    return text
  }

  /// The types that are declared at the top of the file.
  var declaredTypes: Set<String> {
    let declaration =
      /^(?:@\S+\s+)*(?:[a-z]+(?:\([a-z]+\))?\s+)*(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)/
      .anchorsMatchLineEndings()
    return Set(code.matches(of: declaration).map { String($0.1) })
  }

  /// The words that begin with a capital letter and are no member of another one.
  var namedTypes: Set<String> {
    Set(code.matches(of: /(?:^|[^.\w])([A-Z]\w*)/).map { String($0.1) })
  }

  /// The modules that the file imports.
  var importedModules: Set<String> {
    let statement =
      /^\s*(?:@\S+\s+)*(?:(?:public|package|internal|private|fileprivate)\s+)?import\s+(?:(?:class|struct|enum|protocol|func|var|typealias)\s+)?(\w+)/
      .anchorsMatchLineEndings()
    return Set(code.matches(of: statement).map { String($0.1) })
  }
}
