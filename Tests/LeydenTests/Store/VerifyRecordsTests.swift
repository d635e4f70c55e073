import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with records and long values is found.
final class VerifyRecordsTests: VerifyTestCase {
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
}
