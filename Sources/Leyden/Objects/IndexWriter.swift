import Foundation
import LeydenStorage

/// The entries of one type's indexes, within one write.
///
/// It serves every index that the file has, whether the program's models name it or not.
final class IndexWriter {
  /// The entries of one record: a key for each index.
  typealias Entries = [[UInt8]]

  private final class Index {
    let stored: Catalog.StoredIndex
    let table: Table
    let rule: LongKey
    /// Whether the values that a write adds are looked at when it ends; those of a primary key are
    /// looked at before.
    let isChecked: Bool
    /// For each layout, where the fields are.
    var fields: [UInt16: [Field]] = [:]
    /// Those of the layout that was asked for last: most records have the same.
    var latest: (layout: UInt16, fields: [Field])?

    init(_ stored: Catalog.StoredIndex, _ table: Table, _ rule: LongKey, isChecked: Bool) {
      self.stored = stored
      self.table = table
      self.rule = rule
      self.isChecked = isChecked
    }
  }

  /// A field of a key, and where records of one layout have it.
  private final class Field {
    let property: Catalog.StoredProperty
    let slot: Int?
    let hasMarker: Bool
    let isDescending: Bool
    let foldsCase: Bool

    init(
      _ property: Catalog.StoredProperty, _ slot: Int?, _ field: Catalog.StoredIndex.Field,
      foldsCase: Bool
    ) {
      self.property = property
      self.slot = slot
      hasMarker = field.hasMarker
      isDescending = field.isDescending
      self.foldsCase = foldsCase
    }
  }

  private let type: Catalog.StoredType
  private let transaction: WriteTransaction
  private let indexes: [Index]
  /// The position of the primary key's index.
  private let primary: Int?
  /// Where keys are made; kept from one to the next.
  private var key = KeyEncoder(capacity: 128)
  /// Keys without their rows that this write added to unique indexes, to be checked at its end.
  private var touched: [Int: Set<[UInt8]>] = [:]

  init(
    _ type: Catalog.StoredType, store: UUID, _ transaction: WriteTransaction
  ) throws(StorageError) {
    self.type = type
    self.transaction = transaction
    var indexes: [Index] = []
    for stored in type.indexes {
      guard let table = try transaction.table(named: stored.tableName) else {
        throw .corrupted("the table of index \(stored.id) is missing")
      }
      indexes.append(
        Index(
          stored, table, LongKey(fieldCount: stored.fields.count, store: store),
          isChecked: stored.kind == .unique && stored.id != type.primaryKeyIndex?.id))
    }
    self.indexes = indexes
    primary = indexes.firstIndex { $0.stored.id == type.primaryKeyIndex?.id }
  }

  /// The entries that a record has.
  func entries(
    of bytes: UnsafeRawBufferPointer, row: UInt64
  ) throws(StorageError) -> Entries {
    guard !indexes.isEmpty else { return [] }
    let layout = unsafe try RecordView.layout(of: bytes)
    let view = unsafe try RecordView(bytes, slots: type.layouts[layout]?.count ?? 0)
    var entries: Entries = []
    for index in indexes {
      try makeKey(of: view, layout, row, index)
      entries.append(key.bytes)
    }
    return entries
  }

  /// Makes the key of a record in ``key``.
  private func makeKey(
    of view: RecordView, _ layout: UInt16, _ row: UInt64, _ index: Index
  ) throws(StorageError) {
    key.removeAll()
    for field in fields(of: index, in: layout) {
      let start = key.count
      try key.append(
        view, field.slot, field.property, hasMarker: field.hasMarker, foldsCase: field.foldsCase,
        transaction)
      key.shorten(from: start, by: index.rule)
      if field.isDescending { key.complement(from: start) }
    }
    key.appendRow(row)
  }

