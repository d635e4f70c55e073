import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// System calls that fail: what was committed stays, what failed says why, and the store goes on.
final class FailingCallsTests: ProcessTestCase {
  override func setUpWithError() throws { try skipWhereCallsCannotFail() }

  /// Starts the other program with calls that can be made to fail.
  private func child(
    _ arguments: [String], fault: String? = nil, fileSystem: UInt32? = nil, pageSize: Int? = nil
  ) throws -> ChildProcess {
    let library = BuildProducts.directory.appendingPathComponent("libleyden-faults.so").path
    var environment = ["LD_PRELOAD": library]
    if let fault { environment["LEYDEN_FAULT"] = fault }
    if let fileSystem { environment["LEYDEN_FILE_SYSTEM"] = "\(fileSystem)" }
    if let pageSize { environment["LEYDEN_PAGE_SIZE"] = "\(pageSize)" }
    return try ChildProcess("leyden-test-child", arguments + [path()], environment: environment)
  }

  private func lines(of child: ChildProcess) throws -> [String] {
    let lines = try child.remainingLines()
    XCTAssertEqual(try child.wait(), .exited(0), "\(lines) \(child.errorOutput)")
    return lines
  }

  func testAfterAFirstPageThatWasNotWrittenTheStoreGoesOnByItself() throws {
    let child = try child(["meet", "first page"])
    let lines = try lines(of: child)

    XCTAssertEqual(
      lines,
      [
        "failed 0 failed", "1", "true", "0 7", "failed 1 failed", "2", "true", "1 7",
        "failed 2 failed", "3", "true", "2 7", "[1] [2] [3]", "a 0 1 2", "a 0 1 2",
      ])
    let notes = child.errorOutput.split(separator: "\n").filter { $0.contains("opened anew") }
    XCTAssertEqual(notes.count, 3, child.errorOutput)
  }

  func testWhoReadsWhenAFirstPageIsNotWrittenReadsOn() throws {
    let lines = try lines(of: child(["meet", "first page while reading"]))

    XCTAssertEqual(lines, ["failed failed", "refused failed", "a", "b 7", "a b"])
  }

  func testAStoreThatCannotBeOpenedAnewIsOpenedLater() throws {
    let lines = try lines(of: child(["meet", "first page and opening"]))

    XCTAssertEqual(lines, ["failed failed", "refused failed", "refused failed", "b 7", "a b"])
  }

  func testThreadsThatReadAndWriteSeeWholeVersionsWhileTheStoreIsOpenedAnew() throws {
    XCTAssertEqual(try lines(of: child(["meet", "first page, threads"])), ["1"])
  }

  func testAnotherProcessGoesOnWhereOneOpensTheStoreAnew() throws {
    let store = try store()
    try store.write { try store.add(Item(1)) }
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.identifier }
    let lines = try lines(of: child(["meet", "first page"]))

    store.refresh()
    XCTAssertEqual(recorder.values, ["a", "0", "1", "2"])
    XCTAssertEqual(recorder.violations, [])
    XCTAssertEqual(lines.last, "a 0 1 2")
    try store.write { try store.add(Card("end")) }
    XCTAssertNoThrow(try store.verify())
  }

  func testAMapThatIsLostWhileItGrowsIsMadeAnew() throws {
    XCTAssertEqual(try lines(of: child(["meet", "moving the map"])), ["anew", "2000"])
  }

  func testWhatTheSystemDoesNotLetBeReadIsNoDamage() throws {
    XCTAssertEqual(
      try lines(of: child(["meet", "verify"])), ["false", "true", "() failed", "true"])

    // The same for each of the reads with which a store is opened.
    var number = 1
    var outcome = ""
    while outcome != "200" {
      let lines = try lines(of: child(["meet", "open"], fault: "eio:\(number):pread"))
      outcome = lines.joined()
      XCTAssertTrue(["failed", "200"].contains(outcome), "\(outcome), read \(number)")
      number += 1
    }
    XCTAssertGreaterThan(number, 5)
  }

  func testAStoreOfWhichIsNotKnownWhetherItIsOpenIsNotDeleted() throws {
    let store = try store()
    try store.write { try store.add(Card("a")) }
    let url = URL(fileURLWithPath: try path())
    let files = try FileManager.default.contentsOfDirectory(atPath: url.path).sorted()

    for number in 1...4 {
      let lines = try lines(of: child(["meet", "delete"], fault: "eio:\(number):open"))
      XCTAssertTrue([["failed"], ["alreadyOpen"]].contains(lines), "\(lines), call \(number)")
      XCTAssertEqual(
        try FileManager.default.contentsOfDirectory(atPath: url.path).sorted(), files)
    }
    XCTAssertNoThrow(try store.verify())
  }

  func testFileSystemsOfOtherMachinesAreRefusedByName() throws {
    do {
      let store = try store()
      try store.write { try store.add(Card("a")) }
      store.close()
    }
    let before = DirectoryContents(of: URL(fileURLWithPath: try path()))
    let remote: [(UInt32, String)] = [
      (0x6969, "NFS"), (0x517B, "SMB"), (0xFF53_4D42, "CIFS"), (0xFE53_4D42, "SMB2"),
      (0x6573_5546, "FUSE"), (0x0102_1997, "9p"), (0x5346_414F, "AFS"), (0x00C3_6400, "Ceph"),
    ]
    for (number, name) in remote {
      for way in ["plain", "readOnly"] {
        let lines = try lines(of: child(["read-once", way], fileSystem: number))
        XCTAssertEqual(lines.count, 1)
        XCTAssertTrue(lines[0].hasPrefix("unsupported"), "\(lines)")
        XCTAssertTrue(lines[0].contains("is on \(name)"), "\(lines)")
        XCTAssertTrue(lines[0].contains("Test.leyden"), "\(lines)")
      }
      // Where nobody writes there is nothing to be shared.
      XCTAssertEqual(
        try lines(of: child(["read-once", "immutable"], fileSystem: number)), ["1", "readOnly"])
    }
    XCTAssertEqual(DirectoryContents(of: URL(fileURLWithPath: try path())), before)
  }

  func testAStoreOfAMachineWithOtherPagesIsReadAndWritten() throws {
    XCTAssertEqual(try lines(of: child(["write", "5", "40"], pageSize: 16_384)).count, 40)
    var expected = CardList()
    var commits = RandomCommits(seed: 5)
    for _ in 0..<40 { expected.apply(commits.next(for: expected)) }
    do {
      let store = try store()
      XCTAssertEqual(store.diagnostics.pageSize, 16_384)
      XCTAssertTrue(store.values(of: Card.self) == expected.values)
      let operations = commits.next(for: expected)
      try store.write { for operation in operations { try operation.apply(to: store) } }
      expected.apply(operations)
      XCTAssertNoThrow(try store.verify())
      store.close()
    }

    let digests = try lines(of: child(["digests"], pageSize: 16_384))
    XCTAssertEqual(digests, expected.values.map { "\(CardList([$0]).digest)" })

    let store = try store()
    XCTAssertTrue(try store.compact())
    XCTAssertEqual(store.diagnostics.pageSize, Int(sysconf(Int32(_SC_PAGESIZE))))
    XCTAssertTrue(store.values(of: Card.self) == expected.values)
    XCTAssertNoThrow(try store.verify())
  }
}
