import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Every scalar type with values at its edges: stored, read, reopened, asked for and sorted as Swift
/// has them.
final class ScalarTests: XCTestCase {
  private func assertIntegers<Number: Scalar & FixedWidthInteger>(_ type: Number.Type) throws {
    try HolderChecks<Number>(
      [.max, 0, 1, .min, .max - 1, 42, .min + 1, 0, 0 &- 1, .min / 2, .max]
    ).assertAll()
  }

  func testWholeNumbersOfAllWidths() throws {
    try assertIntegers(Int.self)
    try assertIntegers(Int8.self)
    try assertIntegers(Int16.self)
    try assertIntegers(Int32.self)
    try assertIntegers(Int64.self)
    try assertIntegers(UInt8.self)
    try assertIntegers(UInt16.self)
    try assertIntegers(UInt32.self)
  }

  /// Numbers in order, with what is not a number behind them.
  private func isBefore<Number: BinaryFloatingPoint>(_ left: Number, _ right: Number) -> Bool {
    if left.isNaN || right.isNaN { return !left.isNaN && right.isNaN }
    return left < right
  }

  private func assertFloats<Number: Scalar & BinaryFloatingPoint>(
    _ type: Number.Type, _ notNumbers: [Number]
  ) throws {
    let checks = try HolderChecks<Number>(
      [
        0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, -.leastNonzeroMagnitude,
        .leastNormalMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .pi, 1, -1,
        Number(1).nextUp, Number(1).nextDown, 0.1, 1e15,
      ] + notNumbers)

    try checks.assertValuesAreKept()
    try checks.assertOnlyOtherValuesAreChanges()
    try checks.assertEqualityQueries()
    try checks.assertOrderQueries()
    try checks.assertSorting(by: isBefore)
  }

  func testFloatingPointNumbersKeepEveryBit() throws {
    try assertFloats(
      Double.self, [.nan, -.nan, .signalingNaN, Double(nan: 12_345, signaling: false)])
    try assertFloats(
      Float.self, [.nan, -.nan, .signalingNaN, Float(nan: 12_345, signaling: true)])
  }

