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
    MemoryDirectory.removeAbandoned(in: parent)
    let path = "\(parent)/\(MemoryDirectory.prefix)\(UUID().uuidString)"
    let environment = try open(at: path, options: Options(durability: .unsafe))
    environment.isNameless.store(true, ordering: .relaxed)
    try StoreFiles.remove(from: try StoreDirectory(at: path, mayCreate: false))
    return environment
  }
}

/// Where the files of stores are made that have no names.
private enum MemoryDirectory {
  static let prefix = "leyden-memory-"
  /// Shared memory is often small in containers; the disk's cache is then as good.
  private static let enoughRoom: Int64 = 1 << 30
  /// Making a store takes milliseconds; what is older was abandoned.
  private static let patience: TimeInterval = 60

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

  /// Failing here loses nothing: the next one tries again.
  static func removeAbandoned(in parent: String) {
    let manager = FileManager.default
    for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? []
    where name.hasPrefix(prefix) {
      let path = "\(parent)/\(name)"
      guard let date = (try? manager.attributesOfItem(atPath: path))?[.modificationDate] as? Date,
        date.timeIntervalSinceNow < -patience
      else { continue }
      if case .absent? = try? StoreFiles.delete(at: path) { _ = unsafe rmdir(path) }
    }
  }
}
