import Foundation
import LeydenStorage
import TestSupport
import XCTest

/// What is found where LMDB's pages are not what they should be.
final class PageSnapshotTests: StorageTestCase {
  private var environment: Environment?

  override func tearDownWithError() throws {
    environment = nil
    try super.tearDownWithError()
  }

  private var data: URL { URL(fileURLWithPath: path + "/data.mdb") }

  /// Makes a store with branch pages, long values and free pages.
  private func makeStore() throws -> StoreBytes {
    let environment = try open()
    self.environment = environment
    for round in 0..<4 {
      try write(to: environment) { write in
        let table = try write.makeTable(named: "t1")
        for number in 0..<300 where number % (round + 1) == 0 {
          try write.put(
            String(repeating: "v", count: 80 + round), for: "key \(1_000 + number)", in: table)
        }
        try write.put(String(repeating: "l", count: 9_000), for: "long", in: table)
        try write.put("", for: "k", in: write.makeTable(named: "single"))
      }
    }
    return StoreBytes(Array(try Data(contentsOf: data)))
  }

  /// Changes bytes of the file under the open environment, which reads nothing of it meanwhile.
  private func kinds(changing change: (inout StoreBytes) throws -> Void) throws -> Set<
    PageFinding.Kind
  > {
    var bytes = try makeStore()
    try change(&bytes)
    let file = try FileHandle(forWritingTo: data)
    try file.write(contentsOf: Data(bytes.bytes))
    try file.close()
    return try findings()
  }

  private func findings() throws -> Set<PageFinding.Kind> {
    var kinds: Set<PageFinding.Kind> = []
    let snapshot = try PageSnapshot(of: XCTUnwrap(environment))
    snapshot.check { kinds.insert($0.kind) }
    return kinds
  }

  private func branch(of bytes: StoreBytes) throws -> Int {
    try XCTUnwrap(bytes.pages["t1"]?.first { bytes.isBranch($0) })
  }

  private func leaf(of bytes: StoreBytes) throws -> Int {
    try XCTUnwrap(bytes.pages["t1"]?.first { !bytes.isBranch($0) })
  }

  func testAWholeFileHasNoFindings() throws {
    XCTAssertEqual(try kinds { _ in }, [])
  }

  func testEntriesAreReadAsLMDBReadsThem() throws {
    _ = try makeStore()
    let environment = try XCTUnwrap(environment)
    let read = try environment.beginRead()
    let expected = try read.entries(of: XCTUnwrap(read.table(named: "t1")))
    let snapshot = try PageSnapshot(of: environment)
    let table = try XCTUnwrap(snapshot.table("t1"))

    var entries: [[String]] = []
    unsafe table.forEach { key, value in
      unsafe entries.append(
        [String(decoding: key, as: UTF8.self), String(decoding: value, as: UTF8.self)])
    }

    XCTAssertEqual(entries, expected)
    XCTAssertEqual(table.count, UInt64(expected.count))
    XCTAssertEqual(table.lastKey, expected.last.map { Array($0[0].utf8) })
    for entry in expected {
      XCTAssertEqual(table.value(for: Array(entry[0].utf8)), Array(entry[1].utf8), entry[0])
      XCTAssertNil(table.value(for: Array("\(entry[0])0".utf8)))
    }
    XCTAssertNil(table.value(for: Array("a".utf8)))
    XCTAssertEqual(snapshot.tableNames, ["single", "t1"])
  }

  func testADamagedMetaPageIsFound() throws {
    XCTAssertEqual(
      try kinds { bytes in
        bytes.bytes[(1 - bytes.newestMeta) * StoreBytes.pageSize + 145] ^= 0x10
      }, [.metaPage])
  }

  func testAPageThatIsNotWhatLeadsToItSaysIsFound() throws {
    XCTAssertTrue(
      try kinds { bytes in bytes.bytes[try self.leaf(of: bytes) * StoreBytes.pageSize] ^= 1 }
        .contains(.page))
    environment = nil
    try FileManager.default.removeItem(atPath: path)
    XCTAssertTrue(
      try kinds { bytes in
        let node = bytes.nodes(of: try self.branch(of: bytes))[1]
        // A page number far outside of the file.
        bytes.bytes[node + 3] = 0x7f
      }.contains(.page))
  }

  func testALongValueOfOtherLengthIsFound() throws {
    XCTAssertTrue(
      try kinds { bytes in
        let long = try XCTUnwrap(bytes.used.first(where: bytes.isLong))
        bytes.bytes[long / StoreBytes.pageSize * StoreBytes.pageSize + 12] += 1
      }.contains(.page))
  }

