import LeydenStorage

/// What a store has and no model of a program names: types, properties and indexes.
///
/// What something leads to that stays, stays too: a type to whose objects any-values lead, and what it
/// leads to itself. Properties of embedded types stay, as their records are all over the file; those types
/// go as wholes.
struct UnusedParts {
  private(set) var types: [Catalog.StoredType] = []
  private(set) var properties: [(type: Catalog.StoredType, unused: [Catalog.StoredProperty])] = []
  private(set) var indexes: [(type: Catalog.StoredType, index: Catalog.StoredIndex)] = []
  private let catalog: Catalog

  init(
    of catalog: Catalog, models: [ModelType], in transaction: Transaction
  ) throws(StorageError) {
    self.catalog = catalog
    var kept = KeptParts(of: catalog, models: models)
    try kept.followAnyValues(in: transaction)
    for type in catalog.types.values.sorted(by: { $0.id < $1.id }) {
      guard kept.types.contains(type.id) else {
        types.append(type)
        continue
      }
      let models = models.filter { $0.name == type.name }
      let unused = type.properties.filter { !kept.properties.contains($0.id) }
      if !unused.isEmpty { properties.append((type, unused)) }
      guard !models.isEmpty else { continue }
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
    let removed = try removedEntries(in: transaction)
    changes.changed[CollectionKey.table] = WithoutCollections(
      types: Set(types.map(\.id)), properties: removed.properties)
    changes.changed[InverseEntry.table] = removed.links
    if !removed.large.isEmpty {
      changes.changed[LargeValues.table] = WithoutLargeValues(numbers: removed.large)
    }
    return changes
  }

  /// What goes from the tables that all types share.
  private struct RemovedEntries {
    var properties: Set<UInt32>
    /// The numbers of the long values that nothing refers to afterwards.
    var large: Set<UInt64> = []
    var links: WithoutLinks
  }

  private func removedEntries(in transaction: Transaction) throws(StorageError) -> RemovedEntries {
    let properties =
      types.flatMap(\.properties).map(\.id) + self.properties.flatMap { $0.unused.map(\.id) }
    var removed = RemovedEntries(
      properties: Set(properties),
      links: WithoutLinks(types: Set(types.map(\.id)), properties: Set(properties)))
    for type in types where !type.isEmbedded {
      try note(type.properties, of: type, in: transaction, &removed)
    }
    for (type, unused) in self.properties { try note(unused, of: type, in: transaction, &removed) }
    return removed
  }

  /// Notes what the values of some properties of all rows of a type have elsewhere.
  private func note(
    _ properties: [Catalog.StoredProperty], of type: Catalog.StoredType,
    in transaction: Transaction, _ removed: inout RemovedEntries
  ) throws(StorageError) {
    let properties = properties.filter { $0.hasSlot && ($0.type.isStoredAsBytes || $0.mayLink) }
    guard !properties.isEmpty else { return }
    try forEachRecord(of: type, in: transaction) { (row, record) throws(StorageError) in
      for property in properties {
        guard let slot = try type.slot(of: property.id, in: record), !record.isNull(slot) else {
          continue
        }
        if property.type.isStoredAsBytes, let reference = record.largeReference(slot) {
          removed.large.insert(reference.identifier)
        }
        if property.type.isCollection {
          let reader = CollectionReader(
            key: CollectionKey(type: type.id, row: row, property: property.id),
            property: property, form: try record.collection(slot, in: transaction),
            transaction: transaction)
          let coding = ElementCoding(property)
          guard coding.width == 0 else { continue }
          for element in try reader.storedElements() {
            guard let reference = try coding.largeReference(in: element) else { continue }
            removed.large.insert(reference.identifier)
          }
        }
      }
      // Links of embedded objects have the embedded type's property, which others may have as well.
      let embedding = properties.filter { $0.type == .embedded || $0.element == .embedded }
      try catalog.forEachLink(in: record, of: type, only: embedding, row: row, in: transaction) {
        (property, target) in
        guard !removed.properties.contains(property) else { return }
        removed.links.fewer[
          InverseEntry(target: target, property: property, source: row), default: 0] += 1
      }
    }
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

/// What stays: what models name, and what that leads to.
private struct KeptParts {
  private let catalog: Catalog
  private(set) var types: Set<UInt32> = []
  private(set) var properties: Set<UInt32> = []

  init(of catalog: Catalog, models: [ModelType]) {
    self.catalog = catalog
    types = Set(models.compactMap { catalog.type(named: $0.name)?.id })
    for type in types.compactMap({ catalog.types[$0] }) {
      let models = models.filter { $0.name == type.name }
      for property in type.properties
      where type.isEmbedded
        || models.contains(where: { model in
          model.columns.contains { $0.name == property.name }
        })
      {
        keep(property)
      }
    }
  }

  private mutating func keep(_ property: Catalog.StoredProperty) {
    guard properties.insert(property.id).inserted else { return }
    if let target = property.target, !types.contains(target) { keep(type: target) }
    guard let origin = property.origin else { return }
    for type in catalog.types.values {
      if let property = type.property(origin) { keep(property) }
    }
  }

  /// Keeps a type that no model names, as it is.
  private mutating func keep(type id: UInt32) {
    guard let type = catalog.types[id], types.insert(id).inserted else { return }
    for property in type.properties { keep(property) }
  }

  /// Keeps the types of objects to which any-values lead that stay.
  mutating func followAnyValues(in transaction: Transaction) throws(StorageError) {
    var count: Int
    repeat {
      count = types.count
      for type in catalog.types.values.sorted(by: { $0.id < $1.id })
      where !type.isEmbedded && !types.contains(type.id) {
        var isReached = false
        try InverseEntry.forEach(toType: type.id, in: transaction) { entry in
          isReached = properties.contains(entry.property)
          return !isReached
        }
        if isReached { keep(type: type.id) }
      }
    } while types.count > count
  }
}

/// Collections without those of some types and properties.
private struct WithoutCollections: StoreCopy.EntryChange {
  let types: Set<UInt32>
  let properties: Set<UInt32>

  func value(
    for key: UnsafeRawBufferPointer, from value: UnsafeRawBufferPointer
  ) -> [UInt8]? {
    guard key.count >= CollectionKey.prefixLength else { return unsafe Array(value) }
    let type = unsafe UInt32(truncatingIfNeeded: key[0..<4].row)
    let property = unsafe UInt32(truncatingIfNeeded: key[12..<16].row)
    return unsafe types.contains(type) || properties.contains(property) ? nil : Array(value)
  }
}

/// Links by their targets without those of and to some types, and without those of some properties.
private struct WithoutLinks: StoreCopy.EntryChange {
  let types: Set<UInt32>
  let properties: Set<UInt32>
  /// Links that are fewer afterwards, and by how many.
  var fewer: [InverseEntry: UInt32] = [:]

  func value(
    for key: UnsafeRawBufferPointer, from value: UnsafeRawBufferPointer
  ) throws(StorageError) -> [UInt8]? {
    guard key.count == 24 else { return unsafe Array(value) }
    let entry = unsafe InverseEntry(key)
    let stored = unsafe try InverseEntry.Value(value)
    guard !properties.contains(entry.property), !types.contains(entry.target.type),
      !types.contains(stored.sourceType)
    else { return nil }
    guard let count = fewer[entry] else { return unsafe Array(value) }
    guard stored.multiplicity > count else { return nil }
    return entry.value(
      multiplicity: stored.multiplicity - count, sourceType: stored.sourceType)
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
        try record.set(property.defaultValue, as: property.type, in: slot)
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
