import Foundation
import LeydenStorage
import TestSupport
import XCTest

final class StoreFilesTests: StorageTestCase {
  func testAStoreIsThereAndThenGone() throws {
    XCTAssertFalse(StoreFiles.exist(at: path))
    XCTAssertEqual(try StoreFiles.delete(at: path), .absent)
    do { _ = try open() }
    XCTAssertTrue(StoreFiles.exist(at: path))
    XCTAssertEqual(try StoreFiles.delete(at: path), .deleted)
    XCTAssertFalse(FileManager.default.fileExists(atPath: path))
    XCTAssertEqual(try StoreFiles.delete(at: path), .absent)
  }

  func testAStoreThatIsOpenHereIsInUse() throws {
    let environment = try open()
    XCTAssertEqual(try StoreFiles.delete(at: path), .inUse)
    XCTAssertEqual(try StoreFiles.delete(at: path + "/../Test.leyden"), .inUse)
    XCTAssertTrue(StoreFiles.exist(at: path))
    withExtendedLifetime(environment) {}
  }

  func testAStoreThatAnotherProcessHasOpenIsInUse() throws {
    // given
    let environment = try open()

    // when
    let path = path
    let result = try ForkedChild.run { try StoreFiles.delete(at: path) == .inUse ? 1 : 0 }

    // then
    XCTAssertEqual(result, 1)
    XCTAssertTrue(StoreFiles.exist(at: path))
    try write(to: environment) { write in
      try write.put("v", for: "k", in: try write.makeTable(named: "t"))
    }
  }

  func testAnotherProcessMayDeleteAStoreThatNobodyHasOpen() throws {
    do { _ = try open() }
    let path = path
    let result = try ForkedChild.run { try StoreFiles.delete(at: path) == .deleted ? 1 : 0 }
    XCTAssertEqual(result, 1)
    XCTAssertFalse(StoreFiles.exist(at: path))
  }

  func testOpeningAndDeletingAtOnceEndWithAWholeStoreOrNone() throws {
    let path = path
    for _ in 0..<50 {
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        // Who opens a directory that vanishes is told so; the rest is up to the order.
        if number % 2 == 0 {
          _ = try? Environment.open(
            at: path, options: Environment.Options(durability: .unsafe, mapSize: 1 << 20))
        } else {
          _ = try? StoreFiles.delete(at: path)
        }
      }
      let environment = try open()
      try write(to: environment) { write in
        try write.put("v", for: "k", in: try write.makeTable(named: "t"))
      }
    }
  }

  func testAStoreInMemoryHasNoFilesAndWorks() throws {
    // given
    let environment = try Environment.openInMemory()

    // when
    XCTAssertFalse(FileManager.default.fileExists(atPath: environment.path))
    try write(to: environment) { write in
      try write.put("v", for: "k", in: try write.makeTable(named: "t"))
    }

    // then
    let read = try environment.beginRead()
    defer { read.end() }
    let table = try XCTUnwrap(try read.table(named: "t"))
    XCTAssertEqual(try read.text(for: "k", in: table), "v")
  }

  func testWhatAKilledProcessLeftBehindIsRemovedByTheNext() throws {
    // given
    let parent = URL(fileURLWithPath: try Environment.openInMemory().path)
      .deletingLastPathComponent().path
    let abandoned = "\(parent)/leyden-memory-\(UUID().uuidString)"
    let empty = abandoned + "-empty"
    let fresh = abandoned + "-fresh"
    do { _ = try Environment.open(at: abandoned, options: .init(durability: .unsafe)) }
    for path in [empty, fresh] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }
    defer { _ = try? FileManager.default.removeItem(atPath: fresh) }
    for path in [abandoned + "/data.mdb", abandoned, empty] {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
    }

    // when
    _ = try Environment.openInMemory()

    // then
    XCTAssertFalse(FileManager.default.fileExists(atPath: abandoned))
    XCTAssertFalse(FileManager.default.fileExists(atPath: empty))
    XCTAssertTrue(FileManager.default.fileExists(atPath: fresh))
  }

  func testAKilledProcessLeavesNothingOfAnOpenStoreInMemory() throws {
    let child = try ForkedChild {
      let environment = try Environment.openInMemory()
      let write = try environment.beginWrite()
      try write.put("v", for: "k", in: try write.makeTable(named: "t"))
      kill(getpid(), SIGKILL)
      return 1
    }
    XCTAssertNil(child.wait())
    XCTAssertEqual(try names(of: child), [])
  }

  /// Only those of one process: others that run meanwhile may have such stores too.
  private func names(of child: ForkedChild) throws -> Set<String> {
    var names: Set<String> = []
    for parent in ["/dev/shm", FileManager.default.temporaryDirectory.path]
    where FileManager.default.fileExists(atPath: parent) {
      names.formUnion(
        try FileManager.default.contentsOfDirectory(atPath: parent).filter {
          $0.hasPrefix("leyden-memory-\(child.process)-")
        })
    }
    return names
  }
}
