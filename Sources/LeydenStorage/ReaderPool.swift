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

  init(transaction: OpaquePointer, cell: TransactionGate.Cell) {
    unsafe self.transaction = transaction
    self.cell = cell
  }
}

/// Read transactions that are reset and wait to be used again.
///
/// One that is reset pins no pages and needs no allocation to begin anew.
@safe
final class ReaderPool: @unchecked Sendable {
  // SAFETY: `environment` outlives the pool, which is a part of the object that closes it. `idle`
  // is guarded by `monitor`.
  private let environment: OpaquePointer
  private let gate: TransactionGate
  private let monitor = Monitor()
  private var idle: [ReaderSlot] = []
  /// One more that is idle, retained, passed on without the lock: most threads read one at a time.
  private let latest = unsafe Atomic<UnsafeMutableRawPointer?>(nil)

  /// More at a time are rare, and each holds a slot of the table that all processes share.
  private static let capacity = 2 * max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  init(environment: OpaquePointer, gate: TransactionGate) {
    unsafe self.environment = environment
    self.gate = gate
  }

  /// Returns a slot whose transaction has begun and which is inside the gate.
  ///
  /// LMDB: `mdb_txn_renew`, `mdb_txn_begin`.
  func begin() throws(LMDBError) -> ReaderSlot {
    if let slot = takeIdle() {
      gate.enter(slot.cell)
      let code = unsafe mdb_txn_renew(slot.transaction)
      guard code != MDB_SUCCESS else { return slot }
      unsafe mdb_txn_abort(slot.transaction)
      forget(slot.cell)
      throw LMDBError(code: code)
    }
    let cell = gate.addCell()
    gate.enter(cell)
    var transaction: OpaquePointer?
    let code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction)
    guard code == MDB_SUCCESS, let transaction = unsafe transaction else {
      forget(cell)
      throw LMDBError(code: code)
    }
    return unsafe ReaderSlot(transaction: transaction, cell: cell)
  }

  /// Ends the slot's transaction and keeps it for the next one.
  func end(_ slot: ReaderSlot) {
    unsafe mdb_txn_reset(slot.transaction)
    gate.leave(slot.cell)
    if !keepIdle(slot) { free(slot) }
  }

  /// Ends the slot's transaction for good, so that the tables opened in it stay open.
  func commit(_ slot: ReaderSlot) -> Int32 {
    defer { forget(slot.cell) }
    return unsafe mdb_txn_commit(slot.transaction)
  }

  /// Frees what is idle; for the time before the environment is closed.
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
    gate.remove(slot.cell)
  }

  private func forget(_ cell: TransactionGate.Cell) {
    gate.leave(cell)
    gate.remove(cell)
  }
}
