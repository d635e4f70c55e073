/// A JSON value whose members keep their order, written on one line.
///
/// Foundation's encoder either sorts the keys or leaves their order open; rows of a program's
/// output keep the order that its documentation lists them in.
package indirect enum JSON: Sendable {
  /// A name and a value in an object.
  package typealias Member = (key: String, value: JSON)

  /// A string.
  case string(String)
  /// A whole number.
  case integer(Int)
  /// A list.
  case array([JSON])
  /// An object, in the order of its members.
  case object([Member])

  /// Makes a list of strings.
  package static func strings(_ strings: [String]) -> JSON {
    .array(strings.map { .string($0) })
  }

  /// Makes a list of whole numbers.
  package static func integers(_ integers: [Int]) -> JSON {
    .array(integers.map { .integer($0) })
  }

  /// The value as text, without line breaks.
  package var text: String {
    var text = ""
    append(to: &text)
    return text
  }

  private func append(to text: inout String) {
    switch self {
    case .string(let string):
      Self.append(string, to: &text)
    case .integer(let integer):
      text += String(integer)
    case .array(let elements):
      text += "["
      for (position, element) in elements.enumerated() {
        if position > 0 { text += "," }
        element.append(to: &text)
      }
      text += "]"
    case .object(let members):
      text += "{"
      for (position, member) in members.enumerated() {
        if position > 0 { text += "," }
        Self.append(member.key, to: &text)
        text += ":"
        member.value.append(to: &text)
      }
      text += "}"
    }
  }

  /// Appends a string in quotes.
  ///
  /// The output may end on a screen, so all that a terminal could obey is written as an escape, which
  /// means the same to a JSON reader.
  private static func append(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case let scalar where scalar.isUnsafeOnTerminals:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
