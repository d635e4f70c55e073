import CLeyden
import Foundation

/// What tells one file or directory from all others on this machine.
struct FileIdentity: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64

  init(_ status: leyden_file_status) {
    device = status.device
    inode = status.inode
  }
}

/// The open directory of a store.
///
/// While it is open its inode is not given to another directory, so that `identity` stays true.
final class StoreDirectory: Sendable {
  /// The names of the files in a store's directory.
  enum Name {
    static let data = "data.mdb"
    static let lock = "lock.mdb"
    static let signal = "signal"
    /// A page in the making, left behind where its maker was killed.
    static let unfinishedSignal = "signal.new"
    /// A directory with compacted files in the making.
    static let compacted = "compacted.new"
  }

  /// The path as it was given, for messages.
  let path: String
  /// The path that holds even if the process changes its working directory.
  let absolutePath: String
  let descriptor: Int32
  let identity: FileIdentity
  /// Whether this call made the directory.
  let isNew: Bool

  /// Opens the directory at `path`, made first (for its owner only) if it may be.
  ///
  /// - Throws: `.fileNotFound` with the parent's path where that is missing; `.notAStore` where
  ///   something else is in its place.
  init(
    at path: String, mayCreate: Bool, followsLinks: Bool = true
  ) throws(StorageError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw .fileNotFound(path: path) }
    self.path = path
    absolutePath =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    isNew = mayCreate ? try Self.make(at: path) : false
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLinks ? 0 : O_NOFOLLOW)
    descriptor = retryingInterrupts { unsafe Foundation.open(path, flags) }
    guard descriptor >= 0 else {
      let code = errno
      if code == ENOTDIR, Self.exists(path) {
        throw .notAStore(path: path, reason: "it is a file, and a store is a directory")
      }
      throw .system(code, at: path, operation: "open")
    }
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(code, at: path, operation: "stat")
    }
    identity = FileIdentity(status)
  }

  deinit { close(descriptor) }

  /// Returns the path of a file in the directory, for messages.
  func path(of name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }

  /// Returns the status of a file in the directory; nil if it does not exist.
  func status(of name: String) throws(StorageError) -> leyden_file_status? {
    var status = leyden_file_status()
    if unsafe leyden_file_status_at(descriptor, name, &status) == 0 { return status }
    let code = errno
    guard code != ENOENT else { return nil }
    throw .system(code, at: path(of: name), operation: "stat")
  }

  /// Whether another process has the store open: LMDB keeps a lock on the first byte of its lock file
  /// for as long, which ends with the process, however that ends.
  ///
  /// Not for a store that this process has open: looking would give up its own lock.
  func isOpenElsewhere() throws(StorageError) -> Bool {
    let answer = unsafe leyden_lock_file_in_use(descriptor, Name.lock)
    guard answer >= 0 else { throw .system(errno, at: path(of: Name.lock), operation: "look at") }
    return answer > 0
  }

  /// Opens a file in the directory; the caller closes the descriptor.
  ///
  /// Below zero: see `errno`. A pipe is not waited for.
  func open(_ name: String, flags: Int32) -> Int32 {
    retryingInterrupts { unsafe openat(descriptor, name, flags | O_NONBLOCK | O_CLOEXEC, 0o600) }
  }

  /// Returns the names of what the directory holds, in no order.
  func entries() throws(StorageError) -> [String] {
    let copy = unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = unsafe fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw .system(code, at: path, operation: "list")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    guard errno == 0 else { throw .system(errno, at: path, operation: "list") }
    return names
  }

  /// Runs `body` while no other process opens or creates this store.
  func whileLocked<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    guard retryingInterrupts({ flock(descriptor, LOCK_EX) }) == 0 else {
      throw .system(errno, at: path, operation: "lock")
    }
    defer { flock(descriptor, LOCK_UN) }
    return try body()
  }

  /// Removes a directory in this one, with the files in it; failing loses nothing but room.
  ///
  /// Of a link, only the link itself.
  func removeDirectory(_ name: String) {
    let path = "\(absolutePath)/\(name)"
    let inner: StoreDirectory
    do throws(StorageError) {
      inner = try StoreDirectory(at: path, mayCreate: false, followsLinks: false)
    } catch {
      if case .fileNotFound = error { return }
      _ = unsafe unlinkat(descriptor, name, 0)
      return
    }
    for name in (try? inner.entries()) ?? [] { _ = unsafe unlinkat(inner.descriptor, name, 0) }
    _ = unsafe unlinkat(descriptor, name, AT_REMOVEDIR)
  }

  /// Makes new names in the directory, and the directory's own where it is new, survive a power cut.
  func sync() throws(StorageError) {
    guard fsync(descriptor) == 0 else { throw .system(errno, at: path, operation: "sync") }
    guard isNew else { return }
    let parent = Self.parent(of: path)
    let descriptor = unsafe Foundation.open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // A parent that may be entered but not read cannot be synced, and is no reason to fail.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(errno, at: parent, operation: "sync") }
  }

  /// Makes the directory; false if something is there already.
  private static func make(at path: String) throws(StorageError) -> Bool {
    if unsafe mkdir(path, 0o700) == 0 { return true }
    let code = errno
    switch code {
    case EEXIST: return false
    case ENOENT: throw .fileNotFound(path: parent(of: path))
    // Some systems look at the parent's mode before they look for the name.
    case EACCES, EPERM, EROFS: if exists(path) { return false }
    case ENOTDIR:
      throw .notAStore(path: parent(of: path), reason: "it is a file, and should be a directory")
    default: break
    }
    throw .system(code, at: path, operation: "create")
  }

  static func exists(_ path: String) -> Bool {
    var status = leyden_file_status()
    return unsafe leyden_file_status_at(AT_FDCWD, path, &status) == 0
  }

  static func parent(of path: String) -> String {
    var rest = path[...]
    while rest.count > 1, rest.hasSuffix("/") { rest.removeLast() }
    guard let slash = rest.lastIndex(of: "/") else { return "." }
    return slash == rest.startIndex ? "/" : String(rest[..<slash])
  }
}

/// Calls `operation` again for as long as a signal interrupts it.
func retryingInterrupts(_ operation: () -> Int32) -> Int32 {
  while true {
    let result = operation()
    if result >= 0 || errno != EINTR { return result }
  }
}
