import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class EnvironmentGrowthTests: StorageTestCase {
  private let megabyte = 1 << 20

  /// Stores `count` values of 1000 bytes in one write.
  private func fill(_ environment: Environment, _ count: Int, from start: Int = 0) throws {
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for number in start..<start + count {
        try write.put(String(repeating: "v", count: 1000), for: "\(number)", in: table)
      }
    }
  }

  func testAMapThatIsNearlyFullGrowsAfterTheCommit() throws {
    let environment = try open(mapSize: megabyte)

    try fill(environment, 100)
    XCTAssertEqual(environment.mapSize, megabyte)
    try fill(environment, 600)

    XCTAssertEqual(environment.mapSize, 2 * megabyte)
  }

  func testAWriteThatDoesNotFitFailsAndTheNextHasRoom() throws {
    let environment = try open(mapSize: megabyte)

    assertThrows(.mapFull, try fill(environment, 1200))

    XCTAssertNoThrow(try fill(environment, 1200))
    XCTAssertGreaterThanOrEqual(environment.mapSize, 2 * megabyte)
    let read = try environment.beginRead()
    XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 1200)
  }

  func testGrowthWaitsForAReaderAndHappensWhenItEnds() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let read = try environment.beginRead()
    let table = try XCTUnwrap(read.table(named: "t1"))
    let value = try read.text(for: "0", in: table)

    try fill(environment, 600)

    XCTAssertEqual(environment.mapSize, megabyte)
    XCTAssertEqual(try read.text(for: "0", in: table), value)
    read.end()
    XCTAssertEqual(environment.mapSize, 2 * megabyte)
  }

  func testAWriteWhoseOwnThreadReadsDoesNotWaitForItself() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let read = try environment.beginRead()
    assertThrows(.mapFull, try fill(environment, 1200))

    assertThrows(.mapFull, try fill(environment, 1200))
    XCTAssertNoThrow(try fill(environment, 1))

    read.end()
    XCTAssertNoThrow(try fill(environment, 1200))
  }

  func testAWriteThatNeedsRoomWaitsForTheReaderOfAnotherThread() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let isReading = DispatchSemaphore(value: 0)
    let mayEnd = DispatchSemaphore(value: 0)
    let hasEnded = expectation(description: "The reader has ended.")
    Thread.detachNewThread {
      let read = try? environment.beginRead()
      isReading.signal()
      mayEnd.wait()
      read?.end()
      hasEnded.fulfill()
    }
    isReading.wait()
    assertThrows(.mapFull, try fill(environment, 1200))

    mayEnd.signal()
    XCTAssertNoThrow(try fill(environment, 1200))

    wait(for: [hasEnded], timeout: 10)
  }

  func testAMapThatCannotGrowTakesWhatFits() throws {
    try XCTSkipIf(addressSpaceUsed > 4 << 30, "A sanitizer has taken more than the limit.")
    let used = addressSpaceUsed

    let result = try ForkedChild.run {
      let environment = try open(mapSize: 16 * megabyte)
      var limit = rlimit()
      limit.rlim_cur = rlim_t(used + 32 * megabyte)
      limit.rlim_max = limit.rlim_cur
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return 1 }
      var stored = 0
      do {
        while stored < 100 {
          try fill(environment, 500, from: 500 * stored)
          stored += 1
        }
        return 2
      } catch StorageError.mapFull {}
      try fill(environment, 1)
      let read = try environment.beginRead()
      let table = try XCTUnwrap(read.table(named: "t1"))
      return try read.count(of: table) == 500 * stored ? 0 : 3
    }

    XCTAssertEqual(result, 0)
  }

  func testReadersOfOtherThreadsSeeWholeSnapshotsWhileTheMapGrows() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let failures = Collector<String>()
    let isDone = Collector<Bool>()
    let readers = DispatchGroup()
    for _ in 0..<3 {
      DispatchQueue.global().async(group: readers) {
        do {
          while isDone.values.isEmpty {
            let read = try environment.beginRead()
            guard let table = try read.table(named: "t1") else { continue }
            var cursor = try read.cursor(in: table)
            var count = 0
            while try cursor.next() { count += 1 }
            if try read.count(of: table) != count { failures.add("\(count)") }
          }
        } catch {
          failures.add("\(error)")
        }
      }
    }

    for round in 0..<30 {
      do {
        try fill(environment, 200, from: 200 * round)
      } catch StorageError.mapFull {
        // A reader was in the way of the growth before; of this one, none is for long.
        try fill(environment, 200, from: 200 * round)
      }
    }

    isDone.add(true)
    XCTAssertEqual(readers.wait(timeout: .now() + 20), .success)
    XCTAssertEqual(failures.values, [])
    XCTAssertGreaterThanOrEqual(environment.mapSize, 8 * megabyte)
  }

  func testTheSizeOfAnotherProcessIsTakenOver() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let result = try ForkedChild.run {
      try fill(open(mapSize: 64 * megabyte), 4000)
      return 0
    }
    XCTAssertEqual(result, 0)

    let read = try environment.beginRead()

    XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 4000)
    XCTAssertGreaterThan(environment.mapSize, 4 * megabyte)
  }

  func testAWriterTakesOverTheSizeOfAnotherProcess() throws {
    let environment = try open(mapSize: megabyte)
    try fill(environment, 1)
    let result = try ForkedChild.run {
      try fill(open(mapSize: 64 * megabyte), 4000)
      return 0
    }
    XCTAssertEqual(result, 0)

    XCTAssertNoThrow(try fill(environment, 1, from: 4000))

    let read = try environment.beginRead()
    XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 4001)
  }

  func testTheMapIsLargeByItself() throws {
    let environment = try open(mapSize: nil)

    XCTAssertGreaterThanOrEqual(environment.mapSize, 64 * megabyte)
    XCTAssertLessThan(environment.fileSize, megabyte)
  }

  private var addressSpaceUsed: Int {
    let pages = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (pages?.split(separator: " ").first.flatMap { Int($0) } ?? 0) * 4096
  }

  func testALimitOnTheAddressSpaceGivesASmallerMap() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try XCTSkipIf(addressSpaceUsed > 4 << 30, "A sanitizer has taken more than the limit.")

    let result = try ForkedChild.run {
      var limit = rlimit()
      limit.rlim_cur = 8 << 30
      limit.rlim_max = 8 << 30
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return 1 }
      let environment = try open(mapSize: nil)
      return environment.mapSize <= 4 << 30 && environment.mapSize >= 64 << 20 ? 0 : 2
    }

    XCTAssertEqual(result, 0)
  }
}
