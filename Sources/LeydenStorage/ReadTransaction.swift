import CLMDB

/// A snapshot for reading.
///
/// Pins the pages of its version until it ends: files of writers grow meanwhile.
package final class ReadTransaction: Transaction {
  private let slot: ReaderSlot

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
    // In a child of the process the slot is the parent's.
    guard environment.isOfThisProcess else { return }
    environment.readers.end(slot)
    environment.growIfWanted()
  }
}
