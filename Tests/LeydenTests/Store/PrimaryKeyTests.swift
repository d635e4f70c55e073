import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Primary keys of every type, with values at their edges: each names one object.
final class PrimaryKeyTests: XCTestCase {
  private final class Keyed<Key: Scalar & Hashable>: Object {
    @Persisted(primaryKey: true) var key: Key
    @Persisted var number: Int

    convenience init(_ key: Key, _ number: Int) {
      self.init()
      self.key = key
      self.number = number
    }

    override class var storedName: String { "Keyed" }
  }

  /// Adds an object for each key, and checks that each is found, refused a second time, updated,
  /// deleted and added again, and that nothing else is touched.
  private func assertKeys<Key: Scalar & Hashable>(
    _ keys: [Key], absent: [Key] = [], line: UInt = #line
  ) throws {
    typealias Model = Keyed<Key>
    let directory = try TemporaryDirectory()
    var store = try directory.store(objectTypes: [Model.self])
    var random = SeededGenerator(seed: 11)
    try store.write {
      for (position, key) in keys.enumerated().shuffled(using: &random) {
        try store.add(Model(key, position))
      }
    }
    store.close()
    store = try directory.store(objectTypes: [Model.self])
    func numbers() -> [Int?] {
      keys.map { store.object(ofType: Model.self, forPrimaryKey: $0)?.number }
    }

    XCTAssertEqual(numbers(), Array(keys.indices), line: line)
    for key in absent {
      XCTAssertNil(store.object(ofType: Model.self, forPrimaryKey: key), "\(key)", line: line)
    }
    for (position, key) in keys.enumerated() {
      XCTAssertEqual(
        store.objects(Model.self).where { $0.key == key }.map(\.number), [position],
        "\(key)", line: line)
      XCTAssertThrowsError(try store.write { try store.add(Model(key, -1)) }, line: line) { error in
        guard case StoreError.duplicatePrimaryKey = error else {
          return XCTFail("\(key): \(error)", line: line)
        }
      }
      try store.write { try store.add(Model(key, position + 100), update: .modified) }
      try store.write {
        try store.create(Model.self, value: ["key": key, "number": position], update: .all)
      }
    }
    XCTAssertEqual(store.objects(Model.self).count, keys.count, line: line)
    XCTAssertEqual(numbers(), Array(keys.indices), line: line)
    for key in keys {
      let old = try XCTUnwrap(store.object(ofType: Model.self, forPrimaryKey: key))
      try store.write {
        try store.delete(old)
        XCTAssertNil(store.object(ofType: Model.self, forPrimaryKey: key), "\(key)", line: line)
        try store.add(Model(key, 7))
      }
      XCTAssertTrue(old.isInvalidated, line: line)
      XCTAssertEqual(store.object(ofType: Model.self, forPrimaryKey: key)?.number, 7, line: line)
    }
    XCTAssertEqual(store.objects(Model.self).count, keys.count, line: line)
    XCTAssertNil(store.failure, line: line)
  }

  func testWholeNumbers() throws {
    try assertKeys([Int.min, -1, 0, 1, 255, 256, .max], absent: [2, .max - 1, .min + 1])
    try assertKeys([Int64.min, .max, 0], absent: [1])
    try assertKeys([Int8.min, -1, 0, 1, .max], absent: [2])
    try assertKeys([Int16.min, -1, 0, 1, .max], absent: [2])
    try assertKeys([Int32.min, -1, 0, 1, .max], absent: [2])
    try assertKeys([UInt8.min, 1, 128, .max], absent: [2])
    try assertKeys([UInt16.min, 1, 32_768, .max], absent: [2])
    try assertKeys([UInt32.min, 1, 2_147_483_648, .max], absent: [2])
  }

  func testIdentifiers() throws {
    let texts = [
      "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      "00000000-0000-0000-0000-000000000001", "80000000-0000-0000-0000-000000000000",
    ]
    try assertKeys(texts.compactMap { UUID(uuidString: $0) }, absent: [UUID()])
    let numbers = [
      "000000000000000000000000", "ffffffffffffffffffffffff", "000000000000000000000001",
      "000000000000000100000000", "800000000000000000000000",
    ]
    try assertKeys(try numbers.map { try ObjectId(string: $0) }, absent: [ObjectId.generate()])
  }

  func testTexts() throws {
    let long = String(repeating: "k", count: 3_000)
    try assertKeys(
      [
        "", "\0", "\0\0", "a", "A", "a\0", "a\0b", "aa", " a", "é", "日本語", "👩‍👩‍👧", "\u{10FFFF}",
        long, long + "1", long + "2", String(long.prefix(255)), String(long.prefix(511)),
        String(repeating: "é", count: 200), String(repeating: "🦉", count: 400),
        String(repeating: "x", count: 1_000_000),
      ],
      absent: ["b", "e", long + "3", String(long.prefix(256)), "\0\0\0"])
  }

  func testTwoSpellingsOfOneTextAreOneKey() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Keyed<String>.self])
    let stem = String(repeating: "k", count: 2_000)
    for (number, (first, second)) in [
      ("é", "e\u{301}"), ("\u{212B}", "A\u{30A}"), (stem + "é", stem + "e\u{301}"),
    ].enumerated() {
      try store.write { try store.add(Keyed(first, number)) }

      XCTAssertThrowsError(try store.write { try store.add(Keyed(second, 9)) }) { error in
        guard case StoreError.duplicatePrimaryKey = error else { return XCTFail("\(error)") }
      }
      let updated = try store.write { try store.add(Keyed(second, number + 10), update: .modified) }

      XCTAssertTrue(updated.key.utf8.elementsEqual(first.utf8), "the key stays as it was spelled")
      XCTAssertEqual(
        store.object(ofType: Keyed<String>.self, forPrimaryKey: second)?.number, number + 10)
      XCTAssertEqual(store.objects(Keyed<String>.self).count, number + 1)
    }
  }

  func testAKeyOfAnotherTypeFindsNothing() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Keyed<Int8>.self])
    try store.write { try store.add(Keyed<Int8>(5, 1)) }

    XCTAssertNotNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: 5))
    XCTAssertNotNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: 5 as Int64))
    XCTAssertNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: "5"))
    XCTAssertNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: 5 + 256))
    XCTAssertNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: 5.0))
    XCTAssertNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: UUID()))
    XCTAssertNil(store.object(ofType: Keyed<Int8>.self, forPrimaryKey: Int8?.none))
    XCTAssertNil(store.failure)
  }

  func testAKeyIsFreeAgainAfterARolledBackWriteAndWithinTheWriteThatDeletes() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Keyed<String>.self])
    for key in ["a", String(repeating: "k", count: 3_000)] {
      try store.beginWrite()
      try store.add(Keyed(key, 1))
      XCTAssertThrowsError(try store.add(Keyed(key, 2)))
      try store.cancelWrite()
      XCTAssertNil(store.object(ofType: Keyed<String>.self, forPrimaryKey: key))

      try store.write { try store.add(Keyed(key, 3)) }
      try store.beginWrite()
      try store.delete(store.objects(Keyed<String>.self))
      try store.add(Keyed(key, 4))
      try store.cancelWrite()

      XCTAssertEqual(store.object(ofType: Keyed<String>.self, forPrimaryKey: key)?.number, 3)
      try store.write { try store.deleteAll() }
    }
  }
}
