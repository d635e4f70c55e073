import Foundation
import XCTest

@testable import ConsoleKit

final class EscapingTests: XCTestCase {
  private let hostile = "a\u{1B}[2J\u{9B}31m\u{7F}\u{202E}b\n\tc\\日👩‍👩‍👧"

  func testNothingThatATerminalObeysIsLeft() {
    let texts = [
      hostile.escapedForTerminal, hostile.escapedForTerminalKeepingLines, hostile.escapedAsField,
      JSON.string(hostile).text,
    ]

    for text in texts {
      XCTAssertFalse(
        text.unicodeScalars.contains { $0.isUnsafeOnTerminals && $0 != "\n" }, text)
    }
    XCTAssertEqual(
      hostile.escapedForTerminal, #"a\u{1b}[2J\u{9b}31m\u{7f}\u{202e}b\n\tc\日👩‍👩‍👧"#)
    XCTAssertTrue(hostile.escapedForTerminalKeepingLines.contains("b\n\\tc"))
    XCTAssertTrue(hostile.escapedAsField.contains(#"c\\日"#))
  }

  func testJSONMeansWhatWasGiven() throws {
    let json = JSON.object([
      ("z\"", .string(hostile)), ("a", .array([.integer(-1), .strings([]), .integers([2])])),
    ])

    XCTAssertTrue(json.text.hasPrefix(#"{"z\"":"a\u001b[2J"#), "the order is kept")
    let decoded = try XCTUnwrap(
      JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any])
    XCTAssertEqual(decoded["z\""] as? String, hostile)
    XCTAssertEqual((decoded["a"] as? [Any])?.count, 3)
  }
}
