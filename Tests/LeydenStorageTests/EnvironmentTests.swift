import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class EnvironmentTests: StorageTestCase {
  // MARK: One per directory

  func testTheSamePathGivesTheSameEnvironment() throws {
    let first = try open()

    let second = try open()

    XCTAssertTrue(first === second)
  }

  func testAFileWithTwoNamesIsNotWrittenTo() throws {
    do { _ = try open() }
    let other = directory + "/Other.leyden"
    try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
    try FileManager.default.linkItem(atPath: path + "/data.mdb", toPath: other + "/data.mdb")

    for path in [path, other] {
      assertThrows(try Environment.open(at: path)) { error in
        if case .unsupported = error { true } else { false }
      }
    }
    XCTAssertNoThrow(try open(readOnly: true))
    try FileManager.default.removeItem(atPath: other + "/data.mdb")
    XCTAssertNoThrow(try open())

    try FileManager.default.createSymbolicLink(
      atPath: other + "/data.mdb", withDestinationPath: path + "/data.mdb")
    assertThrows(try Environment.open(at: other)) { error in
      if case .unsupported = error { true } else { false }
    }
    XCTAssertNoThrow(try open())
  }

  func testASymbolicLinkGivesTheSameEnvironment() throws {
    let first = try open()
    let link = directory + "/Link.leyden"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)

    let second = try Environment.open(
      at: link, options: Environment.Options(durability: .unsafe))

    XCTAssertTrue(first === second)
    XCTAssertEqual(second.path, path)
  }

  func testManyThreadsThatOpenAtOnceGetOneEnvironment() throws {
    let path = path
    let options = Environment.Options(durability: .unsafe, mapSize: 64 << 20)
    for _ in 0..<20 {
      let opened = Collector<ObjectIdentifier>()
      let kept = Collector<Environment>()

      DispatchQueue.concurrentPerform(iterations: 8) { _ in
        guard let environment = try? Environment.open(at: path, options: options) else { return }
        kept.add(environment)
        opened.add(ObjectIdentifier(environment))
      }

      XCTAssertEqual(opened.values.count, 8)
      XCTAssertEqual(Set(opened.values).count, 1)
    }
  }

  func testOpeningWaitsForClosing() throws {
    let path = path
    let options = Environment.Options(durability: .unsafe, mapSize: 64 << 20)
    let failures = Collector<String>()

    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      for _ in 0..<100 {
        do {
          let read = try Environment.open(at: path, options: options).beginRead()
          read.end()
        } catch {
          failures.add("\(error)")
        }
      }
    }

    XCTAssertEqual(failures.values, [])
  }

  func testATransactionKeepsTheEnvironmentOpen() throws {
    try write(to: open()) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    var environment: Environment? = try open()
    let read = try XCTUnwrap(environment?.beginRead())
    weak let observed = environment

    environment = nil

    XCTAssertNotNil(observed)
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "v")
  }

  func testTheLastReferenceClosesIt() throws {
    weak var observed = try open()

    XCTAssertNil(observed)
    observed = try open()
    XCTAssertNil(observed)
  }

  func testOtherOptionsAreRefusedWhileItIsOpen() throws {
    let environment = try open()

    assertThrows(
      .alreadyOpenDifferently(path: path),
      try Environment.open(at: path, options: Environment.Options(durability: .full)))
    withExtendedLifetime(environment) {}
  }

  func testWritingIsRefusedWhileItIsOpenForReading() throws {
    _ = try open()
    let reader = try open(readOnly: true)

    assertThrows(.alreadyOpenDifferently(path: path), try open())
    withExtendedLifetime(reader) {}
  }

  // MARK: Reading only

  func testAReadOnlyOneJoinsOneThatIsOpenForWriting() throws {
    let writer = try open()

    let reader = try open(readOnly: true)

    XCTAssertTrue(reader === writer)
  }

  func testAReadOnlyOneRefusesWrites() throws {
    _ = try open()

    let reader = try open(readOnly: true)

    XCTAssertTrue(reader.isReadOnly)
    assertThrows(.readOnly, try reader.beginWrite())
  }

  func testAReadOnlyOneCreatesNothing() throws {
    try write(to: open()) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    let files = FileManager.default
    try files.removeItem(atPath: path + "/signal")
    try files.removeItem(atPath: path + "/lock.mdb")

    let reader = try open(readOnly: true)

    let read = try reader.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "v")
    XCTAssertFalse(files.fileExists(atPath: path + "/signal"))
    XCTAssertFalse(reader.signal.isShared)
  }

  // MARK: Files

  func testFilesAreForTheOwnerAlone() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }

    let files = FileManager.default
    func mode(_ path: String) throws -> Int? {
      try files.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    XCTAssertEqual(try mode(path), 0o700)
    for name in ["data.mdb", "lock.mdb", "signal"] {
      XCTAssertEqual(try mode("\(path)/\(name)"), 0o600, name)
    }
    XCTAssertEqual(try files.contentsOfDirectory(atPath: path).count, 3)
  }

  func testAReplacedFileIsNoticed() throws {
    let environment = try open()
    try environment.checkNotReplaced()
    let data = path + "/data.mdb"
    let copy = path + "/copy"
    try FileManager.default.copyItem(atPath: data, toPath: copy)
    try FileManager.default.removeItem(atPath: data)
    try FileManager.default.moveItem(atPath: copy, toPath: data)

    assertThrows(.storeReplaced(path: path), try environment.checkNotReplaced())
    assertThrows(.storeReplaced(path: path), try open())
  }

  func testSizesAreInBytes() throws {
    let environment = try open(mapSize: 32 << 20)
    try write(to: environment) { write in
      let table = try write.makeTable(named: "t1")
      for number in 0..<1000 {
        try write.put(String(repeating: "v", count: 1000), for: "\(number)", in: table)
      }
    }

    XCTAssertEqual(environment.mapSize, 32 << 20)
    XCTAssertEqual(environment.fileSize, environment.usedBytes)
    XCTAssertGreaterThan(environment.usedBytes, 1_000_000)
    XCTAssertEqual(environment.usedBytes % environment.pageSize, 0)
  }

  // MARK: Companion

  func testACompanionIsMadeOnceAndLivesAsLongAsItIsHeld() throws {
    final class Companion: Sendable {}
    let environment = try open()
    var made = 0
    func companion() throws -> Companion {
      try environment.companion { _ in
        made += 1
        return Companion()
      }
    }

    var first: Companion? = try companion()
    let second = try companion()

    XCTAssertTrue(first === second)
    XCTAssertEqual(made, 1)
    first = nil
    XCTAssertNil(first)
  }

  func testACompanionThatCouldNotBeMadeIsMadeTheNextTime() throws {
    final class Companion: Sendable {}
    let environment = try open()

    assertThrows(
      .mapFull,
      try environment.companion { (_) throws(StorageError) -> Companion in throw .mapFull })

    XCTAssertNoThrow(try environment.companion { _ in Companion() })
  }

  // MARK: Limits

  func testProgramsThatAreStartedLaterDoNotGetTheFiles() throws {
    #if !os(Linux)
      throw XCTSkip("Open files are listed on Linux only.")
    #endif
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t1") }
    XCTAssertNil(environment.writingProcess)
    var found = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      let link = "/proc/self/fd/\(name)"
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        target.hasPrefix(path), let descriptor = Int32(name)
      else { continue }
      found += 1
      XCTAssertEqual(fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC, target)
    }
    // The directory, the data twice, the lock twice, and the bell.
    XCTAssertGreaterThanOrEqual(found, 5)
  }

  func testMoreTablesThanThereMayBeAreRefusedAndTheRestGoesOn() throws {
    let environment = try open()
    let isFull = { (error: StorageError) in
      if case .failed(.tablesFull, _) = error { true } else { false }
    }
    assertThrows(
      try write(to: environment) { write in
        for number in 0..<2_000 { _ = try write.makeTable(named: "t\(number)") }
      }, where: isFull)

    try write(to: environment) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "v")
  }

  // MARK: Fork

  func testAChildOfTheProcessIsRefused() throws {
    let environment = try open()
    try write(to: environment) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    let read = try environment.beginRead()

    let result = try ForkedChild.run {
      func isRefused<Result>(_ body: () throws(StorageError) -> Result) -> Bool {
        do {
          _ = try body()
          return false
        } catch {
          return error == .usedAfterFork
        }
      }
      let areRefused = [
        isRefused { () throws(StorageError) in try environment.beginRead() },
        isRefused { () throws(StorageError) in try environment.beginWrite() },
        isRefused { () throws(StorageError) in try read.table(named: "t1") },
      ]
      return areRefused.contains(false) ? 1 : 0
    }

    XCTAssertEqual(result, 0)
    XCTAssertEqual(environment.checkReaders(), 0)
    XCTAssertNoThrow(try write(to: environment) { _ = try $0.makeTable(named: "t2") })
  }

  func testAChildOfTheProcessMayOpenTheStoreForItself() throws {
    let environment = try open()
    let write = try environment.beginWrite()
    _ = try write.makeTable(named: "t1")
    try write.commit()

    let result = try ForkedChild.run {
      let own = try open()
      guard own !== environment else { return 1 }
      try self.write(to: own) { try $0.put("child", for: "k", in: $0.makeTable(named: "t1")) }
      return 0
    }

    XCTAssertEqual(result, 0)
    let read = try environment.beginRead()
    XCTAssertEqual(try read.text(for: "k", in: XCTUnwrap(read.table(named: "t1"))), "child")
  }
}
