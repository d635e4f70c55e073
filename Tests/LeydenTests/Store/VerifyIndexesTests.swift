import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with indexes and the log is found.
final class VerifyIndexesTests: VerifyTestCase {
  // MARK: Indexes

  func testEntriesThatAreMissingOrTooManyAreFound() throws {
    let type = try makeStore().type(named: "Specimen")
    for index in type.indexes {
      let store = try makeStore()
      let missing = try kinds(store) { write in
        let table = try write.makeTable(named: index.tableName)
        try write.delete(write.keys(of: table)[3], in: table)
      }
      XCTAssertEqual(missing, [.missingIndexEntry], index.tableName)
      let wrong = try kinds(store) { write in
        let table = try write.makeTable(named: index.tableName)
        try write.put([], for: write.keys(of: table)[2].dropLast() + [0xfe], in: table)
      }
      XCTAssertEqual(wrong, [.missingIndexEntry, .wrongIndexEntry], index.tableName)
    }
  }

  func testAnEntryWithAValueIsFound() throws {
    let store = try makeStore()
    let index = try XCTUnwrap(store.type(named: "Specimen").indexes.first)
    XCTAssertEqual(
      try kinds(store) { write in
        let table = try write.makeTable(named: index.tableName)
        try write.put([1], for: write.keys(of: table)[0], in: table)
      }, [.wrongIndexEntry])
  }

  func testAUniqueValueThatTwoObjectsHaveIsFound() throws {
    let store = try makeStore()
    let type = try store.type(named: "Specimen")
    let object = try XCTUnwrap(store.objects(Specimen.self).where { $0.code != nil }.first)
    let row = try XCTUnwrap(object.access?.identity?.row)
    let twin: UInt64 = 4_000
    let kinds = try kinds(store) { write in
      let table = try write.makeTable(named: type.tableName)
      var record = try XCTUnwrap(write.bytes(for: keyBytes(row), in: table))
      seal(&record, type: type.id, row: twin)
      try write.put(record, for: keyBytes(twin), in: table)
      for index in type.indexes {
        let table = try write.makeTable(named: index.tableName)
        for key in try write.keys(of: table) where key.suffix(8) == keyBytes(row)[...] {
          try write.put([], for: key.dropLast(8) + keyBytes(twin), in: table)
        }
      }
    }

    XCTAssertTrue(
      kinds.isSubset(of: [.notUnique, .logMention, .rowNumber, .largeValue]), "\(kinds)")
    let found = try store.verificationReport().findings.filter { $0.kind == .notUnique }
    XCTAssertEqual(Set(found.map(\.place.propertyName)), ["identifier", "code"])
  }

  // MARK: The log

  func testADamagedLogIsFound() throws {
    for damage in 0..<4 {
      let store = try makeStore()
      XCTAssertTrue(
        try kinds(store) { write in
          let table = try write.makeTable(named: "log")
          let key = try write.keys(of: table)[3]
          switch damage {
          case 0: try write.delete(key, in: table)
          case 1: try write.change(key: key, in: table) { $0[20] ^= 1 }
          case 2: try write.put([1, 2, 3, 4, 5], for: key.dropLast() + [7], in: table)
          default:
            let last = [UInt8](repeating: 0xff, count: 8)
            try write.put([1, 2, 3, 4, 5], for: last + [0, 0], in: table)
          }
        }.contains(.log), "\(damage)")
    }
  }

  func testTheOldestCommitMayLackItsFirstParts() throws {
    let store = try makeStore()
    XCTAssertEqual(
      try kinds(store) { write in
        let table = try write.makeTable(named: "log")
        for key in try write.keys(of: table).prefix(2) { try write.delete(key, in: table) }
      }, [])
  }

  func testRowsThatAreNotAsTheLogSaysAreFound() throws {
    let store = try makeStore()
    let type = try store.type(named: "Item")
    let row = try store.write { try store.add(Item(1)) }.access?.identity?.row ?? 0
    XCTAssertEqual(
      try kinds(store) { write in
        try write.delete(keyBytes(row), in: write.makeTable(named: type.tableName))
      }, [.logMention])
    XCTAssertEqual(
      try kinds(store) { write in
        let record = MutableRecord(heapSlots: [false, true])
        record.set(1, in: 0)
        unsafe try withBytes(of: Array("item".utf8)) { (text) throws(StorageError) in
          unsafe try record.set(text, in: 1)
        }
        let bytes = unsafe Array(record.finish(layout: 1, type: type.id, row: row, version: 8))
        try write.put(bytes, for: keyBytes(row), in: write.makeTable(named: type.tableName))
      }, [])
    let deleted = try XCTUnwrap(store.objects(Item.self).first)
    try store.write { try store.delete(deleted) }
    XCTAssertEqual(
      try kinds(store) { write in
        let record = MutableRecord(heapSlots: [false, true])
        record.set(1, in: 0)
        unsafe try withBytes(of: Array("item".utf8)) { (text) throws(StorageError) in
          unsafe try record.set(text, in: 1)
        }
        let bytes = unsafe Array(record.finish(layout: 1, type: type.id, row: row, version: 8))
        try write.put(bytes, for: keyBytes(row), in: write.makeTable(named: type.tableName))
      }, [.logMention])
  }
}
