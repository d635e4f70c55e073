import Foundation
import XCTest

@testable import ConsoleKit

final class TextTableTests: XCTestCase {
  private let columns = [
    TextTable.Column("ID", minimumWidth: 4, priority: 3),
    TextTable.Column("TITLE", minimumWidth: 6, priority: 4),
    TextTable.Column("KEYWORDS", minimumWidth: 8, priority: 1),
    TextTable.Column("EDITED", priority: 2),
  ]
  private let rows = [
    ["n1", "日本語の覚え書き", "a", "2026-01-31"],
    ["n2", "👩‍👩‍👧 trip", "", "2026-01-31"],
    ["a long identifier", String(repeating: "x", count: 300), "b, c", "2026-01-31"],
  ]

  func testTheBordersStandInTheSameColumnsOfAllLinesAtEveryWidth() {
    for width in 12...120 {
      let table = TextTable(columns: columns, rows: rows, width: width)
      let lines = [table.heading] + rows.map(table.line)

      let borders = lines.map { line in
        line.indices.filter { line[$0] == "│" }.map { line[..<$0].displayWidth }
      }

      XCTAssertEqual(Set(borders).count, 1, "at \(width): \(lines)")
      for line in lines + [table.rule] {
        XCTAssertLessThanOrEqual(line.displayWidth, width, line)
      }
    }
  }

  func testWhatHasNoRoomIsLeftOutInTheOrderOfPriorities() {
    func heading(_ width: Int) -> String {
      TextTable(columns: columns, rows: rows, width: width).heading
        .split(separator: "│").map { $0.trimmingCharacters(in: .whitespaces) }
        .joined(separator: " ")
    }

    XCTAssertEqual(heading(80), "ID TITLE KEYWORDS EDITED")
    XCTAssertEqual(heading(30), "ID TITLE EDITED")
    XCTAssertEqual(heading(20), "ID TITLE")
    XCTAssertEqual(heading(8), "TITLE")
  }

  func testNarrowTextsAreNotSpreadOut() {
    let table = TextTable(columns: columns, rows: [["n1", "Milk", "", "now"]], width: 80)

    XCTAssertEqual(table.heading, "ID │ TITLE │ KEYWORDS │ EDITED")
    XCTAssertEqual(table.rule, "───┼───────┼──────────┼───────")
    XCTAssertEqual(table.line(["n1", "Milk", "", ""]), "n1 │ Milk  │          │")
  }
}
