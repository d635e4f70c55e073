import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

@testable import Leyden

final class ChangeLogEntryTests: XCTestCase {
  private func properties(_ generator: inout SeededGenerator) -> ObjectChangeSet.Properties {
    var properties = ObjectChangeSet.Properties()
    let limit = [3, 55, 56, 57, 63, 64, 65, 1_000].randomElement(using: &generator) ?? 1
    for _ in 0...Int.random(in: 0..<6, using: &generator) {
      properties.insert(Int.random(in: 0..<limit, using: &generator))
    }
    if Int.random(in: 0..<10, using: &generator) == 0 { return .all }
    if Int.random(in: 0..<10, using: &generator) == 0 { properties.formUnion(.all) }
    return properties
  }

  private func changes(_ generator: inout SeededGenerator) -> ObjectChangeSet {
    var changes = ObjectChangeSet()
    changes.changesCatalog = Bool.random(using: &generator)
    for _ in 0..<Int.random(in: 0..<4, using: &generator) {
      let type = [1, 2, 127, 128, .max].randomElement(using: &generator) ?? UInt32(1)
      for _ in 0..<Int.random(in: 1..<60, using: &generator) {
        let row =
          UInt64.random(in: 1...(.max), using: &generator)
          >> UInt64.random(
            in: 0..<60, using: &generator)
        let change: ObjectChangeSet.Change =
          switch Int.random(in: 0..<3, using: &generator) {
          case 0: .inserted
          case 1: .deleted
          default: .modified(properties(&generator))
          }
        changes.types[type, default: [:]][row] = change
      }
    }
    return changes
  }

  func testWhatIsWrittenIsRead() throws {
    var generator = SeededGenerator(seed: 61)
    for round in 0..<testScale(500) {
      let changes = changes(&generator)
      let bytes = ChangeLogEntry.encode(
        changes, date: Date(timeIntervalSince1970: 1e9), author: round % 2 == 0 ? nil : "Émile",
        partSize: 1_896)

      let read = try XCTUnwrap(ChangeLogEntry.decode(bytes, version: 7), "seed 61, round \(round)")

      XCTAssertEqual(read.changesCatalog, changes.changesCatalog)
      XCTAssertEqual(Set(read.types.keys), Set(changes.types.keys), "seed 61, round \(round)")
      for (type, rows) in changes.types {
        XCTAssertEqual(read.types[type]?.count, rows.count)
        for (row, change) in rows {
          guard case .modified(let properties) = change else {
            XCTAssertEqual(read.types[type]?[row], change, "seed 61, round \(round)")
            continue
          }
          guard case .modified(let other)? = read.types[type]?[row] else {
            XCTFail("seed 61, round \(round)")
            continue
          }
          for ordinal in 0..<1_001 {
            XCTAssertEqual(
              other.contains(ordinal), properties.contains(ordinal),
              "seed 61, round \(round), \(ordinal)")
          }
        }
      }
    }
  }

  func testDamagedBytesGiveAnErrorAndNeverACrash() throws {
    var generator = SeededGenerator(seed: 62)
    var errors = 0
    let rounds = testScale(4_000)
    for round in 0..<rounds {
      var bytes = ChangeLogEntry.encode(
        changes(&generator), date: Date(), author: "a", partSize: 1_896)
      switch round % 4 {
      case 0: bytes = Array(bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator)))
      case 1:
        for _ in 0..<4 {
          bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
      case 2: bytes = [1, 0] + (0..<60).map { _ in .random(in: 0...255, using: &generator) }
      default: bytes = (0..<40).map { _ in .random(in: 0...255, using: &generator) }
      }

      do throws(StorageError) { _ = try ChangeLogEntry.decode(bytes, version: 3) } catch {
        guard case .corrupted = error else { return XCTFail("\(error), seed 62, round \(round)") }
        errors += 1
      }
    }

    XCTAssertGreaterThan(errors, rounds / 4)
  }

  func testMoreRowsThanAreListedAreSaidToBeUnknown() throws {
    var changes = ObjectChangeSet()
    for row in 0...UInt64(ChangeLogEntry.rowLimit) {
      changes.types[1, default: [:]][row] = .inserted
    }
    let bytes = ChangeLogEntry.encode(changes, date: Date(), author: nil, partSize: 1_896)

    XCTAssertNil(try ChangeLogEntry.decode(bytes, version: 1))
    XCTAssertLessThan(bytes.count, 100)
  }

  func testChangesAreMergedByTheirOrder() throws {
    var title = ObjectChangeSet.Properties()
    title.insert(1)
    var rank = ObjectChangeSet.Properties()
    rank.insert(70)
    var both = title
    both.formUnion(rank)
    let cases: [([ObjectChangeSet.Change], ObjectChangeSet.Change?)] = [
      ([.inserted, .modified(title)], .inserted), ([.inserted, .deleted], nil),
      ([.modified(title), .modified(rank)], .modified(both)),
      ([.modified(title), .deleted], .deleted), ([.inserted, .modified(title), .deleted], nil),
    ]
    for (steps, expected) in cases {
      var merged = ObjectChangeSet()
      for step in steps {
        var commit = ObjectChangeSet()
        commit.note(step, row: 5, type: 2)
        merged.merge(commit)
      }
      XCTAssertEqual(merged.types[2]?[5], expected)
      XCTAssertEqual(merged.isEmpty, expected == nil)
    }
  }

  func testListsThatAreTooLongAreNotKept() throws {
    var properties = ObjectChangeSet.Properties()
    for ordinal in 0..<1_000 { properties.insert(ordinal) }
    var changes = ObjectChangeSet()
    for row in 1...2_000 as ClosedRange<UInt64> {
      changes.note(.modified(properties), row: row, type: 1)
    }

    let entry = ChangeLogEntry.encode(changes, date: Date(), author: "ann", partSize: 1_896)

    XCTAssertLessThan(entry.count, 100)
    XCTAssertNil(try ChangeLogEntry.decode(entry, version: 1))
  }
}
