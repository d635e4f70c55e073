import CLMDB

/// A snapshot for reading.
///
/// Pins the pages of its version until it ends: files of writers grow meanwhile.
@safe
package final class ReadTransaction: Transaction {
  // SAFETY: `cursor` is LMDB's, opened in this transaction and closed with it.
  private let slot: ReaderSlot
  private var cursor: OpaquePointer?
  /// The table that rows were last read from, and that the cursor is for.
  private var rowTable: MDB_dbi?

  init(environment: Environment, slot: ReaderSlot) {
    self.slot = slot
    unsafe super.init(environment: environment, handle: slot.transaction)
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
    closeCursor()
    // In a child of the process the slot is the parent's.
    guard environment.isOfThisProcess else { return }
    environment.readers.end(slot)
    environment.growIfWanted()
  }

  /// From the second row on that is read of a table.
  override func rowCursor(in table: Table) -> OpaquePointer? {
    guard rowTable == table.handle else {
      closeCursor()
      rowTable = table.handle
      return nil
    }
    if let cursor = unsafe cursor { return unsafe cursor }
    guard let handle = unsafe handle, contains(table),
      unsafe mdb_cursor_open(handle, table.handle, &cursor) == MDB_SUCCESS
    else { return nil }
    return unsafe cursor
  }

  private func closeCursor() {
    guard let open = unsafe cursor else { return }
    unsafe mdb_cursor_close(open)
    unsafe cursor = nil
  }
}
