import Foundation
import Leyden
import LeydenTesting
import XCTest

final class StoredDecimalTests: XCTestCase {
  private func decimal(_ text: String) throws -> Decimal {
    try XCTUnwrap(Decimal(string: text), text)
  }

  func testEqualNumbersHaveEqualBytes() throws {
    let texts = [
      ["1.5", "1.50", "15e-1"], ["0", "0.00", "0e5"], ["100", "1e2", "100.0"],
      ["1e130", "100000e125", "1000e127"],
    ]

    for same in texts {
      let forms = try same.map {
        StoredDecimal(try decimal($0.replacing("1e130", with: "1000e127")))
      }

      XCTAssertEqual(Set(forms).count, 1, "\(same)")
      XCTAssertEqual(Set(forms.map(\.bytes)).count, 1, "\(same)")
    }
    XCTAssertEqual(StoredDecimal(Decimal(0)), StoredDecimal(0 - Decimal(0)))
  }

  func testThePartsAreThoseOfTheFileFormat() throws {
    let form = StoredDecimal(try decimal("-12.50"))

    XCTAssertEqual(form.mantissa, 125)
    XCTAssertEqual(form.exponent, -1)
    XCTAssertEqual(form.sign, .negative)
    XCTAssertEqual(form.bytes, [125] + Array(repeating: 0, count: 15) + [0xff, 0xff, 1, 0])
    XCTAssertEqual(
      StoredDecimal(.nan).bytes, Array(repeating: 0, count: 18) + [2, 0])
    XCTAssertEqual(StoredDecimal(0).bytes, Array(repeating: 0, count: 20))
  }

  func testEveryNumberComesBack() throws {
    let texts = [
      "1", "-1", "0.1", "1e127", "-1e127", "1e-128", "3e-127",
      "340282366920938463463374607431768211455",
      "-340282366920938463463374607431768211455e-128",
      "340282366920938463463374607431768211455e127",
      "18446744073709551615", "18446744073709551616", "18446744073709551617", "10e127",
      "1000000e127",
    ]

    for text in texts {
      let number = try decimal(text)

      XCTAssertEqual(StoredDecimal(number).decimal, number, text)
    }
    XCTAssertTrue(StoredDecimal(.nan).decimal.isNaN)
  }

  func testBytesOfAnotherLengthOrSignAreNoNumber() {
    func parse(_ bytes: [UInt8]) -> StoredDecimal? {
      unsafe bytes.withUnsafeBytes { unsafe StoredDecimal(bytes: $0) }
    }
    let bytes = StoredDecimal(5).bytes

    XCTAssertEqual(parse(bytes), StoredDecimal(5))
    XCTAssertNil(parse([]))
    XCTAssertNil(parse(Array(bytes.dropLast())))
    XCTAssertNil(parse(bytes.prefix(18) + [3, 0]))
  }

  func testTheOrderIsThatOfTheValues() throws {
    let texts = [
      "-1e127", "-99999999999999999999999999999999999999", "-2", "-1.01", "-1", "-0.99", "-1e-127",
      "0",
      "1e-128", "1e-127", "0.1", "0.11", "0.9", "1", "1.000000000000000000000001", "9", "10", "11",
      "99999999999999999999999999999999999999", "1e38", "340282366920938463463374607431768211455",
      "4e38", "1e39", "1e127",
    ]
    let forms = try texts.map { StoredDecimal(try decimal($0)) }

    for (left, first) in forms.enumerated() {
      for (right, second) in forms.enumerated() {
        XCTAssertEqual(first < second, left < right, "\(texts[left]) < \(texts[right])")
        XCTAssertEqual(first <= second, left <= right, "\(texts[left]) <= \(texts[right])")
        XCTAssertEqual(first > second, left > right, "\(texts[left]) > \(texts[right])")
        XCTAssertEqual(first >= second, left >= right, "\(texts[left]) >= \(texts[right])")
      }
    }
  }

  func testWhatIsNoNumberIsInNoOrder() {
    let none = StoredDecimal(.nan)

    for other in [StoredDecimal(1), StoredDecimal(-1), none] {
      XCTAssertFalse(none < other || none > other || none <= other || none >= other)
      XCTAssertFalse(other < none || other > none || other <= none || other >= none)
    }
    XCTAssertEqual(none, none)
  }

  func testRandomNumbersComeBackInFoundationsOrder() throws {
    forEachSeed(20) { seed in
      var random = SeededGenerator(seed: seed)
      let numbers = (0..<20).map { _ -> Decimal in
        let digits = Decimal(random.next() >> (random.next() & 63))
        let more = Decimal(random.next() >> (random.next() & 63))
        return Decimal(
          sign: random.next() & 1 == 0 ? .plus : .minus, exponent: Int(random.next() & 63) - 32,
          significand: random.next() & 1 == 0 ? digits : digits * more)
      }

      for left in numbers {
        XCTAssertEqual(StoredDecimal(left).decimal, left, "seed \(seed)")
        for right in numbers {
          let text = "seed \(seed): \(left), \(right)"
          XCTAssertEqual(StoredDecimal(left) < StoredDecimal(right), left < right, text)
          XCTAssertEqual(StoredDecimal(left) == StoredDecimal(right), left == right, text)
        }
      }
    }
  }
}
