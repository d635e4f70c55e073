@testable import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

final class OrderedRowsTests: XCTestCase {
  private func row(_ key: Int, _ row: UInt64) -> OrderedRow {
    var encoder = KeyEncoder()
    encoder.append(Int64(key))
    if key % 3 == 0 { encoder.append(string: "behind the first eight bytes", terminated: true) }
    return OrderedRow(key: SortKey(encoder.bytes), row: row)
  }

  func testItAnswersAsASortedArrayDoes() throws {
    for (seed, start) in [(UInt64(1), 0), (2, 5_000), (3, 384), (4, 1)] {
      var generator = SeededGenerator(seed: seed)
      var expected = (0..<UInt64(start)).map { row(Int.random(in: 0..<500, using: &generator), $0) }
      expected.sort()
      var rows = OrderedRows(sorted: expected)
      var next = UInt64(start)
      var grows = true

      let steps = testScale(25_000)
      for step in 0..<steps {
        if step % max(1, steps / 5) == 0 { grows.toggle() }
        let isInsertion = Int.random(in: 0..<10, using: &generator) < (grows ? 6 : 4)
        if isInsertion {
          next += 1
          // Runs at the end and at the start as well as anywhere.
          let key =
            switch step % 3 {
            case 0: Int.random(in: 0..<500, using: &generator)
            case 1: 1_000 + step
            default: -step
            }
          let new = row(key, next)
          rows.insert(new)
          rows.insert(new)
          expected.insert(new, at: Self.place(of: new, in: expected))
        } else if let old = expected.randomElement(using: &generator) {
          rows.remove(old)
          rows.remove(old)
          expected.remove(at: Self.place(of: old, in: expected))
          XCTAssertFalse(rows.contains(old), "seed \(seed), step \(step)")
        }
        guard step % 97 == 0 else { continue }
        XCTAssertEqual(rows.count, expected.count, "seed \(seed), step \(step)")
        if let position = expected.indices.randomElement(using: &generator) {
          XCTAssertEqual(rows.rank(of: expected[position]), position, "seed \(seed), step \(step)")
          XCTAssertEqual(
            rows.row(at: position), expected[position].row, "seed \(seed), step \(step)")
        }
        XCTAssertNil(rows.rank(of: row(250, next + 1)))
        if step % 2_425 == 0 { XCTAssertTrue(rows.rows == expected.map(\.row), "seed \(seed)") }
      }
      XCTAssertTrue(rows.rows == expected.map(\.row), "seed \(seed)")
      for old in expected { rows.remove(old) }
      XCTAssertEqual(rows.count, 0)
      XCTAssertEqual(rows.rows, [])
      rows.insert(row(1, 1))
      XCTAssertEqual(rows.rows, [1])
    }
  }

  func testACopyKeepsItsRows() throws {
    var rows = OrderedRows(sorted: (0..<1_000).map { row(Int($0), UInt64($0)) }.sorted())
    let copy = rows

    for number in 0..<1_000 { rows.remove(row(number, UInt64(number))) }

    XCTAssertEqual(rows.count, 0)
    XCTAssertEqual(copy.count, 1_000)
    XCTAssertEqual(copy.rows.count, 1_000)
  }

  private static func place(of row: OrderedRow, in rows: [OrderedRow]) -> Int {
    var low = 0
    var high = rows.count
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
