import XCTest

@testable import Leyden

final class TextMatcherTests: XCTestCase {
  private func matches(
    _ match: Leyden.Expression.TextMatch, _ needle: String, _ text: String,
    _ options: StringOptions = []
  ) -> Bool {
    let matcher = TextMatcher(match, needle, options)
    return unsafe Array(text.utf8).withUnsafeBytes { unsafe matcher.matches($0) }
  }

  func testCaseIsFoldedInEveryScript() throws {
    for (left, right) in [
      ("straße", "STRASSE"), ("ΣΊΣΥΦΟΣ", "σίσυφος"), ("байкал", "БАЙКАЛ"), ("ÀÉÎ", "àéî"),
      ("ǆ", "Ǆ"), ("ﬁn", "FIN"), ("Ÿ", "ÿ"), ("ԱԲ", "աբ"), ("Ꭰ", "ꭰ"),
      ("ΐ", "\u{399}\u{308}\u{301}"),
    ] {
      XCTAssertTrue(matches(.equals, left, right, .caseInsensitive), "\(left) \(right)")
      XCTAssertTrue(matches(.equals, right, left, .caseInsensitive), "\(right) \(left)")
      XCTAssertTrue(matches(.contains, right, "<\(left)>", .caseInsensitive), "\(left) \(right)")
      XCTAssertFalse(matches(.equals, left, right), "\(left) \(right)")
    }
  }

  func testTheDotlessLetterStaysApart() throws {
    XCTAssertFalse(matches(.equals, "ı", "i", .caseInsensitive))
    XCTAssertFalse(matches(.equals, "ı", "I", .caseInsensitive))
    XCTAssertTrue(matches(.equals, "ı", "ı", .caseInsensitive))
    XCTAssertTrue(matches(.equals, "İ", "İ", .caseInsensitive))
    XCTAssertTrue(matches(.equals, "I", "i", .caseInsensitive))
  }

  func testMarksAreLeftOut() throws {
    for (left, right) in [
      ("e", "é"), ("e", "e\u{301}"), ("uber", "über"), ("Angstrom", "Ångström"), ("s", "ş"),
      ("Ελλαδα", "Ελλάδα"), ("и", "й"), ("q", "q\u{307}\u{323}"), ("", "\u{301}"),
    ] {
      XCTAssertTrue(matches(.equals, left, right, .diacriticInsensitive), "\(left) \(right)")
      XCTAssertTrue(matches(.equals, right, left, .diacriticInsensitive), "\(left) \(right)")
    }
    XCTAssertFalse(matches(.equals, "E", "é", .diacriticInsensitive))
    XCTAssertTrue(matches(.equals, "E", "é", [.diacriticInsensitive, .caseInsensitive]))
    XCTAssertFalse(matches(.equals, "o", "ø", .diacriticInsensitive))
  }

  func testSpellingsOfOneTextAreEqual() throws {
    for (left, right) in [
      ("é", "e\u{301}"), ("Å", "\u{212B}"), ("각", "\u{1100}\u{1161}\u{11A8}"),
      ("q\u{307}\u{323}", "q\u{323}\u{307}"), ("Ω", "\u{2126}"),
    ] {
      for match in [Leyden.Expression.TextMatch.equals, .contains, .starts, .ends, .like] {
        XCTAssertTrue(matches(match, left, right), "\(match) \(left)")
        XCTAssertTrue(matches(match, right, left), "\(match) \(left)")
      }
    }
  }

  func testPatternsCountCharacters() throws {
    XCTAssertTrue(matches(.like, "?", "👩‍👩‍👧"))
    XCTAssertTrue(matches(.like, "?", "e\u{301}"))
    XCTAssertFalse(matches(.like, "??", "é"))
    XCTAssertTrue(matches(.like, "*ß*", "GROSSE", .caseInsensitive))
    XCTAssertTrue(matches(.like, "", ""))
    XCTAssertTrue(matches(.like, "*", ""))
    XCTAssertFalse(matches(.like, "?", ""))
    XCTAssertTrue(matches(.like, "*a*b*c*", "xxaxxbxxcxx"))
    XCTAssertFalse(matches(.like, "*a*b*c", "xxaxxbxxcxx"))
    let long = String(repeating: "a", count: 5_000)
    XCTAssertFalse(matches(.like, "*a*a*a*a*b", long))
  }

  func testTheEmptyTextIsInEveryText() throws {
    for options in [[], .caseInsensitive, .diacriticInsensitive] as [StringOptions] {
      for text in ["", "a", "é", "A"] {
        XCTAssertTrue(matches(.contains, "", text, options))
        XCTAssertTrue(matches(.starts, "", text, options))
        XCTAssertTrue(matches(.ends, "", text, options))
        XCTAssertEqual(matches(.equals, "", text, options), text.isEmpty)
      }
    }
  }

  func testBytesThatAreNoTextMatchNothingAndDoNotCrash() throws {
    for bytes in [[0xff], [0xc3], [0x61, 0x80, 0x62], [0xed, 0xa0, 0x80]] as [[UInt8]] {
      for options in [[], [.caseInsensitive, .diacriticInsensitive]] as [StringOptions] {
        for match in [Leyden.Expression.TextMatch.equals, .contains, .starts, .ends, .like] {
          let matcher = TextMatcher(match, "é", options)
          XCTAssertFalse(unsafe bytes.withUnsafeBytes { unsafe matcher.matches($0) })
        }
      }
    }
  }
}
