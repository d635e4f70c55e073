import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// The order of the bytes is the order of the values, and equal values have equal bytes.
final class KeyEncoderTests: XCTestCase {
  private let seed: UInt64 = 31
  private lazy var generator = SeededGenerator(seed: seed)

  private func key(_ build: (inout KeyEncoder) -> Void) -> [UInt8] {
    var encoder = KeyEncoder()
    build(&encoder)
    return encoder.bytes
  }

  /// Compares the keys of two values, rising, falling and nullable, with the values' own order.
  private func check<Value>(
    _ left: Value, _ right: Value, isLess: Bool, isEqual: Bool,
    _ append: (inout KeyEncoder, Value) -> Void, line: UInt = #line
  ) {
    let keys = [left, right].map { value in key { append(&$0, value) } }
    let falling = [left, right].map { value in
      key {
        append(&$0, value)
        $0.complement(from: 0)
      }
    }
    let note = "seed \(seed): \(left), \(right)"
    XCTAssertEqual(precedes(keys[0], keys[1]), isLess, note, line: line)
    XCTAssertEqual(keys[0] == keys[1], isEqual, note, line: line)
    XCTAssertEqual(precedes(falling[1], falling[0]), isLess, note, line: line)

    let null = key { $0.appendPresence(false) }
    let present = key {
      $0.appendPresence(true)
      append(&$0, left)
    }
    XCTAssertTrue(precedes(null, present), note, line: line)
  }

  func testIntegersAreOrdered() {
    let edges: [Int64] = [.min, .min + 1, -256, -1, 0, 1, 255, 256, .max - 1, .max]
    let values = edges + (0..<200).map { _ in Int64.random(in: .min ... .max, using: &generator) }
    for left in values {
      for right in edges {
        check(left, right, isLess: left < right, isEqual: left == right) { $0.append($1) }
      }
      let bits = UInt64(bitPattern: left)
      check(bits, 7, isLess: bits < 7, isEqual: bits == 7) { $0.append($1) }
    }
  }

  func testBooleansAreOrdered() {
    check(false, true, isLess: true, isEqual: false) { $0.append($1) }
  }

  func testNumbersWithFractionsAreOrderedAndTheZerosAreOne() {
    let edges: [Double] = [
      -.infinity, -.greatestFiniteMagnitude, -1.5, -.leastNonzeroMagnitude, -0.0, 0,
      .leastNonzeroMagnitude, 1, 1.5, .pi, .greatestFiniteMagnitude, .infinity,
    ]
    let random = (0..<300).map { _ in Double(bitPattern: generator.next()) }
    let values = edges + random.filter { !$0.isNaN }
    for left in values {
      for right in edges {
        check(left, right, isLess: left < right, isEqual: left == right) { $0.append($1) }
      }
      check(left, .nan, isLess: true, isEqual: false) { $0.append($1) }
    }
    check(-Double.nan, .signalingNaN, isLess: false, isEqual: true) { $0.append($1) }
  }

  func testDataIsOrderedByteByByte() {
    for _ in 0..<testScale(3_000) {
      let left = randomBytes(0...6, using: &generator)
      let right = randomBytes(0...6, using: &generator)
      check(left, right, isLess: precedes(left, right), isEqual: left == right) {
        $0.append(array: $1)
      }
    }
  }

  func testTextIsOrderedAsSwiftOrdersIt() {
    for _ in 0..<testScale(5_000) {
      let left = randomText(0...4, using: &generator)
      let right = randomText(0...4, using: &generator)
      check(left, right, isLess: left < right, isEqual: left == right) {
        $0.append(string: $1, terminated: true)
      }
    }
  }

  func testIdentifiersAreOrderedByteByByte() throws {
    for _ in 0..<testScale(300) {
      let bytes = (0..<2).map { _ in
        (0..<16).map { _ in UInt8.random(in: 0...3, using: &generator) }
      }
      let values = bytes.map { bytes in
        unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
      }
      check(
        values[0], values[1], isLess: precedes(bytes[0], bytes[1]), isEqual: bytes[0] == bytes[1]
      ) { $0.append($1) }
    }
  }

