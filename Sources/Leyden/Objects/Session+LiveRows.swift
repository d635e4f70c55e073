import CLeyden
import LeydenStorage

/// Live objects: how they are made, and how their records are located, read and changed.
extension Session {
  /// The way to a row.
  func row(_ row: UInt64, _ binding: TypeBinding) -> LiveRow {
    LiveRow(session: self, binding: binding, type: binding.stored?.id ?? 0, row: row)
  }

  /// Makes the live object of a row.
  package func object<Model: Object>(_ type: Model.Type, row: UInt64) -> Model {
    makeObject(type, access: self.row(row, requiredBinding(of: type)))
  }

  /// Makes an unmanaged object live.
  package func attach(_ object: Object, _ binding: TypeBinding, row: UInt64) {
    binding.model.bind(object, to: self.row(row, binding))
  }

  /// Locates a row's record; ``leave(_:)`` must follow where it returns true.
  func enter(_ row: LiveRow) -> Bool {
    guard !isClosed else { return false }
    if noted != nil { noted?.insert(ObjectIdentifier(row.binding.model.objectType)) }
    do throws(StorageError) {
      bind(row)
      if let writer {
        if writer.locate(row) { return true }
        return try locate(row, in: writer.transaction)
      }
      if let pinned {
        return try unchanged(pinned) { (pinned) throws(StorageError) in
          try locate(row, in: pinned)
        }
      }
      if passes == 0 { passing = try openEnvironment.beginRead() }
      guard let passing, try locate(row, in: passing) else {
        endPass()
        return false
      }
      passes += 1
      return true
    } catch {
      endPass()
      fail(StoreError(error, at: core.url))
      return false
    }
  }

  /// Ends what ``enter(_:)`` began.
  func leave(_ row: LiveRow) {
    guard passes > 0 else { return }
    row.forget()
    passes -= 1
    endPass()
  }

  private func endPass() {
    guard passes == 0 else { return }
    passing?.end()
    passing = nil
  }

  /// The object with a primary key, or `nil` where there is none.
  package func object<Model: Object>(
    _ type: Model.Type, primaryKey: StoredValue
  ) throws(StoreError) -> Model? {
    try withTransaction { (transaction) throws(StorageError) in
      // Only a store that is open for reading can lack a type, until somebody adds it.
      if requiredBinding(of: type).stored == nil { try refreshCatalog(in: transaction) }
      do throws(StorageError) { return try find(type, primaryKey, in: transaction) } catch {
        // The records that are compared may have a layout that another program has added.
        let known = catalog.generation
        try refreshCatalog(in: transaction)
        guard catalog.generation != known else { throw error }
        return try find(type, primaryKey, in: transaction)
      }
    }
  }

  private func find<Model: Object>(
    _ type: Model.Type, _ primaryKey: StoredValue, in transaction: Transaction
  ) throws(StorageError) -> Model? {
    let binding = requiredBinding(of: type)
    guard let found = try PrimaryKey.find(primaryKey, binding, core.longKey, in: transaction)
    else { return nil }
    let row = self.row(found.row, binding)
    // The record was read to compare its key: while a version is kept it is where it was.
    if writer == nil, pinned != nil, let record = unsafe found.record {
      _ = unsafe try locate(row, at: record, in: transaction)
    }
    return makeObject(type, access: row)
  }

  private func locate(
    _ row: LiveRow, in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard let table = try row.binding.table(in: transaction),
      let bytes = unsafe try transaction.value(forRow: row.row, in: table)
    else { return false }
    return unsafe try locate(row, at: bytes, in: transaction)
  }

  private func locate(
    _ row: LiveRow, at bytes: UnsafeRawBufferPointer, in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard let stored = row.binding.stored else { return false }
    unsafe try RecordView.verify(bytes, type: stored.id, row: row.row)
    let layout = unsafe try RecordView.layout(of: bytes)
    if unsafe row.locate(at: bytes, layout: layout) { return true }
    try refreshCatalog(in: transaction)
    bind(row)
    guard unsafe row.locate(at: bytes, layout: layout) else {
      throw .corrupted("row \(row.row) has the unknown layout \(layout)")
    }
    return true
  }

  /// Gives a row the type as the catalog has it now.
  func bind(_ row: ManagedRow) {
    guard row.binding.generation != catalog.generation else { return }
    let model = row.binding.model
    row.binding =
      model.isDynamic
      ? row.binding.stored.flatMap { dynamicBinding($0.id) } ?? row.binding
      : requiredBinding(of: model.objectType)
  }

  /// The value of a column that is not in the located record itself.
  func distantValue(of row: ManagedRow, column: Int) -> StoredValue {
    guard let bytes = unsafe row.located, let transaction = readingTransaction else { return .null }
    do throws(StorageError) {
      return unsafe try row.binding.record(bytes).value(column, in: transaction)
    } catch {
      fail(StoreError(error, at: core.url))
      return .null
    }
  }

  /// Sets a column of a live object.
  func set(_ value: StoredValue, column: Int, of row: ManagedRow) {
    bind(row)
    guard let writer else {
      preconditionFailure(
        "\(row.binding.name(of: column)) was set outside a write; put the change into "
          + "`store.write { … }`")
    }
    do throws(StoreError) { try row.write(value, column: column, writer) } catch {
      writer.poison(error)
    }
  }

  /// What located rows are read in.
  var readingTransaction: Transaction? { writer?.transaction ?? pinned ?? passing }
}
