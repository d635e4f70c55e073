import CLeyden
import Foundation
import LeydenStorage

/// Looks for one text in many, on their UTF-8 bytes.
///
/// Texts are compared by canonical equivalence, as Swift's `==` does: both sides are brought into
/// normalization form C first, unless they are seen to be in it. Case is folded as in the keys of
/// case-insensitive indexes; marks are folded by decomposing and leaving out nonspacing marks.
package struct TextMatcher: Sendable {
  private let match: Expression.TextMatch
  private let options: StringOptions
  private let needle: [UInt8]
  private let pattern: [Character]

  init(_ match: Expression.TextMatch, _ text: String, _ options: StringOptions) {
    self.match = match
    self.options = options
    needle = Self.fold(text, options)
    pattern = match == .like ? Array(String(decoding: needle, as: UTF8.self)) : []
  }

  /// Whether the text, given as UTF-8, matches.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if unsafe isPlain(bytes) { return unsafe matches(folded: bytes) }
    let folded =
      unsafe options == .caseInsensitive
      ? foldedUTF8(of: bytes) : Self.fold(String(decoding: bytes, as: UTF8.self), options)
    return unsafe folded.withUnsafeBytes { unsafe matches(folded: $0) }
  }

  /// Whether folding would leave the bytes as they are.
  private func isPlain(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if options.isEmpty { return unsafe isNormalized(utf8: bytes) }
    return unsafe bytes.allSatisfy { $0 < 0x80 && !(0x41...0x5a).contains($0) }
  }

  private func matches(folded bytes: UnsafeRawBufferPointer) -> Bool {
    switch match {
    case .contains:
      if needle.isEmpty { return true }
      guard let base = bytes.baseAddress else { return false }
      return unsafe needle.withUnsafeBytes { needle in
        guard let first = needle.baseAddress else { return true }
        return unsafe leyden_memmem(base, bytes.count, first, needle.count) != nil
      }
    case .starts: return unsafe bytes.starts(with: needle)
    case .ends: return unsafe bytes.suffix(needle.count).elementsEqual(needle)
    case .equals: return unsafe bytes.elementsEqual(needle)
    case .like: return unsafe isLike(Array(String(decoding: bytes, as: UTF8.self)))
    }
  }

  /// Matches with `*` and `?`; returns to the last star where a way ends.
  private func isLike(_ text: [Character]) -> Bool {
    var textPosition = 0
    var patternPosition = 0
    var star: (pattern: Int, text: Int)?
    while textPosition < text.count {
      if patternPosition < pattern.count, pattern[patternPosition] == "*" {
        star = (patternPosition, textPosition)
        patternPosition += 1
      } else if patternPosition < pattern.count,
        pattern[patternPosition] == "?" || pattern[patternPosition] == text[textPosition]
      {
        textPosition += 1
        patternPosition += 1
      } else if let last = star {
        textPosition = last.text + 1
        patternPosition = last.pattern + 1
        star = (last.pattern, textPosition)
      } else {
        return false
      }
    }
    return pattern[patternPosition...].allSatisfy { $0 == "*" }
  }

  /// What every text that matches begins with, folded by the options; `nil` for nothing.
  static func beginning(
    of match: Expression.TextMatch, _ text: String, _ options: StringOptions
  ) -> String? {
    let folded = String(decoding: fold(text, options), as: UTF8.self)
    switch match {
    case .equals: return folded
    case .starts: return folded.isEmpty ? nil : folded
    case .like:
      let letters = folded.prefix { $0 != "*" && $0 != "?" }
      return letters.isEmpty ? nil : String(letters)
    case .contains, .ends: return nil
    }
  }

  /// The bytes that stand for all texts equal under the options.
  static func fold(_ text: String, _ options: StringOptions) -> [UInt8] {
    let source = options.contains(.diacriticInsensitive) ? withoutMarks(text) : text
    return options.contains(.caseInsensitive) ? foldedUTF8(of: source) : normalizedUTF8(of: source)
  }

  private static func withoutMarks(_ text: String) -> String {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return String(scalars)
  }
}
