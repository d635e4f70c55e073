import Foundation
import LeydenStorage

/// Brings the file's catalog up to a program's models.
///
/// New types, properties and primary keys are added; what the models do not name stays as it is.
/// Everything else is a difference that needs a migration.
struct CatalogWriter {
  private let transaction: WriteTransaction
  private let catalog: Catalog
  private let table: Table
  private let meta: Table
  private var nextIdentifier: UInt32
  private(set) var hasChanged = false
  /// Indexes that were added or are to be made anew, and are empty still.
  private(set) var newIndexes: [(type: UInt32, index: UInt32)] = []

  init(_ transaction: WriteTransaction, catalog: Catalog) throws(StorageError) {
    self.transaction = transaction
    self.catalog = catalog
    table = try transaction.makeTable(named: CatalogEntry.table)
    meta = try transaction.makeTable(named: MetaEntry.table)
    let number = try MetaEntry.number(MetaEntry.ids, in: meta, transaction)
    guard number < 1 << 31 else { throw .corrupted("\(number) numbers of types and properties") }
    nextIdentifier = UInt32(max(number, 1))
  }

  /// What of the models cannot be had without a migration.
  static func differences(between models: [ModelType], and catalog: Catalog) -> [SchemaDifference] {
    models.flatMap { model -> [SchemaDifference] in
      guard let stored = catalog.type(named: model.name) else { return [] }
      var found: [SchemaDifference] = []
      func note(_ property: String, _ what: String) {
        found.append(
          SchemaDifference(typeName: model.name, propertyName: property, difference: what))
      }
      if stored.isEmbedded != model.isEmbedded {
        note("", "is embedded in the \(model.isEmbedded ? "model" : "store") only")
      }
      for column in model.columns {
        guard let property = stored.property(named: column.name) else { continue }
        let old = description(of: property, catalog)
        let new = description(of: column)
        if old != new {
          note(column.name, "is \(old) in the store and \(new) in the model")
        } else if property.isOptional && !column.isOptional {
          note(column.name, "may be nil in the store and not in the model")
        } else if property.elementIsOptional && !column.elementIsOptional {
          note(column.name, "may hold nil in the store and not in the model")
        }
      }
      let key = stored.primaryKey.flatMap { id in stored.properties.first { $0.id == id }?.name }
      if key != model.primaryKey?.name {
        note(
          model.primaryKey?.name ?? key ?? "",
          "is the primary key in the \(model.primaryKey == nil ? "store" : "model") only")
      }
      return found
    }
  }

  /// A property's type with what it holds and leads to, as messages say it.
  private static func description(of column: ModelType.Column) -> String {
    description(
      column.type, column.element, column.target?.typeName,
      column.origin.map { "\(column.target?.typeName ?? "").\($0)" })
  }

  private static func description(
    of property: Catalog.StoredProperty, _ catalog: Catalog
  ) -> String {
    let target = property.target.flatMap { catalog.types[$0] }
    let origin = property.origin.flatMap { target?.property($0)?.name }
    return description(
      property.type, property.element, target?.name, origin.map { "\(target?.name ?? "").\($0)" })
  }

  private static func description(
    _ type: PropertyType, _ element: PropertyType?, _ target: String?, _ origin: String?
  ) -> String {
    let holding = element.map { " of \($0)" } ?? ""
    return "\(type)\(holding)\((origin ?? target).map { " to \($0)" } ?? "")"
  }

  /// Whether a store with this catalog already has all that the models name.
  static func covers(_ models: [ModelType], _ catalog: Catalog) -> Bool {
    models.allSatisfy { model in
      guard let stored = catalog.type(named: model.name) else { return false }
      return model.columns.allSatisfy { column in
        stored.property(named: column.name).map { column.isCovered(by: $0) } ?? false
      } && model.indexes.allSatisfy { stored.has($0, of: model) }
    }
  }

  /// The ids of a model's type and properties; new ones where the file has none.
  private struct Identifiers {
    let type: UInt32
    var properties: [String: UInt32] = [:]
  }

  /// Adds what is missing of the models.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where one leads to a type that is not among them.
  mutating func add(_ models: [ModelType]) throws(StorageError) {
    // Models lead to each other: all have their numbers before one is written.
    var identifiers: [String: Identifiers] = [:]
    for model in models {
      let stored = catalog.type(named: model.name)
      var new = Identifiers(type: stored?.id ?? takeIdentifier())
      for property in stored?.properties ?? [] { new.properties[property.name] = property.id }
      for column in model.columns where new.properties[column.name] == nil {
        new.properties[column.name] = takeIdentifier()
      }
      identifiers[model.name] = new
    }
    for model in models { try add(model, identifiers) }
  }

