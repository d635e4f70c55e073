import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with a store is found, and nothing else.
final class StoreVerifyTests: XCTestCase {
  private var directory: TemporaryDirectory?
  private typealias Kind = VerificationFinding.Kind

  override func tearDown() { directory = nil }

  private func makeStore() throws -> Store {
    let made = try TemporaryDirectory()
    directory = made
    let store = try made.store(objectTypes: [Specimen.self, Item.self])
    try Specimen.fill(store)
    return store
  }

  /// The kinds of what is found after a change behind the library's back.
  private func kinds(
    _ store: Store, changing change: (WriteTransaction) throws -> Void
  ) throws -> Set<Kind> {
    try store.change(change)
    return Set(try store.verificationReport().findings.map(\.kind))
  }

  // MARK: What is right

  func testAWholeStoreIsClean() throws {
    let store = try makeStore()
    let report = try store.verificationReport()

    XCTAssertTrue(report.isClean, report.description)
    XCTAssertEqual(report.version, store.version)
    XCTAssertEqual(report.objects, store.objects(Specimen.self).count)
    XCTAssertEqual(report.indexEntries, report.objects * 8)
    XCTAssertEqual(report.commits, 7)
    XCTAssertNoThrow(try store.verify())
  }

  func testStoresWithoutFilesAndForReadingAreVerified() throws {
    let store = try makeStore()
    var configuration = try XCTUnwrap(directory).configuration(objectTypes: [Specimen.self])
    configuration.readOnly = true
    XCTAssertNoThrow(try Store(configuration: configuration).verify())
    let memory = try Store(
      configuration: .init(inMemoryIdentifier: "verified", objectTypes: [Specimen.self]))
    XCTAssertNoThrow(try memory.verify())
    try Specimen.fill(memory)
    XCTAssertNoThrow(try memory.verify())
    try store.write {
      try store.deleteAll()
      XCTAssertEqual(try store.verificationReport().objects, 45)
    }
    XCTAssertEqual(try store.verificationReport().objects, 0)
    store.close()
    XCTAssertThrowsError(try store.verify()) { XCTAssertEqual($0 as? StoreError, .closed) }
  }

  func testWhatALaterVersionAddsIsLeftAlone() throws {
    let store = try makeStore()
    XCTAssertEqual(
      try kinds(store) { write in
        try write.put([1], for: Array("later".utf8), in: write.makeTable(named: "meta"))
        try write.put([1], for: [9, 0, 0, 0, 1], in: write.makeTable(named: "catalog"))
        try write.put([1], for: [1], in: write.makeTable(named: "text"))
      }, [])
  }

  func testWhatOnlyALaterVersionCanKeepIsRefused() throws {
    let store = try makeStore()
    try store.change { write in
      try write.put(
        [2, 0, 0, 0, 2, 0, 0, 0], for: Array("format".utf8), in: write.makeTable(named: "meta"))
    }
    XCTAssertThrowsError(try store.verify()) { error in
      guard case StoreError.newerFormat(_, found: 2) = error else { return XCTFail("\(error)") }
    }
  }

  // MARK: The whole store and its catalog

  func testWrongNumbersOfTheStoreAreFound() throws {
    let values: [(String, [UInt8])] = [
      ("rows", [1, 2, 0, 0, 0, 0, 0, 0]), ("uuid", [1, 2, 3]),
      ("incarnation", [UInt8](repeating: 0, count: 8)),
      ("format", [1, 0, 0, 0, 1]),
    ]
    for (name, value) in values {
      let store = try makeStore()
      XCTAssertTrue(
        try kinds(store) { write in
          try write.put(value, for: Array(name.utf8), in: write.makeTable(named: "meta"))
        }.contains(.meta), name)
    }
  }

  func testIdsAboveTheirBoundAreFound() throws {
    let store = try makeStore()
    XCTAssertEqual(
      try kinds(store) { write in
        try write.put(
          [2, 0, 0, 0, 0, 0, 0, 0], for: Array("ids".utf8), in: write.makeTable(named: "meta"))
      }, [.identifier])
  }

