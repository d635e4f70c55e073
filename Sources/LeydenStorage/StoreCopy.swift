import CLMDB
import CLeyden
import Foundation

/// A new store with all that a transaction sees, entry by entry in the order of the keys: its pages
/// are full and none is unused.
package enum StoreCopy {
  /// What becomes of the entries of one table.
  package protocol EntryChange {
    /// Returns the value in the copy; `nil` leaves the entry out.
    func value(
      for key: UnsafeRawBufferPointer, from value: UnsafeRawBufferPointer
    ) throws(StorageError) -> [UInt8]?
  }

  /// How a copy differs from its source.
  package struct Changes {
    /// Tables that it does not have.
    package var leftOut: Set<String> = []
    /// What becomes of the entries of some tables.
    package var changed: [String: any EntryChange] = [:]

    /// No difference.
    package init() {}
  }

  /// How many bytes are written in one transaction: it is kept in memory until it is committed.
  private static let batch = 16 << 20

  /// Makes the store at `path`, where nothing is, and flushes it.
  ///
  /// Nobody else may know the path. The store consists of `data.mdb` alone.
  ///
  /// - Parameters:
  ///   - source: What is copied; its own write may be running on this thread.
  ///   - path: The directory to make.
  ///   - changes: How the copy differs.
  ///   - finish: Changes the copy before it is flushed.
  /// - Throws: `.diskFull`, `.permissionDenied`, what reading the source throws, and what else the
  ///   system reports; what was made is left to the caller.
  static func make(
    of source: Transaction, at path: String, changes: Changes = Changes(),
    finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    // A write of another environment is no write within the source's.
    let outer = unsafe leyden_thread_state().pointee.writing
    unsafe leyden_thread_state().pointee.writing = nil
    defer { unsafe leyden_thread_state().pointee.writing = outer }
    // In a call of its own, so that its write has ended before the outer one goes on.
    try fill(path, from: source, changes, finish)
  }

  private static func fill(
    _ path: String, from source: Transaction, _ changes: Changes,
    _ finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    var options = Environment.Options(durability: .unsafe)
    options.isPrivate = true
    options.expectedSize = source.environment.usedBytes
    let copy = try Environment.open(at: path, options: options)
    var writer = try BatchWriter(copy)
    for name in try source.tableNames where !changes.leftOut.contains(name) {
      guard let table = try source.table(named: name) else { continue }
      try writer.copy(table, of: source, changing: changes.changed[name])
    }
    try finish(writer.transaction)
    try writer.transaction.commit()
    try copy.flush()
  }

  /// Writes any number of entries, a batch at a time.
  private struct BatchWriter {
    private let environment: Environment
    private(set) var transaction: WriteTransaction
    private var written = 0

    init(_ environment: Environment) throws(StorageError) {
      self.environment = environment
      transaction = try environment.beginWrite()
    }

    mutating func copy(
      _ table: Table, of source: Transaction, changing change: (any EntryChange)?
    ) throws(StorageError) {
      // Tables of a store have none; what another program put beside them stays as it is.
      let flags = source.flags(of: table)
      var target = try transaction.makeTable(named: table.name, flags: flags)
      var cursor = try source.cursor(in: table)
      while try cursor.next() {
        if written > StoreCopy.batch {
          try transaction.commit()
          transaction = try environment.beginWrite()
          target = try transaction.makeTable(named: table.name, flags: flags)
          written = 0
        }
        let (key, value) = unsafe (cursor.key, cursor.value)
        written += key.count + value.count
        guard let change else {
          unsafe try put(value, for: key, in: target, isOurs: flags == 0)
          continue
        }
        guard let changed = unsafe try change.value(for: key, from: value) else { continue }
        unsafe try withBytes(of: changed) { (value) throws(StorageError) in
          unsafe try put(value, for: key, in: target, isOurs: flags == 0)
        }
      }
    }

    private func put(
      _ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in target: Table,
      isOurs: Bool
    ) throws(StorageError) {
      guard isOurs else { return unsafe try transaction.put(value, for: key, in: target) }
      // The cursor stays on the last page.
      _ = unsafe transaction.keyCursor(in: target)
      unsafe try transaction.append(value, for: key, in: target)
    }
  }
}

extension Transaction {
  /// The names of the tables that the transaction sees, in order.
  fileprivate final var tableNames: [String] {
    get throws(StorageError) {
      guard let handle = unsafe handle else { throw .closed }
      return unsafe Environment.names(in: handle)
    }
  }

  fileprivate final func flags(of table: Table) -> UInt32 {
    var flags: UInt32 = 0
    if let handle = unsafe handle {
      unsafe mdb_dbi_flags(handle, self.handle(of: table), &flags)
    }
    return flags
  }
}

extension Environment {
  /// Makes everything that was committed survive a loss of power.
  func flush() throws(StorageError) {
    let file = file
    let code = unsafe mdb_env_sync(file.handle, 1)
    guard code == MDB_SUCCESS else { throw failure(code, operation: "flush") }
    FileSystem.flush(file.descriptor)
  }
}
