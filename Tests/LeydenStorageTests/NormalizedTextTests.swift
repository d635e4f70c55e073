import Foundation
import LeydenTesting
import TestSupport
import XCTest

@testable import LeydenStorage

final class NormalizedTextTests: XCTestCase {
  private func check(_ left: String, _ right: String, _ note: @autoclosure () -> String) {
    let leftBytes = normalizedUTF8(of: left)
    let rightBytes = normalizedUTF8(of: right)
    let scalars = { (text: String) in text.unicodeScalars.map { String($0.value, radix: 16) } }
    XCTAssertEqual(
      left == right, leftBytes == rightBytes, "\(note()) \(scalars(left)) \(scalars(right))")
    XCTAssertEqual(
      left < right, precedes(leftBytes, rightBytes),
      "\(note()) \(scalars(left)) \(scalars(right))")
  }

  func testBytesAreEqualAndOrderedAsStringsAreForRandomText() {
    let seed: UInt64 = 21
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(20_000) {
      let left = randomText(0...5, using: &generator)
      let right = Bool.random(using: &generator) ? randomText(0...5, using: &generator) : left

      // Reordering marks keeps some texts equal and changes others; Swift's `==` tells which.
      let shuffled = String(
        String.UnicodeScalarView(right.unicodeScalars.shuffled(using: &generator)))

      check(left, right, "seed \(seed)")
      check(right, shuffled, "seed \(seed)")
    }
  }

  func testEveryScalarOutsideTheLargeUniformBlocksIsEqualToItsNormalFormWhichIsStable() {
    // Han and Hangul are covered by the random texts; the planes after these are empty.
    let ranges: [ClosedRange<UInt32>] = [
      0x0...0x33FF, 0xA000...0xABFF, 0xD700...0x16FFF, 0x1A000...0x1FFFF, 0x2F800...0x2FA1F,
    ]
    for scalar in testScale(ranges.joined().compactMap(Unicode.Scalar.init)) {
      let text = String(scalar)

      let bytes = normalizedUTF8(of: text)
      let normalized = String(decoding: bytes, as: UTF8.self)

      if normalized != text || normalizedUTF8(of: normalized) != bytes {
        XCTFail(hex(scalar.value))
      }
    }
  }

  func testEveryInertScalarStandsAloneInFrontOfAndBehindOthers() throws {
    let before = try XCTUnwrap("\u{E9}".unicodeScalars.first)
    for scalar in Normalizer.inertRanges.joined().compactMap(Unicode.Scalar.init) {
      if scalar.properties.canonicalCombiningClass != .notReordered
        || scalar.properties.isFullCompositionExclusion
        || scalar.properties.generalCategory == .unassigned
      {
        XCTFail(hex(scalar.value))
      }
      // Foundation is right about single scalars and pairs, and knows nothing of the list.
      let pair = String(String.UnicodeScalarView([before, scalar]))
      let reference = pair.decomposedStringWithCanonicalMapping
        .precomposedStringWithCanonicalMapping
      if !reference.unicodeScalars.elementsEqual([before, scalar]) { XCTFail(hex(scalar.value)) }
    }
    let bounds = Normalizer.inertRanges.flatMap { [$0.lowerBound, $0.upperBound] }
    XCTAssertEqual(bounds, bounds.sorted())
  }

  func testCanonicallyEquivalentSpellingsHaveTheSameBytes() {
    let pairs = [
      ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "A\u{30A}"), ("\u{1E69}", "s\u{307}\u{323}"),
      ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("\u{AC01}", "\u{AC00}\u{11A8}"),
      ("\u{1EAD}", "a\u{302}\u{323}"), ("\u{344}", "\u{308}\u{301}"),
      ("\u{F81}", "\u{F71}\u{F80}"), ("\u{958}", "\u{915}\u{93C}"),
      ("\u{1D15E}", "\u{1D157}\u{1D165}"), ("\u{FB1D}", "\u{5D9}\u{5B4}"),
      ("\u{2F9BA}", "\u{86E2}"),
    ]
    for (left, right) in pairs {
      XCTAssertEqual(left, right)
      XCTAssertEqual(normalizedUTF8(of: left), normalizedUTF8(of: right), left)
    }
  }

  func testTextThatLooksNormalizedIsNormalized() {
    let seed: UInt64 = 22
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(20_000) {
      let text = randomText(0...3, using: &generator)
      let bytes = Array(text.utf8)

      let isNormalized = unsafe bytes.withUnsafeBytes {
        unsafe LeydenStorage.isNormalized(utf8: $0)
      }

      if isNormalized { XCTAssertEqual(normalizedUTF8(of: text), bytes, "seed \(seed)") }
    }
  }

  func testOrdinaryTextOfManyLanguagesNeedsNoCloserLook() {
    for text in ["", "Leyden", "Größe", "Привет, мир", "東京タワー", "안녕하세요", "Việt Nam", "€ 20 → 😀"] {
      let bytes = Array(text.utf8)

      XCTAssertTrue(
        unsafe bytes.withUnsafeBytes { unsafe LeydenStorage.isNormalized(utf8: $0) }, text)
    }
  }

  private func hex(_ value: UInt32) -> String { "U+\(String(value, radix: 16))" }
}
