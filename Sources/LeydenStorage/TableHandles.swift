import CLMDB
import Synchronization

/// The tables of an environment that this process has opened.
///
/// LMDB gives out a handle inside a transaction, shows it to those that begin after that one has
/// ended, and allows one such transaction at a time. So:
///
/// 1. A transaction that begins counts the tables of its snapshot. Where there are more than
///    `known`, it ends, the missing ones are opened, and it begins again.
/// 2. Thereby every transaction sees a handle for every table of its snapshot, for as long as it
///    lives, and a name without a handle is not in the snapshot.
/// 3. A write that makes a table keeps the right to open until it ends. Nobody waits for it: while
///    it runs no other process writes, and what its own base had is open already.
final class TableHandles: @unchecked Sendable {
  // SAFETY: `tables` and `isOpening` are guarded by `monitor`.
  /// How many entries the table of names had when all of them had been opened.
  ///
  /// Read before a transaction begins: then its handles are there, whatever happens meanwhile.
  let known = Atomic(0)

  /// Tells the handles of one file from those of all others.
  struct Identity: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private static let made = Atomic<UInt64>(0)

  let identity: Identity
  private var tables: [String: Table] = [:]
  private var isOpening = false
  private let monitor = Monitor()

  init() {
    identity = Identity(number: Self.made.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Returns the table of that name, if this process has opened it.
  func table(named name: String) -> Table? { monitor.withLock { tables[name] } }

  /// Waits for the right to open tables.
  func beginOpening() {
    monitor.withLock {
      while isOpening { monitor.wait() }
      isOpening = true
    }
  }

  /// Waits a moment for the right to open tables; false if another one has it.
  func tryBeginOpening() -> Bool {
    let deadline = ContinuousClock.now + .milliseconds(1)
    return monitor.withLock {
      while isOpening {
        guard monitor.wait(until: deadline) else { return false }
      }
      isOpening = true
      return true
    }
  }

  /// Gives the right back.
  func endOpening() {
    monitor.withLock {
      isOpening = false
      monitor.broadcast()
    }
  }

  /// Makes tables known whose handles every transaction from now on has.
  func publish(_ opened: [Table], entries: Int) {
    monitor.withLock {
      for table in opened { tables[table.name] = table }
    }
    if entries > known.load(ordering: .relaxed) {
      known.store(entries, ordering: .sequentiallyConsistent)
    }
  }
}

extension Environment {
  /// Opens the tables that other processes have made; for as long as `known` is behind.
  ///
  /// May return without having done so when another thread is at it: the caller looks again.
  func openNewTables() throws(StorageError) {
    let file = file
    let tables = file.tables
    guard tables.tryBeginOpening() else { return }
    defer { tables.endOpening() }
    let slot = try beginSlot()
    // The caller looks again, at the file that there is now.
    guard slot.file === file else { return readers.end(slot) }
    let entries = unsafe Self.entryCount(of: slot.transaction)
    guard entries > tables.known.load(ordering: .relaxed) else { return readers.end(slot) }

    var opened: [Table] = []
    for name in unsafe Self.names(in: slot.transaction) where tables.table(named: name) == nil {
      var handle: MDB_dbi = 0
      let code = unsafe mdb_dbi_open(slot.transaction, name, 0, &handle)
      // Something else may have put plain values beside the tables.
      if code == MDB_INCOMPATIBLE || code == MDB_NOTFOUND { continue }
      guard code == MDB_SUCCESS else {
        readers.end(slot)
        throw failure(code, operation: "open table \(name) of")
      }
      let firstSeen = unsafe mdb_txn_id(slot.transaction)
      opened.append(
        Table(name: name, handle: handle, firstSeen: firstSeen, owner: tables.identity))
    }
    let code = readers.commit(slot)
    guard code == MDB_SUCCESS else { throw failure(code, operation: "open the tables of") }
    tables.publish(opened, entries: entries)
  }

  /// Returns how many entries the table of names has in a transaction's snapshot.
  static func entryCount(of transaction: OpaquePointer) -> Int {
    var statistics = MDB_stat()
    let code = unsafe mdb_stat(transaction, tableOfNames, &statistics)
    return code == MDB_SUCCESS ? statistics.ms_entries : 0
  }

  /// Returns the names in the table of names.
  static func names(in transaction: OpaquePointer) -> [String] {
    var cursor: OpaquePointer?
    guard unsafe mdb_cursor_open(transaction, tableOfNames, &cursor) == MDB_SUCCESS else {
      return []
    }
    defer { unsafe mdb_cursor_close(cursor) }
    var names: [String] = []
    var key = unsafe MDB_val()
    while unsafe mdb_cursor_get(cursor, &key, nil, MDB_NEXT) == MDB_SUCCESS {
      let bytes = unsafe UnsafeRawBufferPointer(start: key.mv_data, count: key.mv_size)
      unsafe names.append(String(decoding: bytes, as: UTF8.self))
    }
    return names
  }
}
