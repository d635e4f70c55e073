import Foundation
import Leyden
import XCTest

final class StoredValueTests: XCTestCase {
  func testDescriptions() throws {
    let values: [(StoredValue, String)] = [
      (.null, "nil"), (.bool(true), "true"), (.int(.min), "-9223372036854775808"),
      (.float(0.1), "0.1"), (.float(.nan), "nan"), (.double(-0.0), "-0.0"),
      (.double(.infinity), "inf"), (.string("a\"b"), #""a"b""#), (.data(Data([1, 2])), "2 bytes"),
      (.date(Date(timeIntervalSinceReferenceDate: 0)), "2001-01-01T00:00:00Z"),
      (.date(.distantFuture), "4001-01-01T00:00:00Z"),
      (.date(Date(timeIntervalSinceReferenceDate: 1e15)), "2001 + 1000000000000000.0 s"),
      (.date(Date(timeIntervalSinceReferenceDate: -.infinity)), "2001 + -inf s"),
      (.date(Date(timeIntervalSinceReferenceDate: .nan)), "2001 + nan s"),
      (.decimal(try XCTUnwrap(Decimal(string: "-1.50"))), "-1.5"), (.decimal(.nan), "NaN"),
      (.objectId(ObjectId()), "000000000000000000000000"),
      (
        .uuid(try XCTUnwrap(UUID(uuidString: "7F000000-0000-0000-0000-000000000000"))),
        "7F000000-0000-0000-0000-000000000000"
      ),
    ]

    for (value, text) in values { XCTAssertEqual(value.description, text) }
    XCTAssertEqual(
      StoredValue.string(String(repeating: "é", count: 1_000)).description.count, 203)
  }

  func testTheDescriptionOfAnyTextIsShort() {
    let marks = "e" + String(repeating: "\u{301}", count: 100_000)
    for text in [marks, String(repeating: "👩‍👩‍👧", count: 1_000), String(repeating: "x", count: 201)] {
      let description = StoredValue.string(text).description
      XCTAssertLessThan(description.utf8.count, 1_000)
      XCTAssertTrue(description.hasSuffix("…\""), description)
    }
    let whole = String(repeating: "x", count: 200)
    XCTAssertEqual(StoredValue.string(whole).description, "\"\(whole)\"")
  }

  func testIdenticalIsStricterThanEqual() throws {
    let pairs: [(StoredValue, StoredValue, isEqual: Bool, isIdentical: Bool)] = [
      (.double(0), .double(-0.0), true, false), (.double(.nan), .double(.nan), false, true),
      (.float(0), .float(-0.0), true, false), (.float(.nan), .float(.nan), false, true),
      (.string("é"), .string("e\u{301}"), true, false), (.string("a"), .string("a"), true, true),
      (.int(1), .int(1), true, true), (.int(1), .double(1), false, false),
      (
        .decimal(try XCTUnwrap(Decimal(string: "1.50"))),
        .decimal(try XCTUnwrap(Decimal(string: "1.5"))), true, true
      ),
      (.decimal(.nan), .decimal(.nan), true, true), (.null, .null, true, true),
      (.null, .string(""), false, false),
    ]

    for (left, right, isEqual, isIdentical) in pairs {
      XCTAssertEqual(left == right, isEqual, "\(left), \(right)")
      XCTAssertEqual(left.isIdentical(to: right), isIdentical, "\(left), \(right)")
    }
  }

  func testTheSwiftValue() {
    XCTAssertNil(StoredValue.null.swiftValue)
    XCTAssertEqual(StoredValue.int(3).swiftValue as? Int, 3)
    XCTAssertEqual(StoredValue.float(3).swiftValue as? Float, 3)
    XCTAssertEqual(StoredValue.decimal(3).swiftValue as? Decimal, 3)
    XCTAssertEqual(StoredValue.objectId(ObjectId()).swiftValue as? ObjectId, ObjectId())
  }
}
