import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

@testable import Leyden

/// Row numbers, as writers that follow each other give them.
final class RowNumbersTests: StoreTestCase {
  func testEachWriterGoesOnWhereTheOneBeforeStopped() throws {
    let environment = try store().session.core.environment
    var given: [UInt64] = []

    for (version, count) in zip(UInt64(0)..., [3, 10, 5_000, 1]) {
      let write = try environment.beginWrite()
      let meta = try write.makeTable(named: MetaEntry.table)
      var numbers = try RowNumbers(environment.signal, version: version, meta: meta, write)
      for _ in 0..<count { given.append(numbers.take()) }
      try numbers.save(in: meta, write)
      try write.commit()
    }

    XCTAssertEqual(given, given.sorted())
    XCTAssertEqual(Set(given).count, given.count)
  }

  func testNumbersOfACommitThatFailedAreUsedUp() throws {
    let environment = try store().session.core.environment
    var given: [UInt64] = []

    let version: UInt64 = 0
    for count in [3, 5_000, 1, 10_000, 1] {
      let write = try environment.beginWrite()
      let meta = try write.makeTable(named: MetaEntry.table)
      var numbers = try RowNumbers(environment.signal, version: version, meta: meta, write)
      for _ in 0..<count { given.append(numbers.take()) }
      try numbers.save(in: meta, write)
      for _ in 0..<3 { given.append(numbers.take()) }
      write.abort()
    }

    XCTAssertEqual(given, given.sorted())
    XCTAssertEqual(Set(given).count, given.count)
  }

  func testInAnotherFileUnderTheSamePageNoNumberIsGivenTwice() throws {
    for isCopy in [false, true] {
      // given
      let directory = try TemporaryDirectory()
      let source = directory.url.appendingPathComponent("Source.leyden")
      let target = directory.url.appendingPathComponent("Target.leyden")
      func open(_ name: String) throws -> Store {
        try Store(
          configuration: directory.configuration(
            named: name, objectTypes: [Card.self, Item.self]))
      }
      func withStore(_ name: String, _ body: (Store) throws -> Void) throws {
        let store = try open(name)
        defer { store.close() }
        try body(store)
      }
      try withStore("Source") { store in _ = try store.write { try store.add(Card("first")) } }
      if isCopy {
        try FileManager.default.copyItem(at: source, to: target)
      } else {
        try withStore("Target") { store in _ = try store.write { try store.add(Card("first")) } }
      }
      try withStore("Source") { store in
        for number in 0..<50 { _ = try store.write { try store.add(Card("\(number)")) } }
      }

      // when
      let data = try Data(contentsOf: source.appendingPathComponent("data.mdb"))
      try data.write(to: target.appendingPathComponent("data.mdb"))

      // then
      try withStore("Target") { store in
        try store.write { for number in 0..<50 { try store.add(Item(number)) } }
        XCTAssertNoThrow(try store.verify(), "\(isCopy)")
      }
    }
  }
}
