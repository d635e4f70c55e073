import CLMDB
import Foundation

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
    if let slot = monitor.withLock({ idle.popLast() }) {
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
    let isKept = monitor.withLock {
      guard idle.count < Self.capacity else { return false }
      idle.append(slot)
      return true
    }
    if !isKept {
      unsafe mdb_txn_abort(slot.transaction)
      gate.remove(slot.cell)
    }
  }

  /// Ends the slot's transaction for good, so that the tables opened in it stay open.
  func commit(_ slot: ReaderSlot) -> Int32 {
    defer { forget(slot.cell) }
    return unsafe mdb_txn_commit(slot.transaction)
  }

  /// Frees what is idle; for the time before the environment is closed.
  func drain() {
    let slots = monitor.withLock {
      defer { idle = [] }
      return idle
    }
    for slot in slots {
      unsafe mdb_txn_abort(slot.transaction)
      gate.remove(slot.cell)
    }
  }

  private func forget(_ cell: TransactionGate.Cell) {
    gate.leave(cell)
    gate.remove(cell)
  }
}
