import Foundation
import LeydenStorage

/// What the parts of a condition that must all hold say of each column, or of its texts with their
/// case folded.
struct Constraints {
  private(set) var byColumn: [Int: Constraint] = [:]

  init(_ parts: [Expression], foldingCase: Bool) {
    for part in parts {
      if foldingCase { addFolded(part) } else { add(part) }
    }
  }

  private mutating func add(_ part: Expression) {
    switch part {
    case .compare(let column, .equal, let value): add(.oneOf([value]), column)
    case .isIn(let column, let values): add(.oneOf(values), column)
    case .compare(let column, .less, let value), .compare(let column, .lessOrEqual, let value):
      add(.range(lower: nil, upper: value), column)
    case .compare(let column, .greater, let value),
      .compare(let column, .greaterOrEqual, let value):
      add(.range(lower: value, upper: nil), column)
    case .text(let column, .equals, let text, let options) where options.isEmpty:
      add(.oneOf([.string(text)]), column)
    case .text(let column, let match, let text, let options) where options.isEmpty:
      guard let beginning = TextMatcher.beginning(of: match, text, options) else { break }
      add(.prefix(beginning), column)
    default: break
    }
  }

  /// Adds what a part says of folded texts.
  ///
  /// Texts that are equal, or begin alike, do so with their case folded as well; their order says
  /// nothing of folded ones, and what ignores marks finds more than they tell.
  private mutating func addFolded(_ part: Expression) {
    switch part {
    case .compare(let column, .equal, let value): add(.oneOf([Self.folded(value)]), column)
    case .isIn(let column, let values): add(.oneOf(values.map(Self.folded)), column)
    case .text(let column, let match, let text, let options)
    where !options.contains(.diacriticInsensitive):
      guard let beginning = TextMatcher.beginning(of: match, text, options) else { break }
      let folded =
        match == .equals || options.contains(.caseInsensitive)
        ? foldedUTF8(of: beginning) : foldedBeginning(ofTextsFrom: beginning)
      let start = String(decoding: folded, as: UTF8.self)
      if match == .equals {
        add(.oneOf([.string(start)]), column)
      } else if !start.isEmpty {
        add(.prefix(start), column)
      }
    default: break
    }
  }

  private static func folded(_ value: StoredValue) -> StoredValue {
    guard case .string(let text) = value else { return value }
    return .string(String(decoding: foldedUTF8(of: text), as: UTF8.self))
  }

  private mutating func add(_ constraint: Constraint, _ column: Int) {
    byColumn[column] = byColumn[column].map { $0.narrowed(by: constraint) } ?? constraint
  }
}

/// What is known of one column.
enum Constraint: CustomStringConvertible {
  case oneOf([StoredValue])
  case range(lower: StoredValue?, upper: StoredValue?)
  case prefix(String)

  /// The stronger of two, or both ends of a range.
  func narrowed(by other: Constraint) -> Constraint {
    switch (self, other) {
    case (.oneOf(let some), .oneOf(let others)): some.count <= others.count ? self : other
    case (.oneOf, _): self
    case (_, .oneOf): other
    case (.range(let lower, let upper), .range(let otherLower, let otherUpper)):
      // Two bounds on one side: either is right, as the condition is tested in full.
      .range(lower: lower ?? otherLower, upper: upper ?? otherUpper)
    case (.prefix, _): self
    case (_, .prefix): other
    }
  }

  /// The bytes that an entry's field must begin with, at least and at most.
  func bounds(hasMarker: Bool, _ rule: LongKey) -> (lower: [UInt8], upper: [UInt8]) {
    func open(_ value: StoredValue?) -> [UInt8] {
      var key = KeyEncoder()
      if hasMarker { key.appendPresence(true) }
      guard let value else { return key.bytes }
      key.append(unterminated: value)
      _ = key.shortenBound(from: 0, by: rule)
      return key.bytes
    }
    switch self {
    case .oneOf: return ([], [])
    case .range(let lower, let upper): return (open(lower), open(upper))
    case .prefix(let text): return (open(.string(text)), open(.string(text)))
    }
  }

  var description: String {
    switch self {
    case .oneOf(let values) where values.count == 1: "= \(values[0])"
    case .oneOf(let values): "in \(values.count) values"
    case .range(let lower?, let upper?): "from \(lower) to \(upper)"
    case .range(let lower?, nil): "from \(lower)"
    case .range(nil, let upper?): "up to \(upper)"
    case .range(nil, nil): "not nil"
    case .prefix(let text): "begins with \"\(text)\""
    }
  }
}

extension KeyEncoder {
  /// Appends a value as the beginning of all keys that are equal to it or go on from it.
  fileprivate mutating func append(unterminated value: StoredValue) {
    switch value {
    case .string(let text): append(string: text, terminated: false)
    case .data(let data):
      unsafe data.withUnsafeBytes { unsafe append(data: $0, terminated: false) }
    default: append(field: value)
    }
  }
}
