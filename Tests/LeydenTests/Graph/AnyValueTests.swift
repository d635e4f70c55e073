import Foundation
import LeydenStorage
import LeydenTesting
import XCTest

@testable import Leyden

final class AnyValueTests: EmbeddedTestCase {
  func testEqualNumbersAreOneAmongDistinctValues() throws {
    let (store, folder) = try folder()
    let values: [AnyValue] = [
      .int(1), .double(1), .none, .decimal(1), .bool(true), .string("1"), .float(2), .int(2), .none,
      .object(folder), .object(folder),
    ]
    try store.write {
      folder.answers.append(contentsOf: values)
      for (number, value) in values.enumerated() {
        let other = Folder("\(number)")
        other.answer = value
        try store.add(other)
        let place = Place()
        place.note = value
        folder.earlier.append(place)
      }
    }
    let distinct: [AnyValue] = [
      .int(1), .none, .bool(true), .string("1"), .float(2), .object(folder),
    ]
    XCTAssertEqual(Array(folder.answers.distinct(by: \.self)), distinct)
    XCTAssertEqual(folder.earlier.distinct(by: \.note).map(\.note), distinct)
    XCTAssertEqual(
      store.objects(Folder.self).where { $0.name != "a" }.distinct(by: \.answer).map(\.answer),
      distinct)
  }

  func testEmbeddedObjectsAndCollectionsAreNoValues() throws {
    let (store, folder) = try folder { $0.answer = .int(1) }
    let values: [Any] = [Place("x"), [Place("x")], folder.people, folder.earlier, folder.byName]
    try store.write {
      for value in values {
        for key in ["answer", "title", "place"] {
          let given = key == "place" ? ["number": value] : value
          XCTAssertThrowsError(
            try store.create(Folder.self, value: ["name": "a", key: given], update: .modified)
          ) { error in
            guard case StoreError.invalidValue = error else { return XCTFail("\(error)") }
          }
        }
      }
      XCTAssertThrowsError(
        try store.create(
          Folder.self, value: ["name": "a", "answers": [Place("x")]], update: .modified))
    }
    XCTAssertEqual(folder.answer, .int(1))
    XCTAssertEqual(folder.answers.count, 0)
    XCTAssertThrowsError(try store.write { folder["answer"] = Place("x") })
    XCTAssertEqual(folder.answer, .int(1))
  }

  private let values: [AnyValue] = [
    .none, .int(.min), .int(42), .bool(true), .float(1.5), .double(-0.25), .string(""),
    .string("é"), .data(Data([0, 1])), .date(Date(timeIntervalSinceReferenceDate: 1)),
    .objectId(.generate()), .decimal(Decimal(sign: .plus, exponent: -2, significand: 314)),
    .uuid(UUID()), .string(String(repeating: "jar ", count: 1_000)),
  ]

  func testEveryCaseComesBack() throws {
    let (store, folder) = try folder()
    XCTAssertEqual(folder.answer, .none)
    for value in values {
      try store.write { folder.answer = value }
      XCTAssertEqual(folder.answer, value)
      XCTAssertEqual(try folderElsewhere().answer, value)
    }
    try store.write {
      folder.answers.append(contentsOf: values)
      folder.answerSet.insert(contentsOf: values)
      for (number, value) in values.enumerated() { folder.answersByName["\(number)"] = value }
    }
    let other = try folderElsewhere()
    XCTAssertEqual(Array(other.answers), values)
    XCTAssertEqual(Set(other.answerSet), Set(values))
    for (number, value) in values.enumerated() {
      XCTAssertEqual(other.answersByName["\(number)"], value)
      XCTAssertTrue(other.answerSet.contains(value))
    }
    XCTAssertNoThrow(try store.verify())
  }

