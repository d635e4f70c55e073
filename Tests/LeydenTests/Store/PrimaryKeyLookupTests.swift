import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class TextKeyed: Object {
  @Persisted(primaryKey: true) var key: String
  @Persisted var number = 0
}

final class NumberKeyed: Object {
  @Persisted(primaryKey: true) var key: Int
  @Persisted var number = 0
}

final class UUIDKeyed: Object {
  @Persisted(primaryKey: true) var key: UUID
  @Persisted var number = 0
}

final class ObjectIdKeyed: Object {
  @Persisted(primaryKey: true) var key: ObjectId
  @Persisted var number = 0
}

/// One type as two programs know it.
enum Extended {
  final class Older: Object {
    @Persisted(primaryKey: true) var key: String
    override class var storedName: String { "Extended" }
  }

  final class Newer: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var number = 1
    override class var storedName: String { "Extended" }
  }
}

/// Whatever was asked for before, in whichever version: a key finds its object and no other.
final class PrimaryKeyLookupTests: StoreTestCase {
  func testTextKeysFindTheirObjectInEveryVersion() throws {
    // Two spellings of one text, two long ones that differ at their end, and one in chunks.
    let long = String(repeating: "k", count: 600)
    let keys =
      ["", "é", "e\u{301}", "a", "a\0", long + "1", long + "2"]
      + [String(repeating: "x", count: 9_000)]
    try runPrograms(TextKeyed.self, \.key, \.number, keys) { key, number in
      let object = TextKeyed()
      (object.key, object.number) = (key, number)
      return object
    }
  }

  func testNumberKeysFindTheirObjectInEveryVersion() throws {
    try runPrograms(NumberKeyed.self, \.key, \.number, [.min, -1, 0, 1, 2, .max]) { key, number in
      let object = NumberKeyed()
      (object.key, object.number) = (key, number)
      return object
    }
  }

  func testUUIDKeysFindTheirObjectInEveryVersion() throws {
    let keys = (0..<6).map { number in
      UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, number))
    }
    try runPrograms(UUIDKeyed.self, \.key, \.number, keys) { key, number in
      let object = UUIDKeyed()
      (object.key, object.number) = (key, number)
      return object
    }
  }

  func testObjectIdKeysFindTheirObjectInEveryVersion() throws {
    try runPrograms(
      ObjectIdKeyed.self, \.key, \.number, (0..<6).map { _ in ObjectId.generate() }
    ) { key, number in
      let object = ObjectIdKeyed()
      (object.key, object.number) = (key, number)
      return object
    }
  }

  func testKeysAreFoundInRecordsThatAnotherProgramHasExtended() throws {
    let directory = try TemporaryDirectory()
    for key in ["short", String(repeating: "k", count: 600)] {
      let older = try directory.store(named: "\(key.count)", objectTypes: [Extended.Older.self])
      let object = Extended.Older()
      object.key = key
      try older.write { try older.add(object) }
      XCTAssertEqual(older.object(ofType: Extended.Older.self, forPrimaryKey: key), object)
      let newer = try directory.store(named: "\(key.count)", objectTypes: [Extended.Newer.self])
      try newer.write { newer.objects(Extended.Newer.self).first?.number = 2 }

      XCTAssertEqual(older.object(ofType: Extended.Older.self, forPrimaryKey: key)?.key, key)
      try older.read {
        XCTAssertEqual(older.object(ofType: Extended.Older.self, forPrimaryKey: key)?.key, key)
      }
      XCTAssertNil(older.failure)
    }
  }

  /// Adds, changes and deletes at random through two stores, some of it rolled back; asks within
  /// writes, between them, and within reads that began before a write of the other store.
  private func runPrograms<Model: Object, Key: Hashable>(
    _ type: Model.Type, _ keyPath: KeyPath<Model, Key>,
    _ numberPath: ReferenceWritableKeyPath<Model, Int>, _ keys: [Key],
    _ make: (Key, Int) -> Model
  ) throws {
    try forEachSeed(8) { seed in
      var random = SeededGenerator(seed: seed)
      let directory = try TemporaryDirectory()
      let stores = [
        try directory.store(objectTypes: [type]), try directory.store(objectTypes: [type]),
      ]
      var expected: [Key: Int] = [:]
      func check(_ store: Store, _ expected: [Key: Int], _ context: String) {
        for key in keys {
          let found = store.object(ofType: type, forPrimaryKey: key)
          XCTAssertEqual(found?[keyPath: numberPath], expected[key], "\(key), \(context)")
          XCTAssertEqual(found?[keyPath: keyPath], found == nil ? nil : key, "\(key), \(context)")
        }
      }
      for step in 0..<30 {
        let context = "seed \(seed), step \(step)"
        let writing = stores[step % 2]
        let reading = stores[1 - step % 2]
        var after = expected
        try reading.read {
          check(reading, expected, context)
          try writing.beginWrite()
          for number in 0..<3 {
            let key = keys[Int.random(in: keys.indices, using: &random)]
            let value = step * 10 + number
            if let object = writing.object(ofType: type, forPrimaryKey: key) {
              if Bool.random(using: &random) {
                try writing.delete(object)
                after[key] = nil
              } else {
                object[keyPath: numberPath] = value
                after[key] = value
              }
            } else {
              try writing.add(make(key, value))
              after[key] = value
            }
            check(writing, after, "\(context), in the write")
          }
          if Int.random(in: 0..<4, using: &random) == 0 {
            try writing.cancelWrite()
            after = expected
          } else {
            try writing.commitWrite()
          }
          check(reading, expected, "\(context), kept version")
        }
        expected = after
        check(reading, expected, context)
        check(writing, expected, context)
        XCTAssertNil(reading.failure)
      }
    }
  }
}
