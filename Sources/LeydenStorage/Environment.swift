import CLMDB
import CLeyden
import Foundation
import Synchronization

/// The open file of a store, one per file and process.
///
///     let environment = try Environment.open(at: path)
///     let write = try environment.beginWrite()
///     try write.put(value, for: key, in: write.makeTable(named: "meta"))
///     try write.commit()
///
/// Stays open for as long as it, or one of its transactions, is referred to. Not for use in a
/// child made by `fork`, where every call throws `.usedAfterFork`.
///
/// LMDB: `mdb_env_open`, `mdb_env_close`.
@safe
package final class Environment: @unchecked Sendable {
  // SAFETY: `runningWrite` belongs to the owner of `writer`. `currentFile` is guarded by `fileMonitor`, and changed by the owner of `writer` only.
  // `companion` is guarded by `companionMonitor`; everything else is constant or guards itself.

  /// The path by which it was opened first.
  package let path: String
  /// Whether writes are refused.
  package let isReadOnly: Bool
  /// What a commit survives.
  package let durability: Durability
  /// The bell that tells of commits, in this process and in others.
  package let signal: CommitSignal

  let readers = ReaderPool()
  /// The write that is running; not retained, and taken out by itself when it ends.
  var runningWrite: Unmanaged<WriteTransaction>?
  let writer = WriterLock()
  let options: Options
  let directory: StoreDirectory
  let newestTransaction: NewestTransaction
  let growth = Atomic(Growth.none)
  /// Whether LMDB has given the file up, which has to be opened anew.
  let isGivenUp = Atomic(false)
  /// What is told when it was.
  let openedAnew = Mutex<(@Sendable () -> Void)?>(nil)
  /// Up to where the system has promised room for the file; what this process knows of it.
  let reservedEnd = Atomic(0)

  /// Whether the path leads to another file than the open one, or to none.
  let isReplaced = Atomic(false)
  let lastCare = Atomic<UInt64>(0)

  /// Held while the file that the path leads to is changed for another one.
  let fileMonitor = Monitor()
  /// Whether the files have no names, so that no other process can have them.
  var isNameless: Bool { isNamelessFlag.load(ordering: .relaxed) }
  let isNamelessFlag = Atomic(false)
  private var currentFile: MappedFile
  /// The transaction that alone may be read, where the store is read without locks.
  private let onlyTransaction: Int?
  private let entry: EnvironmentRegistry.Entry
  private let companionMonitor = Monitor()
  private weak var companion: AnyObject?

  /// The number of LMDB's own table, which holds the names of all others.
  static var tableOfNames: MDB_dbi { 1 }

  init(_ opened: OpenedFile, entry: EnvironmentRegistry.Entry, options: Options) {
    path = opened.directory.path
    isReadOnly = options.readOnly
    durability = options.durability
    self.options = options
    let file = MappedFile(opened)
    currentFile = file
    let isWatched = options.readOnly && !opened.isLocked
    onlyTransaction = isWatched ? unsafe file.information.me_last_txnid : nil
    newestTransaction = NewestTransaction(of: file)
    signal = CommitSignal(page: opened.signalPage, newestTransaction: newestTransaction)
    self.entry = entry
    directory = opened.directory
  }

  deinit {
    newestTransaction.close()
    // What a child of the process inherited is the parent's: it is left alone.
    guard isOfThisProcess else { return }
    readers.drain()
    currentFile.close()
    EnvironmentRegistry.remove(entry)
  }

  // MARK: Transactions

  /// Begins to read the newest version; ends with the transaction's `end()` or last reference.
  ///
  /// - Throws: `.tooManyReaders` when living processes have every slot; `.mapFull` when another
  ///   process let the file grow beyond this one's map, and readers here keep it from moving.
  /// - Complexity: O(1), and no allocation by LMDB once as many have been open before.
  package func beginRead() throws(StorageError) -> ReadTransaction {
    while true {
      let slot = try beginSlot()
      if onlyTransaction != nil {
        do { try checkUnchanged() } catch {
          readers.end(slot)
          throw error
        }
      }
      if unsafe Self.entryCount(of: slot.transaction) <= slot.known {
        return ReadTransaction(environment: self, slot: slot)
      }
      readers.end(slot)
      try openNewTables()
    }
  }

  /// Begins the one write; waits until those of all threads and processes before it have ended.
  ///
  /// After a write that threw `.mapFull` the map is larger, unless readers of this process kept it
  /// from moving: for five seconds, or at once if the reader is this thread itself.
  ///
  /// - Throws: `.readOnly`; `.nestedWrite` if this thread is inside a write of any environment;
  ///   `.storeReplaced`.
  package func beginWrite() throws(StorageError) -> WriteTransaction {
    try requireUsable()
    // What would be written to a file that nobody finds any more is lost.
    try takeCare()
    guard !isReadOnly else { throw .readOnly }
    guard unsafe leyden_thread_state().pointee.writing == nil else { throw .nestedWrite }
    takeWriter()
    do {
      let (file, transaction) = unsafe try beginWriting()
      return unsafe WriteTransaction(environment: self, file: file, handle: transaction)
    } catch {
      giveWriterBack()
      throw error
    }
  }

  private func beginWriting() throws(StorageError) -> (MappedFile, OpaquePointer) {
    makeRoom()
    while true {
      let file = file
      let known = file.tables.known.load(ordering: .sequentiallyConsistent)
      var transaction: OpaquePointer?
      let code = unsafe mdb_txn_begin(file.handle, nil, 0, &transaction)
      if code == MDB_MAP_RESIZED {
        try adoptSize()
        continue
      }
      if code == MDB_PANIC {
        try openAnew()
        continue
      }
      guard code == MDB_SUCCESS, let transaction = unsafe transaction else {
        throw failure(code, operation: "begin to write to")
      }
      if unsafe Self.entryCount(of: transaction) <= known { return unsafe (file, transaction) }
      unsafe mdb_txn_abort(transaction)
      try openNewTables()
    }
  }

  /// Runs `body` while nobody in this process writes; for a thread that does not.
  func whileNobodyWrites<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try requireUsable()
    guard unsafe leyden_thread_state().pointee.writing == nil else { throw .nestedWrite }
    takeWriter()
    defer { giveWriterBack() }
    return try body()
  }

  /// Ends what `beginWrite` began, after LMDB's transaction has ended.
  func endWriting() {
    notePagesUsed()
    growAsWriter(until: .now)
    giveWriterBack()
  }

  private func takeWriter() {
    writer.lock()
    leyden_watch_thread()
    unsafe leyden_thread_state().pointee.writing = UnsafeRawPointer(
      Unmanaged.passUnretained(self).toOpaque())
  }

  private func giveWriterBack() {
    unsafe leyden_thread_state().pointee.writing = nil
    writer.unlock()
  }

  /// Begins an LMDB transaction for reading.
  func beginSlot() throws(StorageError) -> ReaderSlot {
    var hasCheckedReaders = false
    while true {
      try requireUsable()
      do {
        return try readers.begin { file }
      } catch .mapResized {
        try adoptSize()
      } catch .panic {
        isGivenUp.store(true, ordering: .relaxed)
      } catch .readersFull where !hasCheckedReaders {
        // Slots of processes that were killed are only freed on request.
        hasCheckedReaders = true
        _ = checkReaders()
      } catch {
        if error.code == EAGAIN {
          throw .unsupported(
            "\(path) is open in another process with this one's number: containers that share a "
              + "store have to share their process numbers")
        }
        throw failure(error.code, operation: "begin to read")
      }
    }
  }

  // MARK: Companion

  /// Returns the one object of the upper layers for this environment, made first if there is none.
  ///
  /// Held weakly: it lives as long as somebody else refers to it. Two callers at a time get the
  /// same; the second one waits for the first one's `make`.
  package func companion<T: AnyObject & Sendable>(
    _ make: (Environment) throws(StorageError) -> T
  ) throws(StorageError) -> T {
    try companionMonitor.withLock { () throws(StorageError) -> T in
      if let companion {
        guard let companion = companion as? T else {
          preconditionFailure("An environment has companions of one type.")
        }
        return companion
      }
      let made = try make(self)
      companion = made
      return made
    }
  }

  // MARK: State

  /// The size of `data.mdb` in bytes.
  package var fileSize: Int {
    file.size
  }

  /// The bytes of the file up to the last page that was ever used.
  package var usedBytes: Int {
    let file = file
    return unsafe (file.information.me_last_pgno + 1) * file.pageSize
  }

  /// The size of the file's pages in bytes.
  package var pageSize: Int { file.pageSize }

  /// The size of the map in bytes: what the file can grow to before the map has to.
  package var mapSize: Int { unsafe file.information.me_mapsize }

  /// Frees the reader slots of processes that were killed; returns how many there were.
  ///
  /// Until then their snapshots keep pages from being used again.
  package func checkReaders() -> Int {
    guard isOfThisProcess else { return 0 }
    var dead: Int32 = 0
    unsafe file.whileOpen { unsafe mdb_reader_check($0, &dead) }
    return Int(dead)
  }

  /// Throws `.storeReplaced` if `path` does not lead to the open file any more.
  ///
  /// Where the system does not let the path be followed, the directory that is open tells.
  package func checkNotReplaced() throws(StorageError) {
    let name = "\(directory.absolutePath)/\(StoreDirectory.Name.data)"
    try fileMonitor.withLock { () throws(StorageError) in
      var status = leyden_file_status()
      if unsafe leyden_file_status_at(AT_FDCWD, name, &status) != 0 {
        guard errno != ENOENT, errno != ENOTDIR,
          let found = try directory.status(of: StoreDirectory.Name.data)
        else { throw .storeReplaced(path: path) }
        status = found
      }
      guard FileIdentity(status) == currentFile.identity else {
        throw .storeReplaced(path: path)
      }
    }
  }

  /// Whether somebody may write to the store who does not know that it is read here.
  package var isWatched: Bool { onlyTransaction != nil }

  /// Throws `.storeReplaced` where the store is read without locks and somebody has written to it.
  ///
  /// Pages of a version that nobody is known to read are used again by the second commit after it.
  /// So what was read before this call, and before such a commit, is right.
  package func checkUnchanged() throws(StorageError) {
    guard let onlyTransaction else { return }
    guard unsafe file.information.me_last_txnid == onlyTransaction else {
      throw .storeReplaced(path: path)
    }
  }

  /// Whether this is the process that opened it, and not a child made by `fork`.
  var isOfThisProcess: Bool { entry.key.process == leyden_fork_generation() }

  /// Throws `.usedAfterFork` in a child made by `fork`.
  func requireSameProcess() throws(StorageError) {
    guard isOfThisProcess else { throw .usedAfterFork }
  }

  private func requireUsable() throws(StorageError) {
    try requireSameProcess()
    guard !isReplaced.load(ordering: .relaxed) else { throw .storeReplaced(path: path) }
    if isGivenUp.load(ordering: .relaxed) { try openAnew() }
  }

  /// The file that is open; another one after it was compacted.
  var file: MappedFile { fileMonitor.withLock { currentFile } }

  /// Goes on with another file; inside `fileMonitor`, for the owner of `writer`.
  func install(_ file: MappedFile) -> MappedFile {
    let old = currentFile
    currentFile = file
    reservedEnd.store(0, ordering: .relaxed)
    newestTransaction.follow(file)
    old.isRetired.store(true, ordering: .sequentiallyConsistent)
    return old
  }
}
