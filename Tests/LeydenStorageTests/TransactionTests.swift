import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class TransactionTests: StorageTestCase {
  func testASnapshotStaysAsItIs() throws {
    let environment = try open()
    try write(to: environment) { try $0.put("old", for: "k", in: $0.makeTable(named: "t1")) }
    let read = try environment.beginRead()
    let table = try XCTUnwrap(read.table(named: "t1"))

    try write(to: environment) { try $0.put("new", for: "k", in: $0.makeTable(named: "t1")) }

    XCTAssertEqual(try read.text(for: "k", in: table), "old")
    XCTAssertEqual(try environment.beginRead().text(for: "k", in: table), "new")
  }

  func testATableThatCameLaterIsNotInTheSnapshot() throws {
    let environment = try open()
    let read = try environment.beginRead()
    try write(to: environment) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    let table = try XCTUnwrap(environment.beginRead().table(named: "t1"))

    XCTAssertNil(try read.table(named: "t1"))
    XCTAssertNil(try read.text(for: "k", in: table))
    XCTAssertEqual(try read.count(of: table), 0)
    XCTAssertEqual(try read.entries(of: table), [])
  }

  func testATableOfAnEarlierSnapshotIsGoodForALaterOne() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    let table = try XCTUnwrap(environment.beginRead().table(named: "t1"))

    try write(to: environment) { try $0.put("v", for: "k", in: table) }

    XCTAssertEqual(try environment.beginRead().text(for: "k", in: table), "v")
  }

  func testEndingTwiceIsEndingOnce() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    let read = try environment.beginRead()
    let table = try XCTUnwrap(read.table(named: "t1"))

    read.end()
    read.end()

    let other = try environment.beginRead()
    let third = try environment.beginRead()
    XCTAssertEqual(try other.count(of: table), 0)
    XCTAssertEqual(try third.count(of: table), 0)
    assertThrows(.closed, try read.text(for: "k", in: table))
    assertThrows(.closed, try read.count(of: table))
  }

  func testRowsAreKeysInOrderOfTheirNumbers() throws {
    let environment = try open()
    let rows: [UInt64] = [256, 1, .max, 255, 0, 1 << 40]
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for row in rows {
        unsafe try withUnsafeBytes(of: row) { unsafe try write.put($0, forRow: row, in: table) }
      }
      XCTAssertTrue(try write.delete(row: 255, in: table))
    }

    let read = try environment.beginRead()

    let table = try XCTUnwrap(read.table(named: "t1"))
    var cursor = try read.cursor(in: table)
    var found: [UInt64] = []
    while try cursor.next() { found.append(cursor.row) }
    XCTAssertEqual(found, [0, 1, 256, 1 << 40, .max])
    let value = unsafe try XCTUnwrap(read.value(forRow: 256, in: table))
    XCTAssertEqual(unsafe value.loadUnaligned(as: UInt64.self), 256)
    XCTAssertNil(unsafe try read.value(forRow: 255, in: table))
  }

  func testEmptyValuesAreNotMissing() throws {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("", for: "k", in: table)

      XCTAssertEqual(try write.text(for: "k", in: table), "")
      XCTAssertNil(try write.text(for: "", in: table))
    }
  }

  func testTablesOfAnotherProcessAreSeen() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    let before = try environment.beginRead()

    for name in ["t2", "t3"] {
      let result = try ForkedChild.run {
        try write(to: open()) { try $0.put("v", for: "k", in: $0.makeTable(named: name)) }
        return 0
      }
      XCTAssertEqual(result, 0)
    }

    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t3"))), "v")
    XCTAssertNil(try before.table(named: "t2"))
    try write(to: environment) { write in
      XCTAssertEqual(try write.text(for: "k", in: XCTUnwrap(write.table(named: "t2"))), "v")
    }
  }

  func testAWriteSeesTablesThatAnotherProcessMade() throws {
    let environment = try open()
    let result = try ForkedChild.run {
      try write(to: open()) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
      return 0
    }
    XCTAssertEqual(result, 0)

    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      _ = try write.makeTable(named: "t2")
      XCTAssertEqual(try write.text(for: "k", in: table), "v")
      // The same thread, inside the write: must not wait for it.
      XCTAssertNotNil(try environment.beginRead().table(named: "t1"))
      XCTAssertNil(try environment.beginRead().table(named: "t2"))
    }
  }

  func testTablesMadeByManyThreadsAreSeenByAll() throws {
    let environment = try open()
    let failures = Collector<String>()

    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<20 {
        do {
          let write = try environment.beginWrite()
          let table = try write.makeTable(named: "t\(thread)-\(number)")
          try write.put("v", for: "k", in: table)
          try write.commit()
          let read = try environment.beginRead()
          for earlier in 0...number {
            let table = try read.table(named: "t\(thread)-\(earlier)")
            guard let table, try read.text(for: "k", in: table) == "v" else {
              failures.add("t\(thread)-\(earlier) is missing")
              continue
            }
          }
        } catch {
          failures.add("\(error)")
        }
      }
    }

    XCTAssertEqual(failures.values, [])
  }

  func testAProcessThatWasKilledLeavesAReaderThatIsFreed() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    let result = try ForkedChild.run {
      let read = try open().beginRead()
      withExtendedLifetime(read) { _ = kill(getpid(), SIGKILL) }
      return 0
    }
    XCTAssertNil(result)

    XCTAssertEqual(environment.checkReaders(), 1)
    XCTAssertEqual(environment.checkReaders(), 0)
  }

  func testMoreReadersThanSlotsAreRefused() throws {
    let environment = try open()
    var readers: [ReadTransaction] = []

    assertThrows(.tooManyReaders) {
      for _ in 0..<2000 { readers.append(try environment.beginRead()) }
    }

    XCTAssertEqual(readers.count, 1024)
    readers.removeAll()
    XCTAssertNoThrow(try environment.beginRead())
  }
}
