import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class DataFileTests: StorageTestCase {
  private var data: String { path + "/data.mdb" }

  /// Makes a store with two thousand entries and returns its file's bytes.
  private func makeStore() throws -> Data {
    try write(to: open()) { write in
      let table = try write.makeTable(named: "t1")
      for number in 0..<2000 {
        try write.put(String(repeating: "v", count: 200), for: "\(number)", in: table)
      }
    }
    return try Data(contentsOf: URL(fileURLWithPath: data))
  }

  private func replaceData(with bytes: Data) throws {
    try bytes.write(to: URL(fileURLWithPath: data))
  }

  /// Lets the next write find pages to use again: only then LMDB takes back what it gave out itself.
  private func makeFreePages(in environment: Environment) throws {
    for number in 0..<3 {
      try write(to: environment) { write in
        try write.put("\(number)", for: "k", in: write.makeTable(named: "t1"))
      }
    }
  }

  private func isNoStore(_ error: StorageError) -> Bool {
    if case .notAStore(path: path, _) = error { true } else { false }
  }

  private func isCorrupted(_ error: StorageError) -> Bool {
    if case .corrupted(let text) = error { text.hasPrefix(data) } else { false }
  }

  func testForeignBytesAreNoStore() throws {
    _ = try makeStore()
    var random = SplitMix(state: 1)
    for count in [1, 100, 4096, 8192, 100_000] {
      try replaceData(
        with: Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }))

      assertThrows(try open(), where: isNoStore)
      assertThrows(try open(readOnly: true), where: isNoStore)
    }
  }

  func testAFileFullOfZeroesIsNoStore() throws {
    _ = try makeStore()
    try replaceData(with: Data(count: 100_000))

    assertThrows(try open(), where: isNoStore)
  }

  func testAnEmptyFileBecomesAStoreForWritersAlone() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try replaceData(with: Data())

    assertThrows(try open(mayCreate: false), where: isNoStore)
    assertThrows(try open(readOnly: true), where: isNoStore)

    XCTAssertNil(try open().beginRead().table(named: "t1"))
  }

  func testALaterVersionOfLMDBIsNewer() throws {
    var bytes = try makeStore()
    bytes[20] = 3
    try replaceData(with: bytes)

    assertThrows(.newerFormat(path: data, found: 3), try open())
  }

  func testOtherByteOrderIsNoStore() throws {
    var bytes = try makeStore()
    bytes.replaceSubrange(16..<20, with: bytes[16..<20].reversed())
    try replaceData(with: bytes)

    assertThrows(try open(), where: isNoStore)
  }

  func testAFileThatIsCutOffIsDamaged() throws {
    let bytes = try makeStore()
    for count in [5000, 8192, 12_288, bytes.count / 2, bytes.count - 4096] {
      try replaceData(with: bytes.prefix(count))

      assertThrows(try open(), where: isCorrupted)
    }
  }

  func testADamagedMetaPageIsNoticed() throws {
    let bytes = try makeStore()
    let damages: [(offset: Int, value: UInt8)] = [
      (10, 0), (40, 1), (41, 0xFF), (135, 0x7F), (4096 + 16, 0), (4096 + 20, 9), (4096 + 41, 0x20),
    ]
    for damage in damages {
      var damaged = bytes
      damaged[damage.offset] = damage.value
      try replaceData(with: damaged)

      assertThrows(try open(), where: isCorrupted)
    }
  }

  func testADamagedWayToTheTablesIsNoticedBeforeLMDBGoesIt() throws {
    let environment = try open()
    try write(to: environment) { write in
      for name in ["meta", "catalog", "log", "t1", "t2"] {
        try write.put("v", for: "k", in: write.makeTable(named: name))
      }
    }
    try makeFreePages(in: environment)
    let whole = StoreBytes(Array(try Data(contentsOf: URL(fileURLWithPath: data))))
    let copy = directory + "/Copy.leyden"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    let copied = URL(fileURLWithPath: copy + "/data.mdb")
    try Data(whole.bytes).write(to: copied)
    XCTAssertNoThrow(try Environment.open(at: copy))

    for name in ["names", "meta", "catalog", "log", "t1", "free list"] {
      let page = try XCTUnwrap(whole.pages[name]?.first) * StoreBytes.pageSize
      for offset in [0, 10, 12, 14, 16] {
        var damaged = whole.bytes
        damaged[page + offset] ^= 0xff
        try Data(damaged).write(to: copied)

        assertThrows(try Environment.open(at: copy)) {
          if case .corrupted = $0 { true } else { false }
        }
      }
    }
  }

  func testAFileWhoseLastPagesWereNeverWrittenIsWhole() throws {
    let environment = try open()
    try makeFreePages(in: environment)
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      try write.put("v", for: "k", in: table)
      // Taken and freed at once: the last page's number counts them, the file does not have them.
      try write.put(String(repeating: "v", count: 100_000), for: "l", in: table)
      XCTAssertTrue(try write.delete("l", in: table))
    }
    let isShort = environment.fileSize < environment.usedBytes

    let copy = directory + "/Copy.leyden"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    try FileManager.default.copyItem(atPath: data, toPath: copy + "/data.mdb")
    let read = try Environment.open(at: copy).beginRead()

    XCTAssertTrue(isShort)
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "v")
  }

  func testAFileThatAnotherProcessIsWritingIsOpened() throws {
    let bell = try Environment.open(at: directory + "/Bell.leyden").signal
    let ticket = bell.ticket
    let child = try ForkedChild {
      let environment = try open()
      while true {
        try makeFreePages(in: environment)
        try write(to: environment) { write in
          let table = try write.makeTable(named: "t1")
          try write.put(String(repeating: "v", count: 200_000), for: "l", in: table)
          XCTAssertTrue(try write.delete("l", in: table))
        }
        bell.wake()
      }
    }
    defer { child.kill() }
    XCTAssertTrue(bell.wait(since: ticket, timeout: .seconds(20)))

    for _ in 0..<100 {
      let read = try open().beginRead()
      XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 1)
    }
  }

  func testAShortFileIsWalkedThroughAllItsTrees() throws {
    let environment = try open()
    try write(to: environment) { write in
      for name in 0..<10 {
        let table = try write.makeTable(named: "t\(name)")
        for number in 0..<500 {
          try write.put(String(repeating: "v", count: 300), for: "\(number)", in: table)
        }
        try write.put(String(repeating: "v", count: 10_000), for: "large", in: table)
      }
    }
    try makeFreePages(in: environment)
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t0")
      try write.put("v", for: "k", in: table)
      try write.put(String(repeating: "v", count: 400_000), for: "gone", in: table)
      XCTAssertTrue(try write.delete("gone", in: table))
    }
    XCTAssertLessThan(environment.fileSize, environment.usedBytes)

    let bytes = try Data(contentsOf: URL(fileURLWithPath: data))
    let copy = directory + "/Copy.leyden"
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    let copied = URL(fileURLWithPath: copy + "/data.mdb")
    try bytes.write(to: copied)
    XCTAssertNoThrow(try Environment.open(at: copy))

    for part in 1..<4 {
      try bytes.prefix(bytes.count * part / 4).write(to: copied)
      assertThrows(try Environment.open(at: copy)) {
        if case .corrupted = $0 { true } else { false }
      }
    }
  }

  // MARK: Files that were begun

  func testAFileThatWasNeverWrittenToTheEndBecomesAStoreForWritersAlone() throws {
    // LMDB has made the file, and nobody has committed.
    do { _ = try open() }
    let bytes = try Data(contentsOf: URL(fileURLWithPath: data))
    XCTAssertEqual(bytes.count, 8_192)
    for count in [4_096, 152, 8_000] {
      try replaceData(with: bytes.prefix(count))
      assertThrows(try open(mayCreate: false), where: isNoStore)
      assertThrows(try open(readOnly: true), where: isNoStore)
      XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: data)), bytes.prefix(count))

      XCTAssertNil(try open().beginRead().table(named: "t1"))
      try FileManager.default.removeItem(atPath: path)
      do { _ = try open() }
    }
  }

  func testAFileOfWhichNothingIsLeftIsDamaged() throws {
    _ = try makeStore()
    try replaceData(with: Data())

    for readOnly in [false, true] {
      assertThrows(try open(readOnly: readOnly), where: isCorrupted)
    }
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: data)), Data())
  }

  func testAFileThatMayHaveHeldSomethingIsNotMadeAnew() throws {
    let bytes = try makeStore()
    let lock = try Data(contentsOf: URL(fileURLWithPath: path + "/lock.mdb"))
    // After one commit the first page alone is as it was before it: the lock file knows.
    try replaceData(with: bytes.prefix(4_096))
    assertThrows(try open(), where: isCorrupted)
    // Nobody knows.
    try FileManager.default.removeItem(atPath: path + "/lock.mdb")
    assertThrows(try open(), where: isCorrupted)
    try Data(count: lock.count).write(to: URL(fileURLWithPath: path + "/lock.mdb"))
    assertThrows(try open(), where: isCorrupted)
    XCTAssertEqual(try Data(contentsOf: URL(fileURLWithPath: data)), bytes.prefix(4_096))
  }
}
