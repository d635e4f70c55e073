import LeydenStorage

/// What a store has and no model of a program names: types, properties and indexes.
struct UnusedParts {
  private(set) var types: [Catalog.StoredType] = []
  private(set) var properties: [(type: Catalog.StoredType, unused: [Catalog.StoredProperty])] = []
  private(set) var indexes: [(type: Catalog.StoredType, index: Catalog.StoredIndex)] = []

  init(of catalog: Catalog, models: [ModelType]) {
    for type in catalog.types.values.sorted(by: { $0.id < $1.id }) {
      let models = models.filter { $0.name == type.name }
      guard !models.isEmpty else {
        types.append(type)
        continue
      }
      let unused = type.properties.filter { property in
        !models.contains { model in model.columns.contains { $0.name == property.name } }
      }
      if !unused.isEmpty { properties.append((type, unused)) }
      for index in type.indexes where index.id != type.primaryKeyIndex?.id {
        let isNamed = models.contains { model in
          model.indexes.contains { type.has($0, of: model, as: index) }
        }
        if !isNamed { indexes.append((type, index)) }
      }
    }
  }

  var isEmpty: Bool { types.isEmpty && properties.isEmpty && indexes.isEmpty }

  // MARK: In the file

  /// How the tables of a copy differ from those of the store.
  func changes(in transaction: Transaction) throws(StorageError) -> StoreCopy.Changes {
    var changes = StoreCopy.Changes()
    for type in types {
      changes.leftOut.formUnion([type.tableName] + type.indexes.map(\.tableName))
    }
    changes.leftOut.formUnion(indexes.map(\.index.tableName))
    for (type, unused) in properties {
      changes.changed[type.tableName] = try SlimmedType(type, without: Set(unused.map(\.id)))
    }
    let large = try unusedLargeValues(in: transaction)
    if !large.isEmpty { changes.changed[LargeValues.table] = WithoutLargeValues(numbers: large) }
    return changes
  }

  /// The numbers of the long values that nothing refers to afterwards.
  private func unusedLargeValues(in transaction: Transaction) throws(StorageError) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for type in types {
      try forEachRecord(of: type, in: transaction) { (_, record) throws(StorageError) in
        found.formUnion(try type.largeReferences(in: record).map(\.identifier))
      }
    }
    for (type, unused) in properties {
      try forEachRecord(of: type, in: transaction) { (_, record) throws(StorageError) in
        let layout = unsafe try RecordView.layout(of: record.bytes)
        for property in unused where property.type.isStoredAsBytes {
          guard let slot = type.slot(of: property.id, in: layout), !record.isNull(slot),
            let reference = record.largeReference(slot)
          else { continue }
          found.insert(reference.identifier)
        }
      }
    }
    return found
  }

  private func forEachRecord(
    of type: Catalog.StoredType, in transaction: Transaction,
    _ body: (UInt64, RecordView) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let table = try transaction.table(named: type.tableName) else { return }
    var cursor = try transaction.cursor(in: table)
    while try cursor.next() {
      let layout = unsafe try RecordView.layout(of: cursor.value)
      let slots = type.layouts[layout]?.count ?? 0
      unsafe try body(cursor.row, RecordView(cursor.value, slots: slots))
    }
  }

  /// What the log says of the removal: the catalog changed, and the rows of the types are gone.
  func changeSet(in transaction: Transaction) throws(StorageError) -> ObjectChangeSet {
    var changes = ObjectChangeSet()
    changes.changesCatalog = true
    for type in types {
      try forEachRecord(of: type, in: transaction) { (row, _) in
        changes.note(.deleted, row: row, type: type.id)
      }
    }
    return changes
  }

  /// Notes in the catalog of a copy what is gone.
  func retire(in copy: WriteTransaction) throws(StorageError) {
    var writer = try CatalogWriter(copy, catalog: try Catalog.read(in: copy))
    for type in types { try writer.retire(type) }
    for (type, unused) in properties { try writer.retire(unused, of: type) }
    for (_, index) in indexes { try writer.retire(index) }
    try writer.finish()
  }
}

/// The long values without some.
private struct WithoutLargeValues: StoreCopy.EntryChange {
  let numbers: Set<UInt64>

  func value(
    for key: UnsafeRawBufferPointer, from value: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    unsafe numbers.contains(key.prefix(8).row) ? nil : Array(value)
  }
}

/// A type whose records are written anew without some of their properties.
private struct SlimmedType: StoreCopy.EntryChange {
  private let type: Catalog.StoredType
  private let layout: UInt16
  private let slots: [UInt32]
  private let record: MutableRecord

  init(_ type: Catalog.StoredType, without unused: Set<UInt32>) throws(StorageError) {
    self.type = type
    layout = try type.nextLayout()
    slots = type.slots(without: unused)
    record = MutableRecord(
      heapSlots: slots.map { id in
        type.properties.first { $0.id == id }?.type.isStoredAsBytes ?? true
      })
  }

  func value(
    for key: UnsafeRawBufferPointer, from bytes: UnsafeRawBufferPointer
  ) throws(StorageError) -> [UInt8]? {
    let row = unsafe key.row
    unsafe try RecordView.verify(bytes, type: type.id, row: row)
    let old = unsafe try RecordView.layout(of: bytes)
    guard let count = type.layouts[old]?.count else {
      throw .corrupted("row \(row) of \(type.name) has the unknown layout \(old)")
    }
    let source = unsafe try RecordView(bytes, slots: count)
    record.reset(layout: layout)
    for (slot, id) in slots.enumerated() {
      if let oldSlot = type.slot(of: id, in: old) {
        try record.copy(source, slot: oldSlot, to: slot)
      } else if let property = type.properties.first(where: { $0.id == id }) {
        try record.set(property.defaultValue, in: slot)
      }
    }
    // Nothing that can be seen changes: the record is still of the commit that wrote it.
    return unsafe Array(
      record.finish(layout: layout, type: type.id, row: row, version: source.version))
  }
}

extension Catalog.StoredType {
  /// The slots of a layout that lacks some properties.
  func slots(without unused: Set<UInt32>) -> [UInt32] {
    (layouts[newestLayout] ?? []).filter { $0 != 0 && !unused.contains($0) }
  }

  /// Whether an index of the file is the one that a model declares.
  fileprivate func has(
    _ index: ModelIndex, of model: ModelType, as stored: Catalog.StoredIndex
  ) -> Bool {
    let names = index.columns.map { model.columns[$0].name }
    return stored.kind == index.kind
      && stored.fields.map { field in properties.first { $0.id == field.property }?.name } == names
  }
}

extension Collection<UInt8> {
  /// The number that the bytes are, the highest first.
  fileprivate var row: UInt64 { reduce(0) { $0 << 8 | UInt64($1) } }
}
