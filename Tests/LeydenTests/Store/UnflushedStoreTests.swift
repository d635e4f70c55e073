import Foundation
@testable import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// A store that was written without flushes is not believed after the machine was started again.
final class UnflushedStoreTests: VerifyTestCase {
  private func mark(of store: Store) throws -> [UInt8]? {
    let read = try store.session.core.environment.beginRead()
    defer { read.end() }
    return try MetaEntry.bytes(
      MetaEntry.boot, in: XCTUnwrap(read.table(named: MetaEntry.table)), read)
  }

  /// Makes the store one that was last written in another run of the machine.
  private func restartMachine(_ store: Store) throws {
    try store.change { write in
      let meta = try write.makeTable(named: MetaEntry.table)
      try MetaEntry.set(MetaEntry.boot, to: [UInt8](repeating: 7, count: 16), in: meta, write)
    }
  }

  private func reopened(_ durability: Leyden.Durability) throws -> Store {
    var configuration = try XCTUnwrap(directory)
      .configuration(objectTypes: [Specimen.self, Item.self])
    configuration.durability = durability
    return try Store(configuration: configuration)
  }

  private func damage(_ store: Store) throws {
    let table = try store.type(named: "Specimen").tableName
    try store.change { write in
      let table = try write.makeTable(named: table)
      try write.change(key: write.keys(of: table)[3], in: table) { $0[20] ^= 1 }
    }
  }

  func testAWholeStoreOpensAndTheNextWriteRemembersTheNewRun() throws {
    let store = try makeStore()
    XCTAssertEqual(try mark(of: store), BootIdentity.current?.bytes)
    try restartMachine(store)
    store.close()

    let later = try reopened(.unsafe)
    XCTAssertEqual(try mark(of: later), [UInt8](repeating: 7, count: 16))
    try later.write { try later.add(Item(1)) }

    XCTAssertEqual(try mark(of: later), BootIdentity.current?.bytes)
    XCTAssertNoThrow(try later.verify())
  }

  func testADamagedStoreIsRefusedAndSaysWhy() throws {
    let store = try makeStore()
    try damage(store)
    try restartMachine(store)
    store.close()

    XCTAssertThrowsError(try reopened(.unsafe)) { error in
      guard case .corrupted(let reason) = error as? StoreError else { return XCTFail("\(error)") }
      XCTAssertTrue(reason.contains("unsafe"), reason)
      XCTAssertTrue(reason.contains("Specimen"), reason)
    }
  }

  func testWithinOneRunOfTheMachineNothingIsVerified() throws {
    let store = try makeStore()
    try damage(store)
    store.close()

    XCTAssertNoThrow(try reopened(.unsafe))
  }

  func testACommitWithFlushesEndsTheDoubt() throws {
    let store = try makeStore()
    store.close()
    for durability in [Leyden.Durability.full, .relaxed] {
      let later = try reopened(.unsafe)
      try later.write { try later.add(Item(1)) }
      XCTAssertNotNil(try mark(of: later))
      later.close()

      let flushed = try reopened(durability)
      XCTAssertNotNil(try mark(of: flushed), "opening writes nothing")
      try flushed.write { try flushed.add(Item(2)) }

      XCTAssertNil(try mark(of: flushed))
      flushed.close()
    }
  }
}
