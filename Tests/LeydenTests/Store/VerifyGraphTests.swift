import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with links, embedded objects and any-values is found.
final class VerifyGraphTests: VerifyTestCase {
  func testAStoreOfObjectsThatLeadToEachOtherIsClean() throws {
    let store = try makeShips()
    let report = try store.verificationReport()

    XCTAssertEqual(report.findings.map(\.description), [])
    XCTAssertGreaterThan(report.links, 200)
    XCTAssertEqual(report.orphans, [])
    for name in ["inverse", "lists", "large"] {
      try store.change { write in
        XCTAssertGreaterThan(try write.keys(of: write.makeTable(named: name)).count, 20, name)
      }
    }
  }

  // MARK: Links

  func testALinkThatLeadsNowhereIsFound() throws {
    XCTAssertEqual(
      try kinds(ofShip: 1) { record, slot in record[slot("home") + 2] = 1 },
      [.link, .missingInverseEntry, .wrongInverseEntry])
    let store = try makeShips()
    let port = try XCTUnwrap(store.objects(Harbor.self).first?.access?.identity)
    let kinds = try kinds(store) { write in
      let table = try write.makeTable(named: "t\(port.type)")
      try write.delete(keyBytes(port.row), in: table)
    }
    XCTAssertTrue(kinds.isSuperset(of: [.link, .logMention]), "\(kinds)")
    let found = try store.verificationReport().findings.filter { $0.kind == .link }
    let names = Set(found.compactMap(\.place.propertyName))
    XCTAssertTrue(
      names.isSuperset(of: [
        "home", "route", "berths", "seal", "latest.others", "visits.remark", "visits.stamp.port",
      ]), "\(names)")
  }

  func testEntriesAmongTheInversesThatAreMissingWrongOrTooManyAreFound() throws {
    func kinds(_ damage: (WriteTransaction, Table, [UInt8]) throws -> Void) throws -> Set<Kind> {
      let store = try makeShips()
      return try self.kinds(store) { write in
        let table = try write.makeTable(named: "inverse")
        try damage(write, table, try write.keys(of: table)[7])
      }
    }
    XCTAssertEqual(
      try kinds { write, table, key in try write.delete(key, in: table) }, [.missingInverseEntry])
    for position in [0, 4, 8] {
      XCTAssertEqual(
        try kinds { write, table, key in
          try write.change(key: key, in: table) { $0[position] ^= 2 }
        }, [.wrongInverseEntry])
    }
    XCTAssertEqual(
      try kinds { write, table, key in
        try write.put(try XCTUnwrap(write.bytes(for: key, in: table)) + [0], for: key, in: table)
      }, [.wrongInverseEntry])
    XCTAssertEqual(
      try kinds { write, table, key in
        let value = try XCTUnwrap(write.bytes(for: key, in: table))
        try write.put(value, for: key.dropLast() + [0xee], in: table)
      }, [.wrongInverseEntry])
    XCTAssertEqual(
      try kinds { write, table, _ in try write.put([1, 2, 3], for: [9, 9], in: table) },
      [.wrongInverseEntry])
    XCTAssertEqual(
      try kinds { write, table, key in
        // One is missing and another one too many.
        let value = try XCTUnwrap(write.bytes(for: key, in: table))
        try write.delete(key, in: table)
        try write.put(value, for: key.dropLast() + [0xee], in: table)
      }, [.missingInverseEntry, .wrongInverseEntry])
  }

  // MARK: Embedded objects and any-values

  func testDamagedEmbeddedObjectsAreFound() throws {
    func kinds(_ change: (inout [UInt8], Int) -> Void) throws -> Set<Kind> {
      try self.kinds(ofShip: 1) { record, slot in
        let offset = Int(record[slot("latest")]) | Int(record[slot("latest") + 1]) << 8
        change(&record, offset)
      }
    }
    let all = try kinds { record, offset in record[offset] = 2 }
    XCTAssertTrue(all.contains(.record), "\(all)")
    XCTAssertTrue(try kinds { record, offset in record[offset + 2] = 9 }.contains(.record))
    XCTAssertEqual(try kinds { record, offset in record[offset + 1] = 1 }, [.record])
    XCTAssertEqual(try kinds { record, offset in record[offset + 4] = 1 }, [.record])
    XCTAssertEqual(try kinds { record, offset in record[offset + 15] = 1 }, [.rowNumber])
    XCTAssertEqual(
      try kinds { record, offset in
        for position in 8..<16 { record[offset + position] = position == 8 ? 2 : 0 }
      }, [.rowNumber])
    XCTAssertEqual(try kinds { record, offset in record[offset + 17] |= 0x80 }, [.record])
  }