  func testADamagedCatalogIsFound() throws {
    let store = try makeStore()
    XCTAssertTrue(
      try kinds(store) { write in
        let table = try write.makeTable(named: "catalog")
        try write.change(key: [2, 0, 0, 0, 4], in: table) { $0[30] ^= 1 }
      }.contains(.catalog))
    let report = try store.verificationReport()
    XCTAssertEqual(report.findings.first?.place.key, [2, 0, 0, 0, 4])
  }

  func testALayoutThatNamesAPropertyTwiceIsFound() throws {
    let store = try makeStore()
    let type = try store.type(named: "Specimen")
    XCTAssertTrue(
      try kinds(store) { write in
        let table = try write.makeTable(named: "catalog")
        let key = [4] + keyBytes(type.id) + [0, 1]
        try write.change(key: key, in: table) { record in
          record.replaceSubrange(36..<40, with: record[32..<36])
          seal(&record, type: 0xffff_ff04, row: UInt64(type.id) << 16 | 1)
        }
      }.contains(.layout))
  }

  func testATableOfNothingIsFound() throws {
    let store = try makeStore()
    XCTAssertEqual(try kinds(store) { _ = try $0.makeTable(named: "t999") }, [.table])
  }

  // MARK: Records

  /// What is found after one record was changed and given its checksum again.
  private func kinds(changing change: (inout [UInt8], _ slot: (String) -> Int) -> Void) throws
    -> Set<Kind>
  {
    let store = try makeStore()
    let type = try store.type(named: "Specimen")
    let layout = try XCTUnwrap(type.layouts[1])
    return try kinds(store) { write in
      let table = try write.makeTable(named: type.tableName)
      let row = try XCTUnwrap(store.objects(Specimen.self).first?.access?.identity?.row)
      try write.change(key: keyBytes(row), in: table) { record in
        change(&record) { name in
          let id = type.properties.first { $0.name == name }?.id
          return 24 + (layout.firstIndex { $0 == id } ?? 0) * 8
        }
        seal(&record, type: type.id, row: row)
      }
    }
  }

  func testADamagedRecordIsFoundWithItsRow() throws {
    let store = try makeStore()
    let type = try store.type(named: "Specimen")
    let row = try XCTUnwrap(store.objects(Specimen.self).first?.access?.identity?.row)
    let kinds = try kinds(store) { write in
      let table = try write.makeTable(named: type.tableName)
      try write.change(key: keyBytes(row), in: table) { $0[40] ^= 0x20 }
    }
    let finding = try XCTUnwrap(store.verificationReport().findings.first)

    XCTAssertEqual(kinds, [.record, .logMention])
    XCTAssertEqual(finding.kind, .record)
    XCTAssertEqual(finding.place.row, row)
    XCTAssertEqual(finding.place.typeName, "Specimen")
    XCTAssertEqual(finding.place.table, type.tableName)
    XCTAssertFalse(finding.advice.isEmpty)
    XCTAssertThrowsError(try store.verify()) { error in
      guard case StoreError.corrupted(let text) = error else { return XCTFail("\(error)") }
      XCTAssertTrue(text.contains("row \(row)"), text)
    }
  }

  func testBytesThatNoRecordHasAreFound() throws {
    // A bit of the nulls beyond the slots; a value that lies in the slots; an unknown layout.
    XCTAssertEqual(try kinds { record, _ in record[19] |= 0x80 }, [.record])
    XCTAssertTrue(try kinds { record, slot in record[slot("uuid")] = 8 }.contains(.record))
    XCTAssertTrue(try kinds { record, _ in record[2] = 9 }.contains(.record))
    XCTAssertEqual(try kinds { record, _ in record[1] ^= 2 }, [.record])
  }

  func testAVersionThatHasNotBeenIsFound() throws {
    XCTAssertEqual(try kinds { record, _ in record[9] = 1 }, [.recordVersion, .logMention])
  }

