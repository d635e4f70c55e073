import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

final class LongKeyTests: XCTestCase {
  private let store = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
  private lazy var rule = LongKey(fieldCount: 1, store: store)

  private func key(_ bytes: [UInt8], _ rule: LongKey? = nil) -> [UInt8] {
    var encoder = KeyEncoder()
    encoder.append(array: bytes)
    encoder.shorten(from: 0, by: rule ?? self.rule)
    return encoder.bytes
  }

  func testAKeyOfAnyNumberOfLongFieldsFitsIntoLMDB() {
    for count in 1...LongKey.maximumFieldCount {
      let rule = LongKey(fieldCount: count, store: store)
      var encoder = KeyEncoder()
      for _ in 0..<count {
        let start = encoder.count
        encoder.appendPresence(true)
        encoder.append(array: [UInt8](repeating: 0, count: 10_000))
        XCTAssertTrue(encoder.shorten(from: start, by: rule))
        XCTAssertLessThanOrEqual(encoder.count - start, rule.limit)
      }
      encoder.appendRow(.max)

      XCTAssertLessThanOrEqual(encoder.count, LongKey.maximumKeyLength, "\(count) fields")
    }
  }

  func testAFieldUpToTheLimitStaysWhole() {
    let longest = [UInt8](repeating: 0x61, count: rule.limit - 2)

    XCTAssertEqual(key(longest), longest + [0, 1])
    XCTAssertEqual(key(longest + [0x61]).count, rule.limit)
    XCTAssertEqual(key(longest + [0x61]).dropFirst(rule.prefixLength).prefix(2), [0, 2])
  }

  func testLongFieldsAreEqualExactlyWhenTheirValuesAre() {
    let seed: UInt64 = 51
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(500) {
      let left = randomBytes(230...300, using: &generator)
      var right = left
      if Bool.random(using: &generator) {
        right[Int.random(in: 0..<right.count, using: &generator)] ^= 1
      }

      XCTAssertEqual(key(left) == key(right), left == right, "seed \(seed)")
    }
  }

  func testValuesThatDifferWithinThePrefixKeepTheirOrder() {
    let seed: UInt64 = 52
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(2_000) {
      // A small alphabet over a long common beginning, so that the difference comes anywhere.
      let common = [UInt8](
        repeating: 0x61, count: Int.random(in: 0...rule.prefixLength, using: &generator))
      let left = common + randomBytes(0...260, using: &generator)
      let right = common + randomBytes(0...260, using: &generator)
      var bound = KeyEncoder()
      bound.append(array: left, terminated: false)

      let isCut = bound.shortenBound(from: 0, by: rule)

      if isCut, key(right).starts(with: bound.bytes) {
        continue  // These are compared by their full values.
      }
      if !isCut { bound.terminate() }
      XCTAssertEqual(
        precedes(bound.bytes, key(right)), precedes(left, right), "seed \(seed)")
    }
  }

  func testACutNeverSplitsAnEscapedZero() throws {
    for offset in 0...2 {
      let start = [UInt8](repeating: 0x61, count: offset)
      let bytes = start + [UInt8](repeating: 0, count: 300)
      let short = key(bytes)

      let field = try unsafe short.withUnsafeBytes { bytes in
        var decoder = unsafe KeyDecoder(bytes)
        return try unsafe decoder.readVariable()
      }

      XCTAssertNotNil(field.hash)
      XCTAssertTrue(bytes.starts(with: field.bytes))
    }
  }

  func testTheHashIsThatOfTheWholeEncodingKeyedWithTheStore() {
    let bytes = [UInt8](repeating: 0x61, count: 400)
    let whole = bytes + [0, 1]

    let hash = unsafe whole.withUnsafeBytes { unsafe rule.hash($0) }
    let other = LongKey(fieldCount: 1, store: UUID())

    XCTAssertEqual(Array(key(bytes).suffix(16)), hash)
    XCTAssertNotEqual(key(bytes), key(bytes, other))
  }
}
