import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class CommitSignalTests: StorageTestCase {
  func testARingWakesAWaitingThread() throws {
    let signal = try open().signal
    let ticket = signal.ticket
    let isAwake = expectation(description: "The waiter is awake.")
    Thread.detachNewThread {
      if signal.wait(since: ticket, timeout: .seconds(20)) { isAwake.fulfill() }
    }

    signal.ring(version: 7)

    wait(for: [isAwake], timeout: 20)
    XCTAssertEqual(signal.newestVersionHint, 7)
    XCTAssertTrue(signal.isShared)
  }

  func testARingBeforeTheWaitIsNotLost() throws {
    let signal = try open().signal
    let ticket = signal.ticket
    signal.ring(version: 1)

    XCTAssertTrue(signal.wait(since: ticket, timeout: .seconds(20)))
    XCTAssertFalse(signal.wait(since: signal.ticket, timeout: .milliseconds(1)))
  }

  func testWakingWakesWithoutAVersion() throws {
    let signal = try open().signal
    let ticket = signal.ticket

    signal.wake()

    XCTAssertTrue(signal.wait(since: ticket, timeout: .zero))
    XCTAssertEqual(signal.newestVersionHint, 0)
  }

  func testNoRingIsLostInTenThousandRounds() throws {
    let there = try Environment.open(at: directory + "/There.leyden").signal
    let back = try Environment.open(at: directory + "/Back.leyden").signal
    let rounds = 10_000
    let isDone = expectation(description: "Every ring was answered.")
    let backTicket = back.ticket
    let thereTicket = there.ticket
    Thread.detachNewThread {
      var ticket = thereTicket
      for _ in 0..<rounds {
        guard there.wait(since: ticket, timeout: .seconds(20)) else { return }
        ticket &+= 1
        back.ring(version: 0)
      }
      isDone.fulfill()
    }

    var ticket = backTicket
    for round in 0..<rounds {
      there.ring(version: UInt64(round))
      guard back.wait(since: ticket, timeout: .seconds(20)) else {
        return XCTFail("Round \(round) was lost.")
      }
      ticket &+= 1
    }

    wait(for: [isDone], timeout: 20)
  }

  func testAnotherProcessIsHeard() throws {
    let environment = try open()
    let ticket = environment.signal.ticket

    let result = try ForkedChild.run {
      let own = try open()
      own.signal.ring(version: 3)
      own.signal.setRowMark(RowMark(next: 10, block: 4096))
      return 0
    }

    XCTAssertEqual(result, 0)
    XCTAssertTrue(environment.signal.wait(since: ticket, timeout: .zero))
    XCTAssertEqual(environment.signal.newestVersionHint, 3)
    XCTAssertEqual(environment.signal.rowMark, RowMark(next: 10, block: 4096))
  }

  func testAnOlderVersionDoesNotTakeTheHintBack() throws {
    let signal = try open().signal

    signal.ring(version: 9)
    signal.ring(version: 4)

    XCTAssertEqual(signal.newestVersionHint, 9)
  }

  func testWithoutThePageTheStoreIsLookedAt() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try FileManager.default.removeItem(atPath: path + "/signal")
    let reader = try open(readOnly: true)
    let ticket = reader.signal.ticket
    XCTAssertFalse(reader.signal.wait(since: ticket, timeout: .milliseconds(1)))

    let result = try ForkedChild.run {
      try write(to: open()) { _ = try $0.makeTable(named: "t2") }
      return 0
    }

    XCTAssertEqual(result, 0)
    XCTAssertTrue(reader.signal.wait(since: ticket, timeout: .seconds(20)))
    let next = reader.signal.ticket
    reader.signal.wake()
    XCTAssertTrue(reader.signal.wait(since: next, timeout: .zero))
  }
}
