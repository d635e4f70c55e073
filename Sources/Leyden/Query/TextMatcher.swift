import CLeyden
import Foundation
import LeydenStorage

/// Looks for one text in many, on their UTF-8 bytes.
///
/// Texts are compared by canonical equivalence, as Swift's `==` does: both sides are brought into
/// normalization form C first, unless they are seen to be in it. Case is folded by mapping to upper
/// and then to lower case, which makes "ß" and "SS" one and the three sigmas, but leaves the
/// dotless "ı" apart from "i"; marks are folded by decomposing and leaving out nonspacing marks.
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
    let folded = unsafe Self.fold(String(decoding: bytes, as: UTF8.self), options)
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

  /// The bytes that stand for all texts equal under the options.
  static func fold(_ text: String, _ options: StringOptions) -> [UInt8] {
    if options.isEmpty { return normalizedUTF8(of: text) }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      guard options.contains(.caseInsensitive) else { return Array(text.utf8) }
      return text.utf8.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
    }
    var folded = ""
    let source =
      options.contains(.diacriticInsensitive) ? text.decomposedStringWithCanonicalMapping : text
    for scalar in source.unicodeScalars {
      if options.contains(.diacriticInsensitive),
        scalar.properties.generalCategory == .nonspacingMark
      {
        continue
      }
      if options.contains(.caseInsensitive), scalar != "ı" {
        for upper in scalar.properties.uppercaseMapping.unicodeScalars {
          folded += upper.properties.lowercaseMapping
        }
      } else {
        folded.unicodeScalars.append(scalar)
      }
    }
    return normalizedUTF8(of: folded)
  }
}