  func testTheTwoZerosAreEqualInQueriesAndStoredApart() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Holder<Double>.self])
    let holder = Holder<Double>(0, 0)
    try store.write { try store.add(holder) }
    let version = store.version

    try store.write { holder.value = -0.0 }

    XCTAssertEqual(holder.value.sign, .minus)
    XCTAssertGreaterThan(store.version, version)
    XCTAssertEqual(store.objects(Holder<Double>.self).where { $0.value == 0 }.count, 1)
  }

  func testTruthValues() throws {
    let checks = try HolderChecks<Bool>([true, false, false, true])

    try checks.assertValuesAreKept()
    try checks.assertOnlyOtherValuesAreChanges()
    try checks.assertEqualityQueries()
    try checks.assertSorting { !$0 && $1 }
  }

  func testDatesKeepEveryBitAndEveryYear() throws {
    let seconds = [
      612_345_678.123_456_7, 0, 1e15, -1e15, .infinity, -.infinity, 0.1.nextUp, -978_307_200.5,
      Double.greatestFiniteMagnitude, Double.leastNonzeroMagnitude, -1, 1_710_133_199.999,
    ]
    let dates =
      [.distantPast, .distantFuture] + seconds.map(Date.init(timeIntervalSinceReferenceDate:))

    try HolderChecks<Date>(dates).assertAll()
  }

  func testTextsKeepTheirBytesAndAreEqualByCanonicalEquivalence() throws {
    let long = String(repeating: "Leyden jar ", count: 200)
    try HolderChecks<String>([
      "", "\0", "\0\0", "a\0", "a\0b", "a", "A", "b", "é", "e\u{301}", "Å", "\u{212B}", "A\u{30A}",
      "ß", "ss", "q\u{323}\u{307}", "q\u{307}\u{323}", "1234567", "12345678", "\u{FFFF}",
      "\u{10FFFF}",
      "🧪", "👩‍👩‍👧‍👦", "한", "한", "\r\n", "\n", " ", "\u{FEFF}a", long, long + "a", long + "b", long + "é",
      long + "e\u{301}",
    ]).assertAll()
  }

  func testALongTextWithAndWithoutAnIndex() throws {
    let text = String(repeating: "0123456789abcdef", count: 1 << 12)
    let checks = try HolderChecks<String>([text, "", text + "é", text + "e\u{301}"])

    try checks.assertValuesAreKept()
    try checks.assertEqualityQueries()
  }

  func testAnEnormousText() throws {
    let directory = try TemporaryDirectory()
    let text = String(repeating: "0123456789abcdé\0", count: 1 << 19)
    do {
      let store = try directory.store(objectTypes: [Item.self])
      let item = Item(1)
      item.name = text
      try store.write { try store.add(item) }

      XCTAssertTrue(item.name == text)
      store.close()
    }
    let store = try directory.store(objectTypes: [Item.self])

    let item = try XCTUnwrap(store.objects(Item.self).first)
    XCTAssertTrue(item.name.utf8.elementsEqual(text.utf8))
    try store.write { item.name = "" }
    XCTAssertEqual(item.name, "")
  }

  func testBytes() throws {
    let values = [[], [0], [0, 0], [0, 1], [255], [255, 0], Array("1234567".utf8)].map {
      Data($0 as [UInt8])
    }
    let long = [2_000, 2_001, 100_000].map { Data(repeating: 7, count: $0) }
    let checks = try HolderChecks<Data>(values + long + [Data(repeating: 0, count: 5_000)])

    try checks.assertValuesAreKept()
    try checks.assertOnlyOtherValuesAreChanges()
    try checks.assertEqualityQueries()
    try checks.assertSorting { $0.lexicographicallyPrecedes($1) }
  }

  func testUniversallyUniqueIdentifiers() throws {
    let texts = [
      "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "7F000000-0000-0000-0000-000000000000", "80000000-0000-0000-0000-000000000000",
      "00000000-0000-0000-0000-000000000001",
    ]

    try HolderChecks<UUID>(try texts.map { try XCTUnwrap(UUID(uuidString: $0)) }).assertAll()
  }

  func testObjectIds() throws {
    let texts = [
      "000000000000000000000000", "ffffffffffffffffffffffff", "7fffffffffffffffffffffff",
      "800000000000000000000000", "000000000000000000000001", "000000000000000100000000",
    ]

    try HolderChecks<ObjectId>(try texts.map { try ObjectId(string: $0) }).assertAll()
  }

  func testDecimals() throws {
    let texts = [
      "0", "1.5", "1.50", "-1.5", "0.1", "99999999999999999999999999999999999999", "1e38", "1e127",
      "-1e127", "1e-127", "-1e-127", "340282366920938463463374607431768211455", "12.34", "12.35",
      "100",
      "1e-128",
    ]
    let edges = [
      Decimal.greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, .pi,
      Decimal(string: "10e127") ?? 0,
    ]

    try HolderChecks<Decimal>(
      try texts.map { try XCTUnwrap(Decimal(string: $0), $0) } + edges
    ).assertAll()
  }

  func testADecimalThatIsNoNumberIsEqualToItselfAndSortsLast() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Holder<Decimal>.self])
    let values: [Decimal] = [1, .nan, -1]
    try store.write {
      for (position, value) in values.enumerated() { try store.add(Holder(position, value)) }
    }
    let holders = store.objects(Holder<Decimal>.self)

    XCTAssertEqual(holders.where { $0.value == .nan }.map(\.position), [1])
    XCTAssertEqual(holders.where { $0.indexed == .nan }.map(\.position), [1])
    XCTAssertEqual(holders.where { $0.value < 5 }.map(\.position), [0, 2])
    XCTAssertEqual(holders.where { $0.indexed >= -5 }.map(\.position), [0, 2])
    XCTAssertEqual(holders.sorted(by: \.value).map(\.position), [2, 0, 1])
    XCTAssertEqual(holders.sorted(by: \.indexed, ascending: false).map(\.position), [1, 0, 2])
    XCTAssertTrue(holders[1].value.isNaN)
  }

  func testRandomValuesOfAllTypes() throws {
    try forEachSeed(4) { seed in
      var random = SeededGenerator(seed: seed)
      func some<Value>(_ make: (UInt64) -> Value) -> [Value] {
        (0..<12).map { _ in make(random.next()) }
      }
      let note = "seed \(seed)"
      try HolderChecks<Int>(some { Int(truncatingIfNeeded: $0) }, note: note).assertAll()
      try HolderChecks<Int16>(some { Int16(truncatingIfNeeded: $0) }, note: note).assertAll()
      try HolderChecks<UInt32>(some { UInt32(truncatingIfNeeded: $0) }, note: note).assertAll()
      try HolderChecks<Float>(
        some { Float(bitPattern: UInt32(truncatingIfNeeded: $0) & 0xbfff_ffff) }, note: note
      ).assertAll()
      try HolderChecks<Double>(
        some { Double(bitPattern: $0 & 0xbfff_ffff_ffff_ffff) }, note: note
      ).assertAll()
      try HolderChecks<ObjectId>(
        try some { $0 }.map { try ObjectId(string: String(format: "%016lx00000000", $0)) },
        note: note
      ).assertAll()
      try HolderChecks<Decimal>(
        some {
          Decimal(
            sign: $0 & 1 == 0 ? .plus : .minus, exponent: Int($0 >> 1 & 15) - 8,
            significand: Decimal($0 >> (5 + $0 & 31)))
        }, note: note
      ).assertAll()
    }
  }
}
