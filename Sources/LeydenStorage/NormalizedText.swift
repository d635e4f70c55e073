internal import Foundation

/// Returns whether the text is in normalization form C, as far as a look at its scalars can tell.
///
/// True is certain: the bytes are what ``normalizedUTF8(of:)`` returns. False may mean only that
/// the text needs a closer look.
///
/// - Complexity: O(*n*); a few bytes per nanosecond for ASCII and for scalars below U+0300.
package func isNormalized(utf8 bytes: UnsafeRawBufferPointer) -> Bool {
  // U+0300, the first combining mark, begins with CC; no continuation byte is that large.
  var largest: UInt8 = 0
  for index in 0..<bytes.count { largest = unsafe max(largest, bytes[index]) }
  if largest < 0xCC { return true }
  return unsafe String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy(
    Normalizer.isInert)
}

/// Returns the UTF-8 of the text's normalization form C.
///
/// The order of the bytes is the order of Swift's `String`, and two texts have the same bytes
/// exactly when Swift's `==` finds them equal. Foundation alone does not achieve that: its
/// composition leaves a Hangul syllable and a following final consonant apart, and sorts some marks
/// wrongly. Here it only decomposes single scalars and composes single pairs. One case is left in
/// which Swift's `<` disagrees: it puts a text that ends in U+0F71 after the longer one that ends
/// in U+0F73, U+0F75 or U+0F81 instead, where the bytes, as everywhere, put the prefix first.
package func normalizedUTF8(of text: String) -> [UInt8] {
  var normalizer = Normalizer(capacity: text.utf8.count)
  for scalar in text.unicodeScalars { normalizer.append(scalar) }
  return normalizer.finish()
}

/// The algorithm of Unicode Standard Annex 15, section 1.3, run over one segment at a time.
///
/// A segment is an inert scalar, before which nothing can combine, and what follows it up to the
/// next one. A segment of one scalar is copied as it is.
struct Normalizer {
  /// A scalar with its canonical combining class.
  struct Element {
    var scalar: Unicode.Scalar
    var order: UInt8
  }

  private let foldsCase: Bool
  private var output: [UInt8] = []
  /// An inert scalar that nothing follows so far; then the segment is empty.
  private var alone: Unicode.Scalar?
  private var segment: [Unicode.Scalar] = []

  init(capacity: Int, foldsCase: Bool = false) {
    self.foldsCase = foldsCase
    output.reserveCapacity(capacity)
  }

  mutating func append(_ scalar: Unicode.Scalar) {
    if Self.isInert(scalar) {
      flush()
      alone = scalar
    } else {
      if let alone { segment.append(alone) }
      alone = nil
      segment.append(scalar)
    }
  }

  mutating func finish() -> [UInt8] {
    flush()
    return output
  }

  private mutating func flush() {
    if let alone {
      write(alone: alone)
      self.alone = nil
    } else if !segment.isEmpty {
      var elements: [Element] = []
      // Three Tibetan vowel signs are starters that decompose into marks. Swift's comparison sorts
      // no mark across a starter, not even across these, so a run begins at every starter.
      var run = 0
      for scalar in segment {
        if scalar.properties.canonicalCombiningClass == .notReordered {
          Self.reorder(&elements[run...])
          run = elements.count
        }
        for part in Self.decomposed(scalar) {
          let order = part.properties.canonicalCombiningClass.rawValue
          elements.append(Element(scalar: part, order: order))
        }
      }
      Self.reorder(&elements[run...])
      if foldsCase { Self.fold(&elements) }
      Self.compose(&elements)
      for element in elements { write(element.scalar) }
      segment.removeAll(keepingCapacity: true)
    }
  }

  /// Folding an inert scalar needs no decomposition: what it is folded to is composed likewise.
  private mutating func write(alone scalar: Unicode.Scalar) {
    guard foldsCase else { return write(scalar) }
    if let several = CaseFolding.several(scalar) {
      for part in several { write(part) }
    } else {
      write(CaseFolding.one(scalar))
    }
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    if scalar.value < 0x80 { return output.append(UInt8(truncatingIfNeeded: scalar.value)) }
    for unit in scalar.utf8 { output.append(unit) }
  }

  /// Folds the case of decomposed scalars.
  ///
  /// One mark becomes a letter, which others are not sorted across any more.
  private static func fold(_ elements: inout [Element]) {
    let folded = elements.flatMap { element in
      CaseFolding.several(element.scalar) ?? [CaseFolding.one(element.scalar)]
    }
    elements = folded.map {
      Element(scalar: $0, order: $0.properties.canonicalCombiningClass.rawValue)
    }
    reorder(&elements[...])
  }

  /// Sorts each run of marks by class, keeping the order of equal classes.
  private static func reorder(_ elements: inout ArraySlice<Element>) {
    for index in elements.indices.dropFirst() where elements[index].order != 0 {
      var place = index
      while place > elements.startIndex, elements[place - 1].order > elements[place].order {
        elements.swapAt(place - 1, place)
        place -= 1
      }
    }
  }

