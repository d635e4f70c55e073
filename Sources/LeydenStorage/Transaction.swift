import CLMDB
import Foundation

/// What reading and writing transactions have in common: reading.
///
/// For one thread at a time. Bytes that it returns are those of the map, or of a changed page: they
/// stay as they are until the transaction ends, and in a write until its next change.
///
/// LMDB: `mdb_get`, `mdb_stat`.
@safe
package class Transaction {
  // SAFETY: `handle` is LMDB's transaction from `begin` until the end of it, and nil then. The
  // environment is kept open by the reference to it.

  /// The environment that is read, kept open.
  package final let environment: Environment
  /// The environment's file that is read or written.
  final let file: MappedFile
  final var handle: OpaquePointer?
  /// Tells the innermost of nested transactions from those before and around it.
  final var level: UInt64 = 0

  init(environment: Environment, file: MappedFile, handle: OpaquePointer) {
    self.environment = environment
    self.file = file
    unsafe self.handle = handle
  }

  /// Returns the bytes stored for `key`; nil if there are none.
  ///
  /// - Complexity: O(log *n*) in a table of *n* entries.
  package final func value(
    for key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard unsafe !key.isEmpty else { return nil }
    return unsafe try value(at: key.baseAddress, count: key.count, in: table)
  }

  /// Returns the bytes stored for a row number; nil if there are none.
  package final func value(
    forRow row: UInt64, in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    var key = row.bigEndian
    if let cursor = unsafe rowCursor(in: table) {
      return unsafe try value(at: &key, count: MemoryLayout<UInt64>.size, by: cursor)
    }
    return unsafe try value(at: &key, count: MemoryLayout<UInt64>.size, in: table)
  }

  private final func value(
    at key: UnsafeRawPointer?, count: Int, in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let handle = unsafe handle else { throw .closed }
    var key = unsafe MDB_val(mv_size: count, mv_data: UnsafeMutableRawPointer(mutating: key))
    var value = unsafe MDB_val()
    let code = unsafe mdb_get(handle, self.handle(of: table), &key, &value)
    if code == MDB_SUCCESS {
      return unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }
    if code == MDB_NOTFOUND || isAbsence(code, of: table) { return nil }
    throw failed(code, operation: "read")
  }

  private final func value(
    at key: UnsafeRawPointer?, count: Int, by cursor: OpaquePointer
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    var key = unsafe MDB_val(mv_size: count, mv_data: UnsafeMutableRawPointer(mutating: key))
    var value = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(cursor, &key, &value, MDB_SET)
    if code == MDB_SUCCESS {
      return unsafe UnsafeRawBufferPointer(start: value.mv_data, count: value.mv_size)
    }
    if code == MDB_NOTFOUND { return nil }
    throw failed(code, operation: "read")
  }

  /// A cursor that looks up rows of a table; `nil` where looking them up without one is better.
  ///
  /// Whoever reads several rows often reads neighbours, and a cursor that stands on the right page
  /// does not descend the tree again.
  func rowCursor(in table: Table) -> OpaquePointer? { nil }

  /// A cursor that looks up keys by their beginnings; `nil` where there is none yet.
  func keyCursor(in table: Table) -> OpaquePointer? { nil }

  /// Returns the first key that is `key` or greater; nil if there is none.
  ///
  /// - Complexity: O(log *n*) in a table of *n* entries.
  package final func firstKey(
    from key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) -> UnsafeRawBufferPointer? {
    guard let kept = unsafe keyCursor(in: table) else {
      var cursor = try cursor(in: table)
      return unsafe try cursor.seek(key) ? cursor.key : nil
    }
    let start = unsafe UnsafeMutableRawPointer(mutating: key.baseAddress)
    var found = unsafe MDB_val(mv_size: key.count, mv_data: start)
    var value = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(kept, &found, &value, MDB_SET_RANGE)
    if code == MDB_SUCCESS {
      return unsafe UnsafeRawBufferPointer(start: found.mv_data, count: found.mv_size)
    }
    if code == MDB_NOTFOUND { return nil }
    throw failed(code, operation: "read")
  }

  /// Returns the number of entries.
  ///
  /// - Complexity: O(1).
  package final func count(of table: Table) throws(StorageError) -> Int {
    try statistics(of: table).ms_entries
  }

  /// The number of LMDB's transaction that made the snapshot, or that this write is; 0 after its end.
  package final var number: UInt64 {
    unsafe handle.map { unsafe UInt64(mdb_txn_id($0)) } ?? 0
  }

  /// The number of named tables, and of whatever else another program put beside them.
  package final var numberOfNames: Int {
    unsafe handle.map { unsafe Environment.entryCount(of: $0) } ?? 0
  }

  /// Returns the number of pages that the table takes.
  ///
  /// - Complexity: O(1).
  package final func pages(of table: Table) throws(StorageError) -> Int {
    let statistics = try statistics(of: table)
    return statistics.ms_branch_pages + statistics.ms_leaf_pages + statistics.ms_overflow_pages
  }

  private final func statistics(of table: Table) throws(StorageError) -> MDB_stat {
    guard let handle = unsafe handle else { throw .closed }
    var statistics = MDB_stat()
    // What LMDB reports of a table that the snapshot does not have is left to chance.
    guard contains(table) else { return statistics }
    let code = unsafe mdb_stat(handle, self.handle(of: table), &statistics)
    guard code == MDB_SUCCESS else { throw failed(code, operation: "count in") }
    return statistics
  }

  /// Returns a cursor that stands nowhere yet.
  package final func cursor(in table: Table) throws(StorageError) -> Cursor {
    guard let handle = unsafe handle else { throw .closed }
    try environment.requireSameProcess()
    guard contains(table) else { return unsafe Cursor(transaction: self, cursor: nil) }
    var cursor: OpaquePointer?
    let code = unsafe mdb_cursor_open(handle, self.handle(of: table), &cursor)
    guard code == MDB_SUCCESS else { throw failed(code, operation: "read") }
    return unsafe Cursor(transaction: self, cursor: cursor)
  }

  /// Returns the table of that name; nil if the snapshot has none.
  package final func table(named name: String) throws(StorageError) -> Table? {
    guard unsafe handle != nil else { throw .closed }
    try environment.requireSameProcess()
    guard let table = openTable(named: name), contains(table) else { return nil }
    return table
  }

  /// Returns the error to throw for a code of LMDB; a write goes by its first one.
  func failed(_ code: Int32, operation: String) -> StorageError {
    environment.failure(code, operation: operation)
  }

  /// Returns the table of that name if there is a handle for it; a write also knows its own.
  func openTable(named name: String) -> Table? { file.tables.table(named: name) }

  /// LMDB's number for the table in this transaction's file.
  @inline(__always)
  final func handle(of table: Table) -> MDB_dbi {
    table.owner == file.tables.identity ? table.handle : otherHandle(of: table)
  }

  /// That of the table of the same name; of none where the file has no such table.
  private final func otherHandle(of table: Table) -> MDB_dbi {
    openTable(named: table.name)?.handle ?? .max
  }

  /// Whether the snapshot has the table.
  final func contains(_ table: Table) -> Bool {
    guard let handle = unsafe handle else { return false }
    if table.owner == file.tables.identity, unsafe table.firstSeen <= mdb_txn_id(handle) {
      return true
    }
    var name = table.name
    return name.withUTF8 { bytes in
      let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      var key = unsafe MDB_val(mv_size: bytes.count, mv_data: start)
      var value = unsafe MDB_val()
      return unsafe mdb_get(handle, Environment.tableOfNames, &key, &value) == MDB_SUCCESS
    }
  }

  /// Whether a code only says that the snapshot is older than the table.
  private final func isAbsence(_ code: Int32, of table: Table) -> Bool {
    (code == EINVAL || code == MDB_BAD_DBI) && !contains(table)
  }
}
