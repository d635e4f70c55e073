import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class WriterLockTests: StorageTestCase {
  func testWritesOfManyThreadsFollowEachOther() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    let failures = Collector<String>()

    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<100 {
        do {
          let write = try environment.beginWrite()
          let table = try write.makeTable(named: "t1")
          let count = Int(try write.text(for: "count", in: table) ?? "0") ?? 0
          try write.put("\(count + 1)", for: "count", in: table)
          try write.commit()
        } catch {
          failures.add("\(error)")
        }
      }
    }

    XCTAssertEqual(failures.values, [])
    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "count", in: XCTUnwrap(read.table(named: "t1"))), "400")
  }

  func testWritesOfSeveralProcessesFollowEachOther() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }

    let results = try ForkedChild.runTogether(count: 3) {
      let environment = try open()
      for _ in 0..<100 {
        try write(to: environment) { write in
          let table = try write.makeTable(named: "t1")
          let count = Int(try write.text(for: "count", in: table) ?? "0") ?? 0
          try write.put("\(count + 1)", for: "count", in: table)
        }
      }
      return 0
    }

    XCTAssertEqual(results, [0, 0, 0])
    let read = try open().beginRead()
    XCTAssertEqual(try read.text(for: "count", in: XCTUnwrap(read.table(named: "t1"))), "300")
  }

  func testAWriterThatWasKilledHoldsNobodyUp() throws {
    let environment = try open()
    try write(to: environment) { try $0.put("old", for: "k", in: $0.makeTable(named: "t1")) }

    let result = try ForkedChild.run {
      try write(to: open()) { write in
        try write.put("new", for: "k", in: write.makeTable(named: "t1"))
        kill(getpid(), SIGKILL)
      }
      return 0
    }

    XCTAssertNil(result)
    try write(to: environment) { write in
      XCTAssertEqual(try write.text(for: "k", in: write.makeTable(named: "t1")), "old")
    }
  }
}
