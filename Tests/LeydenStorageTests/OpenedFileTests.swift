import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class OpenedFileTests: StorageTestCase {
  private let files = FileManager.default

  func testAMissingParentIsNamed() throws {
    assertThrows(
      .fileNotFound(path: directory + "/missing"),
      try Environment.open(at: directory + "/missing/Test.leyden"))
  }

  func testAMissingStoreIsNotMadeUnlessItMayBe() throws {
    assertThrows(.fileNotFound(path: path), try open(mayCreate: false))
    assertThrows(.fileNotFound(path: path), try open(readOnly: true))
    XCTAssertFalse(files.fileExists(atPath: path))
  }

  func testAnEmptyPathIsNotFound() throws {
    assertThrows(.fileNotFound(path: ""), try Environment.open(at: ""))
  }

  func testAFileInPlaceOfTheDirectoryIsNoStore() throws {
    try Data("text".utf8).write(to: URL(fileURLWithPath: path))

    assertThrows(try open()) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
  }

  func testAFileInPlaceOfTheParentIsNoStore() throws {
    try Data().write(to: URL(fileURLWithPath: path))

    assertThrows(try Environment.open(at: path + "/Inner.leyden")) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
  }

  func testAnEmptyDirectoryBecomesAStore() throws {
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)

    XCTAssertNoThrow(try open())
  }

  func testADirectoryWithItsLockAndSignalBecomesAStoreAgain() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try files.removeItem(atPath: path + "/data.mdb")

    let read = try open().beginRead()

    XCTAssertNil(try read.table(named: "t1"))
  }

  func testADirectoryWithOtherFilesIsNoStore() throws {
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    try Data().write(to: URL(fileURLWithPath: path + "/letter.txt"))

    assertThrows(try open()) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
    XCTAssertEqual(try files.contentsOfDirectory(atPath: path), ["letter.txt"])
  }

  func testAnEmptyDirectoryIsNoStoreForAReader() throws {
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)

    assertThrows(try open(readOnly: true)) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
  }

  func testADirectoryInPlaceOfTheDataIsNoStore() throws {
    try files.createDirectory(
      atPath: path + "/data.mdb", withIntermediateDirectories: true)

    assertThrows(try open()) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
  }

  func testAPipeInPlaceOfTheDataIsNoStore() throws {
    try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    XCTAssertEqual(unsafe mkfifo(path + "/data.mdb", 0o600), 0)

    assertThrows(try open()) {
      if case .notAStore(path: path, _) = $0 { true } else { false }
    }
  }

  func testADirectoryThatMayNotBeEnteredIsRefused() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try files.setAttributes([.posixPermissions: 0], ofItemAtPath: path)
    defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path) }

    try asNobody {
      assertThrows(.permissionDenied(path: path), try open())
    }
  }

  func testAFileThatMayNotBeWrittenIsRefusedToWriters() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path + "/data.mdb")
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)

    try asNobody {
      assertThrows(.permissionDenied(path: path + "/data.mdb"), try open())
    }
  }

  func testADirectoryInWhichNothingMayBeMadeIsRefused() throws {
    try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory)

    try asNobody {
      assertThrows(.permissionDenied(path: path), try open())
    }
  }

  func testANewStoreIsOpenedByTwoProcessesAtOnce() throws {
    for round in 0..<20 {
      let place = "\(directory)/\(round).leyden"
      let options = Environment.Options(durability: .unsafe)
      let results = try ForkedChild.runTogether(count: 3) {
        let environment = try Environment.open(at: place, options: options)
        let write = try environment.beginWrite()
        let table = try write.makeTable(named: "t1")
        try write.put("v", for: "\(getpid())", in: table)
        try write.commit()
        return 0
      }

      XCTAssertEqual(results, [0, 0, 0])
      let read = try Environment.open(at: place, options: options).beginRead()
      XCTAssertEqual(try read.count(of: XCTUnwrap(read.table(named: "t1"))), 3)
    }
  }

  /// Runs `body` without the rights of the superuser.
  private func asNobody(_ body: () throws -> Void) throws {
    guard geteuid() == 0 else { return try body() }
    let nobody: uid_t = 65_534
    guard seteuid(nobody) == 0 else { throw XCTSkip("The user cannot be changed.") }
    defer { XCTAssertEqual(seteuid(0), 0) }
    try body()
  }

  func testALockFileThatBelongsToOtherDataIsRefused() throws {
    let bell = try Environment.open(at: directory + "/Bell.leyden").signal
    let data = URL(fileURLWithPath: path + "/data.mdb")
    func commit(_ count: Int) throws -> Data {
      let environment = try open()
      for number in 0..<count {
        try write(to: environment) {
          try $0.put("\(number)", for: "k", in: $0.makeTable(named: "t"))
        }
      }
      return try Data(contentsOf: data)
    }
    let early = try commit(5)
    let late = try commit(8)
    for (old, new) in [(early, late), (late, early)] {
      try old.write(to: data)
      let ticket = bell.ticket
      let child = try ForkedChild {
        let environment = try open()
        bell.wake()
        while true { withExtendedLifetime(environment) { _ = pause() } }
      }
      XCTAssertTrue(bell.wait(since: ticket, timeout: .seconds(20)))
      // Somebody restores a copy while the store is open.
      try FileManager.default.removeItem(at: data)
      try new.write(to: data)

      for readOnly in [true, false] {
        assertThrows(.storeReplaced(path: path), try open(readOnly: readOnly))
      }
      XCTAssertEqual(try Data(contentsOf: data), new)

      child.kill()
      let read = try open().beginRead()
      XCTAssertNotNil(try read.table(named: "t"))
    }
  }
}
