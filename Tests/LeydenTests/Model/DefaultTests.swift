import Foundation
import Leyden
import LeydenTesting
import XCTest

private enum Mood: String, PersistableEnum { case calm, gay }

private enum First {
  final class Entry: Object { @Persisted(primaryKey: true) var number: Int }
}

private enum Second {
  final class Entry: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var small: Int8 = -128
    @Persisted var word: UInt32 = .max
    @Persisted var ratio: Float = .infinity
    @Persisted var price = Decimal(sign: .minus, exponent: -3, significand: 12_345)
    @Persisted var stamp = ObjectId.generate()
    @Persisted var mood = Mood.gay
    @Persisted var maybe: Mood? = .gay
    @Persisted var none: Decimal?
    @Persisted var empty: Float
    @Persisted var date = Date.distantPast
    @Persisted var text = "a\0é"
    @Persisted var bytes = Data([0, 0])
  }
}

private enum Third {
  final class Entry: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted(indexed: true) var small: Int8 = -128
    @Persisted(indexed: true) var text = "a\0é"
    @Persisted(indexed: true) var maybe: Mood? = .gay
    @Persisted(indexed: true) var none: Decimal?
    @Persisted(indexed: true) var date = Date.distantPast
    @Persisted(indexed: true) var stamp = ObjectId.generate()

    override class var indexes: [CompoundIndex] { [CompoundIndex("maybe", "number")] }
  }
}

/// Defaults: of new objects, and of rows that are older than a property.
final class DefaultTests: XCTestCase {
  func testDefaultsAreEvaluatedForEachNewObject() {
    let entries = [Second.Entry(), Second.Entry()]

    XCTAssertNotEqual(entries[0].stamp, entries[1].stamp)
    XCTAssertEqual(entries[0].small, -128)
    XCTAssertEqual(entries[0].price.description, "-12.345")
    XCTAssertEqual(entries[0].maybe, .gay)
    XCTAssertEqual(entries[0].empty, 0)
  }

  func testOlderRowsHaveTheDefaultThatWasEvaluatedOnce() throws {
    let directory = try TemporaryDirectory()
    let old = try directory.store(objectTypes: [First.Entry.self])
    try old.write {
      for number in 0..<2 {
        let entry = First.Entry()
        entry.number = number
        try old.add(entry)
      }
    }
    old.close()
    var stamps: Set<ObjectId> = []

    for _ in 0..<2 {
      let store = try directory.store(objectTypes: [Second.Entry.self])
      for entry in store.objects(Second.Entry.self) {
        XCTAssertEqual(entry.small, -128)
        XCTAssertEqual(entry.word, .max)
        XCTAssertEqual(entry.ratio, .infinity)
        XCTAssertEqual(entry.price.description, "-12.345")
        XCTAssertEqual(entry.mood, .gay)
        XCTAssertEqual(entry.maybe, .gay)
        XCTAssertNil(entry.none)
        XCTAssertEqual(entry.empty, 0)
        XCTAssertEqual(entry.date, .distantPast)
        XCTAssertEqual(Array(entry.text.utf8), Array("a\0é".utf8))
        XCTAssertEqual(entry.bytes, Data([0, 0]))
        stamps.insert(entry.stamp)
      }
      store.close()
    }

    XCTAssertEqual(stamps.count, 1)
  }

  func testQueriesAndSortingUseTheDefaultsOfOlderRows() throws {
    let directory = try TemporaryDirectory()
    let old = try directory.store(objectTypes: [First.Entry.self])
    try old.write { try old.add(First.Entry()) }
    let store = try directory.store(objectTypes: [Second.Entry.self])
    try store.write {
      let entry = Second.Entry()
      entry.number = 1
      entry.price = -13
      entry.mood = .calm
      entry.small = 0
      try store.add(entry)
    }
    let entries = store.objects(Second.Entry.self)

    XCTAssertEqual(entries.where { $0.mood == .gay }.map(\.number), [0])
    XCTAssertEqual(entries.where { $0.price > -13 }.map(\.number), [0])
    XCTAssertEqual(entries.where { $0.small == -128 && $0.ratio > 5 }.map(\.number), [0])
    XCTAssertEqual(entries.sorted(by: \.price).map(\.number), [1, 0])
    XCTAssertEqual(entries.sorted(by: \.mood).map(\.number), [1, 0])
  }

  func testIndexesFindOlderRowsByTheirDefaults() throws {
    let directory = try TemporaryDirectory()
    let old = try directory.store(objectTypes: [First.Entry.self])
    try old.write {
      for number in 0..<3 { try old.create(First.Entry.self, value: [number]) }
    }
    let store = try directory.store(objectTypes: [Third.Entry.self])
    // A program that does not know the property adds a row, too.
    try old.write { try old.create(First.Entry.self, value: [3]) }
    let entries = store.objects(Third.Entry.self)
    func numbers(_ results: Results<Third.Entry>) -> [Int] { results.map(\.number) }
    func assertFound(_ expected: [Int], line: UInt = #line) {
      let stamp = entries.last?.stamp ?? ObjectId()
      for answer in [
        entries.where { $0.small == -128 }, entries.where { $0.text == "a\0e\u{301}" },
        entries.where { $0.text.starts(with: "a") }, entries.where { $0.maybe == .gay },
        entries.where { $0.date <= Date.distantPast }, entries.where { $0.stamp == stamp },
        entries.where { $0.maybe == .gay && $0.number >= 0 },
      ] {
        XCTAssertEqual(numbers(answer), expected, answer.explain(), line: line)
        XCTAssertTrue(answer.explain().contains("index"), answer.explain(), line: line)
      }
    }

    assertFound([0, 1, 2, 3])
    XCTAssertEqual(numbers(entries.where { $0.none == nil }), [0, 1, 2, 3])
    let first = try XCTUnwrap(entries.first)
    try store.write {
      first.small = 1
      first.text = ""
      first.maybe = nil
      first.date = .distantFuture
      first.stamp = ObjectId()
    }
    assertFound([1, 2, 3])
    XCTAssertEqual(numbers(entries.sorted(by: \.small)), [1, 2, 3, 0])
    XCTAssertEqual(numbers(entries.where { $0.small == 1 && $0.maybe == nil }), [0])
    try old.write { try old.delete(old.objects(First.Entry.self)[1]) }
    assertFound([2, 3])
  }

  func testAnObjectOfADeletedRowHasEmptyValuesAndNotDefaults() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Second.Entry.self])
    let entry = Second.Entry()
    try store.write { try store.add(entry) }

    try store.write { try store.delete(entry) }

    XCTAssertTrue(entry.isInvalidated)
    XCTAssertEqual(entry.small, 0)
    XCTAssertEqual(entry.ratio, 0)
    XCTAssertEqual(entry.price, 0)
    XCTAssertEqual(entry.stamp, ObjectId())
    XCTAssertEqual(entry.mood, .calm)
    XCTAssertNil(entry.maybe)
    XCTAssertEqual(entry.date, Date(timeIntervalSinceReferenceDate: 0))
  }
}
