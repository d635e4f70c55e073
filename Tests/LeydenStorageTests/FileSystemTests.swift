import Foundation
import LeydenStorage
import TestSupport
import XCTest

/// Stores on file systems that are full or may not be written, mounted for a child alone.
final class FileSystemTests: StorageTestCase {
  private typealias Unshare = @convention(c) (Int32) -> Int32
  private typealias Mount =
    @convention(c) (
      UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>?, UInt,
      UnsafePointer<CChar>?
    ) -> Int32

  /// The result of a child that may not mount.
  private static let notPermitted: UInt8 = 77

  private enum MountFlag {
    static let readOnly: UInt = 1
    static let remount: UInt = 32
    static let bind: UInt = 4096
    static let recursive: UInt = 16_384
    static let isPrivate: UInt = 1 << 18
    static let newNamespace: Int32 = 0x20000
  }

  /// Runs `body` in a child that has its own view of the file systems.
  private func inOwnNamespace(_ body: () throws -> UInt8) throws {
    let result = try ForkedChild.run {
      guard let symbol = unsafe dlsym(nil, "unshare") else { return Self.notPermitted }
      let unshare = unsafe unsafeBitCast(symbol, to: Unshare.self)
      guard unshare(MountFlag.newNamespace) == 0,
        mount("none", at: "/", flags: MountFlag.recursive | MountFlag.isPrivate)
      else { return Self.notPermitted }
      return try body()
    }
    try XCTSkipIf(result == Self.notPermitted, "This user may not mount.")
    XCTAssertEqual(result, 0)
  }

  private func mount(
    _ source: String, at place: String, type: String? = nil, flags: UInt, options: String? = nil
  ) -> Bool {
    guard let symbol = unsafe dlsym(nil, "mount") else { return false }
    let mount = unsafe unsafeBitCast(symbol, to: Mount.self)
    return unsafe mount(source, place, type, flags, options) == 0
  }

  func testAStoreOnAReadOnlyFileSystemIsRead() throws {
    try write(to: open()) { try $0.put("v", for: "k", in: $0.makeTable(named: "t1")) }
    for name in ["lock.mdb", "signal"] {
      try FileManager.default.removeItem(atPath: "\(path)/\(name)")
    }

    try inOwnNamespace {
      let remount = MountFlag.bind | MountFlag.remount | MountFlag.readOnly
      guard mount(directory, at: directory, flags: MountFlag.bind),
        mount("none", at: directory, flags: remount)
      else { return Self.notPermitted }
      let environment = try open(readOnly: true)
      let read = try environment.beginRead()
      let table = try XCTUnwrap(read.table(named: "t1"))
      guard try read.text(for: "k", in: table) == "v" else { return 1 }
      guard !environment.signal.isShared, environment.checkReaders() == 0 else { return 2 }
      return 0
    }
  }

  func testAStoreOnAReadOnlyFileSystemIsNotWritten() throws {
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }

    try inOwnNamespace {
      let remount = MountFlag.bind | MountFlag.remount | MountFlag.readOnly
      guard mount(directory, at: directory, flags: MountFlag.bind),
        mount("none", at: directory, flags: remount)
      else { return Self.notPermitted }
      do {
        _ = try open()
        return 1
      } catch StorageError.permissionDenied {
        return 0
      }
    }
  }

  func testAFullFileSystemFailsTheCommitAndTakesDeletes() throws {
    try inOwnNamespace {
      guard mount("none", at: directory, type: "tmpfs", flags: 0, options: "size=1m") else {
        return Self.notPermitted
      }
      let environment = try open()
      var stored = 0
      do {
        while stored < 10_000 {
          try write(to: environment) { write in
            let table = try write.makeTable(named: "t1")
            for number in stored..<stored + 20 {
              try write.put(String(repeating: "v", count: 1000), for: "\(number)", in: table)
            }
          }
          stored += 20
        }
        return 1
      } catch StorageError.diskFull {}
      for number in 0..<stored {
        try write(to: environment) { write in
          let table = try write.makeTable(named: "t1")
          guard try write.count(of: table) == stored - number,
            try write.delete("\(number)", in: table)
          else { throw StorageError.closed }
          // There is room for this alone: what does not say so is refused.
          write.onlyDeletes = true
        }
      }
      // What was deleted is room for others.
      try write(to: environment) { write in
        try write.put("v", for: "k", in: try write.makeTable(named: "t1"))
      }
      return 0
    }
  }

  func testAReaderOnAnOverlaySeesWhatALaterWriterWrites() throws {
    try write(to: open()) { try $0.put("old", for: "k", in: $0.makeTable(named: "t1")) }

    try inOwnNamespace {
      let top = directory + "/top"
      let merged = top + "/merged"
      try FileManager.default.createDirectory(atPath: top, withIntermediateDirectories: false)
      guard mount("none", at: top, type: "tmpfs", flags: 0) else { return Self.notPermitted }
      for name in ["upper", "work", "merged"] {
        try FileManager.default.createDirectory(
          atPath: "\(top)/\(name)", withIntermediateDirectories: false)
      }
      let layers = "lowerdir=\(path),upperdir=\(top)/upper,workdir=\(top)/work"
      guard mount("overlay", at: merged, type: "overlay", flags: 0, options: layers) else {
        return Self.notPermitted
      }
      let reader = try Environment.open(at: merged, options: .init(readOnly: true))
      let writer = try ForkedChild.run {
        let environment = try Environment.open(at: merged, options: .init(durability: .unsafe))
        try write(to: environment) {
          try $0.put("new", for: "k", in: $0.makeTable(named: "t1"))
        }
        return 0
      }
      guard writer == 0 else { return 1 }
      let read = try reader.beginRead()
      guard let table = try read.table(named: "t1") else { return 2 }
      return try read.text(for: "k", in: table) == "new" ? 0 : 3
    }
  }

  func testABindMountGivesTheSameEnvironment() throws {
    let mirror = directory + "/Mirror.leyden"
    try write(to: open()) { _ = try $0.makeTable(named: "t1") }
    try FileManager.default.createDirectory(atPath: mirror, withIntermediateDirectories: false)

    try inOwnNamespace {
      guard mount(path, at: mirror, flags: MountFlag.bind) else { return Self.notPermitted }
      let first = try open()
      let second = try Environment.open(
        at: mirror, options: Environment.Options(durability: .unsafe))
      return first === second ? 0 : 1
    }
  }
}
