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
    let abandoned = "\(parent)/leyden-memory-1-\(UUID().uuidString)"
    let empty = "\(parent)/leyden-memory-1-\(UUID().uuidString)"
    let fresh = "\(parent)/leyden-memory-1-\(UUID().uuidString)"
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

  func testAStoreThatOnlyHasASimilarNameIsNotRemoved() throws {
    // given
    let parent = URL(fileURLWithPath: try Environment.openInMemory().path)
      .deletingLastPathComponent().path
    let similar = "\(parent)/leyden-memory-of-\(UUID().uuidString)"
    let longer = "\(parent)/leyden-memory-1-\(UUID().uuidString)-kept"
    for path in [similar, longer] {
      do { _ = try Environment.open(at: path, options: .init(durability: .unsafe)) }
      for path in [path + "/data.mdb", path] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: path)
      }
    }
    defer { for path in [similar, longer] { _ = try? StoreFiles.delete(at: path) } }

    // when
    _ = try Environment.openInMemory()

    // then
    for path in [similar, longer] { XCTAssertTrue(StoreFiles.exist(at: path)) }
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

  func testAPipeInThePlaceOfAFileIsNotWaitedFor() throws {
    for name in ["lock.mdb", "data.mdb"] {
      do { _ = try open() }
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
      guard unsafe mkfifo("\(path)/\(name)", 0o600) == 0 else { return XCTFail("no pipe") }
      let result = try ForkedChild.run {
        for readOnly in [true, false] {
          do { _ = try open(readOnly: readOnly) } catch { continue }
          return 0
        }
        return 1
      }
      XCTAssertEqual(result, 1, name)
      try FileManager.default.removeItem(atPath: path)
    }
  }

  func testWhatALinkInTheStoreLeadsToIsNotRemoved() throws {
    // given
    do { _ = try open() }
    let others = directory + "/others"
    try FileManager.default.createDirectory(atPath: others, withIntermediateDirectories: false)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: others + "/file"))
    let link = path + "/compacted.new"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: others)

    // when
    do { _ = try open() }
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: others), ["file"])
    try? FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: others)
    let environment = try open()
    XCTAssertTrue(try environment.compact { _ in })
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: others), ["file"])
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
