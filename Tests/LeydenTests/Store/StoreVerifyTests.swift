import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Everything that can be wrong with a store as a whole is found, and nothing else.
final class StoreVerifyTests: VerifyTestCase {
  // MARK: What is right

  func testAWholeStoreIsClean() throws {
    let store = try makeStore()
    let report = try store.verificationReport()

    XCTAssertTrue(report.isClean, report.description)
    XCTAssertEqual(report.version, store.version)
    XCTAssertEqual(report.objects, store.objects(Specimen.self).count)
    XCTAssertEqual(report.indexEntries, report.objects * 9)
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