  func testValuesThatTheirPropertiesCannotHaveAreFound() throws {
    XCTAssertEqual(
      try kinds { record, slot in record[slot("flag") + 3] = 1 }.subtracting([
        .missingIndexEntry, .wrongIndexEntry,
      ]), [.value])
    XCTAssertEqual(try kinds { record, slot in record[slot("int8") + 1] = 1 }, [.value])
    XCTAssertEqual(try kinds { record, slot in record[slot("uint32") + 7] = 0x80 }, [.value])
    XCTAssertEqual(try kinds { record, slot in record[slot("float")] |= 1 }, [.value])
    XCTAssertTrue(
      try kinds { record, slot in
        let offset = Int(record[slot("text")])
        record[offset] = 0xff
      }.contains(.value))
    XCTAssertTrue(
      try kinds { record, slot in
        let offset = Int(record[slot("decimal")])
        record[offset + 19] = 1
      }.contains(.value))
    XCTAssertTrue(
      try kinds { record, slot in
        let number = (slot("int16") - 24) / 8
        record[16 + number / 8] |= 1 << UInt8(number % 8)
      }.contains(.value))
  }

  func testDecimalsThatFoundationCannotHoldAreFound() throws {
    for exponent in [[0x00, 0x80], [0xff, 0x7f], [0x00, 0xff], [0x80, 0x00]] as [[UInt8]] {
      for sign in [UInt8(0), 1, 2, 3] {
        XCTAssertTrue(
          try kinds { record, slot in
            let offset = Int(record[slot("decimal")])
            record[offset] = 7
            record.replaceSubrange(offset + 16..<offset + 18, with: exponent)
            record[offset + 18] = sign
          }.contains(where: { $0 == .value || $0 == .missingIndexEntry }), "\(exponent) \(sign)")
      }
    }
  }

  func testRowNumbersBeyondTheirBoundAndTwiceAreFound() throws {
    let store = try makeStore()
    let type = try store.type(named: "Specimen")
    let item = try store.type(named: "Item")
    let row = try XCTUnwrap(store.objects(Specimen.self).first?.access?.identity?.row)
    let kinds = try kinds(store) { write in
      let record = MutableRecord(heapSlots: [false, true])
      for row in [row, 1 << 40] {
        let bytes = unsafe Array(record.finish(layout: 1, type: item.id, row: row, version: 1))
        try write.put(bytes, for: keyBytes(row), in: write.makeTable(named: item.tableName))
      }
    }
    let found = try store.verificationReport().findings.filter { $0.kind == .rowNumber }

    XCTAssertTrue(kinds.contains(.rowNumber))
    XCTAssertEqual(Set(found.map(\.place.row)), [row, 1 << 40])
    XCTAssertNotEqual(type.id, item.id)
  }

  // MARK: Long values

  func testMissingAndDamagedPartsOfLongValuesAreFound() throws {
    for damage in 0..<3 {
      let store = try makeStore()
      XCTAssertTrue(
        try kinds(store) { write in
          let table = try write.makeTable(named: "large")
          let key = try XCTUnwrap(write.keys(of: table).last)
          switch damage {
          case 0: try write.delete(key, in: table)
          case 1: try write.change(key: key, in: table) { $0[9] ^= 1 }
          default: try write.change(key: key, in: table) { $0.removeLast() }
          }
        }.contains(.largeValue))
    }
  }

  func testPartsThatNobodyOwnsAreFound() throws {
    let store = try makeStore()
    XCTAssertEqual(
      try kinds(store) { write in
        let table = try write.makeTable(named: "large")
        try write.put([0, 0, 0, 0, 1], for: keyBytes(UInt64(4_000)) + [0, 0, 0, 0], in: table)
      }, [.unownedChunk])
  }

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

  // MARK: Reports

  func testAReportHoldsAsManyFindingsAsWereAskedFor() throws {
    let store = try makeStore()
    let index = try XCTUnwrap(store.type(named: "Specimen").indexes.first)
    try store.change { write in
      let table = try write.makeTable(named: index.tableName)
      for key in try write.keys(of: table).prefix(9) { try write.delete(key, in: table) }
    }
    let report = try store.verificationReport(limit: 4)

    XCTAssertEqual(report.findings.count, 4)
    XCTAssertEqual(report.findingsLeftOut, 5)
    XCTAssertFalse(report.isClean)
    XCTAssertTrue(report.description.hasSuffix("and 5 more"), report.description)
    XCTAssertTrue(try store.verificationReport(limit: 0).findings.isEmpty)
    XCTAssertThrowsError(try store.verify())
  }

  func testEveryKindSaysWhatToDo() {
    for kind in Kind.allCases {
      XCTAssertFalse(VerificationFinding(kind, .init(), "").advice.isEmpty, kind.rawValue)
    }
  }
}
