import CLMDB

/// A place in a table, in the order of the bytes of the keys.
///
///     var cursor = try transaction.cursor(in: table)
///     var isThere = try cursor.seek(prefix)
///     while isThere, matches(cursor.key) { isThere = try cursor.next() }
///
/// Keeps its transaction open, unless that is ended by hand; then every move throws `.closed`.
/// After a change of the table in the same write, seek again.
///
/// LMDB: `mdb_cursor_get`.
@safe
package struct Cursor: ~Copyable {
  // SAFETY: `cursor` is LMDB's and open for as long as `transaction` is at or inside `level`: LMDB
  // itself frees the cursors of a write when that ends. nil stands for an empty table.
  private let transaction: Transaction
  private let cursor: OpaquePointer?
  private let level: UInt64
  // What is asked at each entry is `@inlinable` (benchmark: scan, index).
  /// The key here; empty where the cursor stands nowhere.
  package private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// The value here; empty where the cursor stands nowhere.
  package private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  init(transaction: Transaction, cursor: OpaquePointer?) {
    self.transaction = transaction
    unsafe self.cursor = cursor
    level = transaction.level
  }

  deinit {
    guard let cursor = unsafe cursor, transaction.ownsCursors(of: level) else { return }
    unsafe mdb_cursor_close(cursor)
  }

  /// Goes to the first entry; false if the table is empty.
  package mutating func first() throws(StorageError) -> Bool { try move(MDB_FIRST) }

  /// Goes to the last entry; false if the table is empty.
  package mutating func last() throws(StorageError) -> Bool { try move(MDB_LAST) }

  /// Goes to the next entry, from nowhere to the first; false at the end.
  package mutating func next() throws(StorageError) -> Bool { try move(MDB_NEXT) }

  /// Goes to the entry before, from nowhere to the last; false at the start.
  package mutating func previous() throws(StorageError) -> Bool { try move(MDB_PREV) }

  /// Goes to the first entry whose key is `key` or greater; false if there is none.
  package mutating func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool {
    guard unsafe !key.isEmpty else { return try first() }
    unsafe self.key = unsafe key
    return try move(MDB_SET_RANGE)
  }

  /// Goes to the first entry whose key is `row` or greater; false if there is none.
  package mutating func seek(row: UInt64) throws(StorageError) -> Bool {
    var key = row.bigEndian
    return unsafe try withUnsafeBytes(of: &key) { (bytes) throws(StorageError) in
      unsafe try seek(bytes)
    }
  }

  /// The row number with which the key ends; 0 for a key of less than eight bytes.
  @inlinable
  package var row: UInt64 {
    @inline(__always) get { unsafe LeydenStorage.row(atEndOf: key) ?? 0 }
  }

  private mutating func move(_ operation: MDB_cursor_op) throws(StorageError) -> Bool {
    guard unsafe transaction.handle != nil, transaction.level == level else { throw .closed }
    guard let cursor = unsafe cursor else { return false }
    let start = unsafe UnsafeMutableRawPointer(mutating: key.baseAddress)
    var found = unsafe (
      key: MDB_val(mv_size: key.count, mv_data: start), value: MDB_val()
    )
    let code = unsafe mdb_cursor_get(cursor, &found.key, &found.value, operation)
    if code == MDB_SUCCESS {
      unsafe key = UnsafeRawBufferPointer(start: found.key.mv_data, count: found.key.mv_size)
      unsafe value = UnsafeRawBufferPointer(start: found.value.mv_data, count: found.value.mv_size)
      return true
    }
    unsafe key = UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe value = UnsafeRawBufferPointer(start: nil, count: 0)
    if code == MDB_NOTFOUND { return false }
    throw transaction.failed(code, operation: "read")
  }
}
