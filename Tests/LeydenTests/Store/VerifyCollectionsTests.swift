import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with lists, sets and maps is found.
final class VerifyCollectionsTests: VerifyTestCase {
  /// The keys that a collection of a ship has in the table.
  private func keys(
    _ write: WriteTransaction, _ table: Table, _ ship: PersistedObject?, _ property: String,
    _ type: Catalog.StoredType
  ) throws -> [[UInt8]] {
    let row = try XCTUnwrap(ship?.access?.identity?.row)
    let id = try XCTUnwrap(type.property(named: property)?.id)
    let prefix = keyBytes(type.id) + keyBytes(row) + keyBytes(id)
    let keys = try write.keys(of: table).filter { $0.starts(with: prefix) }
    XCTAssertFalse(keys.isEmpty, property)
    return keys
  }

  /// What is found after the parts of one collection of a ship were changed.
  private func kinds(
    of number: Int, _ property: String,
    _ damage: (WriteTransaction, Table, [[UInt8]]) throws -> Void
  ) throws -> Set<Kind> {
    let store = try makeShips()
    let type = try store.type(named: "Ship")
    let ship = store.object(ofType: Ship.self, forPrimaryKey: number)
    return try kinds(store) { write in
      let table = try write.makeTable(named: "lists")
      try damage(write, table, try keys(write, table, ship, property, type))
    }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The bytes of a part of numbers under a key.
  private func part(_ numbers: [Int64], _ key: [UInt8]) -> [UInt8] {
    var elements = Elements(width: 8)
    for number in numbers {
      elements.append(unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) })
    }
    return elements.part(
      order: number(key[16...]), property: UInt32(number(key[12..<16])), row: number(key[4..<12]))
  }

  func testPartsOfListsThatAreMissingOrDamagedAreFound() throws {
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in try write.delete(keys[1], in: table) },
      [.collection])
    for position in [0, 4, 6, 7, 8, 40] {
      XCTAssertEqual(
        try kinds(of: 0, "numbers") { write, table, keys in
          try write.change(key: keys[1], in: table) { $0[position] ^= 1 }
        }.subtracting([.unownedChunk]), [.collection], "\(position)")
    }
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in
        // Under another order.
        let bytes = try XCTUnwrap(write.bytes(for: keys[0], in: table))
        try write.delete(keys[0], in: table)
        try write.put(bytes, for: keys[0].dropLast() + [7], in: table)
      }, [.collection])
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in
        let key = keys[0].prefix(16) + keyBytes(UInt64.max)
        try write.put(self.part([], Array(key)), for: Array(key), in: table)
      }, [.collection])
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in
        let key = keys[0].prefix(16) + keyBytes(UInt64.max)
        try write.put(self.part([1, 2], Array(key)), for: Array(key), in: table)
      }, [.collection])
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in
        try write.put([1], for: Array(keys[0].prefix(16)) + [1], in: table)
      }, [.collection])
    XCTAssertEqual(
      try kinds(of: 0, "numbers") { write, table, keys in
        // Too long for a part, and the others as many fewer.
        for key in keys.dropFirst() { try write.delete(key, in: table) }
        try write.put(self.part(Array(0..<499), keys[0]), for: keys[0], in: table)
      }, [.collection])
  }

  func testAListWithoutItsLinksIsFound() throws {
    let kinds = try kinds(of: 0, "route") { write, table, keys in
      try write.change(key: keys[0], in: table) { $0[9] ^= 1 }
    }
    XCTAssertEqual(kinds.subtracting([.missingInverseEntry]), [.collection])
  }

  func testEntriesOfSetsAndMapsThatAreMissingDamagedOrElsewhereAreFound() throws {
    for (ship, property) in [
      (1, "tags"), (0, "marks"), (0, "berths"), (1, "counts"), (0, "texts"),
    ] {
      let missing = try kinds(of: ship, property) { write, table, keys in
        try write.delete(keys[1], in: table)
      }
      XCTAssertTrue(missing.contains(.collection), property)
      let damaged = try kinds(of: ship, property) { write, table, keys in
        try write.change(key: keys[1], in: table) { $0[$0.count - 1] ^= 1 }
      }
      XCTAssertTrue(damaged.contains(.collection), property)
      let moved = try kinds(of: ship, property) { write, table, keys in
        // The checksum knows the place; one that was made for it does not make it the right one.
        var bytes = try XCTUnwrap(write.bytes(for: keys[0], in: table))
        let key: [UInt8] = keys[0].dropLast() + [keys[0].last == 9 ? 8 : 9]
        self.sealEntry(&bytes, key)
        try write.delete(keys[0], in: table)
        try write.put(bytes, for: key, in: table)
      }
      XCTAssertTrue(moved.contains(.collection), property)
      XCTAssertEqual(
        try kinds(of: ship, property) { write, table, keys in
          try write.put([1, 2], for: Array(keys[0].prefix(16)) + [1], in: table)
        }.subtracting([.missingInverseEntry]), [.collection], property)
    }
  }

  private func sealEntry(_ bytes: inout [UInt8], _ key: [UInt8]) {
    let sum = unsafe key.dropFirst(16).withUnsafeBytes { suffix in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe checksum(
          of: UnsafeRawBufferPointer(rebasing: bytes[4...]),
          after: checksum(
            of: suffix, type: UInt32(self.number(key[12..<16])), row: self.number(key[4..<12])))
      }
    }
    bytes.replaceSubrange(
      ..<4, with: unsafe withUnsafeBytes(of: sum.littleEndian) { unsafe Array($0) })
  }

  func testTheOwnersCountIsComparedWithTheElements() throws {
    for (number, property) in [(0, "numbers"), (1, "tags"), (1, "counts")] {
      XCTAssertEqual(
        try kinds(ofShip: number) { record, slot in record[slot(property) + 1] ^= 1 },
        [.collection],
        property)
    }
  }

  func testCollectionsThatAreNotWhereTheyBelongAreFound() throws {
    // Few elements in the table; many in the record; none that are not null.
    let few = try kinds(of: 0, "numbers") { write, table, keys in
      for key in keys.dropFirst() { try write.delete(key, in: table) }
      try write.put(self.part([1, 2], keys[0]), for: keys[0], in: table)
    }
    XCTAssertEqual(few, [.collection])
    let store = try makeShips()
    let type = try store.type(named: "Ship")
    let ship = try XCTUnwrap(store.object(ofType: Ship.self, forPrimaryKey: 1))
    try store.write { ship.numbers.removeAll() }
    let row = try XCTUnwrap(ship.access?.identity?.row)
    let place = try XCTUnwrap(
      type.layouts[type.newestLayout]?.firstIndex { $0 == type.property(named: "numbers")?.id })
    for (bytes, name) in [([1, 0, 0], "empty"), ([2, 3, 0, 0, 0, 0, 0], "in the table")]
      as [([UInt8], String)]
    {
      let kinds = try kinds(store) { write in
        let table = try write.makeTable(named: type.tableName)
        try write.change(key: keyBytes(row), in: table) { record in
          record[16 + place / 8] &= ~(1 << UInt8(place % 8))
          let slot = 24 + place * 8
          for position in 0..<8 { record[slot + position] = 0 }
          for (position, byte) in bytes.enumerated() { record[slot + position] = byte }
          record[slot + 7] = 0x80 | UInt8(bytes.count)
          seal(&record, type: type.id, row: row)
        }
      }
      XCTAssertEqual(kinds, [.collection], name)
    }
  }

  func testPackedCollectionsThatCannotBeAreFound() throws {
    func kinds(_ number: Int, _ property: String, _ change: (inout [UInt8], Int) -> Void) throws
      -> Set<Kind>
    {
      try self.kinds(ofShip: number) { record, slot in
        let slot = slot(property)
        change(&record, Int(record[slot]) | Int(record[slot + 1]) << 8)
      }
    }
    // Of another form, with another count, with a flag that it has no reason for.
    for property in ["numbers", "words", "marks", "berths"] {
      for (position, byte) in [(0, 3), (1, 2), (2, 77)] as [(Int, UInt8)] {
        let found = try kinds(1, property) { $0[$1 + position] = byte }
        XCTAssertTrue(
          found.contains(.collection) || found.contains(.record), "\(property) \(position) \(found)"
        )
      }
    }
    // A set of numbers would be out of order.
    let order = try kinds(0, "tags") { record, offset in
      // "tag 0" and "tag 1", each with its length in front.
      (record[offset + 3 + 5], record[offset + 9 + 5]) = (
        record[offset + 9 + 5], record[offset + 3 + 5]
      )
    }
    XCTAssertEqual(order, [.collection])
    let twice = try kinds(0, "tags") { record, offset in
      record[offset + 3 + 5] = record[offset + 9 + 5]
    }
    XCTAssertEqual(twice, [.collection])
    let text = try kinds(0, "tags") { record, offset in record[offset + 9 + 5] = 0xff }
    XCTAssertTrue(text.contains(.value), "\(text)")
  }

  func testLongElementsThatAreMissingOrSharedAreFound() throws {
    let store = try makeShips()
    let kinds = try kinds(store) { write in
      let table = try write.makeTable(named: "large")
      try write.delete(try XCTUnwrap(write.keys(of: table).last), in: table)
    }
    XCTAssertTrue(kinds.contains(.largeValue), "\(kinds)")
    let shared = try self.kinds(of: 0, "words") { write, table, keys in
      for key in keys {
        let bytes = try XCTUnwrap(write.bytes(for: key, in: table))
        try write.put(bytes, for: key.dropLast() + [0xee], in: table)
      }
    }
    XCTAssertTrue(shared.contains(.collection), "\(shared)")
  }

  func testPartsThatNobodyOwnsAreFound() throws {
    let store = try makeShips()
    let type = try store.type(named: "Ship")
    let row = try XCTUnwrap(
      store.object(ofType: Ship.self, forPrimaryKey: 0)?.access?.identity?.row)
    let numbers = try XCTUnwrap(type.property(named: "numbers")?.id)
    let title = try XCTUnwrap(type.property(named: "title")?.id)
    for prefix in [
      keyBytes(type.id) + keyBytes(UInt64(4_000)) + keyBytes(numbers),
      keyBytes(type.id) + keyBytes(row) + keyBytes(title),
      keyBytes(UInt32(77)) + keyBytes(row) + keyBytes(numbers), [1, 2, 3],
    ] {
      let store = try makeShips()
      XCTAssertEqual(
        try kinds(store) { write in
          let key = prefix.count < 16 ? prefix : prefix + keyBytes(UInt64(1) << 63)
          try write.put(
            prefix.count < 16 ? [1] : self.part([1], key), for: key,
            in: write.makeTable(named: "lists"))
        }, [.unownedEntry])
    }
  }
}
