import CLeyden
import Foundation

/// The files of a store as a whole: whether they are there, and how they go.
package enum StoreFiles {
  /// How a deletion went.
  package enum Deletion: Sendable {
    /// The files are gone.
    case deleted
    /// There were none.
    case absent
    /// This process or another one has the store open; nothing was done.
    case inUse
  }

  private typealias Name = StoreDirectory.Name

  /// Whether a store's data is in the directory at `path`.
  package static func exist(at path: String) -> Bool {
    var status = leyden_file_status()
    let file = "\(path)/\(Name.data)"
    return unsafe leyden_file_status_at(AT_FDCWD, file, &status) == 0
      && status.is_file && status.size > 0
  }

  /// Deletes the store in the directory at `path`, and the directory where nothing else is in it.
  ///
  /// 1. Nobody in this process has it open, nor opens it meanwhile: the registry knows.
  /// 2. Nobody in another process opens it meanwhile: whoever does locks the directory.
  /// 3. No other process has it open: LMDB keeps a lock on the first byte of its lock file for as
  ///    long, which ends with the process, however that ends.
  ///
  /// - Throws: `.notAStore` where `path` leads to a file; `.permissionDenied`, and what else the
  ///   system reports: some of the files may be gone then, `data.mdb` before all others.
  package static func delete(at path: String) throws(StorageError) -> Deletion {
    _ = Monitor.ofProcess
    let directory: StoreDirectory
    do { directory = try StoreDirectory(at: path, mayCreate: false) } catch .fileNotFound {
      return .absent
    }
    let key = EnvironmentRegistry.Key(
      directory: directory.identity, process: leyden_fork_generation())
    let deletion = try EnvironmentRegistry.whileClosed(key) { () throws(StorageError) in
      try directory.whileLocked { () throws(StorageError) in try delete(in: directory) }
    }
    return deletion ?? .inUse
  }

  private static func delete(in directory: StoreDirectory) throws(StorageError) -> Deletion {
    guard try directory.status(of: Name.data) != nil else { return .absent }
    guard try !directory.isOpenElsewhere() else { return .inUse }
    try remove(from: directory)
    return .deleted
  }

  /// Takes the names away; who has the files open keeps them.
  static func remove(from directory: StoreDirectory) throws(StorageError) {
    directory.removeDirectory(Name.compacted)
    for name in [Name.data, Name.lock, Name.signal, Name.unfinishedSignal] {
      guard unsafe unlinkat(directory.descriptor, name, 0) != 0, errno != ENOENT else { continue }
      throw .system(errno, at: directory.path(of: name), operation: "delete")
    }
    // It stays where it holds other files, or where its parent may not be changed.
    _ = unsafe rmdir(directory.absolutePath)
  }
}