  func testObjectsInValuesAreAddedAndLetGo() throws {
    let (red, blue) = (Label("red"), Label("blue"))
    let (store, folder) = try folder {
      $0.answer = .object(Person("Ann"))
      $0.answers.append(contentsOf: [.object(red), .int(1), .object(red)])
      $0.answersByName["k"] = .object(red)
    }
    XCTAssertEqual(folder.answer.object, store.objects(Person.self).first)
    try store.write {
      folder.answerSet.insert(.object(blue))
      folder.answerSet.insert(.object(red))
      folder.answer = .object(blue)
    }
    XCTAssertEqual(folder.answer, .object(blue))
    XCTAssertTrue(folder.answerSet.contains(.object(blue)))
    try store.write { try store.delete(red) }
    XCTAssertEqual(Array(folder.answers), [.int(1)])
    XCTAssertEqual(Array(folder.answerSet), [.object(blue)])
    XCTAssertEqual(folder.answersByName["k"], AnyValue.none)
    try store.write { try store.delete(blue) }
    XCTAssertEqual(folder.answer, .none)
    XCTAssertEqual(folder.answerSet.count, 0)
    XCTAssertNoThrow(try store.verify())
  }

  func testNumbersOfAllTypesAreOneElementWhereTheyAreEqual() throws {
    let (store, folder) = try folder()
    try store.write {
      folder.answerSet.insert(contentsOf: [
        .int(1), .double(1), .float(1), .decimal(1), .bool(true), .string("1"), .double(0.5),
        .decimal(Decimal(sign: .plus, exponent: -1, significand: 5)), .double(0.1),
        .decimal(Decimal(sign: .plus, exponent: -1, significand: 1)), .double(.nan),
        .decimal(.nan), .double(-0.0), .int(0),
      ])
    }
    XCTAssertEqual(
      folder.answerSet.map { (value) -> AnyValue in
        if case .double(let number) = value, number.isNaN { return AnyValue.string("NaN") }
        return value
      },
      [
        .bool(true), .double(-0.0), .decimal(Decimal(sign: .plus, exponent: -1, significand: 1)),
        .double(0.1), .double(0.5), .int(1), .string("NaN"), .string("1"),
      ])
  }

  func testNumbersAreInExactOrder() {
    // Each is less than the next one.
    let rising: [StoredValue] = [
      .double(-.infinity), .double(-.greatestFiniteMagnitude), .decimal(-.greatestFiniteMagnitude),
      .int(.min), .double(-9_007_199_254_740_992), .int(-9_007_199_254_740_991),
      .double(-0.3), .decimal(decimal("-0.299999999999999988897769753748")),
      .double(-0.1), .decimal(decimal("-0.1")),
      .double(-.leastNonzeroMagnitude), .int(0), .double(.leastNonzeroMagnitude),
      .decimal(.leastNonzeroMagnitude), .decimal(decimal("0.1")), .double(0.1),
      .float(0.1), .double(0.3), .decimal(decimal("0.3")), .float(0.5),
      .decimal(decimal("0.50000000000000000000000000000001")), .double(9_007_199_254_740_992),
      .int(9_007_199_254_740_993), .double(9_007_199_254_740_994), .int(.max),
      .double(9_223_372_036_854_775_808), .decimal(.greatestFiniteMagnitude),
      .double(.greatestFiniteMagnitude), .double(.infinity), .double(.nan),
    ]
    for (number, left) in rising.enumerated() {
      for right in rising[(number + 1)...] {
        XCTAssertTrue(key(left).lexicographicallyPrecedes(key(right)), "\(left) and \(right)")
      }
    }
  }

  func testDecimalsThatBinaryNumbersHoldAreEqualToThem() {
    forEachSeed(300) { seed in
      var random = SeededGenerator(seed: seed)
      // A whole number of 2 to 60 bits, with up to 40 of them behind the point.
      let whole = Int64(bitPattern: random.next()) >> Int64(4 + random.next() % 50)
      let places = Int(random.next() % 40)
      guard let top = Double(exactly: whole) else { return }
      let binary = top * Double(sign: .plus, exponent: -places, significand: 1)
      var exact = Decimal(whole)
      for _ in 0..<places { exact *= Decimal(sign: .plus, exponent: -1, significand: 5) }
      guard StoredDecimal(exact).mantissa < 1 << 120 else { return }
      XCTAssertEqual(key(.double(binary)), key(.decimal(exact)), "seed \(seed): \(exact)")
      XCTAssertTrue(
        key(.double(binary)).lexicographicallyPrecedes(key(.double(binary.nextUp))),
        "seed \(seed)")
    }
  }

  private func decimal(_ text: String) -> Decimal {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
  }

  private func key(_ value: StoredValue) -> [UInt8] {
    var key = KeyEncoder()
    key.append(anyValue: value)
    return key.bytes
  }
}
