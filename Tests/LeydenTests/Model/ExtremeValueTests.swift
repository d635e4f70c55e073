import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Values at the edges of their types as what is asked for, where no row need hold them.
final class ExtremeValueTests: XCTestCase {
  /// Fills a store with `stored`, and asks for each of `asked` in all ways.
  private func assertAnswers<Value: Scalar & Hashable & Comparable>(
    _ stored: [Value], asked: [Value], line: UInt = #line
  ) throws {
    typealias Model = Holder<Value>
    let store = try TemporaryDirectory().store(objectTypes: [Model.self])
    try store.write {
      for (position, value) in stored.enumerated() { try store.add(Model(position, value)) }
    }
    let all = store.objects(Model.self)
    func positions(_ isIncluded: (Value) -> Bool) -> [Int] {
      stored.enumerated().filter { isIncluded($0.element) }.map(\.offset)
    }
    func check(
      _ what: String, _ isIncluded: (Value) -> Bool, _ condition: (Query<Value>) -> Query<Bool>,
      _ optional: (Query<Value?>) -> Query<Bool>
    ) {
      let expected = positions(isIncluded)
      let answers = [
        all.where { condition($0.value) }, all.where { condition($0.indexed) },
        all.where { optional($0.optional) }, all.where { optional($0.optionalIndexed) },
      ]
      for (way, answer) in answers.enumerated() {
        XCTAssertEqual(
          answer.map(\.position), expected, "\(Value.self) \(what), way \(way)", line: line)
      }
    }
    for value in asked {
      // Foundation's description of a date stops the program where it is too far away.
      let text = value.storedValue.description
      check("== \(text)", { $0 == value }, { $0 == value }, { $0 == value })
      check("!= \(text)", { $0 != value }, { $0 != value }, { $0 != value })
      check("< \(text)", { $0 < value }, { $0 < value }, { $0 < value })
      check("<= \(text)", { $0 <= value }, { $0 <= value }, { $0 <= value })
      check("> \(text)", { $0 > value }, { $0 > value }, { $0 > value })
      check(">= \(text)", { $0 >= value }, { $0 >= value }, { $0 >= value })
      check("in \(text)", { $0 == value }, { $0.in([value]) }, { $0.in([value]) })
      for other in asked where value <= other {
        let (closed, open) = (value...other, value..<other)
        let end = other.storedValue.description
        check("\(text)...\(end)", closed.contains, { $0.contains(closed) }, { $0.contains(closed) })
        check("\(text)..<\(end)", open.contains, { $0.contains(open) }, { $0.contains(open) })
      }
    }
    XCTAssertNil(store.failure)
  }

  private func assertIntegers<Number: Scalar & FixedWidthInteger>(_ type: Number.Type) throws {
    try assertAnswers(
      [Number]([5, 1, 100, 2]), asked: [.min, .min + 1, 0, 1, 2, 100, .max - 1, .max])
  }

  func testWholeNumbers() throws {
    try assertIntegers(Int.self)
    try assertIntegers(Int8.self)
    try assertIntegers(Int16.self)
    try assertIntegers(Int32.self)
    try assertIntegers(UInt8.self)
    try assertIntegers(UInt16.self)
    try assertIntegers(UInt32.self)
  }

  func testFloatingPointNumbers() throws {
    let edges: [Double] = [
      0, -0.0, .nan, -.nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
      1, 1 + .ulpOfOne,
    ]
    try assertAnswers([1, -1, 0, -0.0, .nan, .infinity], asked: edges)
    try assertAnswers([1, 2], asked: edges)
    try assertAnswers([Float]([1, -1, -0.0, .nan, -.infinity]), asked: edges.map { Float($0) })
  }

  func testDates() throws {
    let edges = [0, -0.0, .infinity, -.infinity, .greatestFiniteMagnitude, 1e15].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
    let asked = edges + [.distantPast, .distantFuture]
    try assertAnswers([edges[0], .distantPast, .distantFuture], asked: asked)
    try assertAnswers(asked, asked: asked)
  }