  /// Adds the entries of a new record.
  ///
  /// - Parameters:
  ///   - bytes: The record.
  ///   - row: Its row.
  ///   - isChecked: Whether no other row is known to have the primary key.
  /// - Returns: False where the primary key's index has a key like the record's: then nothing was
  ///   added.
  /// - Throws: What reading and writing may run into.
  func insert(
    _ bytes: UnsafeRawBufferPointer, row: UInt64, isChecked: Bool = false
  ) throws(StorageError) -> Bool {
    guard !indexes.isEmpty else { return true }
    let layout = unsafe try RecordView.layout(of: bytes)
    let view = unsafe try RecordView(bytes, slots: type.layouts[layout]?.count ?? 0)
    if let primary {
      try makeKey(of: view, layout, row, indexes[primary])
      let isNew = isChecked ? true : try !hasKey(like: key.bytes, in: indexes[primary].table)
      guard isNew else { return false }
      try put(key.bytes, primary)
    }
    for number in indexes.indices where number != primary {
      try makeKey(of: view, layout, row, indexes[number])
      try put(key.bytes, number)
    }
    return true
  }

  /// Whether a table has a key that differs in its row at the most.
  private func hasKey(like entry: [UInt8], in table: Table) throws(StorageError) -> Bool {
    unsafe try withBytes(of: entry, count: entry.count - 8) { (prefix) throws(StorageError) in
      guard let found = unsafe try transaction.firstKey(from: prefix, in: table) else {
        return false
      }
      return unsafe found.starts(with: prefix)
    }
  }

  private func put(_ entry: [UInt8], _ number: Int) throws(StorageError) {
    let index = indexes[number]
    unsafe try withBytes(of: entry) { (key) throws(StorageError) in
      unsafe try transaction.put(
        UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: index.table)
    }
    if index.isChecked { touched[number, default: []].insert(entry.dropLast(8)) }
  }

  /// Brings the indexes from a record's old entries to its new ones.
  func replace(_ old: Entries, by new: Entries) throws(StorageError) {
    for (number, index) in indexes.enumerated() {
      let old = old.indices.contains(number) ? old[number] : []
      let new = new.indices.contains(number) ? new[number] : []
      if old == new { continue }
      if !old.isEmpty {
        unsafe try withBytes(of: old) { (key) throws(StorageError) in
          _ = unsafe try transaction.delete(key, in: index.table)
        }
      }
      if !new.isEmpty { try put(new, number) }
    }
  }

  /// Fills an index of an existing type: all entries, sorted, one behind the other.
  func build(_ id: UInt32) throws(StorageError) {
    guard let number = indexes.firstIndex(where: { $0.stored.id == id }),
      let records = try transaction.table(named: type.tableName)
    else { return }
    var keys: [[UInt8]] = []
    do {
      var cursor = try transaction.cursor(in: records)
      var found = try cursor.first()
      while found {
        let layout = unsafe try RecordView.layout(of: cursor.value)
        let view = unsafe try RecordView(cursor.value, slots: type.layouts[layout]?.count ?? 0)
        try makeKey(of: view, layout, cursor.row, indexes[number])
        keys.append(key.bytes)
        found = try cursor.next()
      }
    }
    keys.sort { $0.lexicographicallyPrecedes($1) }
    for key in keys {
      unsafe try withBytes(of: key) { (key) throws(StorageError) in
        unsafe try transaction.append(
          UnsafeRawBufferPointer(start: nil, count: 0), for: key, in: indexes[number].table)
      }
    }
    guard indexes[number].stored.kind == .unique else { return }
    for (key, next) in zip(keys, keys.dropFirst()) where key.dropLast(8) == next.dropLast(8) {
      touched[number, default: []].insert(key.dropLast(8))
    }
  }

  /// The first value of a unique index that two rows have, in words; `nil` where all are unique.
  func violation() throws(StorageError) -> String? {
    for (number, prefixes) in touched {
      for prefix in prefixes {
        let rows = try rows(with: prefix, in: indexes[number].table)
        guard rows.count > 1 else { continue }
        // Keys that were cut may belong to different values; null conflicts with nothing.
        var seen: Set<[StoredValue]> = []
        for row in rows {
          let values = try values(of: row, indexes[number].stored)
          guard !values.contains(.null) else { continue }
          guard seen.insert(values).inserted else {
            let names = indexes[number].stored.properties.map { type.property($0)?.name ?? "" }
            return "\(type.name).\(names.joined(separator: ", ")): "
              + values.map(\.description).joined(separator: ", ")
          }
        }
      }
    }
    return nil
  }

