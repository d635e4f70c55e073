import Foundation
import LeydenStorage

extension Verifier {
  /// One entry of the catalog; slots that it does not have are null.
  struct CatalogRecord {
    let id: UInt32
    let place: VerificationFinding.Place
    private let bytes: [UInt8]

    /// Checks the record's shape and checksum.
    init(
      _ value: UnsafeRawBufferPointer, _ kind: CatalogEntry.Kind, id: UInt32, layout: UInt16,
      place: VerificationFinding.Place
    ) throws(StorageError) {
      self.id = id
      self.place = place
      let row =
        kind == .layout ? CatalogEntry.checksumRow(type: id, layout: layout) : UInt64(id)
      unsafe try RecordView.verify(value, type: CatalogEntry.checksumType(kind), row: row)
      let slots = Int(unsafe try RecordView.layout(of: value))
      _ = unsafe try RecordView(value, slots: slots)
      bytes = unsafe Array(value)
    }

    private func withSlot<Result>(
      _ slot: Int, _ body: (RecordView) -> Result?
    ) -> Result? {
      unsafe bytes.withUnsafeBytes { bytes in
        guard let count = unsafe try? RecordView.layout(of: bytes), slot < count,
          let view = unsafe try? RecordView(bytes, slots: Int(count)), !view.isNull(slot)
        else { return nil }
        return body(view)
      }
    }

    func number(_ slot: Int) -> Int64? { withSlot(slot) { Int64(bitPattern: $0.word(slot)) } }

    func id(_ slot: Int) -> UInt32? { number(slot).flatMap { UInt32(exactly: $0) } }

    func data(_ slot: Int) -> [UInt8]? { withSlot(slot) { unsafe Array($0.bytes(slot)) } }

    func text(_ slot: Int) -> String? {
      data(slot).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }

  /// All entries, by kind, in the order of their ids.
  private struct Entries {
    var types: [CatalogRecord] = []
    var properties: [CatalogRecord] = []
    var indexes: [CatalogRecord] = []
    var layouts: [UInt32: [(id: UInt16, record: CatalogRecord)]] = [:]
  }

  /// Reads the catalog entry by entry, and makes types of those that are whole.
  func checkCatalog() throws(StorageError) {
    let entries = readCatalog()
    checkIds(entries.types + entries.properties + entries.indexes)
    var names: Set<String> = []
    for record in entries.types {
      let flags = flags(record, CatalogEntry.TypeSlot.flags.rawValue)
      guard flags & ~CatalogEntry.knownTypeFlags == 0 else {
        throw .newerFormat(path: path, found: meta.format)
      }
      if flags & CatalogEntry.retiredFlag != 0 {
        retiredTypes.insert(record.id)
        continue
      }
      guard let type = try makeType(record, entries) else {
        knowsCatalog = false
        continue
      }
      if !names.insert(type.name).inserted {
        note(.catalog, "two types have the name \(type.name)", record.place)
      }
      types.append(type)
    }
    let known = Set(entries.types.map(\.id))
    for record in entries.properties where !isOwned(record, by: known) {
      note(.catalog, "the property is of no type that there is", record.place)
    }
    for record in entries.indexes where !isOwned(record, by: known) {
      note(.catalog, "the index is of no type that there is", record.place)
    }
    for (type, layouts) in entries.layouts where !known.contains(type) {
      for layout in layouts {
        note(.layout, "the layout is of no type that there is", layout.record.place)
      }
    }
    checkTables(entries.types, entries.indexes)
    checkReferences(entries.properties)
  }