  private mutating func add(
    _ model: ModelType, _ identifiers: [String: Identifiers]
  ) throws(StorageError) {
    guard let own = identifiers[model.name] else { return }
    let stored = catalog.type(named: model.name)
    let type = own.type
    let ids = own.properties
    var ordinal = stored?.nextOrdinal ?? 0
    var isLayoutNew = stored == nil
    for column in model.columns {
      let known = stored?.property(named: column.name)
      if let known, column.isCovered(by: known) { continue }
      guard let id = ids[column.name] else { continue }
      let target = column.target.flatMap { identifiers[$0.typeName] }
      guard (target == nil) == (column.target == nil) else {
        throw .corrupted("\(model.name).\(column.name) leads to a type that has no number")
      }
      try put(
        column, id: id, of: type, ordinal: known?.ordinal ?? ordinal, known, target: target?.type,
        origin: column.origin.flatMap { target?.properties[$0] })
      guard known == nil else { continue }
      ordinal += 1
      if column.type != .linkingObjects { isLayoutNew = true }
    }
    if isLayoutNew {
      let old = stored.map { $0.layouts[$0.newestLayout] ?? [] } ?? []
      let new = model.columns.filter { $0.type != .linkingObjects }
        .compactMap { ids[$0.name] }.filter { !old.contains($0) }
      let layout = try stored?.nextLayout() ?? 1
      try putLayout(layout, of: type, old + new)
      try put(type, model, key: model.primaryKey.flatMap { ids[$0.name] }, layout: layout)
    }
    if stored == nil, !model.isEmbedded {
      _ = try transaction.makeTable(named: "t\(type)")
      if let key = model.primaryKey.flatMap({ ids[$0.name] }) {
        try addIndex(
          .unique, [.init(property: key, isDescending: false, hasMarker: false)], of: type)
      }
    }
    for index in model.indexes where stored?.has(index, of: model) != true {
      let properties = index.columns.compactMap { ids[model.columns[$0].name] }
      // With a marker always: a property that becomes optional leaves its indexes as they are.
      try addIndex(
        index.kind,
        properties.map { .init(property: $0, isDescending: false, hasMarker: true) }, of: type)
    }
  }

  /// Raises the application's number for its schema; a lower one changes nothing.
  mutating func raise(schemaVersion: UInt64) throws(StorageError) {
    guard schemaVersion > catalog.schemaVersion else { return }
    try MetaEntry.set(MetaEntry.schema, to: schemaVersion, in: meta, transaction)
    hasChanged = true
  }

  /// Writes the numbers that the changes used up, and the new generation.
  mutating func finish() throws(StorageError) {
    try MetaEntry.set(MetaEntry.ids, to: UInt64(nextIdentifier), in: meta, transaction)
    try MetaEntry.set(
      MetaEntry.generation, to: catalog.generation &+ 1, in: meta, transaction)
  }

  private mutating func takeIdentifier() -> UInt32 {
    defer { nextIdentifier += 1 }
    return nextIdentifier
  }

  private mutating func put(
    _ id: UInt32, _ model: ModelType, key: UInt32?, layout: UInt16
  ) throws(StorageError) {
    typealias Slot = CatalogEntry.TypeSlot
    try put(.type, key: CatalogEntry.key(.type, id: id), row: UInt64(id)) {
      (record) throws(StorageError) in
      try record.set(.string(model.name), in: Slot.name.rawValue)
      let flags = model.isEmbedded ? CatalogEntry.embeddedFlag : 0
      record.set(UInt64(flags), in: Slot.flags.rawValue)
      if let key { record.set(UInt64(key), in: Slot.primaryKey.rawValue) }
      record.set(UInt64(layout), in: Slot.newestLayout.rawValue)
    }
  }

  private mutating func put(
    _ column: ModelType.Column, id: UInt32, of type: UInt32, ordinal: Int,
    _ known: Catalog.StoredProperty?, target: UInt32?, origin: UInt32?
  ) throws(StorageError) {
    typealias Slot = CatalogEntry.PropertySlot
    // The default is evaluated once, here: all older rows have the same one for ever.
    let value = known?.defaultValue ?? column.makeDefault()
    try put(.property, key: CatalogEntry.key(.property, id: id), row: UInt64(id)) {
      (record) throws(StorageError) in
      record.set(UInt64(type), in: Slot.type.rawValue)
      try record.set(.string(column.name), in: Slot.name.rawValue)
      record.set(UInt64(column.type.rawValue), in: Slot.number.rawValue)
      let flags =
        (column.isOptional ? CatalogEntry.optionalFlag : 0)
        | (column.elementIsOptional ? CatalogEntry.optionalElementFlag : 0)
      record.set(UInt64(flags), in: Slot.flags.rawValue)
      record.set(UInt64(ordinal), in: Slot.ordinal.rawValue)
      try Self.set(AnyValueCoding.encode(value), in: Slot.defaultValue.rawValue, of: record)
      if let target { record.set(UInt64(target), in: Slot.target.rawValue) }
      if column.deleteRule != .nullify {
        record.set(UInt64(column.deleteRule.rawValue), in: Slot.deleteRule.rawValue)
      }
      if let origin { record.set(UInt64(origin), in: Slot.origin.rawValue) }
      if let element = column.element {
        record.set(UInt64(element.rawValue), in: Slot.element.rawValue)
      }
    }
  }

