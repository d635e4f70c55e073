import Foundation
package import LeydenStorage

/// One write: rows that are added and deleted go to the tables at once, changed ones are staged
/// and written once.
///
/// State, used by the thread that began the write only:
/// - `staged`: records that differ from the tables, by row; every live object of the row reads them;
/// - `originals`: records as they were before the write, of rows that were changed or deleted;
/// - `places`: the tables that were written to, by type, with what writes their index entries; that
///   knows the unique values to check at the end;
/// - `directories`: the parts of lists in the table that this write changed;
/// - `writtenElements`, `releasedElements`: long elements of collections that this write stored, and those
///   from before it that nothing refers to any more, by row;
/// - `originalEntries`: what it changed of collections in the table, as it was before;
/// - `originalLinks`: inverse entries that it made or removed, and whether they were there before;
/// - `chunked`: large values that this write stored, by row, so that replaced ones are removed;
/// - `changes`: rows that were added and deleted; modifications are found by comparison at the end.
package final class Writer {
  /// A row of a type.
  package struct Key: Hashable {
    package let type: UInt32
    package let row: UInt64
  }

  struct Staged {
    let place: Place
    let record: MutableRecord
  }

  /// Staged records beyond this are written at once: a bound for memory, not for the write.
  static let stagingLimit = 1_024

  /// A type that is written to: what each change of one of its rows needs.
  final class Place {
    let type: Catalog.StoredType
    let table: Table
    let indexes: IndexWriter

    init(_ type: Catalog.StoredType, _ table: Table, _ indexes: IndexWriter) {
      self.type = type
      self.table = table
      self.indexes = indexes
    }
  }

  /// LMDB's transaction.
  package let transaction: WriteTransaction
  /// Rises with each change and each write of the session, so that a list that was evaluated within
  /// a write knows its age, and does not take a later write for its own.
  package internal(set) var revision: UInt64
  /// The version that a commit makes.
  package let version: UInt64
  let core: StoreCore
  let generation: Generation
  var catalog: Catalog
  let meta: Table
  let large: Table
  var rows: RowNumbers
  var staged: [Key: Staged] = [:]
  var originals: [Key: [UInt8]] = [:]
  var chunked: [Key: [LargeReference]] = [:]
  /// Large values of a record whose row number turned out to be taken.
  var unplaced: [LargeReference] = []
  var directories: [CollectionKey: ListDirectory] = [:]
  let listDirectories: ListDirectories
  var writtenElements: [Key: Set<LargeReference>] = [:]
  var releasedElements: [Key: Set<LargeReference>] = [:]
  var originalEntries: [CollectionKey: [[UInt8]: [UInt8]?]] = [:]
  var originalLinks: [InverseEntry: Bool] = [:]
  private var knownLists: Table?
  private var knownInverse: Table?
  var places: [UInt32: Place] = [:]
  /// The one that was asked for last: most calls ask for the same again.
  var latestPlace: Place?
  var changes = ObjectChangeSet()
  var failure: StoreError?
  /// Whether a change runs that does itself what the delete rules of embedded objects say.
  var isExchanging = false

  init(
    _ transaction: WriteTransaction, session: Session, catalog: Catalog
  ) throws(StorageError) {
    self.transaction = transaction
    core = session.core
    generation = session.generation
    listDirectories = session.listDirectories
    self.catalog = catalog
    meta = try transaction.makeTable(named: MetaEntry.table)
    large = try transaction.makeTable(named: LargeValues.table)
    version = try ChangeLog.newestVersion(in: transaction) + 1
    revision = session.generation.takeRevision()
    rows = try RowNumbers(
      transaction.environment.signal, version: version - 1, meta: meta, transaction)
    if !catalog.outdatedIndexes.isEmpty { try renewIndexes() }
  }

  /// The table of collections.
  func lists() throws(StorageError) -> Table {
    if let knownLists { return knownLists }
    let table = try transaction.makeTable(named: CollectionKey.table)
    knownLists = table
    return table
  }

  /// The table of links by their targets.
  func inverse() throws(StorageError) -> Table {
    if let knownInverse { return knownInverse }
    let table = try transaction.makeTable(named: InverseEntry.table)
    knownInverse = table
    return table
  }

  /// Fails the write at its end, for what a setter cannot throw; the first reason stays.
  package func poison(_ error: StoreError) { if failure == nil { failure = error } }

  func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(error, at: core.url) }
  }

  func noteChange() {
    revision = generation.takeRevision()
    generation.advance()
  }

  func place(of binding: TypeBinding) throws(StoreError) -> Place {
    guard let type = binding.stored else {
      throw .corrupted("the table of \(binding.model.name) is missing")
    }
    return try storage { () throws(StorageError) in try place(of: type) }
  }

  func place(of type: Catalog.StoredType) throws(StorageError) -> Place {
    if let latestPlace, latestPlace.type.id == type.id { return latestPlace }
    if let known = places[type.id] {
      latestPlace = known
      return known
    }
    guard let table = try transaction.table(named: type.tableName) else {
      throw .corrupted("the table of \(type.name) is missing")
    }
    let place = Place(type, table, try IndexWriter(type, store: core.uuid, transaction))
    places[type.id] = place
    latestPlace = place
    return place
  }

  func keepOriginal(_ bytes: UnsafeRawBufferPointer, _ key: Key) {
    guard originals[key] == nil, changes.types[key.type]?[key.row] == nil else { return }
    originals[key] = unsafe Array(bytes)
  }

  /// - Returns: False where a new row's number is taken: then nothing was written.
  func put(
    _ record: MutableRecord, _ row: UInt64, _ place: Place, isNew: Bool
  ) throws(StorageError) -> Bool {
    if record.compactCount > RecordFormat.inlineLimit {
      for value in record.heapValues {
        guard record.compactCount > RecordFormat.inlineLimit,
          value.count >= RecordFormat.smallestLargeValue
        else { break }
        let view = unsafe try RecordView(record.bytes, slots: record.slots)
        let bytes = unsafe Array(view.bytes(value.slot))
        unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
          let reference = unsafe try writeLarge(bytes)
          unsafe record.set(reference, prefix: bytes, in: value.slot)
          unplaced.append(reference)
        }
      }
    }
    let bytes = unsafe record.finish(
      layout: place.type.newestLayout, type: place.type.id, row: row, version: version)
    if isNew {
      guard unsafe try transaction.insert(bytes, forRow: row, in: place.table) else { return false }
    } else {
      unsafe try transaction.put(bytes, forRow: row, in: place.table)
    }
    if !unplaced.isEmpty {
      chunked[Key(type: place.type.id, row: row), default: []] += unplaced
      unplaced = []
    }
    return true
  }

  /// Stores a value in chunks, under a number of its own.
  func writeLarge(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> LargeReference {
    var identifier = rows.take()
    while try LargeValues.isTaken(identifier, in: large, transaction: transaction) {
      rows.skipBlock()
      identifier = rows.take()
    }
    return unsafe try LargeValues.write(
      bytes, identifier: identifier, in: large, transaction: transaction)
  }
}
