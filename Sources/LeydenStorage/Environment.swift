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
  // SAFETY: `handle` is LMDB's environment, open from `init` to `deinit` and made for all threads.
  // What moves its map happens behind `gate`, by the owner of `writer`. `companion` is guarded by
  // `companionMonitor`; everything else is constant or guards itself.

  /// The path by which it was opened first.
  package let path: String
  /// The size of the file's pages in bytes.
  package let pageSize: Int
  /// Whether writes are refused.
  package let isReadOnly: Bool
  /// What a commit survives.
  package let durability: Durability
  /// The bell that tells of commits, in this process and in others.
  package let signal: CommitSignal

  let handle: OpaquePointer
  let gate: TransactionGate
  let readers: ReaderPool
  let writer = WriterLock()
  let tables = TableHandles()
  let growth = Atomic(Growth.none)
  /// Whether the map was lost while it was moved: nothing of the file can be reached any more.
  let hasLostMap = Atomic(false)
  /// Up to where the system has promised room for the file; what this process knows of it.
  let reservedEnd = Atomic(0)

  /// Whether the path leads to another file than the open one, or to none.
  let isReplaced = Atomic(false)
  let lastCare = Atomic<UInt64>(0)
  /// Whether the files have lost their names on purpose.
  let isNameless = Atomic(false)

  private let entry: EnvironmentRegistry.Entry
  private let directory: StoreDirectory
  private let dataFile: FileIdentity
  let newestTransaction: NewestTransaction
  private let companionMonitor = Monitor()
  private weak var companion: AnyObject?

  /// The number of LMDB's own table, which holds the names of all others.
  static var tableOfNames: MDB_dbi { 1 }

  init(_ opened: OpenedFile, entry: EnvironmentRegistry.Entry, options: Options) {
    path = opened.directory.path
    pageSize = opened.pageSize
    isReadOnly = options.readOnly
    durability = options.durability
    unsafe handle = opened.handle
    gate = TransactionGate()
    unsafe readers = ReaderPool(environment: opened.handle, gate: gate)
    unsafe newestTransaction = NewestTransaction(environment: opened.handle)
    signal = CommitSignal(page: opened.signalPage, newestTransaction: newestTransaction)
    self.entry = entry
    directory = opened.directory
    dataFile = opened.dataFile
  }

  deinit {
    newestTransaction.close()
    // What a child of the process inherited is the parent's: it is left alone.
    guard isOfThisProcess else { return }
    readers.drain()
    unsafe mdb_env_close(handle)
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
      let known = tables.known.load(ordering: .sequentiallyConsistent)
      let slot = try beginSlot()
      if unsafe entryCount(of: slot.transaction) <= known {
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
    writer.lock()
    unsafe leyden_thread_state().pointee.writing = UnsafeRawPointer(
      Unmanaged.passUnretained(self).toOpaque())
    do {
      return unsafe WriteTransaction(environment: self, handle: try beginWriting())
    } catch {
      giveWriterBack()
      throw error
    }
  }

  private func beginWriting() throws(StorageError) -> OpaquePointer {
    makeRoom()
    while true {
      let known = tables.known.load(ordering: .sequentiallyConsistent)
      var transaction: OpaquePointer?
      let code = unsafe mdb_txn_begin(handle, nil, 0, &transaction)
      if code == MDB_MAP_RESIZED {
        try adoptSize()
        continue
      }
      guard code == MDB_SUCCESS, let transaction = unsafe transaction else {
        throw failure(code, operation: "begin to write to")
      }
      if unsafe entryCount(of: transaction) <= known { return unsafe transaction }
      unsafe mdb_txn_abort(transaction)
      try openNewTables()
    }
  }

  /// Ends what `beginWrite` began, after LMDB's transaction has ended.
  func endWriting() {
    notePagesUsed()
    growAsWriter(until: .now)
    giveWriterBack()
  }

  private func giveWriterBack() {
    unsafe leyden_thread_state().pointee.writing = nil
    writer.unlock()
  }

  /// Begins an LMDB transaction for reading.
  func beginSlot() throws(StorageError) -> ReaderSlot {
    try requireUsable()
    var hasCheckedReaders = false
    while true {
      do {
        return try readers.begin()
      } catch .mapResized {
        try adoptSize()
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
    var status = leyden_file_status()
    guard unsafe leyden_file_status_of(dataDescriptor, &status) == 0 else { return 0 }
    return Int(status.size)
  }

  /// The bytes of the file up to the last page that was ever used.
  package var usedBytes: Int { unsafe (information.me_last_pgno + 1) * pageSize }

  /// The size of the map in bytes: what the file can grow to before the map has to.
  package var mapSize: Int { unsafe information.me_mapsize }

  /// Frees the reader slots of processes that were killed; returns how many there were.
  ///
  /// Until then their snapshots keep pages from being used again.
  package func checkReaders() -> Int {
    guard isOfThisProcess else { return 0 }
    var dead: Int32 = 0
    unsafe mdb_reader_check(handle, &dead)
    return Int(dead)
  }

  /// Throws `.storeReplaced` if `path` does not lead to the open file any more.
  package func checkNotReplaced() throws(StorageError) {
    var status = leyden_file_status()
    let file = "\(directory.absolutePath)/\(StoreDirectory.Name.data)"
    guard unsafe leyden_file_status_at(AT_FDCWD, file, &status) == 0,
      FileIdentity(status) == dataFile
    else { throw .storeReplaced(path: path) }
  }

  /// Whether this is the process that opened it, and not a child made by `fork`.
  var isOfThisProcess: Bool { entry.key.process == leyden_fork_generation() }

  /// Throws `.usedAfterFork` in a child made by `fork`.
  func requireSameProcess() throws(StorageError) {
    guard isOfThisProcess else { throw .usedAfterFork }
  }

  private func requireUsable() throws(StorageError) {
    try requireSameProcess()
    guard !hasLostMap.load(ordering: .relaxed) else { throw failure(ENOMEM, operation: "map") }
    guard !isReplaced.load(ordering: .relaxed) else { throw .storeReplaced(path: path) }
  }

  /// What LMDB knows of the file; zeroes if the map is lost.
  var information: MDB_envinfo {
    var information = unsafe MDB_envinfo()
    if !hasLostMap.load(ordering: .relaxed) { unsafe mdb_env_info(handle, &information) }
    return unsafe information
  }

  var dataDescriptor: Int32 {
    var descriptor: Int32 = -1
    unsafe mdb_env_get_fd(handle, &descriptor)
    return descriptor
  }
}
