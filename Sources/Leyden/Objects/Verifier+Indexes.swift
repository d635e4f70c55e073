import Foundation
import LeydenStorage

extension Verifier {
  /// One index while its type's records are checked.
  final class IndexCheck {
    let stored: Catalog.StoredIndex
    let type: Catalog.StoredType
    let table: PageTree
    let rule: LongKey
    /// Entries that belong to records.
    var found: UInt64 = 0

    init(
      _ stored: Catalog.StoredIndex, _ type: Catalog.StoredType, _ table: PageTree, _ rule: LongKey
    ) {
      self.stored = stored
      self.type = type
      self.table = table
      self.rule = rule
    }

    /// The entry of a record with these values; `nil` where one of them could not be read.
    func key(_ values: [UInt32: StoredValue], row: UInt64) -> [UInt8]? {
      var key = KeyEncoder()
      for field in stored.fields {
        guard let value = values[field.property] else { return nil }
        let start = key.count
        key.append(
          value, hasMarker: field.hasMarker, foldsCase: stored.kind == .caseInsensitive)
        key.shorten(from: start, by: rule)
        if field.isDescending { key.complement(from: start) }
      }
      key.appendRow(row)
      return key.bytes
    }

    func place(_ row: UInt64?, _ key: [UInt8]) -> VerificationFinding.Place {
      .init(
        table: stored.tableName, typeName: type.name,
        propertyName: stored.properties.compactMap { type.property($0)?.name }
          .joined(separator: ", "),
        row: row, key: key)
    }
  }

  /// The indexes of a type that can be compared with its records: not those whose keys follow other
  /// rules for texts, which the next write builds again.
  func indexChecks(of type: Catalog.StoredType) -> [IndexCheck] {
    guard let uuid = meta.uuid else { return [] }
    return type.indexes.filter(\.isCurrent).compactMap { stored in
      snapshot.table(stored.tableName).map { table in
        IndexCheck(
          stored, type, table, LongKey(fieldCount: stored.fields.count, store: uuid))
      }
    }
  }

  /// Looks a record's entry up.
  func checkEntry(of row: UInt64, _ values: [UInt32: StoredValue], in index: IndexCheck) {
    guard let key = index.key(values, row: row) else { return }
    guard let value = index.table.value(for: key) else {
      if index.table.isSound {
        note(.missingIndexEntry, "the index has no entry for the row", index.place(row, key))
      }
      return
    }
    index.found += 1
    if !value.isEmpty {
      note(.wrongIndexEntry, "the entry has a value", index.place(row, key))
    }
  }

  /// Looks for entries that no record has, where there are more than records account for, and for
  /// values that a unique index has twice.
  func checkEntries(of index: IndexCheck, records: PageTree) {
    report.indexEntries += Int(clamping: index.found)
    let hasMore = !index.table.isSound || index.table.count != index.found
    guard hasMore || index.stored.kind == .unique else { return }
    var group = UniqueGroup()
    unsafe index.table.forEach { key, _ in
      let entry = unsafe Array(key)
      guard let row = unsafe row(atEndOf: key) else {
        return note(.wrongIndexEntry, "the key has \(key.count) bytes", index.place(nil, entry))
      }
      if hasMore, records.isSound { checkOwner(of: entry, row, index, records) }
      if index.stored.kind == .unique { checkUnique(entry, row, index, records, &group) }
    }
  }

  private func checkOwner(
    of entry: [UInt8], _ row: UInt64, _ index: IndexCheck, _ records: PageTree
  ) {
    guard let bytes = records.value(forRow: row) else {
      return note(
        .wrongIndexEntry, "the entry is of a row that is not there", index.place(row, entry))
    }
    // What cannot be read has been reported.
    guard let values = storedValues(of: bytes, index, row), let key = index.key(values, row: row)
    else { return }
    if key != entry {
      note(.wrongIndexEntry, "the row has other values than the entry", index.place(row, entry))
    }
  }

  // MARK: Unique values

  /// Entries that have the same bytes before their rows.
  private struct UniqueGroup {
    var prefix: [UInt8] = []
    var first: (entry: [UInt8], row: UInt64)?
    var seen: Set<[StoredValue]> = []
    var hasNull = false
  }

  private func checkUnique(
    _ entry: [UInt8], _ row: UInt64, _ index: IndexCheck, _ records: PageTree,
    _ group: inout UniqueGroup
  ) {
    guard entry.dropLast(8) == group.prefix[...] else {
      group = UniqueGroup(prefix: entry.dropLast(8), first: (entry, row))
      return
    }
    // Null conflicts with nothing, except as a primary key.
    guard !group.hasNull else { return }
    if group.seen.isEmpty, let first = group.first {
      _ = noteUnique(of: first.row, index, records, &group)
    }
    if noteUnique(of: row, index, records, &group) == false {
      note(.notUnique, "another object has the same value", index.place(row, entry))
    }
  }

  /// Notes a row's values; false where another row has them.
  private func noteUnique(
    of row: UInt64, _ index: IndexCheck, _ records: PageTree, _ group: inout UniqueGroup
  ) -> Bool? {
    guard let bytes = records.value(forRow: row),
      let values = storedValues(of: bytes, index, row)
    else { return nil }
    // Keys that were cut may belong to different values.
    let fields = index.stored.fields.compactMap { values[$0.property] }
    if fields.contains(.null), index.stored.id != index.type.primaryKeyIndex?.id {
      group.hasNull = true
      return nil
    }
    return group.seen.insert(fields).inserted
  }

  /// The values that an index's key is made of; `nil` where the record cannot be read.
  private func storedValues(
    of bytes: [UInt8], _ index: IndexCheck, _ row: UInt64
  ) -> [UInt32: StoredValue]? {
    unsafe bytes.withUnsafeBytes { bytes in
      guard unsafe (try? RecordView.verify(bytes, type: index.type.id, row: row)) != nil,
        let layout = unsafe try? RecordView.layout(of: bytes),
        let slots = index.type.layouts[layout],
        let view = unsafe try? RecordView(bytes, slots: slots.count)
      else { return nil }
      var values: [UInt32: StoredValue] = [:]
      for field in index.stored.fields {
        guard let property = index.type.property(field.property) else { return nil }
        guard let slot = index.type.slot(of: property.id, in: layout) else {
          values[property.id] = property.defaultValue
          continue
        }
        values[property.id] = storedValue(view, slot, property)
      }
      return values
    }
  }

  private func storedValue(
    _ view: RecordView, _ slot: Int, _ property: Catalog.StoredProperty
  ) -> StoredValue? {
    if view.isNull(slot) { return .null }
    guard property.type.isStoredAsBytes else {
      return StoredValue(property.type, word: view.word(slot))
    }
    guard let reference = view.largeReference(slot) else {
      return unsafe StoredValue(property.type, bytes: view.bytes(slot))
    }
    var value: [UInt8] = []
    var chunk: UInt32 = 0
    while UInt64(value.count) < reference.total {
      let key = LargeValues.key(reference.identifier, chunk)
      guard let bytes = largeTable?.value(for: key), bytes.count > 4 else { return nil }
      value += bytes[4...]
      chunk += 1
    }
    return unsafe value.withUnsafeBytes { unsafe StoredValue(property.type, bytes: $0) }
  }
}
