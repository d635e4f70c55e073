import CLMDB
import CLeyden
import Foundation

/// LMDB's environment, just opened: what an `Environment` is made of.
@safe
struct OpenedFile {
  // SAFETY: Whoever makes one gives the handle to one `Environment`, which closes it.
  let directory: StoreDirectory
  let handle: OpaquePointer
  let pageSize: Int
  let dataFile: FileIdentity
  let signalPage: SignalPage?
  /// Whether other processes learn of what this one reads and writes.
  let isLocked: Bool

  /// Enough tables for a hundred types with nine indexes each; every transaction has an entry for
  /// each table that could be open.
  private static let mostTables: UInt32 = 1024
  /// 64 bytes of the lock file for each.
  private static let mostReaders: UInt32 = 1024
  /// That of the lock file with as many readers.
  private static let lockFileSize = 64 * Int(mostReaders) + 128
  private static let fileMode: mode_t = 0o600

  /// Opens, or makes, the store in `directory`, while other processes wait to do the same.
  init(in directory: StoreDirectory, options: Environment.Options) throws(StorageError) {
    if !options.isImmutable { try FileSystem.check(directory) }
    self = try directory.whileLocked { () throws(StorageError) in
      try OpenedFile(inLocked: directory, options: options)
    }
  }

  private init(
    inLocked directory: StoreDirectory, options: Environment.Options
  ) throws(StorageError) {
    // Nobody is at it: whoever compacts keeps others from opening the store.
    if !options.readOnly { directory.removeDirectory(StoreDirectory.Name.compacted) }
    isLocked = try Self.canLock(directory, options)
    let state = try DataFile.inspect(
      in: directory, forWriting: !options.readOnly, mayCopy: !options.isImmutable)
    if state != .usable { try Self.requireVacant(directory, state, options) }
    if isLocked, !options.readOnly { try Self.requireOneName(directory) }
    // LMDB makes the file anew, from the beginning.
    if state == .unfinished { try Self.removeData(in: directory) }
    if isLocked, !options.readOnly { try Self.reserveLockFile(in: directory) }
    let page =
      options.hasSignal && isLocked
      ? try SignalPage.open(
        in: directory, mayCreate: !options.readOnly, startOver: state != .usable) : nil
    let handle: OpaquePointer
    do {
      unsafe handle = try unsafe Self.open(directory, options: options, isLocked: isLocked)
    } catch {
      // Half of the first pages is no store; nobody else is here before this one has opened it.
      if state != .usable { try? Self.removeData(in: directory) }
      throw error
    }
    do {
      dataFile = try unsafe Self.dataFile(of: handle, in: directory)
      if state != .usable || directory.isNew { try directory.sync() }
    } catch {
      unsafe mdb_env_close(handle)
      throw error
    }
    var statistics = MDB_stat()
    unsafe mdb_env_stat(handle, &statistics)
    pageSize = Int(statistics.ms_psize)
    unsafe self.handle = handle
    signalPage = page
    self.directory = directory
  }

  /// Whether LMDB's lock file can be used.
  ///
  /// Where it cannot, because this user may write neither it nor its directory, the store is read
  /// without: as long as nobody writes, that is the same.
  ///
  /// - Throws: `.alreadyOpen` and `.permissionDenied` where another process has the store open, which
  ///   would not learn of this reader.
  private static func canLock(
    _ directory: StoreDirectory, _ options: Environment.Options
  ) throws(StorageError) -> Bool {
    if options.isPrivate { return false }
    guard options.readOnly else { return true }
    let name = StoreDirectory.Name.lock
    if !options.isImmutable, mayWrite(name, in: directory) { return true }
    do throws(StorageError) {
      guard try directory.isOpenElsewhere() else { return false }
    } catch {
      // Who says that nobody writes need not be able to find out.
      if case .permissionDenied = error, options.isImmutable { return false }
      throw error
    }
    if options.isImmutable { throw .alreadyOpen(path: directory.path) }
    throw .permissionDenied(path: directory.path(of: name))
  }

  /// Whether the lock file can be opened for writing, or made.
  ///
  /// This process has it not open, so that closing it gives up nothing.
  private static func mayWrite(_ name: String, in directory: StoreDirectory) -> Bool {
    let descriptor = directory.open(name, flags: O_RDWR)
    if descriptor >= 0 {
      close(descriptor)
      return true
    }
    switch errno {
    case ENOENT: return unsafe faccessat(directory.descriptor, ".", W_OK, AT_EACCESS) == 0
    case EACCES, EPERM, EROFS: return false
    default: return true
    }
  }

  /// Throws where the file has another name as well: who opens it by that one has another lock file, and
  /// both would write to the same pages.
  private static func requireOneName(_ directory: StoreDirectory) throws(StorageError) {
    let name = StoreDirectory.Name.data
    var byte: CChar = 0
    let isLink = unsafe readlinkat(directory.descriptor, name, &byte, 1) >= 0
    let names = try directory.status(of: name)?.names ?? 1
    guard isLink || names > 1 else { return }
    throw .unsupported(
      "\(directory.path(of: name)) has another name in the file system "
        + "(a \(isLink ? "symbolic" : "hard") link): replace it by a copy")
  }

