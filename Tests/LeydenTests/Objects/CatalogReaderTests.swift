import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

@testable import Leyden

/// Entries of the catalog that are damaged, or that nobody would write.
final class CatalogReaderTests: StoreTestCase {
  private func path() throws -> String {
    try temporaryDirectory().url.appendingPathComponent("Test.leyden").path
  }

  private func environment() throws -> Environment {
    try Environment.open(at: path(), options: Environment.Options(durability: .unsafe))
  }

  private func entries() throws -> [(key: [UInt8], value: [UInt8])] {
    let environment = try environment()
    let read = try environment.beginRead()
    defer { read.end() }
    let table = try XCTUnwrap(read.table(named: CatalogEntry.table))
    var cursor = try read.cursor(in: table)
    var entries: [(key: [UInt8], value: [UInt8])] = []
    while try cursor.next() { unsafe entries.append((Array(cursor.key), Array(cursor.value))) }
    return entries
  }

  private func put(_ key: [UInt8], _ value: [UInt8]) throws {
    let environment = try environment()
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: CatalogEntry.table)
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try withBytes(of: value) { (value) throws(StorageError) in
        unsafe try write.put(value, for: key, in: table)
      }
    }
    try write.commit()
  }

  func testADamagedEntryIsNoticedWhenTheStoreIsOpened() throws {
    try store().write { try store().add(Card("a", title: "there")) }
    closeStore()
    var generator = SeededGenerator(seed: 81)

    for (number, entry) in try entries().enumerated() {
      var damaged = entry.value
      damaged[Int.random(in: 4..<damaged.count, using: &generator)] ^= 0x10
      try put(entry.key, number % 3 == 0 ? Array(entry.value.dropLast(3)) : damaged)

      XCTAssertThrowsError(try store(), "\(entry.key)") { error in
        guard case StoreError.corrupted = error else { return XCTFail("\(error)") }
      }
      try put(entry.key, entry.value)
    }

    XCTAssertEqual(try store().object(ofType: Card.self, forPrimaryKey: "a")?.title, "there")
  }

  func testEntriesOfAnyContentAreReadWithoutACrash() throws {
    try store().write { try store().add(Card("a", title: "there")) }
    closeStore()
    var generator = SeededGenerator(seed: 82)
    let old = try entries()

    for round in 0..<testScale(400) {
      let kind = try XCTUnwrap(CatalogEntry.Kind(rawValue: UInt8(round % 4 + 1)))
      let heapSlots = CatalogEntry.heapSlots(kind)
      let record = MutableRecord(heapSlots: heapSlots)
      for (slot, isHeap) in heapSlots.enumerated() {
        if Bool.random(using: &generator), Bool.random(using: &generator) { continue }
        if isHeap {
          let bytes = (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
            UInt8.random(in: 0...255, using: &generator)
          }
          unsafe try bytes.withUnsafeBytes { unsafe try record.set($0, in: slot) }
        } else {
          let shift: UInt64 = [0, 56, 60].randomElement(using: &generator) ?? 0
          record.set(.random(in: 0...(.max), using: &generator) >> shift, in: slot)
        }
      }
      let id = UInt32.random(in: 0..<20, using: &generator)
      let row =
        kind == .layout ? CatalogEntry.checksumRow(type: id, layout: 2) : UInt64(id)
      let bytes = unsafe Array(
        record.finish(
          layout: UInt16(heapSlots.count), type: CatalogEntry.checksumType(kind), row: row,
          version: 0))
      let key =
        kind == .layout
        ? CatalogEntry.layoutKey(type: id, layout: 2) : CatalogEntry.key(kind, id: id)
      try put(key, bytes)

      if let store = try? store() {
        for card in store.objects(Card.self).where({ $0.rank > 1 }) { _ = card.value }
        closeStore()
      }
      if let entry = old.first(where: { $0.key == key }) {
        try put(entry.key, entry.value)
      } else {
        try remove(key)
      }
    }
  }

  private func remove(_ key: [UInt8]) throws {
    let environment = try environment()
    let write = try environment.beginWrite()
    let table = try write.makeTable(named: CatalogEntry.table)
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      _ = unsafe try write.delete(key, in: table)
    }
    try write.commit()
  }
}
