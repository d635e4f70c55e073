import Foundation
import LeydenTesting
import TestSupport
import XCTest

@testable import LeydenStorage

final class FoldedTextTests: XCTestCase {
  /// Texts, and what another implementation of Unicode folds them to.
  private static let samples = [
    ("", ""), ("Leyden JAR", "leyden jar"), ("Stra\u{DF}e", "strasse"), ("STRASSE", "strasse"),
    ("\u{1E9E}", "ss"), ("\u{FB01}n \u{FB03} \u{FB06}", "fin ffi st"), ("\u{17F}", "s"),
    ("GR\u{DC}N", "gr\u{FC}n"), ("gru\u{308}n", "gr\u{FC}n"),
    ("\u{C5}ngstr\u{F6}m", "\u{E5}ngstr\u{F6}m"), ("\u{212B}NGSTRO\u{308}M", "\u{E5}ngstr\u{F6}m"),
    ("ΣΟΦΟΣ", "σοφοσ"), ("σοφος", "σοφοσ"), ("\u{390}", "\u{390}"), ("\u{3B0}", "\u{3B0}"),
    ("\u{1FB3}\u{301}", "\u{3AC}\u{3B9}"), ("\u{1FBC}\u{342}", "\u{1FB6}\u{3B9}"),
    ("\u{1F88}", "\u{1F00}\u{3B9}"), ("\u{345}", "\u{3B9}"),
    ("\u{391}\u{345}\u{301}", "\u{3AC}\u{3B9}"), ("\u{3D0}\u{3D1}\u{3D5}\u{3D6}", "βθφπ"),
    ("\u{2126}", "ω"), ("Волга", "волга"), ("\u{419}ОД", "\u{439}од"),
    ("\u{418}\u{306}", "\u{439}"),
    ("\u{1C4}", "\u{1C6}"), ("\u{1C5}", "\u{1C6}"), ("\u{149}", "\u{2BC}n"),
    ("\u{149}\u{303}", "\u{2BC}\u{F1}"), ("\u{1F0}", "\u{1F0}"), ("J\u{30C}", "\u{1F0}"),
    ("H\u{331}", "\u{1E96}"), ("\u{1E96}", "\u{1E96}"), ("\u{1E9A}", "a\u{2BE}"),
    ("\u{1E9B}\u{323}", "\u{1E69}"), ("\u{130}", "i\u{307}"), ("I\u{307}", "i\u{307}"),
    ("\u{131}", "\u{131}"), ("I", "i"), ("ԱՐԵՎ", "արեվ"), ("\u{587}", "\u{565}\u{582}"),
    ("\u{13A0}", "\u{13A0}"), ("\u{AB70}", "\u{13A0}"), ("\u{13F8}", "\u{13F0}"),
    ("\u{1C90}", "\u{10D0}"), ("\u{10400}", "\u{10428}"), ("\u{212A}", "k"),
    ("👩‍👩‍👧 🦉 WATCH", "👩‍👩‍👧 🦉 watch"), ("q\u{307}\u{323}", "q\u{323}\u{307}"),
    ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("日本", "日本"),
  ]

  private func hex(_ text: String) -> [String] {
    text.unicodeScalars.map { String($0.value, radix: 16) }
  }

  func testTextsOfAllScriptsAreFolded() {
    for (text, folded) in Self.samples {
      XCTAssertEqual(foldedUTF8(of: text), Array(folded.utf8), "\(hex(text))")
      XCTAssertEqual(foldedUTF8(of: "x\(text)x"), Array("x\(folded)x".utf8), "\(hex(text))")
    }
  }