  func testAPageThatTwoPlacesLeadToIsFound() throws {
    XCTAssertTrue(
      try kinds { bytes in
        let nodes = bytes.nodes(of: try self.branch(of: bytes))
        bytes.bytes.replaceSubrange(
          nodes[1]..<nodes[1] + 6, with: bytes.bytes[nodes[2]..<nodes[2] + 6])
      }.contains(.pageReachedTwice))
  }

  func testACircleOfPagesIsFoundAndReadOnce() throws {
    XCTAssertTrue(
      try kinds { bytes in
        let branch = try self.branch(of: bytes)
        for node in bytes.nodes(of: branch) {
          bytes.bytes[node] = UInt8(branch & 0xff)
          bytes.bytes[node + 1] = UInt8(branch >> 8)
        }
      }.contains(.pageReachedTwice))
    let snapshot = try PageSnapshot(of: XCTUnwrap(environment))
    let table = try XCTUnwrap(snapshot.table("t1"))
    var count = 0
    unsafe table.forEach { _, _ in count += 1 }

    XCTAssertFalse(table.isSound)
    XCTAssertEqual(count, 0)
    XCTAssertNil(table.value(for: Array("key 1000".utf8)))
  }

  func testKeysOutOfOrderAreFound() throws {
    XCTAssertEqual(
      try kinds { bytes in
        let start = try self.leaf(of: bytes) * StoreBytes.pageSize + 16
        let first = Array(bytes.bytes[start..<start + 2])
        bytes.bytes.replaceSubrange(start..<start + 2, with: bytes.bytes[start + 2..<start + 4])
        bytes.bytes.replaceSubrange(start + 2..<start + 4, with: first)
      }, [.keyOrder])
  }

  func testAnEmptyKeyIsFound() throws {
    XCTAssertEqual(
      try kinds { bytes in
        let page = try XCTUnwrap(bytes.pages["single"]?.first)
        let node = bytes.nodes(of: page)[0]
        bytes.bytes[node] += 1
        bytes.bytes[node + 6] = 0
      }, [.keyLength])
  }

  func testWrongCountsAreFound() throws {
    for offset in [8, 16, 24, 32] {
      XCTAssertEqual(
        try kinds { bytes in
          let page = try XCTUnwrap(bytes.pages["names"]?.first)
          let node = bytes.nodes(of: page)[1]
          bytes.bytes[node + 8 + bytes.short(node + 6) + offset] ^= 1
        }, [.counts])
      environment = nil
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testAFreePageThatIsUsedIsFound() throws {
    XCTAssertEqual(
      try kinds { bytes in
        let page = try XCTUnwrap(bytes.pages["free list"]?.first)
        let value = bytes.nodes(of: page)[0] + 16
        let count = Int(bytes.number(value))
        bytes.bytes[value + count * 8] = UInt8(try XCTUnwrap(bytes.pages["names"]?.first))
      }, [.freePages, .lostPages])
  }

  func testAPageThatNothingNamesIsFound() throws {
    XCTAssertEqual(
      try kinds { bytes in
        let page = try XCTUnwrap(bytes.pages["free list"]?.first)
        bytes.bytes[bytes.nodes(of: page)[0] + 16] -= 1
      }, [.lostPages])
  }

  func testANameThatIsNoTableIsFound() throws {
    XCTAssertTrue(
      try kinds { bytes in
        let page = try XCTUnwrap(bytes.pages["names"]?.first)
        bytes.bytes[bytes.nodes(of: page)[0] + 4] = 0
      }.contains(.tableOfNames))
  }

  func testAVersionIsReadWhileOthersCommit() throws {
    let environment = try open()
    self.environment = environment
    let bell = try Environment.open(at: directory + "/Bell.leyden").signal
    let ticket = bell.ticket
    let child = try ForkedChild {
      let environment = try open()
      var round = 0
      while true {
        round += 1
        try write(to: environment) { write in
          let table = try write.makeTable(named: "t1")
          for number in 0..<20 {
            try write.put("\(round)", for: "\(round % 50) \(number)", in: table)
          }
        }
        bell.wake()
      }
    }
    defer { child.kill() }
    XCTAssertTrue(bell.wait(since: ticket, timeout: .seconds(20)))

    for _ in 0..<20 { XCTAssertEqual(try findings(), []) }
  }
}

extension StoreBytes {
  /// Whether a byte is in the first page of a long value.
  func isLong(_ position: Int) -> Bool {
    bytes[position / Self.pageSize * Self.pageSize + 10] == 4
  }
}