  /// Joins each starter with the marks after it that nothing separates from it.
  private static func compose(_ elements: inout [Element]) {
    var result: [Element] = []
    var starter: Int?
    for element in elements {
      if let starter, let last = result.last {
        let isAdjacent = starter == result.count - 1
        let isReachable = isAdjacent || (last.order != 0 && last.order < element.order)
        if isReachable, let joined = composed(result[starter].scalar, element.scalar) {
          result[starter].scalar = joined
          continue
        }
      }
      result.append(element)
      if element.order == 0 { starter = result.count - 1 }
    }
    elements = result
  }
}

extension Normalizer {
  /// The full canonical decomposition of one scalar.
  private static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar] {
    if scalar.value < 0xC0 { return [scalar] }
    if let syllable = Hangul.decomposed(scalar) { return syllable }
    let text = String(scalar).decomposedStringWithCanonicalMapping
    return Array(text.unicodeScalars)
  }

  /// The primary composite of two scalars, where there is one.
  private static func composed(
    _ first: Unicode.Scalar, _ second: Unicode.Scalar
  ) -> Unicode.Scalar? {
    if let syllable = Hangul.composed(first, second) { return syllable }
    if second.value < 0x300 || Hangul.isSyllable(first) { return nil }
    var pair = String.UnicodeScalarView()
    pair.append(first)
    pair.append(second)
    let joined = String(pair).precomposedStringWithCanonicalMapping.unicodeScalars
    return joined.count == 1 ? joined.first : nil
  }

  /// Whether the scalar is a starter, is its own normal form and never joins with what precedes it.
  ///
  /// Certain where true; some inert scalars of rarer scripts are not listed.
  static func isInert(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x300 || isListedInert(scalar)
  }

  private static func isListedInert(_ scalar: Unicode.Scalar) -> Bool {
    var low = 0
    var high = inertRanges.count
    while low < high {
      let middle = (low + high) / 2
      let range = inertRanges[middle]
      if scalar.value < range.lowerBound {
        high = middle
      } else if scalar.value > range.upperBound {
        low = middle + 1
      } else {
        return true
      }
    }
    return false
  }

  /// Letters and signs of the most used scripts, in rising order; a test checks every scalar.
  static let inertRanges: [ClosedRange<UInt32>] = [
    0x0391...0x03A1, 0x03A3...0x03CE,  // Greek
    0x0400...0x0482, 0x048A...0x052F,  // Cyrillic
    0x0531...0x0556, 0x0561...0x0587,  // Armenian
    0x05D0...0x05EA,  // Hebrew letters
    0x0620...0x064A, 0x0660...0x066F,  // Arabic letters and digits
    0x0904...0x0939,  // Devanagari letters
    0x0E01...0x0E37,  // Thai
    0x10D0...0x10FF,  // Georgian
    0x1E00...0x1EFF,  // Latin with marks, Vietnamese
    0x200C...0x200D, 0x2010...0x2027, 0x2030...0x205E,  // joiners, punctuation
    0x20A0...0x20C0,  // currency signs
    0x2190...0x2328, 0x232B...0x2426, 0x2500...0x27BF,  // arrows, mathematics, boxes, symbols
    0x3001...0x3029, 0x3041...0x3096, 0x30A1...0x30FE,  // Japanese
    0x3400...0x4DBF, 0x4E00...0x9FFF,  // Han
    0xAC00...0xD7A3,  // Hangul syllables
    0xFE0E...0xFE0F,  // variation selectors
    0xFF01...0xFF9D,  // wide and narrow forms
    0x1F1E6...0x1F1FF, 0x1F300...0x1F64F, 0x1F680...0x1F6C5, 0x1F900...0x1F9FF,  // emoji
    0x20000...0x2A6DF,  // Han, extension B
  ]
}

/// The syllables that are composed by arithmetic: the Unicode Standard, section 3.12.
private enum Hangul {
  static let syllables: UInt32 = 0xAC00
  static let leads: UInt32 = 0x1100
  static let vowels: UInt32 = 0x1161
  static let tails: UInt32 = 0x11A7
  static let leadCount: UInt32 = 19
  static let vowelCount: UInt32 = 21
  /// One more than there are final consonants: the first place stands for none.
  static let tailCount: UInt32 = 28

  static func isSyllable(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= syllables && scalar.value < syllables + leadCount * vowelCount * tailCount
  }

  static func decomposed(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    guard isSyllable(scalar) else { return nil }
    let index = scalar.value - syllables
    let parts = [
      leads + index / (vowelCount * tailCount),
      vowels + index / tailCount % vowelCount,
      tails + index % tailCount,
    ]
    return parts.filter { $0 != tails }.compactMap(Unicode.Scalar.init)
  }

  static func composed(
    _ first: Unicode.Scalar, _ second: Unicode.Scalar
  ) -> Unicode.Scalar? {
    let lead = first.value &- leads
    let vowel = second.value &- vowels
    if lead < leadCount, vowel < vowelCount {
      return Unicode.Scalar(syllables + (lead * vowelCount + vowel) * tailCount)
    }
    let tail = second.value &- tails
    if isSyllable(first), (first.value - syllables) % tailCount == 0, tail > 0, tail < tailCount {
      return Unicode.Scalar(first.value + tail)
    }
    return nil
  }
}
