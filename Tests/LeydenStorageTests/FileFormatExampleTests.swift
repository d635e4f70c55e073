import Foundation
import LeydenStorage
import XCTest

/// The examples at the end of Docs/FileFormat.md are bytes that this code agrees with.
final class FileFormatExampleTests: XCTestCase {
  /// The bytes of the dump that follows a heading of the paper.
  private func example(_ heading: String) throws -> [UInt8] {
    let paper = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Docs/FileFormat.md")
    let text = try String(contentsOf: paper, encoding: .utf8)
    let section = try XCTUnwrap(text.range(of: "\n### \(heading)\n"))
    let dump = try XCTUnwrap(
      text[section.upperBound...].components(separatedBy: "```\n").dropFirst().first)
    return dump.split(separator: "\n").flatMap { line -> [UInt8] in
      // Offset, two spaces, bytes, three spaces, what they mean.
      let columns = line.trimmingCharacters(in: .whitespaces).components(separatedBy: "  ")
      return columns.dropFirst().first?.split(separator: " ").compactMap { UInt8($0, radix: 16) }
        ?? []
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private func sum(_ bytes: ArraySlice<UInt8>, type: UInt32, row: UInt64) -> UInt32 {
    unsafe Array(bytes).withUnsafeBytes { unsafe checksum(of: $0, type: type, row: row) }
  }

  func testTheRecordHasItsChecksum() throws {
    let record = try example("A record")

    XCTAssertEqual(record.count, 73)
    XCTAssertEqual(sum(record[..<4] + record[8...], type: 1, row: 7), number(record[4..<8]))
  }

  func testTheEntryOfTheCatalogHasItsChecksum() throws {
    let record = try example("An entry of the catalog")

    XCTAssertEqual(record.count, 56)
    XCTAssertEqual(
      sum(record[..<4] + record[8...], type: 0xFFFF_FF01, row: 1), number(record[4..<8]))
  }

  func testTheEntryOfTheLogHasItsChecksum() throws {
    let entry = try example("An entry of the log")

    XCTAssertEqual(entry.count, 61)
    XCTAssertEqual(sum(entry[4...], type: 0, row: 3), number(entry[0..<4]))
  }

  func testTheIndexEntryIsThatOfTheEncoder() {
    var key = KeyEncoder()
    key.append(string: "jar", terminated: true)
    key.appendRow(7)

    XCTAssertEqual(key.bytes, [0x6A, 0x61, 0x72, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7])
  }
  func testTheEntryOfACaseInsensitiveIndexIsThatOfTheEncoder() {
    var key = KeyEncoder()
    key.appendPresence(true)
    unsafe Array("Stra\u{DF}e".utf8).withUnsafeBytes {
      unsafe key.append(folding: $0, terminated: true)
    }
    key.appendRow(7)

    XCTAssertEqual(
      key.bytes, [1, 0x73, 0x74, 0x72, 0x61, 0x73, 0x73, 0x65, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7])
  }
}
