import Foundation
@testable import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// No entry of a store can go, be cut off, or stand under another key without being missed.
final class VerifyEachEntryTests: VerifyTestCase {
  /// Names in `meta` without which a store is as good, or which nothing else tells.
  private static let optional: Set = ["generation", "incarnation", "schema", "boot"]

  /// The tables with all their keys.
  private func entries(of store: Store) throws -> [(table: String, key: [UInt8])] {
    var entries: [(table: String, key: [UInt8])] = []
    let catalog = store.session.core.catalog
    let types = catalog.types.values
    let names =
      ["meta", "catalog", "lists", "inverse", "large", "log"]
      + types.filter { !$0.isEmbedded }.map(\.tableName)
      + types.flatMap { $0.indexes.map(\.tableName) }
    try store.change { write in
      for name in names {
        for key in try write.keys(of: write.makeTable(named: name)) { entries.append((name, key)) }
      }
    }
    return entries
  }

  private func findings(
    _ store: Store, _ table: String, changing change: (WriteTransaction, Table) throws -> Void
  ) throws -> Int {
    try store.change { write in try change(write, try write.makeTable(named: table)) }
    return try store.verificationReport(limit: 1).findings.count
  }

  /// One of so many entries, or more of them where the environment asks for it.
  private func sample(
    of entries: [(table: String, key: [UInt8])], _ step: Int
  ) -> [(table: String, key: [UInt8])] {
    let step = max(1, step / testScale(1))
    return stride(from: 3, to: entries.count, by: step).map { entries[$0] }
  }

  private func checkEach(_ step: Int, _ make: () throws -> Store) throws {
    let store = try make()
    let entries = try entries(of: store)
    XCTAssertEqual(try store.verificationReport().findings, [])
    // Nothing else knows of a property that has no values.
    let linking = Set(
      store.session.core.catalog.types.values.flatMap(\.properties).filter { !$0.hasSlot }.map {
        [2] + keyBytes($0.id)
      })
    let logged = entries.filter { $0.table == "log" }
    for (table, key) in sample(of: entries, step) {
      if table == "meta", Self.optional.contains(String(decoding: key, as: UTF8.self)) { continue }
      if table == "catalog", linking.contains(key) { continue }
      var value: [UInt8] = []
      var isMissed = true
      // The log may begin anywhere.
      if table != "log" || key[..<8] != logged[0].key[..<8] {
        let found = try findings(store, table) { write, table in
          value = try XCTUnwrap(write.bytes(for: key, in: table))
          try write.delete(key, in: table)
        }
        isMissed = found > 0
        XCTAssertTrue(isMissed, "\(table) \(key): gone")
      } else {
        try store.change { write in
          value = try XCTUnwrap(write.bytes(for: key, in: write.makeTable(named: table)))
        }
      }
      let others: [[UInt8]] = [Array(value.dropLast()), value + [0], value.map { _ in 0 }]
      for other in others where other != value {
        let found = try findings(store, table) { write, table in
          try write.put(other, for: key, in: table)
        }
        XCTAssertGreaterThan(found, 0, "\(table) \(key): \(value) became \(other)")
      }
      var next = key
      next[next.count - 1] ^= 1
      if !entries.contains(where: { $0.table == table && $0.key == next }) {
        let found = try findings(store, table) { write, table in
          try write.put(value, for: key, in: table)
          try write.put(value, for: next, in: table)
        }
        if table != "meta" { XCTAssertGreaterThan(found, 0, "\(table) \(next): one more") }
        try store.change { try $0.delete(next, in: $0.makeTable(named: table)) }
      } else {
        try store.change { try $0.put(value, for: key, in: $0.makeTable(named: table)) }
      }
    }
    XCTAssertEqual(try store.verificationReport().findings, [])
  }

  func testOfObjectsThatLeadToEachOtherEachEntryIsMissed() throws { try checkEach(40, makeShips) }

  func testOfValuesEachEntryIsMissed() throws { try checkEach(15, makeStore) }
}
