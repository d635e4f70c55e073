import Foundation
import LeydenStorage
import TestSupport
import XCTest

/// What nobody tells of is found out by looking now and then.
final class EnvironmentCareTests: StorageTestCase {
  private let soon = UInt64.max / 2

  func testFilesThatWereMovedAreNotWrittenAnyMore() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t") }
    try environment.takeCare(second: soon)
    XCTAssertNoThrow(try environment.beginRead().end())

    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    XCTAssertNoThrow(try environment.beginRead().end(), "nobody looks at each read")
    try environment.takeCare(second: soon)
    XCTAssertNoThrow(try environment.beginRead().end(), "once a second is enough")
    assertThrows(.storeReplaced(path: path), try environment.takeCare(second: soon + 1))

    assertThrows(.storeReplaced(path: path), try environment.beginRead())
    assertThrows(.storeReplaced(path: path), try environment.beginWrite())
  }

  func testAFileInPlaceOfTheOpenOneIsNotTakenForIt() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t") }
    let file = path + "/data.mdb"
    let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
    try FileManager.default.removeItem(atPath: file)
    try bytes.write(to: URL(fileURLWithPath: file))

    assertThrows(.storeReplaced(path: path), try environment.takeCare(second: soon))

    assertThrows(.storeReplaced(path: path), try environment.beginWrite())
  }

  func testFilesToWhichTheWayIsClosedAreNotMissed() throws {
    let result = try ForkedChild.run {
      let environment = try open()
      guard unsafe chmod(directory, 0) == 0 else { return 2 }
      // The superuser goes everywhere.
      if geteuid() == 0, seteuid(65_534) != 0 { return 3 }
      defer {
        _ = seteuid(0)
        _ = unsafe chmod(directory, 0o700)
      }
      guard !FileManager.default.fileExists(atPath: path) else { return 4 }
      do { try environment.takeCare(second: soon) } catch { return 5 }
      try environment.beginWrite().abort()
      return 1
    }
    XCTAssertEqual(result, 1)
  }

  func testFilesWithoutNamesAreNotMissed() throws {
    let environment = try Environment.openInMemory()
    try environment.takeCare(second: soon)
    XCTAssertNoThrow(try environment.beginWrite().abort())
  }

  func testReadersThatWereKilledAreFreed() throws {
    let environment = try open()
    try write(to: environment) { _ = try $0.makeTable(named: "t") }
    try environment.takeCare(second: soon)
    let result = try ForkedChild.run {
      let read = try open().beginRead()
      withExtendedLifetime(read) { _ = kill(getpid(), SIGKILL) }
      return 0
    }
    XCTAssertNil(result)

    try environment.takeCare(second: soon + 30)

    XCTAssertEqual(environment.checkReaders(), 0, "they are gone already")
  }
}
