import CLMDB
import CLeyden
import Foundation
import Synchronization

/// One open `data.mdb`: LMDB's environment, and what is true of it alone.
///
/// An `Environment` has one at a time. Compacting gives it another one; transactions that read the
/// old one keep that open, for as long as they last.
///
/// LMDB: `mdb_env_close`.
@safe
final class MappedFile: @unchecked Sendable {
  // SAFETY: `handle` is LMDB's environment, open from `init` to `close()`, and made for all threads.
  // What moves its map happens behind `gate`, by the owner of the environment's `writer`, inside
  // `monitor`. `isClosed`, `hasLostMapNow` and
  // `lockDescriptor` are guarded by `monitor`.

  let handle: OpaquePointer
  /// The size of the file's pages in bytes.
  let pageSize: Int
  let identity: FileIdentity
  let gate = TransactionGate()
  let tables: TableHandles
  /// Whether the environment has another file now.
  let isRetired = Atomic(false)

  private let process = leyden_fork_generation()
  private let monitor = Monitor()
  private var isClosed = false
  private var hasLostMapNow = false
  private var lockDescriptor: Int32 = -1

  init(_ opened: OpenedFile) {
    unsafe handle = opened.handle
    pageSize = opened.pageSize
    identity = opened.dataFile
    tables = TableHandles()
  }

  deinit { close() }

  /// Closes the file, which nobody uses any more.
  ///
  /// What a child of the process inherited is the parent's: it is left alone.
  func close() {
    guard process == leyden_fork_generation() else { return }
    monitor.withLock {
      guard !isClosed else { return }
      isClosed = true
      unsafe mdb_env_close(handle)
      // Not before: closing it takes LMDB's locks away.
      if lockDescriptor >= 0 { _ = Foundation.close(lockDescriptor) }
      lockDescriptor = -1
    }
  }

  /// What LMDB knows of the file; zeroes where the map is lost.
  var information: MDB_envinfo {
    var information = unsafe MDB_envinfo()
    // Meanwhile the map, in which LMDB looks it up, does not move.
    monitor.withLock {
      guard !isClosed, !hasLostMapNow else { return }
      unsafe mdb_env_info(handle, &information)
    }
    return unsafe information
  }

  /// Whether the map was lost while it was moved: nothing of the file can be reached any more.
  var hasLostMap: Bool { monitor.withLock { hasLostMapNow } }

  /// Calls LMDB with the environment; not where the file is closed.
  func whileOpen(_ body: (OpaquePointer) -> Int32) {
    monitor.withLock { if !isClosed { _ = unsafe body(handle) } }
  }

  /// The size of the file in bytes.
  var size: Int {
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &status) == 0 else { return 0 }
    return Int(status.size)
  }

  /// LMDB's own descriptor, for whoever keeps the file open; -1 where it is closed.
  var descriptor: Int32 {
    var descriptor: Int32 = -1
    monitor.withLock { if !isClosed { unsafe mdb_env_get_fd(handle, &descriptor) } }
    return descriptor
  }

  /// Gives the map another size, 0 for the one in the file.
  ///
  /// For the owner of the environment's `writer`, behind the gate.
  func moveMap(to size: Int) -> Int32 {
    monitor.withLock {
      guard !isClosed else { return EINVAL }
      let code = unsafe mdb_env_set_mapsize(handle, size)
      // The old map is given up first; of what can go wrong before that, only a write in progress.
      if code != MDB_SUCCESS, code != EINVAL { hasLostMapNow = true }
      return code
    }
  }

  /// Whether another process has the store in `directory` open, which has this file.
  ///
  /// LMDB keeps a lock on the first byte of its lock file for as long. To look at that without
  /// giving up this process's own, the descriptor stays open as long as the file.
  func isOpenElsewhere(in directory: StoreDirectory) throws(StorageError) -> Bool {
    try monitor.withLock { () throws(StorageError) in
      guard openLockFile(in: directory) else {
        throw .system(
          errno, at: directory.path(of: StoreDirectory.Name.lock), operation: "open")
      }
      let answer = leyden_is_locked_elsewhere(lockDescriptor)
      guard answer >= 0 else {
        throw .system(
          errno, at: directory.path(of: StoreDirectory.Name.lock), operation: "look at")
      }
      return answer > 0
    }
  }

  /// What LMDB's lock file says; `nil` where that cannot be told.
  func lockFile(in directory: StoreDirectory) -> LockFile? {
    monitor.withLock { openLockFile(in: directory) ? LockFile(lockDescriptor) : nil }
  }

  private func openLockFile(in directory: StoreDirectory) -> Bool {
    if lockDescriptor < 0, !isClosed {
      lockDescriptor = directory.open(StoreDirectory.Name.lock, flags: O_RDONLY)
    }
    return lockDescriptor >= 0
  }
}
