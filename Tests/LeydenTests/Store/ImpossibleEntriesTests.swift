import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// Entries that no program writes, with checksums that are right: they are refused, and end no process.
final class ImpossibleEntriesTests: VerifyTestCase {
  private func assertCorrupted(
    _ context: String = "", _ body: () throws -> Void, line: UInt = #line
  ) {
    XCTAssertThrowsError(try body(), context, line: line) { error in
      guard case StoreError.corrupted = error else { return XCTFail("\(context): \(error)") }
    }
  }

  /// Opens the store of this test anew.
  private func openAnew() throws {
    let directory = try XCTUnwrap(directory)
    try directory.store(objectTypes: [Specimen.self, Item.self]).close()
  }

  /// Changes the first entry of a kind in the catalog, and gives it its checksum.
  private func changeCatalog(
    of store: Store, _ kind: UInt8, _ change: (inout [UInt8]) -> Void
  ) throws {
    try store.change { write in
      let table = try write.makeTable(named: "catalog")
      let key = try XCTUnwrap(write.keys(of: table).first { $0.first == kind })
      let id = key[1..<5].reduce(0) { $0 << 8 | UInt64($1) }
      try write.change(key: key, in: table) { value in
        change(&value)
        seal(&value, type: 0xffff_ff00 | UInt32(kind), row: id)
      }
    }
  }

  func testNumbersAtTheirEndAreRefused() throws {
    for number: UInt64 in [.max, .max - 5, 1 << 63] {
      let store = try makeStore()
      let bytes = Array(keyBytes(number).reversed())
      try store.change { write in
        try write.put(bytes, for: Array("rows".utf8), in: write.makeTable(named: "meta"))
      }
      assertCorrupted("\(number)") { try store.write { _ = try store.add(Item(1)) } }
    }
  }

  func testAVersionAtItsEndIsRefused() throws {
    let store = try makeStore()
    try store.change { write in
      let log = try write.makeTable(named: "log")
      let last = try XCTUnwrap(write.keys(of: log).last)
      let value = try XCTUnwrap(write.bytes(for: last, in: log))
      try write.put(value, for: keyBytes(UInt64.max) + [0, 0], in: log)
    }
    assertCorrupted { try store.write { _ = try store.add(Item(1)) } }
  }

  func testAnIndexWithoutFieldsIsRefused() throws {
    let store = try makeStore()
    // The slot of the fields, the fourth one, as bytes in place: none.
    try changeCatalog(of: store, 3) { value in
      value.replaceSubrange(24 + 3 * 8..<24 + 4 * 8, with: [0, 0, 0, 0, 0, 0, 0, 0x80])
    }
    store.close()
    assertCorrupted { try openAnew() }
  }

  func testAPropertyAtAnImpossiblePlaceIsRefused() throws {
    let store = try makeStore()
    // The slot of the ordinal, the fifth one.
    try changeCatalog(of: store, 2) { value in
      value.replaceSubrange(
        24 + 4 * 8..<24 + 5 * 8, with: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f])
    }
    store.close()
    assertCorrupted { try openAnew() }
  }
}
