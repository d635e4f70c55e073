import Foundation
import XCTest

/// The change log begins with what is not released yet, or with a version.
final class ChangeLogTests: XCTestCase {
  func testTheTopSectionIsUnreleasedOrAVersion() throws {
    let text = try String(
      contentsOf: Repository.root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let headings = text.split(separator: "\n").filter { $0.hasPrefix("## ") }

    let top = try XCTUnwrap(headings.first)

    XCTAssertNotNil(
      try /## (Unreleased|\d+\.\d+\.\d+ – \d{4}-\d{2}-\d{2})/.wholeMatch(in: top), "it is: \(top)")
  }
}
