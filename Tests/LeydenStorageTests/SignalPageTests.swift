import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class SignalPageTests: StorageTestCase {
  private var page: URL { URL(fileURLWithPath: path + "/signal") }

  func testAFreshPageIsWhole() throws {
    let environment = try open()

    let bytes = try Data(contentsOf: page)

    XCTAssertEqual(bytes.count, 4096)
    XCTAssertEqual(String(decoding: bytes.prefix(8), as: UTF8.self), "LEYDSIGN")
    XCTAssertEqual(Array(bytes[8..<12]), [1, 0, 0, 0])
    XCTAssertEqual(bytes[16...].filter { $0 != 0 }, Data())
    withExtendedLifetime(environment) {}
  }

  func testDamagedPagesAreReplaced() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    let whole = try Data(contentsOf: page)
    for damaged in [Data(), whole.prefix(100), Data(count: 4096), whole + whole, Data("x".utf8)] {
      try damaged.write(to: page)

      let environment = try open()

      XCTAssertTrue(environment.signal.isShared)
      XCTAssertEqual(try Data(contentsOf: page), whole)
      XCTAssertNotNil(try environment.beginRead().table(named: "t1"))
    }
  }

  func testAWholePageIsKept() throws {
    try open().signal.ring(version: 5)

    XCTAssertEqual(try open().signal.newestVersionHint, 5)
  }

  func testANewStoreStartsWithANewPage() throws {
    try open().signal.ring(version: 5)
    try FileManager.default.removeItem(atPath: path + "/data.mdb")

    XCTAssertEqual(try open().signal.newestVersionHint, 0)
  }

  func testARowMarkOfAnotherRunOfTheMachineIsNone() throws {
    try open().signal.setRowMark(RowMark(next: 5, block: 10))
    XCTAssertEqual(try open().signal.rowMark, RowMark(next: 5, block: 10))
    var bytes = try Data(contentsOf: page)
    bytes[16] ^= 1
    try bytes.write(to: page)

    let signal = try open().signal
    XCTAssertNil(signal.rowMark)

    signal.setRowMark(RowMark(next: 7, block: 10))
    XCTAssertEqual(signal.rowMark, RowMark(next: 7, block: 10))
  }

  func testAPageOfALaterLayoutIsLeftAlone() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    var bytes = try Data(contentsOf: page)
    bytes[8] = 2
    try bytes.write(to: page)

    let environment = try open()

    XCTAssertFalse(environment.signal.isShared)
    XCTAssertEqual(try Data(contentsOf: page), bytes)
  }

  func testAPageOfAnotherLibraryIsReplacedWhenNobodyUsesIt() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    let whole = try Data(contentsOf: page)
    var bytes = whole
    bytes[14] = 77
    try bytes.write(to: page)

    let environment = try open()

    XCTAssertTrue(environment.signal.isShared)
    XCTAssertEqual(try Data(contentsOf: page), whole)
  }

  func testAPageOfAnotherLibraryInUseIsRefused() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    var bytes = try Data(contentsOf: page)
    bytes[14] = 77
    try bytes.write(to: page)

    let result = try ForkedChild.run {
      do {
        _ = try open()
        return 1
      } catch StorageError.unsupported {
        return 0
      }
    }

    XCTAssertEqual(result, 0)
    withExtendedLifetime(environment) {}
  }
}
