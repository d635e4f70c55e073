import CLeyden
import Foundation

extension Environment {
  /// Gives the store a file without unused pages, where no other process has it open.
  ///
  /// What reads goes on: transactions that are open keep the old file, which has lost its name, and
  /// those that begin afterwards read the new one. Writes wait.
  ///
  /// 1. Nobody in this process writes, and no other process opens the store, until it is done.
  /// 2. No other process has it open: LMDB's lock says so.
  /// 3. Make the new file in a directory within the store's, and let LMDB open it there, so that
  ///    nothing can fail any more but what can be taken back.
  /// 4. Give the new lock file its name: who comes from now on shares the new file's.
  /// 5. Give the new file its name. Before this the store is the old one, afterwards the new one.
  ///
  /// - Parameters:
  ///   - isWanted: Asked with the sizes of the file and of what it holds in bytes, where nothing else
  ///     speaks against it; other processes wait for the answer.
  ///   - changes: Says how the new file differs from what a transaction of the newest version sees.
  ///   - finish: Changes the new file before anybody sees it.
  /// - Returns: False, and nothing was done, where another process has the store open, or it is not
  ///   wanted.
  /// - Throws: `.readOnly`, `.nestedWrite`, `.storeReplaced`, `.diskFull`, `.permissionDenied` and what
  ///   else the system reports; the store is as it was then.
  package func compact(
    where isWanted: (_ fileSize: Int, _ usedSize: Int) -> Bool = { _, _ in true },
    changes: (Transaction) throws(StorageError) -> StoreCopy.Changes = { _ in .init() },
    finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    guard !isReadOnly else { throw .readOnly }
    return try whileNobodyWrites { () throws(StorageError) in
      if isNameless {
        return try compactIfWanted(isWanted) { () throws(StorageError) in
          try replaceNamelessFile(changes, finish)
        }
      }
      return try directory.whileLocked { () throws(StorageError) in
        try checkNotReplaced()
        if try file.isOpenElsewhere(in: directory) { return false }
        return try compactIfWanted(isWanted) { () throws(StorageError) in
          try replaceFile(changes, finish)
        }
      }
    }
  }

  private func compactIfWanted(
    _ isWanted: (Int, Int) -> Bool, _ replace: () throws(StorageError) -> Void
  ) throws(StorageError) -> Bool {
    let sizes = try sizes()
    guard isWanted(sizes.file, sizes.used) else { return false }
    try replace()
    return true
  }

  /// The size of the file, and of the pages in it that are used, in bytes.
  private func sizes() throws(StorageError) -> (file: Int, used: Int) {
    let snapshot = try PageSnapshot(of: self)
    var free = 0
    snapshot.forEachFreed { _, pages in free += pages }
    let used = Int(clamping: snapshot.lastPage) + 1 - free
    return (fileSize, max(0, used) * snapshot.pageSize)
  }

  private func replaceFile(
    _ changes: (Transaction) throws(StorageError) -> StoreCopy.Changes,
    _ finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    let name = StoreDirectory.Name.compacted
    directory.removeDirectory(name)
    defer { directory.removeDirectory(name) }
    let file = try makeFile(at: "\(directory.absolutePath)/\(name)", changes, finish)
    let old = try fileMonitor.withLock { () throws(StorageError) in
      try directory.exchangeFiles(with: name)
      return install(file)
    }
    withExtendedLifetime(old) { readers.drain() }
  }

  private func replaceNamelessFile(
    _ changes: (Transaction) throws(StorageError) -> StoreCopy.Changes,
    _ finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    let path = MemoryDirectory.path(in: MemoryDirectory.parent)
    defer { _ = try? StoreFiles.remove(from: StoreDirectory(at: path, mayCreate: false)) }
    let file = try makeFile(at: path, changes, finish)
    let old = fileMonitor.withLock { install(file) }
    withExtendedLifetime(old) { readers.drain() }
  }

  /// Makes a file with the newest version and opens it.
  private func makeFile(
    at path: String, _ changes: (Transaction) throws(StorageError) -> StoreCopy.Changes,
    _ finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) -> MappedFile {
    let source = try beginRead()
    defer { source.end() }
    try StoreCopy.make(
      of: source, at: path, changes: try changes(source), finish: finish)
    var options = options
    options.hasSignal = false
    let place = try StoreDirectory(at: path, mayCreate: false)
    return MappedFile(try OpenedFile(in: place, options: options))
  }
}

extension StoreDirectory {
  /// Puts the files of an inner directory in the place of this one's.
  ///
  /// - Throws: What the system reports; everything is as it was then.
  fileprivate func exchangeFiles(with inner: String) throws(StorageError) {
    let old = "\(inner)/old"
    // Who may use the store may use it afterwards.
    for name in [Name.lock, Name.data]
    where unsafe leyden_take_rights(descriptor, name, "\(inner)/\(name)") != 0 {
      throw .system(errno, at: path(of: name), operation: "change the mode of")
    }
    try move(Name.lock, to: "\(old).\(Name.lock)")
    do throws(StorageError) {
      try move("\(inner)/\(Name.lock)", to: Name.lock)
      do throws(StorageError) {
        try link(Name.data, to: "\(old).\(Name.data)")
        try move("\(inner)/\(Name.data)", to: Name.data)
        do throws(StorageError) { try sync() } catch {
          try? move("\(old).\(Name.data)", to: Name.data)
          throw error
        }
      } catch {
        try? move(Name.lock, to: "\(inner)/\(Name.lock)")
        throw error
      }
    } catch {
      try? move("\(old).\(Name.lock)", to: Name.lock)
      throw error
    }
  }

  private func move(_ name: String, to other: String) throws(StorageError) {
    guard unsafe renameat(descriptor, name, descriptor, other) == 0 else {
      throw .system(errno, at: path(of: name), operation: "rename")
    }
  }

  /// Keeps a file that is about to lose its name; where the file system knows no second names, it is
  /// lost, and cannot be taken back.
  private func link(_ name: String, to other: String) throws(StorageError) {
    guard unsafe linkat(descriptor, name, descriptor, other, 0) != 0 else { return }
    guard errno != EPERM, errno != ENOTSUP, errno != EMLINK else { return }
    throw .system(errno, at: path(of: name), operation: "rename")
  }
}