  private static func removeData(in directory: StoreDirectory) throws(StorageError) {
    let name = StoreDirectory.Name.data
    guard unsafe unlinkat(directory.descriptor, name, 0) != 0 else { return }
    throw .system(errno, at: directory.path(of: name), operation: "delete")
  }

  /// Takes the room on the disk that the lock file needs: LMDB writes it through memory, and where
  /// there is no room then, the process ends.
  private static func reserveLockFile(in directory: StoreDirectory) throws(StorageError) {
    let name = StoreDirectory.Name.lock
    let descriptor = directory.open(name, flags: O_RDWR | O_CREAT)
    // LMDB says what is wrong with it.
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    guard FileSystem.reserve(lockFileSize, of: descriptor) else { throw .diskFull }
  }

  /// Throws unless a store may be made in the directory: nothing of anybody else is in it.
  private static func requireVacant(
    _ directory: StoreDirectory, _ state: DataFile.State, _ options: Environment.Options
  ) throws(StorageError) {
    guard options.mayCreate, !options.readOnly else {
      let reason =
        switch state {
        case .empty: "data.mdb is empty"
        case .unfinished: "data.mdb was begun and never held anything"
        default: "it holds no data.mdb"
        }
      throw .notAStore(path: directory.path, reason: reason)
    }
    typealias Name = StoreDirectory.Name
    let ours: Set = [Name.data, Name.lock, Name.signal, Name.unfinishedSignal, Name.compacted]
    guard try directory.entries().allSatisfy(ours.contains) else {
      throw .notAStore(path: directory.path, reason: "it holds other files, and no data.mdb")
    }
  }

  /// Opens LMDB's environment with the largest map of the ladder that there is room for.
  private static func open(
    _ directory: StoreDirectory, options: Environment.Options, isLocked: Bool
  ) throws(StorageError) -> OpaquePointer {
    let size = try directory.status(of: StoreDirectory.Name.data).map { Int($0.size) } ?? 0
    var flags = flags(for: options)
    if !isLocked { flags |= MDB_NOLOCK }
    let expected = max(size, options.expectedSize)
    var code = ENOMEM
    for size in MapReserve.ladder(fileSize: expected, wanted: options.mapSize) {
      var handle: OpaquePointer?
      code = unsafe open(directory.absolutePath, mapSize: size, flags: flags, &handle)
      if code == MDB_SUCCESS, let handle = unsafe handle { return unsafe handle }
      unsafe mdb_env_close(handle)
      guard code == ENOMEM else { break }
    }
    throw failure(code, in: directory)
  }

  private static func open(
    _ path: String, mapSize: Int, flags: Int32, _ handle: inout OpaquePointer?
  ) -> Int32 {
    var code = unsafe mdb_env_create(&handle)
    guard code == MDB_SUCCESS else { return code }
    unsafe mdb_env_set_mapsize(handle, mapSize)
    unsafe mdb_env_set_maxdbs(handle, mostTables)
    unsafe mdb_env_set_maxreaders(handle, mostReaders)
    unsafe mdb_env_set_assert(handle, reportBrokenAssumption)
    code = unsafe mdb_env_open(handle, path, UInt32(flags), fileMode)
    return code
  }

  private static func flags(for options: Environment.Options) -> Int32 {
    let durability =
      switch options.durability {
      case .full: Int32(0)
      case .relaxed: MDB_NOMETASYNC
      case .unsafe: MDB_NOSYNC
      }
    return MDB_NOTLS | durability | (options.readOnly ? MDB_RDONLY : 0)
  }

  /// Compares what LMDB opened with what the path leads to, and keeps it from other programs.
  private static func dataFile(
    of handle: OpaquePointer, in directory: StoreDirectory
  ) throws(StorageError) -> FileIdentity {
    var descriptor: Int32 = -1
    unsafe mdb_env_get_fd(handle, &descriptor)
    // A program started later would keep the file open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var opened = leyden_file_status()
    guard unsafe leyden_file_status_of(descriptor, &opened) == 0,
      let named = try directory.status(of: StoreDirectory.Name.data),
      FileIdentity(opened) == FileIdentity(named)
    else { throw .storeReplaced(path: directory.path) }
    return FileIdentity(opened)
  }

  private static func failure(_ code: Int32, in directory: StoreDirectory) -> StorageError {
    switch LMDBError(code: code) {
    case .invalid: .notAStore(path: directory.path, reason: "data.mdb is not a file of LMDB")
    case .versionMismatch:
      .notAStore(path: directory.path, reason: "it is in use by another version of LMDB")
    case .panic, .corrupted, .pageNotFound:
      .corrupted("\(directory.path): \(LMDBError(code: code))")
    case LMDBError(code: EIO) where FileSystem.isFull(directory.descriptor): .diskFull
    default: .system(code, at: directory.path, operation: "open")
    }
  }
}

/// Says which store it was before LMDB ends the process.
private func reportBrokenAssumption(
  _ environment: OpaquePointer?, _ message: UnsafePointer<CChar>?
) {
  var path: UnsafePointer<CChar>?
  unsafe mdb_env_get_path(environment, &path)
  let place = unsafe path.map { unsafe String(cString: $0) } ?? ""
  let assumption = unsafe message.map { unsafe String(cString: $0) } ?? ""
  let text = "Leyden: \(place) is damaged: LMDB found that not \(assumption)\n"
  unsafe write(STDERR_FILENO, text, text.utf8.count)
}
