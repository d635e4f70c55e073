import CLMDB

/// A snapshot for reading.
///
/// Pins the pages of its version until it ends: files of writers grow meanwhile.
@safe
package final class ReadTransaction: Transaction {
  // SAFETY: what the two cursors hold is LMDB's, opened in this transaction and closed with it.

  /// A cursor that is kept for the table that was read last, from the second time on.
  @safe
  private struct KeptCursor {
    var table: MDB_dbi?
    var cursor: OpaquePointer?

    mutating func close() {
      guard let open = unsafe cursor else { return }
      unsafe mdb_cursor_close(open)
      unsafe cursor = nil
    }
  }

  private let slot: ReaderSlot
  private var rows = KeptCursor()
  private var keys = KeptCursor()

  init(environment: Environment, slot: ReaderSlot) {
    self.slot = slot
    unsafe super.init(environment: environment, file: slot.file, handle: slot.transaction)
  }

  deinit { end() }

  /// Ends the transaction, on any thread; what it returned is invalid.
  ///
  /// Does nothing a second time.
  ///
  /// LMDB: `mdb_txn_reset`.
  package func end() {
    guard unsafe handle != nil else { return }
    unsafe handle = nil
    rows.close()
    keys.close()
    // In a child of the process the slot is the parent's.
    guard environment.isOfThisProcess else { return }
    environment.readers.end(slot)
    environment.growIfWanted()
  }

  override func rowCursor(in table: Table) -> OpaquePointer? {
    unsafe cursor(in: table, kept: &rows)
  }

  override func keyCursor(in table: Table) -> OpaquePointer? {
    unsafe cursor(in: table, kept: &keys)
  }

  private func cursor(in table: Table, kept: inout KeptCursor) -> OpaquePointer? {
    let number = self.handle(of: table)
    if kept.table != number {
      kept.close()
      kept.table = number
      return nil
    }
    if let cursor = unsafe kept.cursor { return unsafe cursor }
    guard let handle = unsafe handle, contains(table),
      unsafe mdb_cursor_open(handle, number, &kept.cursor) == MDB_SUCCESS
    else { return nil }
    return unsafe kept.cursor
  }
}
