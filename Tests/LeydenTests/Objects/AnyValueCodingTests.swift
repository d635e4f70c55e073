import Foundation
import Leyden
import LeydenTesting
import XCTest

final class AnyValueCodingTests: XCTestCase {
  private let values: [StoredValue] = [
    .null, .bool(false), .bool(true), .int(.min), .int(-1), .int(.max), .float(.signalingNaN),
    .float(-0.0), .double(.nan), .double(-0.0), .string(""), .string("a\0é"), .data(Data()),
    .data(Data([0, 255])), .date(.distantPast), .uuid(UUID()), .decimal(.nan),
    .decimal(Decimal(sign: .minus, exponent: -3, significand: 12_345)), .decimal(0),
    .objectId(.generate()),
  ]

  private func decode(_ bytes: [UInt8]) -> StoredValue {
    unsafe bytes.withUnsafeBytes { unsafe AnyValueCoding.decode($0) }
  }

  func testEveryValueComesBack() {
    for value in values {
      let decoded = decode(AnyValueCoding.encode(value))

      XCTAssertTrue(decoded.isIdentical(to: value), "\(decoded) in place of \(value)")
    }
  }

  func testTheFirstByteIsTheTypesNumber() {
    for value in values {
      XCTAssertEqual(AnyValueCoding.encode(value).first, value.type?.rawValue ?? 0, "\(value)")
    }
    XCTAssertEqual(AnyValueCoding.encode(.float(1.5)).count, 9)
    XCTAssertEqual(AnyValueCoding.encode(.decimal(1)).count, 21)
    XCTAssertEqual(AnyValueCoding.encode(.objectId(ObjectId())).count, 13)
  }

  func testOtherBytesAreNullAndNoCrash() {
    forEachSeed(200) { seed in
      var random = SeededGenerator(seed: seed)
      let count = Int(random.next() & 31)
      let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next() & 31) }

      let value = decode(bytes)

      XCTAssertTrue(
        value.isIdentical(to: decode(AnyValueCoding.encode(value))), "seed \(seed): \(value)")
    }
    for type in PropertyType.allCases where type != .string && type != .data {
      XCTAssertEqual(decode([type.rawValue, 1, 2, 3]), .null, "\(type)")
    }
  }
}