  func testDecimalsAreOrderedAndEveryWayToWriteOneIsTheSame() throws {
    for _ in 0..<testScale(5_000) {
      let parts = (0..<2).map { _ in
        (
          mantissa: UInt128(generator.next() >> UInt64.random(in: 0...63, using: &generator)),
          exponent: Int.random(in: -6...6, using: &generator),
          isNegative: Bool.random(using: &generator)
        )
      }
      let values = parts.map { part in
        Decimal(
          sign: part.isNegative ? .minus : .plus, exponent: part.exponent,
          significand: Decimal(UInt64(part.mantissa)))
      }
      let keys = parts.map { part in
        key {
          $0.append(
            decimal: part.mantissa, exponent: part.exponent, isNegative: part.isNegative)
        }
      }
      XCTAssertEqual(values[0] < values[1], precedes(keys[0], keys[1]), "seed \(seed): \(values)")
      XCTAssertEqual(values[0] == values[1], keys[0] == keys[1], "seed \(seed): \(values)")

      let longer = key {
        $0.append(
          decimal: parts[0].mantissa * 1_000, exponent: parts[0].exponent - 3,
          isNegative: parts[0].isNegative)
      }
      XCTAssertEqual(longer, keys[0], "seed \(seed): \(values[0])")
    }
    let largest = key { $0.append(decimal: .max, exponent: 127, isNegative: false) }
    let none = key { $0.appendDecimalNotANumber() }
    XCTAssertTrue(precedes(largest, none))
    XCTAssertLessThanOrEqual(largest.count, 24)
  }

  func testFieldsOneAfterTheOtherAreOrderedFieldByField() {
    for _ in 0..<testScale(5_000) {
      let rows = (0..<2).map { _ in
        (
          text: randomText(0...2, using: &generator),
          number: Int.random(in: 0..<5, using: &generator) == 0
            ? nil : Int64.random(in: -2...2, using: &generator),
          data: randomBytes(0...2, using: &generator), row: generator.next()
        )
      }
      let keys = rows.map { row in
        key {
          $0.append(string: row.text, terminated: true)
          let start = $0.count
          $0.appendPresence(row.number != nil)
          if let number = row.number { $0.append(number) }
          $0.complement(from: start)
          $0.append(array: row.data)
          $0.appendRow(row.row)
        }
      }

      // Text rising, number falling with null last, data rising, row rising.
      let isLess: Bool
      if rows[0].text != rows[1].text {
        isLess = rows[0].text < rows[1].text
      } else if rows[0].number != rows[1].number {
        isLess = (rows[0].number ?? .min) > (rows[1].number ?? .min)
      } else if rows[0].data != rows[1].data {
        isLess = precedes(rows[0].data, rows[1].data)
      } else {
        isLess = rows[0].row < rows[1].row
      }
      XCTAssertEqual(precedes(keys[0], keys[1]), isLess, "seed \(seed): \(rows)")
    }
  }

  func testAnUnterminatedFieldIsThePrefixOfExactlyTheFieldsThatBeginSo() {
    for _ in 0..<testScale(3_000) {
      let whole = randomBytes(0...4, using: &generator)
      let prefix = randomBytes(0...2, using: &generator)

      let wholeKey = key { $0.append(array: whole) }
      let prefixKey = key { $0.append(array: prefix, terminated: false) }

      XCTAssertEqual(
        wholeKey.starts(with: prefixKey), whole.starts(with: prefix),
        "seed \(seed): \(whole), \(prefix)")
    }
  }

  func testTheBytesAreThoseOfTheFormat() {
    XCTAssertEqual(
      key {
        $0.appendPresence(true)
        $0.append(array: [0x61, 0x00, 0x62])
        $0.append(Int64(-2))
        $0.appendRow(0x0102)
      },
      [
        1, 0x61, 0, 0xFF, 0x62, 0, 1, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE, 0, 0, 0, 0, 0,
        0, 1, 2,
      ])
    XCTAssertEqual(
      key { $0.append(decimal: 12345, exponent: -2, isNegative: false) },
      [2, 0x80, 0x02, 2, 24, 46, 0])
    XCTAssertEqual(key { $0.append(1.0) }, [0xBF, 0xF0, 0, 0, 0, 0, 0, 0])
  }

  func testAnEncoderCanBeUsedAgainAndTakenBackToAPosition() {
    var encoder = KeyEncoder()
    encoder.append(UInt8(1))
    encoder.append(UInt16(2))
    encoder.truncate(to: 1)
    XCTAssertEqual(encoder.bytes, [1])

    encoder.removeAll()

    XCTAssertEqual(encoder.count, 0)
  }
}
