import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Two processes let a store grow while a third one observes it.
final class GrowingStoreTests: ProcessTestCase {
  func testWritersThatLetAStoreGrowLoseNothingAndStopNobody() throws {
    try assertGrows()
  }

  func testTheSameWhereThereIsLittleAddressSpace() throws {
    // Then the map begins small, and grows in each of the three processes.
    try XCTSkipUnless(sanitizerOptions.isEmpty, "a sanitizer takes more than the limit")
    try assertGrows(limit: 3_000_000)
  }

  private func assertGrows(limit kilobytes: Int? = nil) throws {
    let count = testScale(400)
    func child(_ arguments: String...) throws -> ChildProcess {
      guard let kilobytes else {
        return try ChildProcess("leyden-test-child", arguments + [path()])
      }
      let program = BuildProducts.executable("leyden-test-child")
      let line = "ulimit -v \(kilobytes) && exec \"$@\""
      return try ChildProcess(
        "/bin/sh", ["-c", line, "sh", program] + arguments + [path()])
    }
    let reader = try child("hear", "\(2 * count)")
    XCTAssertEqual(try reader.requiredLine(), "ready", reader.errorOutput)
    let first = try child("grow", "first", "\(count)", "-1")
    let second = try child("grow", "second", "\(count)", "\(count / 2)")
    XCTAssertEqual(try second.wait(within: .seconds(300)), .killed(SIGKILL), second.errorOutput)
    let again = try child("grow", "second", "\(count)", "-1")

    for writer in [first, again] {
      XCTAssertEqual(try writer.requiredLine(within: .seconds(300)), "\(count)", writer.errorOutput)
      XCTAssertEqual(try writer.wait(), .exited(0), writer.errorOutput)
    }
    XCTAssertEqual(
      try reader.requiredLine(within: .seconds(120)), "\(2 * count)", reader.errorOutput)
    XCTAssertEqual(try reader.wait(), .exited(0), reader.errorOutput)
    let store = try store()
    for name in ["first", "second"] {
      let cards = store.objects(Card.self).where { $0.title == name }.sorted(by: \.rank)
      XCTAssertEqual(cards.map(\.rank), Array(0..<count))
    }
    XCTAssertNoThrow(try store.verify())
  }

  func testACounterThatIsWrittenForLongTakesOnlyTheRoomThatObserversHold() throws {
    let store = try store()
    try store.write { for number in 0..<100 { try store.add(Card("\(number)", rank: 0)) } }
    let observers = try (0..<3).map { _ in try child("hear", "101") }
    for observer in observers { XCTAssertEqual(try observer.requiredLine(), "ready") }
    let counter = try XCTUnwrap(store.objects(Card.self).first)
    // An observer that the system stops within its turn keeps the pages of its version as long as that:
    // here it is never more than a hundred commits behind.
    func count(to number: Int) throws {
      while counter.rank < number {
        for _ in 0..<100 { try store.write { counter.rank += 1 } }
        let deadline = ContinuousClock.now + .seconds(60)
        while store.diagnostics.pinnedVersions != [] {
          if ContinuousClock.now > deadline { return XCTFail("a version is kept") }
        }
      }
    }
    try count(to: 1_000)
    let size = store.diagnostics.fileSize
    let end = 1_000 + testScale(100) * 100
    try count(to: end)

    // Some ten pages for each commit that is held, twice, and the log; without using pages again it
    // would be 400 MB.
    let most = size + 2 * 100 * 10 * store.diagnostics.pageSize + (1 << 20)
    XCTAssertLessThanOrEqual(store.diagnostics.fileSize, most, "from \(size)")
    XCTAssertEqual(counter.rank, end)
    try store.write { try store.add(Card("end")) }
    for observer in observers {
      XCTAssertEqual(try observer.requiredLine(), "101", observer.errorOutput)
      XCTAssertEqual(try observer.wait(), .exited(0))
    }
    XCTAssertEqual(store.diagnostics.pinnedVersions, [])
    XCTAssertNoThrow(try store.verify())
  }
}
