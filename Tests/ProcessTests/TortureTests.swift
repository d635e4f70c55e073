import Foundation
import TestSupport
import XCTest

/// Short runs of the programs that `Scripts/torture` runs for long.
///
/// They look at the store while and after something terrible happens to its processes or its disk.
final class TortureTests: XCTestCase {
  func testKilledWritersAndObserversLeaveWhatTheyAcknowledged() throws {
    XCTAssertGreaterThan(try figure("kills", of: torture("kill", seconds: 6)), 0)
  }

  func testAnyCallThatFailsOrIsTheLastOneLeavesAllOfAWriteOrNothing() throws {
    try skipWhereCallsCannotFail()
    XCTAssertGreaterThan(try figure("of these killed", of: torture("faults", seconds: 4)), 0)
  }

  func testALossOfPowerLeavesTheCommitsThatReturned() throws {
    XCTAssertGreaterThan(try figure("states", of: torture("power", seconds: 3)), 0)
  }

  func testAFullDiskIsSaidAndLeavesTheStoreUsable() throws { try torture("disk", seconds: 1) }

  func testReadingAndWritingForLongTakesNoMoreDescriptorsAndPages() throws {
    try torture("soak", seconds: 4)
  }

  func testObserversOfAStoreToWhichNothingHappensWakeUpOnceASecond() throws {
    try XCTSkipUnless(sanitizerOptions.isEmpty, "a sanitizer has threads of its own")
    try torture("idle", seconds: 6)
  }

  func testNobodyMissesTheLastCommit() throws {
    XCTAssertGreaterThan(try figure("rounds", of: torture("signals", seconds: 5)), 0)
  }

  func testBytesThatNobodyWroteAreReadOrRefused() throws {
    XCTAssertGreaterThan(
      try figure("entries, refused", of: torture("decoders", seconds: 3)), 0)
  }

  /// Runs a program with a seed that is always the same; it must find nothing wrong.
  ///
  /// - Returns: The lines that it printed.
  @discardableResult
  private func torture(_ program: String, seconds: Int) throws -> [String] {
    let child = try ChildProcess("leyden-torture", [program, "\(testScale(seconds))", "7"])
    let lines = try child.remainingLines(within: .seconds(600))
    let ending = try child.wait()
    XCTAssertEqual(ending, .exited(0), (lines + [child.errorOutput]).joined(separator: "\n"))
    XCTAssertEqual(lines.last, "problems 0")
    return lines
  }

  private func figure(_ name: String, of lines: [String]) throws -> Int {
    let line = try XCTUnwrap(lines.first { $0.hasPrefix("\(name) ") }, name)
    return try XCTUnwrap(Int(line.dropFirst(name.count + 1)), line)
  }
}
