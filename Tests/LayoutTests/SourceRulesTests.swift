import Foundation
import XCTest

/// What a program can check of how the sources look.
final class SourceRulesTests: XCTestCase {
  private static let folders = ["Sources", "Samples", "Tests", "Scripts", "Docs", ".ci"]

  func testOnlyTheStorageLayerImportsLMDB() throws {
    // Samples may compare themselves with plain LMDB in a folder that says so.
    let allowed = ["Sources/LeydenStorage/", "Samples/benchmark/Baselines/"]
    let files = Self.folders.flatMap { Repository.files(in: $0, withExtension: "swift") }

    let importers = try files.filter { file in
      try SwiftSource(String(contentsOf: file, encoding: .utf8)).importedModules.contains("CLMDB")
    }.map(Repository.path)

    XCTAssertEqual(importers.filter { path in !allowed.contains { path.hasPrefix($0) } }, [])
  }

  func testNothingIsLeftForLater() throws {
    // Spelled in two parts, or this file would be the first to offend.
    let words = ["TO" + "DO", "FIX" + "ME"]

    var offenders: [String] = []
    for file in Self.folders.flatMap({ Repository.files(in: $0) }) {
      // A file that is no text has no such words.
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false)
        .enumerated()
      where words.contains(where: { line.contains($0) }) {
        offenders.append("\(Repository.path(of: file)):\(number + 1)")
      }
    }

    XCTAssertEqual(offenders, [])
  }

  func testChildrenByForkAreMadeWhereSanitizersRunThemAlone() throws {
    // Spelled in two parts, or this file would be one of them.
    let child = "Forked" + "Child"
    let users = try Repository.files(in: "Tests", withExtension: "swift").filter { file in
      try String(contentsOf: file, encoding: .utf8).contains(child)
    }.map(Repository.path)
    let allowed = ["Tests/LeydenStorageTests/", "Tests/LeydenTests/Store/ForkedStoreTests.swift"]

    // Scripts/sanitize names both: what others do on their threads meanwhile, a child would wait for.
    XCTAssertEqual(
      users.filter { path in
        path != "Tests/TestSupport/\(child).swift" && !allowed.contains { path.hasPrefix($0) }
      }, [])
  }

  func testEachSampleBeginsWithThreeLinesForItsReader() throws {
    let mains = Repository.files(in: "Samples", withExtension: "swift").filter {
      $0.lastPathComponent == "main.swift"
    }

    for main in mains {
      let lines = try String(contentsOf: main, encoding: .utf8).split(separator: "\n").prefix(3)
      XCTAssertTrue(
        lines.count == 3 && lines.allSatisfy { $0.hasPrefix("// ") }
          && lines.last?.hasPrefix("// Read first: ") == true,
        "\(Repository.path(of: main)): what it shows, how to run it, which file to read first")
    }
  }
}
