import XCTest

@testable import ConsoleKit

final class DisplayWidthTests: XCTestCase {
  func testACharacterTakesTheColumnsThatATerminalDraws() {
    let expected: [(String, Int)] = [
      ("a", 1), ("é", 1), ("e\u{301}", 1), ("日", 2), ("カ", 2), ("ｶ", 1), ("한", 2), ("Ω", 1),
      ("👍", 2), ("👍🏽", 2), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2), ("½", 1), ("\u{200B}", 0),
      ("", 0), ("plain", 5), ("日本語の覚え書き", 16),
    ]

    for (text, width) in expected {
      XCTAssertEqual(text.displayWidth, width, text)
    }
  }

  func testAFittedTextHasExactlyItsWidth() {
    for text in ["", "plain", "日本語の覚え書き", "👩‍👩‍👧 trip", "e\u{301}clair"] {
      for width in 0...20 {
        XCTAssertEqual(text.fitted(to: width).displayWidth, width, "\(text) in \(width)")
      }
    }
  }

  func testACutIsMarkedAndSplitsNoCharacter() {
    XCTAssertEqual("日本語".fitted(to: 5), "日本…")
    XCTAssertEqual("日本語".fitted(to: 4), "日… ")
    XCTAssertEqual("👩‍👩‍👧👩‍👩‍👧".fitted(to: 3), "👩‍👩‍👧…")
    XCTAssertEqual("plain".fitted(to: 1), "…")
    XCTAssertEqual("plain".fitted(to: 7), "plain  ")
  }
}
