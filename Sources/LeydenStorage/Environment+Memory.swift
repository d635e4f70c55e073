import CLeyden
import Foundation
import Synchronization

extension Environment {
  /// Opens a new, empty store whose files have no names: it is gone with its last user, also where
  /// the process is killed.
  ///
  /// The files are made in shared memory where that has room, else in the temporary directory, and
  /// lose their names as soon as they are open. What a process left behind that was killed in
  /// between is removed by the next one.
  ///
  /// - Throws: As ``open(at:options:)``.
  package static func openInMemory() throws(StorageError) -> Environment {
    let parent = MemoryDirectory.parent
    StoreFiles.removeAbandoned(
      in: parent, prefix: MemoryDirectory.prefix, after: MemoryDirectory.patience)
    let path = MemoryDirectory.path(in: parent)
    let environment = try open(at: path, options: Options(durability: .unsafe))
    try StoreFiles.remove(from: try StoreDirectory(at: path, mayCreate: false))
    environment.isNamelessFlag.store(true, ordering: .relaxed)
    return environment
  }
}

/// Where the files of stores are made that have no names.
enum MemoryDirectory {
  static let prefix = "leyden-memory-"
  /// Shared memory is often small in containers; the disk's cache is then as good.
  private static let enoughRoom: Int64 = 1 << 30
  /// Making a store takes milliseconds; what is older was abandoned.
  static let patience: TimeInterval = 60

  static var parent: String {
    let shared = "/dev/shm"
    let attributes = try? FileManager.default.attributesOfFileSystem(forPath: shared)
    if let room = attributes?[.systemFreeSize] as? NSNumber, room.int64Value >= enoughRoom,
      FileManager.default.isWritableFile(atPath: shared)
    {
      return shared
    }
    let temporary = FileManager.default.temporaryDirectory.path
    return temporary.hasSuffix("/") ? String(temporary.dropLast()) : temporary
  }

  /// A path for another one; it names the process that makes it.
  static func path(in parent: String) -> String {
    "\(parent)/\(prefix)\(getpid())-\(UUID().uuidString)"
  }
}