  /// Folds a scalar by the toolchain's tables, as CaseFolding is derived from the case mappings.
  private func fold(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    // The dotless i is folded to itself: only Turkic languages find it in "I".
    case 0x131: return String(scalar)
    // Cherokee is folded to its older, large letters.
    case 0x13A0...0x13F5: return String(scalar)
    case 0x13F8...0x13FD, 0xAB70...0xABBF: return scalar.properties.uppercaseMapping
    default:
      return scalar.properties.lowercaseMapping.unicodeScalars
        .flatMap(\.properties.uppercaseMapping.unicodeScalars)
        .map(\.properties.lowercaseMapping).joined()
    }
  }

  func testEveryScalarIsFoldedAsItsCaseMappingsSay() {
    // What lies between these has no case.
    let ranges: [ClosedRange<UInt32>] = [
      0x0...0x33FF, 0x4DC0...0x4DFF, 0xA000...0xABFF, 0xD7A4...0x16FFF, 0x1A000...0x1FFFF,
      0x2F800...0x2FA1F,
    ]
    for scalar in testScale(ranges.joined().compactMap(Unicode.Scalar.init)) {
      // The table is of one version: it says nothing of later letters.
      guard let age = scalar.properties.age, age.major <= CaseFolding.version else { continue }
      // Alone, and where it is not and so taken apart first.
      for text in [String(scalar), "\(scalar)\u{301}\u{323}"] {
        let scalars = text.decomposedStringWithCanonicalMapping.unicodeScalars
        let expected = normalizedUTF8(of: scalars.map(fold).joined())

        if foldedUTF8(of: text) != expected { XCTFail("\(hex(text))") }
      }
    }
  }

  func testEqualTextsHaveTheSameFoldedFormWhichIsStable() {
    let seed: UInt64 = 23
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(20_000) {
      let text = randomText(0...5, using: &generator)
      let shuffled = String(
        String.UnicodeScalarView(text.unicodeScalars.shuffled(using: &generator)))
      let folded = foldedUTF8(of: text)
      let form = String(decoding: folded, as: UTF8.self)

      XCTAssertEqual(foldedUTF8(of: form), folded, "seed \(seed): \(hex(text))")
      XCTAssertEqual(normalizedUTF8(of: form), folded, "seed \(seed): \(hex(text))")
      for other in [
        shuffled, text.decomposedStringWithCanonicalMapping,
        text.precomposedStringWithCanonicalMapping,
      ] where other == text {
        XCTAssertEqual(foldedUTF8(of: other), folded, "seed \(seed): \(hex(text)) \(hex(other))")
      }
    }
  }

  func testLettersThatDifferInCaseOnlyAreOneInAnyText() {
    let seed: UInt64 = 24
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(20_000) {
      let text = randomText(0...5, using: &generator)
      guard !text.unicodeScalars.contains("\u{131}") else { continue }
      // Scalar by scalar: the mappings of whole texts know final sigmas.
      let source = text.decomposedStringWithCanonicalMapping.unicodeScalars
      let folded = foldedUTF8(of: text)

      let lower = source.map(\.properties.lowercaseMapping).joined()
      let upper = source.map(\.properties.uppercaseMapping).joined()

      XCTAssertEqual(foldedUTF8(of: lower), folded, "seed \(seed): \(hex(text))")
      XCTAssertEqual(foldedUTF8(of: upper), folded, "seed \(seed): \(hex(text))")
    }
  }

  func testATextThatGoesOnFromAnotherBeginsWithItsFoldedBeginning() {
    let seed: UInt64 = 25
    var generator = SeededGenerator(seed: seed)
    let awkward = ["H", "\u{1FBC}", "\u{149}", "\u{DF}", "J", "Y", "I", "\u{130}", "x\u{345}"]
    var count = 0
    for _ in 0..<testScale(20_000) {
      let start =
        randomText(0...2, using: &generator) + (awkward.randomElement(using: &generator) ?? "")
      let text = start + randomText(0...3, using: &generator)
      guard normalizedUTF8(of: text).starts(with: normalizedUTF8(of: start)) else { continue }
      count += 1

      let beginning = foldedBeginning(ofTextsFrom: start)

      XCTAssertTrue(
        foldedUTF8(of: text).starts(with: beginning), "seed \(seed): \(hex(start)) \(hex(text))")
    }
    XCTAssertGreaterThan(count, testScale(5_000))
    XCTAssertEqual(foldedBeginning(ofTextsFrom: "Jar"), Array("ja".utf8))
    XCTAssertEqual(foldedBeginning(ofTextsFrom: ""), [])
  }
}
