import Foundation
package import LeydenStorage

/// One write: rows that are added and deleted go to the tables at once, changed ones are staged
/// and written once.
///
/// State, used by the thread that began the write only:
/// - `staged`: records that differ from the tables, by row; every live object of the row reads them;
/// - `originals`: records as they were before the write, of rows that were changed or deleted;
/// - `indexes`: what writes index entries, by type; it knows the unique values to check at the end;
/// - `chunked`: large values that this write stored, by row, so that replaced ones are removed;
/// - `changes`: rows that were added and deleted; modifications are found by comparison at the end.
package final class Writer {
  /// A row of a type.
  struct Key: Hashable {
    let type: UInt32
    let row: UInt64
  }

  private struct Staged {
    let type: Catalog.StoredType
    let table: Table
    let record: MutableRecord
  }

  /// Staged records beyond this are written at once: a bound for memory, not for the write.
  private static let stagingLimit = 1_024

  /// LMDB's transaction.
  package let transaction: WriteTransaction
  /// Rises with each change and each write of the session, so that a list that was evaluated within
  /// a write knows its age, and does not take a later write for its own.
  package private(set) var revision: UInt64
  /// The version that a commit makes.
  package let version: UInt64
  private let core: StoreCore
  private let generation: Generation
  private var catalog: Catalog
  private let meta: Table
  private let large: Table
  private var rows: RowNumbers
  private var staged: [Key: Staged] = [:]
  private var originals: [Key: [UInt8]] = [:]
  private var chunked: [Key: [LargeReference]] = [:]
  /// Large values of a record whose row number turned out to be taken.
  private var unplaced: [LargeReference] = []
  private var indexes: [UInt32: IndexWriter] = [:]
  private var changes = ObjectChangeSet()
  private var failure: StoreError?

  init(
    _ transaction: WriteTransaction, session: Session, catalog: Catalog
  ) throws(StorageError) {
    self.transaction = transaction
    core = session.core
    generation = session.generation
    self.catalog = catalog
    meta = try transaction.makeTable(named: MetaEntry.table)
    large = try transaction.makeTable(named: LargeValues.table)
    version = try ChangeLog.newestVersion(in: transaction) + 1
    revision = session.generation.takeRevision()
    rows = try RowNumbers(
      transaction.environment.signal, meta: meta, transaction)
  }

  /// Fails the write at its end, for what a setter cannot throw; the first reason stays.
  package func poison(_ error: StoreError) { if failure == nil { failure = error } }

  private func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(error, at: core.url) }
  }

  private func noteChange() {
    revision = generation.takeRevision()
    generation.advance()
  }

  // MARK: Adding and deleting

  /// Adds a row with a value for each column of the binding, and returns its number.
  func insert(
    _ values: [StoredValue], _ binding: TypeBinding
  ) throws(StoreError) -> UInt64 {
    let (type, table) = try place(of: binding)
    let record = MutableRecord(heapSlots: binding.newHeapSlots)
    try storage { () throws(StorageError) in
      for slot in binding.newSlots.indices {
        switch binding.newSlots[slot] {
        case .column(let column): try record.set(values[column], in: slot)
        case .value(let value): try record.set(value, in: slot)
        }
      }
    }
    if let key = binding.model.primaryKeyColumn {
      let value = values[key]
      if try row(ofPrimaryKey: value, binding) != nil {
        throw .duplicatePrimaryKey(type: binding.model.name, key: value.description)
      }
    }
    return try storage { () throws(StorageError) in
      var row = rows.take()
      while try !put(record, Key(type: type.id, row: row), type, table, isNew: true) {
        rows.skipBlock()
        row = rows.take()
      }
      unsafe try indexes(of: type).insert(record.bytes, row: row)
      changes.note(.inserted, row: row, type: type.id)
      noteChange()
      return row
    }
  }

  /// The row that has a primary key, staged changes included.
  package func row(
    ofPrimaryKey value: StoredValue, _ binding: TypeBinding
  ) throws(StoreError) -> UInt64? {
    try storage { () throws(StorageError) in
      try PrimaryKey.row(of: value, binding, core.longKey, in: transaction)
    }
  }

  /// Removes a row with everything that belongs to it.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  func delete(row: UInt64, _ binding: TypeBinding) throws(StoreError) -> Bool {
    let (type, table) = try place(of: binding)
    let key = Key(type: type.id, row: row)
    return try storage { () throws(StorageError) in
      guard let bytes = unsafe try transaction.value(forRow: row, in: table) else { return false }
      unsafe keepOriginal(bytes, key)
      let record = unsafe try binding.record(bytes)
      let indexes = try indexes(of: type)
      let entries = unsafe try indexes.entries(of: bytes, row: row)
      // What the row had before the write as well: a flush within it put other values in their place.
      let references =
        try type.largeReferences(in: record.view)
        + (try type.largeReferences(in: originals[key] ?? []))
        + (chunked.removeValue(forKey: key) ?? [])
      staged[key] = nil
      for reference in Set(references) {
        try LargeValues.delete(reference, in: large, transaction: transaction)
      }
      try indexes.replace(entries, by: [])
      _ = try transaction.delete(row: row, in: table)
      changes.note(.deleted, row: row, type: type.id)
      noteChange()
      return true
    }
  }

  /// All rows of a type, in order of creation.
  func rows(of binding: TypeBinding) throws(StoreError) -> [UInt64] {
    let (_, table) = try place(of: binding)
    return try storage { () throws(StorageError) in
      var rows: [UInt64] = []
      rows.reserveCapacity(try transaction.count(of: table))
      var cursor = try transaction.cursor(in: table)
      var found = try cursor.first()
      while found {
        rows.append(cursor.row)
        found = try cursor.next()
      }
      return rows
    }
  }

  private func place(
    of binding: TypeBinding
  ) throws(StoreError) -> (Catalog.StoredType, Table) {
    let table = try storage { () throws(StorageError) in
      try binding.table(in: transaction)
    }
    guard let type = binding.stored, let table else {
      throw .corrupted("the table of \(binding.model.name) is missing")
    }
    return (type, table)
  }

  // MARK: Changing

  /// Sets a column of a row; a value that is equal already changes nothing.
  func set(_ value: StoredValue, column: Int, of row: LiveRow) {
    do throws(StoreError) {
      try set(value, column: column, row: row.row, row.binding)
    } catch { poison(error) }
  }

  /// Sets a column of a row; a value that is equal already changes nothing.
  func set(
    _ value: StoredValue, column: Int, row: UInt64, _ binding: TypeBinding
  ) throws(StoreError) {
    let (type, table) = try place(of: binding)
    let key = Key(type: type.id, row: row)
    guard let property = binding.properties[column] else {
      throw .corrupted("\(binding.name(of: column)) is not in the store's catalog")
    }
    let changed: Bool? = try storage { () throws(StorageError) in
      var bytes = unsafe staged[key]?.record.bytes
      if unsafe bytes == nil { unsafe bytes = unsafe try transaction.value(forRow: row, in: table) }
      guard let bytes = unsafe bytes else { return nil }
      return unsafe try !binding.record(bytes).value(column, in: transaction).isIdentical(to: value)
    }
    guard let changed else { throw .invalidatedObject(binding.name(of: column)) }
    guard changed else { return }
    if binding.model.columns[column].isPrimaryKey {
      throw .invalidValue("\(binding.name(of: column)) is a primary key and cannot be changed")
    }
    try storage { () throws(StorageError) in
      let record = try stage(key, type, table, binding)
      let before = record.revision
      guard let slot = type.slot(of: property.id, in: type.newestLayout) else {
        throw .corrupted("\(binding.name(of: column)) is not in the newest layout of its type")
      }
      try record.set(value, in: slot)
      revision = generation.takeRevision()
      if record.revision != before { generation.advance() }
    }
    if staged.count > Self.stagingLimit { try flush() }
  }

  /// The record of a row in memory of its own, in the newest layout.
  private func stage(
    _ key: Key, _ type: Catalog.StoredType, _ table: Table, _ binding: TypeBinding
  ) throws(StorageError) -> MutableRecord {
    if let known = staged[key] { return known.record }
    guard let bytes = unsafe try transaction.value(forRow: key.row, in: table) else {
      throw .corrupted("row \(key.row) of \(type.name) is gone")
    }
    unsafe try RecordView.verify(bytes, type: key.type, row: key.row)
    unsafe keepOriginal(bytes, key)
    let source = unsafe try binding.record(bytes).view
    let layout = unsafe try RecordView.layout(of: bytes)
    let record = MutableRecord(heapSlots: type.heapSlots[type.newestLayout] ?? [])
    for (slot, property) in (type.layouts[type.newestLayout] ?? []).enumerated() {
      if let old = type.slot(of: property, in: layout) {
        try record.copy(source, slot: old, to: slot)
      } else if let stored = type.properties.first(where: { $0.id == property }) {
        try record.set(stored.defaultValue, in: slot)
      }
    }
    // The copy must be readable like a stored record before it is finished.
    _ = unsafe record.finish(
      layout: type.newestLayout, type: key.type, row: key.row, version: version)
    staged[key] = Staged(type: type, table: table, record: record)
    generation.advance()
    return record
  }

  private func keepOriginal(_ bytes: UnsafeRawBufferPointer, _ key: Key) {
    guard originals[key] == nil, changes.types[key.type]?[key.row] == nil else { return }
    originals[key] = unsafe Array(bytes)
  }

  /// Locates a row for a live object if its record is staged.
  func locate(_ row: LiveRow) -> Bool {
    guard let type = row.binding.stored,
      let staged = staged[Key(type: type.id, row: row.row)]
    else { return false }
    return unsafe row.locate(at: staged.record.bytes, layout: staged.type.newestLayout)
  }

  /// Writes staged records to their tables, so that queries within the write see them.
  package func flush() throws(StoreError) {
    guard !staged.isEmpty else { return }
    try storage { () throws(StorageError) in
      for (key, entry) in staged {
        guard let old = unsafe try transaction.value(forRow: key.row, in: entry.table) else {
          throw .corrupted("row \(key.row) of \(entry.type.name) is gone")
        }
        let indexes = try indexes(of: entry.type)
        let entries = unsafe try indexes.entries(of: old, row: key.row)
        _ = try put(entry.record, key, entry.type, entry.table, isNew: false)
        try indexes.replace(
          entries, by: unsafe indexes.entries(of: entry.record.bytes, row: key.row))
      }
    }
    staged = [:]
    generation.advance()
  }

  /// Writes one record; its largest values go to chunks until it is short enough.
  ///
  /// - Returns: False where a new row's number is taken: then nothing was written.
  private func put(
    _ record: MutableRecord, _ key: Key, _ type: Catalog.StoredType, _ table: Table, isNew: Bool
  ) throws(StorageError) -> Bool {
    if record.compactCount > RecordFormat.inlineLimit {
      for value in record.heapValues {
        guard record.compactCount > RecordFormat.inlineLimit,
          value.count >= RecordFormat.smallestLargeValue
        else { break }
        let view = unsafe try RecordView(record.bytes, slots: record.slots)
        let bytes = unsafe Array(view.bytes(value.slot))
        var identifier = rows.take()
        while try LargeValues.isTaken(identifier, in: large, transaction: transaction) {
          rows.skipBlock()
          identifier = rows.take()
        }
        unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
          let reference = unsafe try LargeValues.write(
            bytes, identifier: identifier, in: large, transaction: transaction)
          unsafe record.set(reference, prefix: bytes, in: value.slot)
          unplaced.append(reference)
        }
      }
    }
    let bytes = unsafe record.finish(
      layout: type.newestLayout, type: key.type, row: key.row, version: version)
    if isNew {
      guard unsafe try transaction.insert(bytes, forRow: key.row, in: table) else { return false }
    } else {
      unsafe try transaction.put(bytes, forRow: key.row, in: table)
    }
    if !unplaced.isEmpty { chunked[key, default: []] += unplaced }
    unplaced = []
    return true
  }

  // MARK: Ending

  /// Adds what the catalog lacks of the models, and raises the schema's version.
  func bringCatalogUp(to models: [ModelType], schemaVersion: UInt64) throws(StoreError) {
    try storage { () throws(StorageError) in
      var writer = try CatalogWriter(transaction, catalog: catalog)
      for model in models { try writer.add(model) }
      try writer.raise(schemaVersion: schemaVersion)
      guard writer.hasChanged else { return }
      try writer.finish()
      changes.changesCatalog = true
      catalog = try Catalog.read(in: transaction)
      for (type, index) in writer.newIndexes {
        guard let type = catalog.types[type] else { continue }
        try indexes(of: type).build(index)
      }
    }
    try checkUnique()
  }

  private func indexes(of type: Catalog.StoredType) throws(StorageError) -> IndexWriter {
    if let known = indexes[type.id] { return known }
    let writer = try IndexWriter(type, store: core.uuid, transaction)
    indexes[type.id] = writer
    return writer
  }

  /// Unique values are looked at when the write is done: two objects may swap theirs in it.
  private func checkUnique() throws(StoreError) {
    for writer in indexes.values {
      let violation = try storage { () throws(StorageError) in try writer.violation() }
      if let violation { throw .uniqueViolation(violation) }
    }
  }

  /// What is done with the changes while the transaction shows them and they may still be undone.
  package typealias Preparation = (
    ObjectChangeSet, _ version: UInt64, WriteTransaction
  ) throws(StorageError) -> Void

  /// Ends the write.
  ///
  /// - Returns: The new version, or `nil` where the write changed nothing.
  func commit(author: String?, _ prepare: Preparation? = nil) throws(StoreError) -> UInt64? {
    if let failure { throw failure }
    try flush()
    try checkUnique()
    return try storage { () throws(StorageError) in
      try noteModifications()
      guard !changes.isEmpty else {
        transaction.abort()
        return nil
      }
      try ChangeLog.append(
        changes, version: version, date: Date(), author: author, in: transaction)
      let bound = try rows.save(in: meta, transaction)
      try prepare?(changes, version, transaction)
      // While the lock is held: afterwards the mark is the next writer's.
      rows.announce(bound)
      try transaction.commit()
      transaction.environment.signal.ring(version: version)
      core.remember(catalog)
      return version
    }
  }

  /// Rolls everything back.
  func abort() { transaction.abort() }

  /// Compares each changed row with what it was: only what differs in the end is a change, and a
  /// row that is as before gets its record back.
  private func noteModifications() throws(StorageError) {
    for (key, original) in originals {
      guard changes.types[key.type]?[key.row] == nil, let type = catalog.types[key.type],
        let table = try transaction.table(named: type.tableName),
        let bytes = unsafe try transaction.value(forRow: key.row, in: table)
      else { continue }
      let isSame = unsafe try withBytes(of: original) { (original) throws(StorageError) -> Bool in
        let properties = unsafe try type.differences(
          between: original, and: bytes, core.longKey, in: transaction)
        if !properties.isEmpty {
          changes.note(.modified(properties), row: key.row, type: key.type)
        }
        return properties.isEmpty
      }
      unsafe try removeReplacedValues(key, original, Array(bytes), type, keepsOriginal: isSame)
      guard isSame else { continue }
      unsafe try withBytes(of: original) { (original) throws(StorageError) in
        unsafe try transaction.put(original, forRow: key.row, in: table)
      }
    }
    for key in chunked.keys where originals[key] == nil {
      guard let type = catalog.types[key.type],
        let table = try transaction.table(named: type.tableName),
        let bytes = unsafe try transaction.value(forRow: key.row, in: table)
      else { continue }
      unsafe try removeReplacedValues(key, [], Array(bytes), type, keepsOriginal: false)
    }
  }

  /// Removes chunks that neither the record's old nor new form refers to any more.
  private func removeReplacedValues(
    _ key: Key, _ original: [UInt8], _ current: [UInt8], _ type: Catalog.StoredType,
    keepsOriginal: Bool
  ) throws(StorageError) {
    let old = try type.largeReferences(in: original)
    let new = try type.largeReferences(in: current)
    let kept = Set(keepsOriginal ? old : new)
    for reference in Set(old + new + (chunked[key] ?? [])).subtracting(kept) {
      try LargeValues.delete(reference, in: large, transaction: transaction)
    }
  }
}
