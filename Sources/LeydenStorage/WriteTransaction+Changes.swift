import CLMDB

extension WriteTransaction {
  /// The longest key in bytes.
  ///
  /// LMDB: `mdb_env_get_maxkeysize`.
  package static var longestKey: Int { 511 }
  /// The longest value that every release of LMDB stores whole.
  private static var longestValue: Int { Int(Int32.max) }

  /// What becomes of a key that is there already.
  private enum Placement {
    case replacing
    case inserting
    case appending

    var flags: UInt32 {
      switch self {
      case .replacing: 0
      case .inserting: UInt32(MDB_NOOVERWRITE)
      case .appending: UInt32(MDB_APPEND)
      }
    }
  }

  /// Stores `value` for `key`, in place of what was stored.
  ///
  /// - Throws: `.valueTooLarge` for an empty key or one of over 511 bytes, after which the
  ///   transaction can go on; `.mapFull`, `.diskFull` and others, after which it cannot.
  /// - Complexity: O(log *n*) in a table of *n* entries.
  package func put(
    _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) {
    _ = unsafe try store(value, for: key, in: table, .replacing)
  }

  /// Stores `value` for a row number, in place of what was stored.
  package func put(
    _ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table
  ) throws(StorageError) {
    _ = unsafe try store(value, forRow: row, in: table, .replacing)
  }

  /// Stores `value` for `key` unless the key exists; false if it does.
  package func insert(
    _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) -> Bool {
    unsafe try store(value, for: key, in: table, .inserting)
  }

  /// Stores `value` for a row number unless there is one; false if there is.
  ///
  /// Pages are left full where the row is the last one, as new rows are.
  package func insert(
    _ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table
  ) throws(StorageError) -> Bool {
    if unsafe try store(value, forRow: row, in: table, .appending) { return true }
    return unsafe try store(value, forRow: row, in: table, .inserting)
  }

  /// Stores `value` for a key that should be the greatest: then pages are left full.
  ///
  /// Does what `put` does where it is not.
  package func append(
    _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) {
    if unsafe try !store(value, for: key, in: table, .appending) {
      unsafe try put(value, for: key, in: table)
    }
  }

  /// Stores `value` for a row number that should be the greatest.
  package func append(
    _ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table
  ) throws(StorageError) {
    if unsafe try !store(value, forRow: row, in: table, .appending) {
      unsafe try put(value, forRow: row, in: table)
    }
  }

  /// Removes `key` and its value; false if there is no such key.
  @discardableResult
  package func delete(
    _ key: UnsafeRawBufferPointer, in table: Table
  ) throws(StorageError) -> Bool {
    let handle = unsafe try requireUsable()
    guard unsafe !key.isEmpty, key.count <= Self.longestKey else { return false }
    let start = unsafe UnsafeMutableRawPointer(mutating: key.baseAddress)
    var key = unsafe MDB_val(mv_size: key.count, mv_data: start)
    let code = unsafe mdb_del(handle, self.handle(of: table), &key, nil)
    if code == MDB_NOTFOUND { return false }
    guard code == MDB_SUCCESS else { throw failed(code, operation: "delete from") }
    return true
  }

  /// Removes a row number and its value; false if there is no such row.
  @discardableResult
  package func delete(row: UInt64, in table: Table) throws(StorageError) -> Bool {
    var key = row.bigEndian
    return unsafe try withUnsafeBytes(of: &key) { (key) throws(StorageError) in
      unsafe try delete(key, in: table)
    }
  }

  /// Removes all entries; the table stays.
  ///
  /// - Complexity: O(*p*) in a table of *p* pages.
  package func removeAll(in table: Table) throws(StorageError) {
    let code = unsafe mdb_drop(try requireUsable(), handle(of: table), 0)
    guard code == MDB_SUCCESS else { throw failed(code, operation: "empty \(table.name) of") }
  }

  private func store(
    _ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table, _ placement: Placement
  ) throws(StorageError) -> Bool {
    var key = row.bigEndian
    return unsafe try withUnsafeBytes(of: &key) { (key) throws(StorageError) in
      unsafe try store(value, for: key, in: table, placement)
    }
  }

  private func store(
    _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table,
    _ placement: Placement
  ) throws(StorageError) -> Bool {
    let handle = unsafe try requireUsable()
    guard unsafe !key.isEmpty, key.count <= Self.longestKey else {
      throw .valueTooLarge(bytes: key.count)
    }
    guard value.count <= Self.longestValue else { throw .valueTooLarge(bytes: value.count) }
    let keyStart = unsafe UnsafeMutableRawPointer(mutating: key.baseAddress)
    let valueStart = unsafe UnsafeMutableRawPointer(mutating: value.baseAddress)
    var key = unsafe MDB_val(mv_size: key.count, mv_data: keyStart)
    var data = unsafe MDB_val(mv_size: value.count, mv_data: valueStart)
    let code =
      if let cursor = unsafe keptCursor(in: table) {
        unsafe mdb_cursor_put(cursor, &key, &data, placement.flags)
      } else {
        unsafe mdb_put(handle, self.handle(of: table), &key, &data, placement.flags)
      }
    if code == MDB_KEYEXIST { return false }
    guard code == MDB_SUCCESS else { throw failed(code, operation: "write to") }
    return true
  }
}
