import Foundation
package import LeydenStorage

// SAFETY: the maps are freed with the binding, which every live row of theirs keeps alive.
/// A model class beside the type that the file knows by its name: which column is which slot.
@safe
package final class TypeBinding {
  /// The model class.
  package let model: ModelType
  /// The catalog that the binding is of.
  let generation: UInt64
  /// The stored type; `nil` where a store that is open for reading does not have it.
  package let stored: Catalog.StoredType?
  /// The stored property of each column; `nil` where the file does not have it.
  package let properties: [Catalog.StoredProperty?]
  /// The store's own identifier.
  let store: UUID
  /// The column whose value each slot of a new record holds; `nil` where the model has no such
  /// property.
  let newColumns: [Int?]
  /// What the slots without a column hold: their properties' defaults.
  let newDefaults: [StoredValue]
  /// The types of the slots of a new record.
  let newTypes: [PropertyType]
  /// Memory for one new record after the other.
  let newRecord: MutableRecord
  /// Which rows have the primary keys that were asked for lately.
  let keyCache = KeyCache()
  private var layouts: [UInt16: Layout] = [:]
  /// The one that was asked for last: most records have the same.
  private var latestLayout: Layout?
  private var table: Table?
  private var primaryKeyTable: Table?

  init(model: ModelType, catalog: Catalog, store: UUID) {
    self.model = model
    self.store = store
    generation = catalog.generation
    let stored = catalog.type(named: model.name)
    self.stored = stored
    let properties = model.columns.map { stored?.property(named: $0.name) }
    self.properties = properties
    let layout = stored?.newestLayout ?? 0
    newRecord = MutableRecord(heapSlots: stored?.heapSlots[layout] ?? [])
    let slots = stored?.layouts[layout] ?? []
    newColumns = slots.map { id in properties.firstIndex { $0?.id == id } }
    newDefaults = slots.map { stored?.property($0)?.defaultValue ?? .null }
    newTypes = slots.map { stored?.property($0)?.type ?? .bool }
  }

  /// A property with its type's name, as messages say it.
  func name(of column: Int) -> String { "\(model.name).\(model.columns[column].name)" }

  deinit { for layout in layouts.values { unsafe layout.slots.deallocate() } }

  // SAFETY: the pointer is freed with the binding.
  /// Where records of one layout have what.
  @safe
  struct Layout {
    /// The number that records name it by.
    let id: UInt16
    /// The slot of each column, `UInt16.max` where it has none.
    let slots: UnsafePointer<UInt16>
    /// The number of slots.
    let count: Int
  }

  /// The layout of a number, or `nil` where the catalog does not know it.
  @inline(__always)
  func layout(_ id: UInt16) -> Layout? {
    if let latestLayout, latestLayout.id == id { return latestLayout }
    return findLayout(id)
  }

  private func findLayout(_ id: UInt16) -> Layout? {
    if let known = layouts[id] {
      latestLayout = known
      return known
    }
    guard let slots = stored?.layouts[id] else { return nil }
    let map = UnsafeMutablePointer<UInt16>.allocate(capacity: max(properties.count, 1))
    for (column, property) in properties.enumerated() {
      let slot = property.flatMap { slots.firstIndex(of: $0.id) }
      unsafe map[column] = slot.map { UInt16($0) } ?? .max
    }
    let layout = unsafe Layout(id: id, slots: UnsafePointer(map), count: slots.count)
    layouts[id] = layout
    latestLayout = layout
    return layout
  }

  /// The table of the type's records, or `nil` where the file has none.
  func table(in transaction: Transaction) throws(StorageError) -> Table? {
    if let table { return table }
    guard let stored else { return nil }
    table = try transaction.table(named: stored.tableName)
    return table
  }

  /// The table of the primary key's index, or `nil` where the type has none.
  func primaryKeyTable(in transaction: Transaction) throws(StorageError) -> Table? {
    if let primaryKeyTable { return primaryKeyTable }
    guard let index = stored?.primaryKeyIndex else { return nil }
    primaryKeyTable = try transaction.table(named: index.tableName)
    return primaryKeyTable
  }

  /// A record of the type, ready to be read.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where its layout is unknown or its shape wrong.
  ///
  /// `row` is needed by who asks for what the record's object leads to.
  func record(
    _ bytes: UnsafeRawBufferPointer, row: UInt64 = 0
  ) throws(StorageError) -> StoredRecord {
    let layout = unsafe try RecordView.layout(of: bytes)
    guard let known = self.layout(layout) else {
      throw .corrupted("a record of \(model.name) has the unknown layout \(layout)")
    }
    return unsafe StoredRecord(
      view: try RecordView(bytes, slots: known.count), slots: known.slots, binding: self, row: row)
  }
}

// SAFETY: borrowed from a transaction for one call; every access is within the record's bounds.
/// A record of a bound type, read in place.
@safe
package struct StoredRecord {
  /// The bytes.
  package let view: RecordView
  /// Column to slot.
  let slots: UnsafePointer<UInt16>
  /// The type, which whoever reads the record keeps.
  unowned(unsafe) let binding: TypeBinding
  /// The row, where who reads the record said it.
  let row: UInt64

  /// The slot of a column, or `nil` where the record's layout has none.
  @inline(__always)
  func slot(_ column: Int) -> Int? {
    let slot = unsafe slots[column]
    return slot == .max ? nil : Int(slot)
  }

  /// A column's value; its default where the record was written before the property existed.
  package func value(
    _ column: Int, in transaction: Transaction
  ) throws(StorageError) -> StoredValue {
    guard let slot = slot(column) else { return unsafe binding.defaultValue(column) }
    return unsafe try view.value(slot, binding.model.columns[column].type, in: transaction)
  }
}

extension TypeBinding {
  /// What a row has that was written before the property existed.
  func defaultValue(_ column: Int) -> StoredValue {
    if let property = properties[column] { return property.defaultValue }
    return model.columns[column].makeDefault()
  }
}
