import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What a store says about its file and its readers.
final class DiagnosticsTests: ProcessTestCase {
  /// The readers of other processes: a thread of this one that posts notifications reads at times.
  private static func readersElsewhere(
    _ diagnostics: Store.Diagnostics
  ) -> [Store.Diagnostics.Reader] {
    diagnostics.readers.filter {
      $0.processIdentifier != ProcessInfo.processInfo.processIdentifier
    }
  }

  func testAReaderOfAnotherProcessShowsWithWhatItHolds() throws {
    let store = try store()
    let counter = try store.write { try store.add(Item(0)) }
    let child = try child("read")
    XCTAssertEqual(try child.requiredLine(), "reading \(store.version)")
    let pinned = store.version

    let commits = testScale(5_000)
    for number in 1...commits { try store.write { counter.value = number } }
    let diagnostics = store.diagnostics

    let elsewhere = Self.readersElsewhere(diagnostics)
    let reader = try XCTUnwrap(elsewhere.first)
    XCTAssertEqual(elsewhere.count, 1)
    XCTAssertEqual(reader.processIdentifier, child.identifier)
    XCTAssertEqual(reader.version, pinned)
    XCTAssertEqual(reader.commitsBehind, commits)
    XCTAssertGreaterThan(try XCTUnwrap(reader.age), .zero)
    XCTAssertEqual(diagnostics.pinnedVersions, [pinned])
    // At least the leaf and the root of the table, the log and the names, with each commit.
    XCTAssertGreaterThan(reader.pagesHeld, 2 * commits)
    XCTAssertLessThanOrEqual(reader.pagesHeld, diagnostics.freePages)
    XCTAssertNoThrow(try store.verify())

    child.closeInput()
    XCTAssertEqual(try child.wait(), .exited(0), child.errorOutput)
    XCTAssertEqual(Self.readersElsewhere(store.diagnostics), [])
    XCTAssertEqual(store.diagnostics.pinnedVersions, [])
  }

  func testAReaderThatWasKilledHoldsNothing() throws {
    let store = try store()
    try store.write { try store.add(Item(0)) }
    let child = try child("read")
    _ = try child.requiredLine()
    XCTAssertEqual(
      Self.readersElsewhere(store.diagnostics).map(\.processIdentifier), [child.identifier])

    child.signal(SIGKILL)
    try child.wait()

    XCTAssertEqual(Self.readersElsewhere(store.diagnostics), [])
  }

  func testAReaderOfThisProcessShowsWhileItReads() throws {
    let store = try store()
    let other = try self.store()
    try store.write { try store.add(Item(0)) }
    try store.read {
      // A thread that posts notifications may read as well, for a moment.
      XCTAssertTrue(other.diagnostics.readers.map(\.commitsBehind).contains(0))
      XCTAssertEqual(other.diagnostics.readers.first?.age, .zero)
      XCTAssertEqual(other.diagnostics.pinnedVersions, [])
      try other.write { try other.add(Item(1)) }
      XCTAssertEqual(other.diagnostics.pinnedVersions, [store.version])
      XCTAssertEqual(
        Set(other.diagnostics.readers.map(\.processIdentifier)),
        [ProcessInfo.processInfo.processIdentifier])
    }
    XCTAssertEqual(store.diagnostics.pinnedVersions, [])
  }

  func testTheFileIsDescribed() throws {
    let store = try store()
    for number in 0..<50 { try store.write { try store.add(Card("\(number)")) } }
    let diagnostics = store.diagnostics
    let data = URL(fileURLWithPath: try path()).appendingPathComponent("data.mdb")
    let size = try FileManager.default.attributesOfItem(atPath: data.path)[.size] as? Int

    XCTAssertEqual(diagnostics.fileSize, size)
    XCTAssertEqual(diagnostics.version, store.version)
    XCTAssertEqual(
      diagnostics.usedPages + diagnostics.freePages, diagnostics.highestPage + 1)
    XCTAssertGreaterThan(diagnostics.usedPages, 5)
    XCTAssertGreaterThan(diagnostics.mapSize, diagnostics.fileSize)
    XCTAssertEqual(diagnostics.retainedLog?.upperBound, store.version)
    XCTAssertEqual(diagnostics.retainedLog?.lowerBound.description, "1")
    XCTAssertGreaterThan(diagnostics.logSize, 0)
    XCTAssertEqual(diagnostics.logSize % diagnostics.pageSize, 0)

    store.close()
    XCTAssertEqual(store.diagnostics.fileSize, 0)
    XCTAssertEqual(Self.readersElsewhere(store.diagnostics), [])
  }
}