  /// Writes a layout with these properties in its slots.
  mutating func putLayout(
    _ layout: UInt16, of type: UInt32, _ properties: [UInt32]
  ) throws(StorageError) {
    try put(
      .layout, key: CatalogEntry.layoutKey(type: type, layout: layout),
      row: CatalogEntry.checksumRow(type: type, layout: layout)
    ) { (record) throws(StorageError) in
      try Self.set(
        CatalogEntry.bytes(of: properties), in: CatalogEntry.LayoutSlot.properties.rawValue,
        of: record)
    }
  }

  /// Forgets a layout that no record has.
  func removeLayout(_ layout: UInt16, of type: UInt32) throws(StorageError) {
    let key = CatalogEntry.layoutKey(type: type, layout: layout)
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      _ = unsafe try transaction.delete(key, in: table)
    }
  }

  /// Writes an entry again with some slots changed.
  mutating func change(
    _ kind: CatalogEntry.Kind, id: UInt32, _ body: (MutableRecord) -> Void
  ) throws(StorageError) {
    let key = CatalogEntry.key(kind, id: id)
    let old = unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try transaction.value(for: key, in: table).map { unsafe Array($0) }
    }
    guard let old else { throw .corrupted("the catalog has no entry \(id)") }
    try put(kind, key: key, row: UInt64(id)) { (record) throws(StorageError) in
      unsafe try withBytes(of: old) { (bytes) throws(StorageError) in
        let count = Int(unsafe try RecordView.layout(of: bytes))
        let source = unsafe try RecordView(bytes, slots: count)
        for slot in 0..<min(count, record.slots) {
          try record.copy(source, slot: slot, to: slot)
        }
      }
      body(record)
    }
  }

  private mutating func addIndex(
    _ kind: IndexKind, _ fields: [Catalog.StoredIndex.Field], of type: UInt32
  ) throws(StorageError) {
    try renew(
      Catalog.StoredIndex(
        id: takeIdentifier(), kind: kind, fields: fields, textRules: kind.textRules), of: type)
  }

  /// Writes an index's entry with the text rules of this program, and leaves its table empty.
  mutating func renew(_ index: Catalog.StoredIndex, of type: UInt32) throws(StorageError) {
    typealias Slot = CatalogEntry.IndexSlot
    try put(.index, key: CatalogEntry.key(.index, id: index.id), row: UInt64(index.id)) {
      (record) throws(StorageError) in
      record.set(UInt64(type), in: Slot.type.rawValue)
      record.set(UInt64(index.kind.rawValue), in: Slot.kind.rawValue)
      record.set(0, in: Slot.flags.rawValue)
      try Self.set(CatalogEntry.bytes(of: index.fields), in: Slot.fields.rawValue, of: record)
      if let rules = index.kind.textRules {
        record.set(UInt64(bitPattern: rules), in: Slot.textRules.rawValue)
      }
    }
    try transaction.removeAll(in: try transaction.makeTable(named: index.tableName))
    newIndexes.append((type, index.id))
  }

  private static func set(
    _ bytes: [UInt8], in slot: Int, of record: MutableRecord
  ) throws(StorageError) {
    unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      unsafe try record.set(bytes, in: slot)
    }
  }

  private mutating func put(
    _ kind: CatalogEntry.Kind, key: [UInt8], row: UInt64,
    _ fill: (MutableRecord) throws(StorageError) -> Void
  ) throws(StorageError) {
    let heapSlots = CatalogEntry.heapSlots(kind)
    let record = MutableRecord(heapSlots: heapSlots)
    try fill(record)
    let bytes = unsafe record.finish(
      layout: UInt16(heapSlots.count), type: CatalogEntry.checksumType(kind), row: row, version: 0)
    unsafe try withBytes(of: key) { (key) throws(StorageError) in
      unsafe try transaction.put(bytes, for: key, in: table)
    }
    hasChanged = true
  }
}

extension ModelType.Column {
  /// Whether the file's property can hold all that the column may, and treats it as it says.
  fileprivate func isCovered(by property: Catalog.StoredProperty) -> Bool {
    (property.isOptional || !isOptional) && (property.elementIsOptional || !elementIsOptional)
      && property.deleteRule == deleteRule
  }
}
