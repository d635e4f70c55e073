import CLMDB
import Foundation
import Synchronization

/// An LMDB read transaction with its reader slot and its cell in the gate.
@safe
final class ReaderSlot: @unchecked Sendable {
  // SAFETY: Without thread-local readers LMDB lets a transaction move between threads; whoever has
  // the slot is the only one who uses it.
  let transaction: OpaquePointer
  let cell: TransactionGate.Cell
  /// The file that is read, kept open.
  let file: MappedFile
  /// The number of tables that were known before the transaction began.
  fileprivate(set) var known = 0

  init(transaction: OpaquePointer, cell: TransactionGate.Cell, file: MappedFile) {
    unsafe self.transaction = transaction
    self.cell = cell
    self.file = file
  }
}

/// Read transactions that are reset and wait to be used again.
///
/// One that is reset pins no pages and needs no allocation to begin anew.
@safe
final class ReaderPool: @unchecked Sendable {
  // SAFETY: `idle` is guarded by `monitor`.
  private let monitor = Monitor()
  private var idle: [ReaderSlot] = []
  /// One more that is idle, retained, passed on without the lock: most threads read one at a time.
  private let latest = unsafe Atomic<UnsafeMutableRawPointer?>(nil)

  /// More at a time are rare, and each holds a slot of the table that all processes share.
  private static let capacity = 2 * max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// Returns a slot whose transaction has begun and which is inside its file's gate.
  ///
  /// The file is the environment's own of now; `current` is asked for it where no slot is idle.
  ///
  /// LMDB: `mdb_txn_renew`, `mdb_txn_begin`.
  func begin(_ current: () -> MappedFile) throws(LMDBError) -> ReaderSlot {
    while let slot = takeIdle() {
      if slot.file.isRetired.load(ordering: .sequentiallyConsistent) {
        free(slot)
        continue
      }
      slot.file.gate.enter(slot.cell)
      // Before the transaction begins: then the tables' handles are there, whatever happens.
      slot.known = slot.file.tables.known.load(ordering: .sequentiallyConsistent)
      let code = unsafe mdb_txn_renew(slot.transaction)
      guard code != MDB_SUCCESS else { return slot }
      unsafe mdb_txn_abort(slot.transaction)
      forget(slot.cell, of: slot.file)
      throw LMDBError(code: code)
    }
    var file = current()
    var cell = file.gate.addCell()
    file.gate.enter(cell)
    // Whoever closes a file retires it before the gate is opened again.
    while file.isRetired.load(ordering: .sequentiallyConsistent) {
      forget(cell, of: file)
      file = current()
      cell = file.gate.addCell()
      file.gate.enter(cell)
    }
    let known = file.tables.known.load(ordering: .sequentiallyConsistent)
    var transaction: OpaquePointer?
    let code = unsafe mdb_txn_begin(file.handle, nil, UInt32(MDB_RDONLY), &transaction)
    guard code == MDB_SUCCESS, let transaction = unsafe transaction else {
      forget(cell, of: file)
      throw LMDBError(code: code)
    }
    let slot = unsafe ReaderSlot(transaction: transaction, cell: cell, file: file)
    slot.known = known
    return slot
  }

  /// Ends the slot's transaction and keeps it for the next one.
  func end(_ slot: ReaderSlot) {
    unsafe mdb_txn_reset(slot.transaction)
    slot.file.gate.leave(slot.cell)
    if !keepIdle(slot) { free(slot) }
    // Who retires a file drains the pool, maybe just before the slot came back.
    if slot.file.isRetired.load(ordering: .sequentiallyConsistent) { drain() }
  }

  /// Ends the slot's transaction for good, so that the tables opened in it stay open.
  func commit(_ slot: ReaderSlot) -> Int32 {
    defer { forget(slot.cell, of: slot.file) }
    return unsafe mdb_txn_commit(slot.transaction)
  }

  /// Frees what is idle; for the time before a file is closed.
  func drain() {
    while let slot = takeIdle() { free(slot) }
  }

  private func takeIdle() -> ReaderSlot? {
    // SAFETY: Whoever takes the pointer out takes over the reference that was put in with it.
    if let latest = unsafe latest.exchange(nil, ordering: .acquiring) {
      return unsafe Unmanaged<ReaderSlot>.fromOpaque(latest).takeRetainedValue()
    }
    return monitor.withLock { idle.popLast() }
  }

  private func keepIdle(_ slot: ReaderSlot) -> Bool {
    let reference = unsafe Unmanaged.passRetained(slot)
    let pointer = unsafe reference.toOpaque()
    if unsafe latest.compareExchange(expected: nil, desired: pointer, ordering: .releasing)
      .exchanged
    {
      return true
    }
    unsafe reference.release()
    return monitor.withLock {
      guard idle.count < Self.capacity else { return false }
      idle.append(slot)
      return true
    }
  }

  private func free(_ slot: ReaderSlot) {
    unsafe mdb_txn_abort(slot.transaction)
    slot.file.gate.remove(slot.cell)
  }

  private func forget(_ cell: TransactionGate.Cell, of file: MappedFile) {
    file.gate.leave(cell)
    file.gate.remove(cell)
  }
}