  private func rows(with prefix: [UInt8], in table: Table) throws(StorageError) -> [UInt64] {
    unsafe try withBytes(of: prefix) { (prefix) throws(StorageError) in
      var rows: [UInt64] = []
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(prefix)
      while found, unsafe cursor.key.count == prefix.count + 8,
        unsafe cursor.key.starts(with: prefix)
      {
        if let row = unsafe row(atEndOf: cursor.key) { rows.append(row) }
        found = try cursor.next()
      }
      return rows
    }
  }

  private func values(
    of row: UInt64, _ index: Catalog.StoredIndex
  ) throws(StorageError) -> [StoredValue] {
    guard let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { throw .corrupted("index \(index.id) names row \(row), which does not exist") }
    let layout = unsafe try RecordView.layout(of: bytes)
    let view = unsafe try RecordView(bytes, slots: type.layouts[layout]?.count ?? 0)
    var values: [StoredValue] = []
    for field in index.fields {
      guard let property = type.property(field.property) else { continue }
      let slot = type.slot(of: property.id, in: layout)
      values.append(
        try slot.map { (slot) throws(StorageError) in
          try view.value(slot, property.type, in: transaction)
        } ?? property.defaultValue)
    }
    return values
  }

  private func fields(of index: Index, in layout: UInt16) -> [Field] {
    if let latest = index.latest, latest.layout == layout { return latest.fields }
    let fields =
      index.fields[layout]
      ?? index.stored.fields.compactMap { field in
        type.property(field.property).map {
          Field(
            $0, type.slot(of: $0.id, in: layout), field,
            foldsCase: index.stored.kind == .caseInsensitive)
        }
      }
    index.fields[layout] = fields
    index.latest = (layout, fields)
    return fields
  }
}

extension Catalog.StoredType {
  /// The property of an id.
  func property(_ id: UInt32) -> Catalog.StoredProperty? { properties.first { $0.id == id } }
}

extension KeyEncoder {
  /// Appends a property's value as a field of a key.
  ///
  /// `slot` is where the record has it, `nil` for a record that is older than the property; with
  /// `hasMarker` a byte in front tells null from a value; with `foldsCase` texts that differ in case
  /// only are one.
  mutating func append(
    _ record: RecordView, _ slot: Int?, _ property: Catalog.StoredProperty, hasMarker: Bool,
    foldsCase: Bool, _ transaction: Transaction
  ) throws(StorageError) {
    guard let slot else {
      return append(property.defaultValue, hasMarker: hasMarker, foldsCase: foldsCase)
    }
    if record.isNull(slot) { return append(.null, hasMarker: hasMarker) }
    // The common types are encoded from the record's bytes; making a value costs more than the key.
    switch property.type {
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
      if hasMarker { appendPresence(true) }
      append(Int64(bitPattern: record.word(slot)))
    case .float, .double, .date:
      if hasMarker { appendPresence(true) }
      append(Double(bitPattern: record.word(slot)))
    case .string where record.largeReference(slot) == nil:
      if hasMarker { appendPresence(true) }
      if foldsCase {
        unsafe append(folding: record.bytes(slot), terminated: true)
      } else {
        unsafe append(utf8: record.bytes(slot), terminated: true)
      }
    default:
      let value = try record.value(slot, property.type, in: transaction)
      append(value, hasMarker: hasMarker, foldsCase: foldsCase)
    }
  }

  /// Appends a value as a field of a key.
  mutating func append(_ value: StoredValue, hasMarker: Bool, foldsCase: Bool = false) {
    if hasMarker { appendPresence(value != .null) }
    guard foldsCase, case .string(var text) = value else { return append(field: value) }
    text.withUTF8 { utf8 in
      unsafe append(folding: UnsafeRawBufferPointer(utf8), terminated: true)
    }
  }
}
