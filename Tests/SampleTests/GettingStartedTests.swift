import Foundation
import XCTest

/// The program that the README shows.
final class GettingStartedTests: SampleTestCase {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  func testItHearsOfItsOwnWrite() throws {
    let first = try program("getting-started", []).run()
    let second = try program("getting-started", []).run()

    let change = "deleted [], inserted [0], modified []\n"
    XCTAssertEqual(first, .init(status: 0, output: "notes about jars: 0\n" + change, errors: ""))
    XCTAssertTrue(second.output.hasPrefix("notes about jars: 1\n"), second.output)
  }

  func testTheReadmeShowsItsCodeAndItsOutput() throws {
    let readme = try text("README.md")
    let source = try text("Samples/getting-started/main.swift")

    let code = try XCTUnwrap(source.range(of: "final class")).lowerBound

    XCTAssertTrue(readme.contains("```swift\n" + source[code...] + "```\n"))
    XCTAssertTrue(
      readme.contains("notes about jars: 0\ndeleted [], inserted [0], modified []\n"))
  }
}