  private func readCatalog() -> Entries {
    var entries = Entries()
    guard let table = snapshot.table(CatalogEntry.table) else {
      knowsCatalog = false
      note(.table, "the table is missing", .init(table: CatalogEntry.table))
      return entries
    }
    knowsCatalog = table.isSound
    unsafe table.forEach { key, value in
      // Kinds that are not known are a later version's.
      guard let kind = unsafe key.first.flatMap({ CatalogEntry.Kind(rawValue: $0) }) else { return }
      let place = unsafe VerificationFinding.Place(table: CatalogEntry.table, key: Array(key))
      guard key.count == (kind == .layout ? 7 : 5) else {
        knowsCatalog = false
        return note(.catalog, "the key has \(key.count) bytes", place)
      }
      let id = unsafe key[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
      let layout = kind == .layout ? unsafe UInt16(key[5]) << 8 | UInt16(key[6]) : 0
      do throws(StorageError) {
        let record = unsafe try CatalogRecord(value, kind, id: id, layout: layout, place: place)
        switch kind {
        case .type: entries.types.append(record)
        case .property: entries.properties.append(record)
        case .index: entries.indexes.append(record)
        case .layout: entries.layouts[id, default: []].append((layout, record))
        }
      } catch {
        knowsCatalog = false
        note(.catalog, "the entry is damaged, or not of this place", place)
      }
    }
    return entries
  }

  private func checkIds(_ records: [CatalogRecord]) {
    var seen: Set<UInt32> = []
    for record in records {
      if record.id == 0 || UInt64(record.id) >= meta.ids ?? .max {
        note(.identifier, "id \(record.id) is not below \(meta.ids ?? 0)", record.place)
      }
      if !seen.insert(record.id).inserted {
        note(.identifier, "id \(record.id) stands for two things", record.place)
      }
    }
  }

  private func isOwned(_ record: CatalogRecord, by types: Set<UInt32>) -> Bool {
    // The owner stands in slot 0 of properties and of indexes.
    record.id(0).map(types.contains) ?? false
  }

  func flags(_ record: CatalogRecord, _ slot: Int) -> Int64 { record.number(slot) ?? 0 }

  /// Every type and index has its table, and every such table its type or index.
  private func checkTables(_ types: [CatalogRecord], _ indexes: [CatalogRecord]) {
    let kept = indexes.filter {
      flags($0, CatalogEntry.IndexSlot.flags.rawValue) & CatalogEntry.retiredFlag == 0
    }
    let embeddedOrRetired = CatalogEntry.embeddedFlag | CatalogEntry.retiredFlag
    let withTable = types.filter {
      flags($0, CatalogEntry.TypeSlot.flags.rawValue) & embeddedOrRetired == 0
    }
    let names = Set(snapshot.tableNames)
    if snapshot.knowsAllTables {
      let expected =
        [MetaEntry.table, CatalogEntry.table, ChangeLog.table, LargeValues.table].map {
          ($0, VerificationFinding.Place(table: $0))
        } + withTable.map { ("t\($0.id)", $0.place) } + kept.map { ("i\($0.id)", $0.place) }
      for (name, place) in expected where !names.contains(name) {
        note(.table, "table \(name) is missing", place)
      }
    }
    guard knowsCatalog else { return }
    let known = Set(types.map { "t\($0.id)" } + indexes.map { "i\($0.id)" })
    for name in names where !known.contains(name) && isNumbered(name) {
      note(.table, "nothing in the catalog is kept in the table", .init(table: name))
    }
  }

  /// Whether a table is one of a type or an index; others are left alone.
  private func isNumbered(_ name: String) -> Bool {
    (name.first == "t" || name.first == "i") && UInt32(name.dropFirst()) != nil
  }

  // MARK: Types

  private func makeType(
    _ record: CatalogRecord, _ entries: Entries
  ) throws(StorageError) -> Catalog.StoredType? {
    typealias Slot = CatalogEntry.TypeSlot
    guard let name = record.text(Slot.name.rawValue), !name.isEmpty else {
      note(.catalog, "the type has no name", record.place)
      return nil
    }
    var place = record.place
    place.typeName = name
    var properties: [Catalog.StoredProperty] = []
    for entry in entries.properties where entry.id(0) == record.id {
      if let property = try makeProperty(entry, of: name) { properties.append(property) }
    }
    checkNames(of: properties, place)
    let ids = Set(properties.map(\.id))
    var indexes: [Catalog.StoredIndex] = []
    for entry in entries.indexes where entry.id(0) == record.id {
      if let index = try makeIndex(entry, ids, of: name) { indexes.append(index) }
    }
    var layouts: [UInt16: [UInt32]] = [:]
    for (id, entry) in entries.layouts[record.id] ?? [] {
      layouts[id] = layout(entry, ids, of: name)
    }
    let key = record.number(Slot.primaryKey.rawValue).map { UInt32(truncatingIfNeeded: $0) }
    let newest = UInt16(truncatingIfNeeded: record.number(Slot.newestLayout.rawValue) ?? 0)
    let type = Catalog.StoredType(
      id: record.id, name: name, primaryKey: key,
      properties: properties.sorted { $0.ordinal < $1.ordinal }, indexes: indexes,
      newestLayout: newest, layouts: layouts,
      isEmbedded: flags(record, Slot.flags.rawValue) & CatalogEntry.embeddedFlag != 0)
    if type.isEmbedded, key != nil || !indexes.isEmpty {
      note(.catalog, "the type is embedded, and has a primary key or an index", place)
    }
    let wanted = Set(properties.filter(\.hasSlot).map(\.id))
    if let slots = layouts[newest], Set(slots.filter { $0 != 0 }) != wanted {
      note(
        .layout, "the newest layout does not have each property that has values, and no other",
        place)
    }
    if layouts[newest] == nil || newest != layouts.keys.max() {
      note(.catalog, "layout \(newest) is not the type's newest one", place)
    }
    if let key, !ids.contains(key) || type.primaryKeyIndex == nil {
      note(.catalog, "the primary key \(key) is no property with a unique index", place)
    }
    return type
  }

  private func checkNames(
    of properties: [Catalog.StoredProperty], _ place: VerificationFinding.Place
  ) {
    var names: Set<String> = []
    var ordinals: Set<Int> = []
    for property in properties {
      var place = place
      place.propertyName = property.name
      if !names.insert(property.name).inserted {
        note(.catalog, "two properties have the name \(property.name)", place)
      }
      if property.ordinal < 0 || !ordinals.insert(property.ordinal).inserted {
        note(.catalog, "the ordinal \(property.ordinal) stands for two properties", place)
      }
    }
  }

  private func makeProperty(
    _ record: CatalogRecord, of type: String
  ) throws(StorageError) -> Catalog.StoredProperty? {
    typealias Slot = CatalogEntry.PropertySlot
    var place = record.place
    place.typeName = type
    guard let name = record.text(Slot.name.rawValue), !name.isEmpty else {
      note(.catalog, "the property has no name", place)
      return nil
    }
    place.propertyName = name
    let number = record.number(Slot.number.rawValue) ?? 0
    guard let kind = PropertyType(number: number) else {
      // A later version's type: nobody of this version can keep its values.
      throw .newerFormat(path: path, found: meta.format)
    }
    let flags = flags(record, Slot.flags.rawValue)
    let element = record.number(Slot.element.rawValue)
    let rule = record.number(Slot.deleteRule.rawValue) ?? 0
    guard flags & ~CatalogEntry.knownPropertyFlags == 0,
      element == nil || element.flatMap({ PropertyType(number: $0) }) != nil,
      let deleteRule = UInt8(exactly: rule).flatMap(DeleteRule.init(rawValue:))
    else { throw .newerFormat(path: path, found: meta.format) }
    guard flags & CatalogEntry.retiredFlag == 0 else { return nil }
    let isOptional = flags & CatalogEntry.optionalFlag != 0
    let stored = record.data(Slot.defaultValue.rawValue) ?? []
    let value = unsafe stored.withUnsafeBytes { unsafe AnyValueCoding.decode($0) }
    let isSound = value == .null ? isOptional || stored.first == 0 : kind.admits(value)
    if !isSound || !stored.isEmpty && AnyValueCoding.encode(value) != stored {
      note(.catalog, "the default value is not of the property's type", place)
    }
    return Catalog.StoredProperty(
      id: record.id, name: name, type: kind, isOptional: isOptional,
      ordinal: Int(record.number(Slot.ordinal.rawValue) ?? -1), defaultValue: value,
      target: record.id(Slot.target.rawValue), deleteRule: deleteRule,
      origin: record.id(Slot.origin.rawValue),
      element: element.flatMap { PropertyType(number: $0) },
      elementIsOptional: flags & CatalogEntry.optionalElementFlag != 0)
  }

  private func makeIndex(
    _ record: CatalogRecord, _ properties: Set<UInt32>, of type: String
  ) throws(StorageError) -> Catalog.StoredIndex? {
    typealias Slot = CatalogEntry.IndexSlot
    let flags = flags(record, Slot.flags.rawValue)
    guard flags & CatalogEntry.retiredFlag == 0 else { return nil }
    let number = record.number(Slot.kind.rawValue) ?? 0
    guard let kind = UInt8(exactly: number).flatMap(IndexKind.init(rawValue:)), flags == 0 else {
      // A later version's index: nobody of this version can maintain it.
      throw .newerFormat(path: path, found: meta.format)
    }
    let bytes = record.data(Slot.fields.rawValue) ?? []
    let fields = unsafe bytes.withUnsafeBytes { unsafe CatalogEntry.fields(in: $0) }
    guard bytes.count % 5 == 0, (1...LongKey.maximumFieldCount).contains(fields.count),
      fields.allSatisfy({ properties.contains($0.property) })
    else {
      var place = record.place
      place.typeName = type
      note(.catalog, "the index is over what is no property of the type", place)
      return nil
    }
    return Catalog.StoredIndex(
      id: record.id, kind: kind, fields: fields,
      textRules: kind.textRules == nil ? nil : record.number(Slot.textRules.rawValue))
  }

  private func layout(
    _ record: CatalogRecord, _ properties: Set<UInt32>, of type: String
  ) -> [UInt32] {
    let bytes = record.data(0) ?? []
    let slots = unsafe bytes.withUnsafeBytes { unsafe CatalogEntry.ids(in: $0) }
    // 0 stands for a slot that is no longer used.
    let used = slots.filter { $0 != 0 }
    if bytes.count % 4 != 0 || Set(used).count != used.count || !properties.isSuperset(of: used) {
      var place = record.place
      place.typeName = type
      note(.layout, "the layout names what is no property of the type, or one twice", place)
    }
    return slots
  }
}