  func testAnyValuesThatAreNoneAreFound() throws {
    XCTAssertEqual(
      try kinds(ofShip: 1) { record, slot in record[self.heap(record, slot("flag"))] = 99 },
      [.value])
    XCTAssertEqual(
      try kinds(ofShip: 1) { record, slot in record[self.heap(record, slot("flag"))] = 3 }, [.value]
    )
  }

  private func heap(_ record: [UInt8], _ slot: Int) -> Int {
    Int(record[slot]) | Int(record[slot + 1]) << 8
  }

  // MARK: The catalog

  func testPropertiesThatLeadToWhatIsNotThereAreFound() throws {
    // Slots of a property: 5 its target, 6 its rule, 8 its origin, 9 its elements.
    for (name, slot, value) in [
      ("home", 5, 99), ("home", 5, 0), ("latest", 5, 1), ("crates", 5, 99), ("sisters", 8, 99),
      ("sisters", 5, 99), ("numbers", 9, 48), ("numbers", 9, 32), ("tags", 9, 33),
    ] as [(String, Int, UInt8)] {
      let store = try makeShips()
      let id = try XCTUnwrap(store.type(named: "Ship").property(named: name)?.id)
      let kinds = try kinds(store) { write in
        try write.change(
          key: [2] + keyBytes(id), in: write.makeTable(named: "catalog")
        ) { record in
          record[24 + slot * 8] = value
          seal(&record, type: 0xffff_ff02, row: UInt64(id))
        }
      }
      XCTAssertTrue(kinds.contains(.catalog), "\(name) \(slot): \(kinds)")
    }
  }

  func testRulesAndFlagsOfALaterVersionAreRefused() throws {
    for (slot, value) in [(6, 3), (3, 8), (9, 63)] as [(Int, UInt8)] {
      let store = try makeShips()
      let id = try XCTUnwrap(store.type(named: "Ship").property(named: "crates")?.id)
      try store.change { write in
        try write.change(
          key: [2] + keyBytes(id), in: write.makeTable(named: "catalog")
        ) { record in
          record[24 + slot * 8] = value
          record[16 + slot / 8] &= ~(1 << UInt8(slot % 8))
          seal(&record, type: 0xffff_ff02, row: UInt64(id))
        }
      }
      XCTAssertThrowsError(try store.verify()) { error in
        guard case StoreError.newerFormat = error else { return XCTFail("\(error)") }
      }
    }
  }

  // MARK: Orphans

  func testObjectsThatNobodyOwnsAreToldApartFromDamage() throws {
    final class Leaf: Object {
      @Persisted var name: String
    }
    final class Branch: Object {
      @Persisted(deleteRule: .cascade) var leaves: List<Leaf>
      @Persisted(deleteRule: .cascade) var branches: List<Branch>
    }
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Branch.self])
    let root = Branch()
    for _ in 0..<5 { root.leaves.append(Leaf()) }
    root.branches.append(Branch())
    try store.write { try store.add(root) }
    let gone = try XCTUnwrap(root.leaves[2].access?.identity?.row)
    XCTAssertEqual(try store.verificationReport().orphans, [])
    try store.write { root.leaves.remove(at: 2) }
    try store.write {
      try store.add(Leaf())
      try store.add(Leaf())
    }

    let report = try store.verificationReport(limit: 2)

    XCTAssertTrue(report.isClean)
    XCTAssertEqual(report.orphans.count, 2)
    XCTAssertEqual(report.orphansLeftOut, 1)
    XCTAssertEqual(report.orphans.first?.row, gone)
    XCTAssertEqual(report.orphans.first?.typeName, "Leaf")
    XCTAssertNoThrow(try store.verify())
  }
}