  func testADateThatIsNoNumberIsKeptAndInNoOrder() throws {
    let directory = try TemporaryDirectory()
    let nan = Date(timeIntervalSinceReferenceDate: .nan)
    do {
      let store = try directory.store(objectTypes: [Holder<Date>.self])
      try store.write {
        for (position, date) in [nan, .distantPast, .distantFuture].enumerated() {
          try store.add(Holder(position, date))
        }
      }
      store.close()
    }
    let store = try directory.store(objectTypes: [Holder<Date>.self])
    let all = store.objects(Holder<Date>.self)

    XCTAssertTrue(all[0].value.timeIntervalSinceReferenceDate.isNaN)
    XCTAssertEqual(all.sorted(by: \.value).map(\.position), [1, 2, 0])
    XCTAssertEqual(all.sorted(by: \.indexed).map(\.position), [1, 2, 0])
    XCTAssertEqual(all.sorted(by: \.indexed, ascending: false).map(\.position), [0, 2, 1])
    XCTAssertEqual(all.where { $0.value < Date.distantFuture }.map(\.position), [1])
    XCTAssertEqual(all.where { $0.indexed < Date.distantFuture }.map(\.position), [1])
    XCTAssertEqual(all.where { $0.value >= Date.distantPast }.map(\.position), [1, 2])
    XCTAssertEqual(all.where { $0.indexed >= Date.distantPast }.map(\.position), [1, 2])
    for answer in [
      all.where { $0.value == nan }, all.where { $0.indexed == nan }, all.where { $0.value <= nan },
      all.where { $0.indexed <= nan }, all.where { $0.value >= nan },
      all.where { $0.indexed >= nan }, all.where { $0.indexed.in([nan]) },
    ] {
      XCTAssertEqual(answer.count, 0)
    }
    XCTAssertEqual(all.where { $0.value != nan }.count, 3)
    XCTAssertEqual(all.where { $0.indexed != nan }.count, 3)
    XCTAssertTrue(all[0].description.contains("nan"), all[0].description)
    let version = store.version
    try store.write { all[0].value = nan }
    XCTAssertEqual(store.version, version)
  }

  func testTexts() throws {
    let enormous = String(repeating: "x", count: 30_000)
    let stem = String(repeating: "x", count: 254)
    let edges = [
      "", "\0", "\0\0", "a", "a\0", "é", "e\u{301}", "\u{10FFFF}", "\u{FFFF}", stem, stem + "x",
      stem + "\0", enormous, enormous + "!", String(repeating: "é", count: 500),
      String(repeating: "e\u{301}", count: 500),
    ]
    try assertAnswers(["a", "b", ""], asked: edges)
    try assertAnswers(["\0", "e\u{301}", enormous, stem + "x", stem + "\0"], asked: edges)
  }

  func testIdentifiers() throws {
    let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    let highest = UUID(
      uuid: (255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255))
    let middle = UUID(uuid: (127, 255, 0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 1))
    try assertAnswers([middle], asked: [zero, middle, highest])
    try assertAnswers([zero, highest], asked: [zero, middle, highest])
  }

  func testDecimals() throws {
    let edges: [Decimal] = [
      0, .greatestFiniteMagnitude, .leastFiniteMagnitude, .leastNonzeroMagnitude, 1,
      Decimal(sign: .plus, exponent: -127, significand: 1),
      Decimal(sign: .minus, exponent: 127, significand: 9),
    ]
    try assertAnswers([1, -1, 0], asked: edges)
    try assertAnswers(edges, asked: edges)
  }

  func testEqualValuesAreOneWhereOnesAreLeftOut() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Holder<Double>.self])
    let values: [Double?] = [0, -0.0, 1, nil, 0, nil, .infinity, 1]
    try store.write {
      for (position, value) in values.enumerated() { try store.add(Holder(position, value)) }
    }
    let all = store.objects(Holder<Double>.self)

    XCTAssertEqual(all.distinct(by: \.optional).map(\.position), [0, 2, 3, 6])
    XCTAssertEqual(all.distinct(by: \.optionalIndexed).map(\.position), [0, 2, 3, 6])
  }
}
