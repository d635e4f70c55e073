import Foundation
import LeydenStorage

extension Catalog {
  /// Reads the whole catalog in one pass.
  ///
  /// - Returns: The catalog; empty where the store was made but nothing added to it yet.
  /// - Throws: ``StorageError/corrupted(_:)`` for an entry that contradicts its checksum or names
  ///   what does not exist.
  static func read(in transaction: Transaction) throws(StorageError) -> Catalog {
    guard let meta = try transaction.table(named: MetaEntry.table),
      let table = try transaction.table(named: CatalogEntry.table)
    else { return Catalog(generation: 0, schemaVersion: 0, types: []) }
    var parts = Parts(path: transaction.environment.path)
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      unsafe try parts.add(key: Array(cursor.key), value: cursor.value)
      found = try cursor.next()
    }
    return Catalog(
      generation: try MetaEntry.number(MetaEntry.generation, in: meta, transaction),
      schemaVersion: try MetaEntry.number(MetaEntry.schema, in: meta, transaction),
      types: parts.types())
  }

  /// The entries as they come, in the order of kinds.
  private struct Parts {
    let path: String
    private struct TypePart {
      var name: String
      var primaryKey: UInt32?
      var newestLayout: UInt16
      var isEmbedded: Bool
    }
    private var typeParts: [UInt32: TypePart] = [:]
    private var properties: [UInt32: [StoredProperty]] = [:]
    private var nextOrdinals: [UInt32: Int] = [:]
    private var indexes: [UInt32: [StoredIndex]] = [:]
    private var layouts: [UInt32: [UInt16: [UInt32]]] = [:]

    mutating func add(key: [UInt8], value: UnsafeRawBufferPointer) throws(StorageError) {
      guard let first = key.first, let kind = CatalogEntry.Kind(rawValue: first) else { return }
      guard key.count == (kind == .layout ? 7 : 5) else {
        throw .corrupted("a catalog key of \(key.count) bytes")
      }
      let id = key[1..<5].reduce(0) { $0 << 8 | UInt32($1) }
      let layout = key.count == 7 ? UInt16(key[5]) << 8 | UInt16(key[6]) : 0
      unsafe try RecordView.verify(
        value, type: CatalogEntry.checksumType(kind),
        row: kind == .layout
          ? CatalogEntry.checksumRow(type: id, layout: layout) : UInt64(id))
      let entry = unsafe Entry(
        view: try RecordView(value, slots: Int(try RecordView.layout(of: value))))
      switch kind {
      case .type: try addType(id, entry)
      case .property: try addProperty(id, entry)
      case .index: try addIndex(id, entry)
      case .layout:
        layouts[id, default: [:]][layout] = unsafe CatalogEntry.ids(
          in: entry.bytes(CatalogEntry.LayoutSlot.properties.rawValue))
      }
    }

    init(path: String) { self.path = path }

    /// A later version's entry: this program would not know how to keep what it says.
    private var isNewer: StorageError {
      .newerFormat(path: path, found: MetaEntry.formatVersion)
    }

    private mutating func addType(_ id: UInt32, _ entry: Entry) throws(StorageError) {
      let flags = entry.number(CatalogEntry.TypeSlot.flags.rawValue) ?? 0
      guard flags & ~CatalogEntry.knownTypeFlags == 0 else { throw isNewer }
      guard flags & CatalogEntry.retiredFlag == 0 else { return }
      typeParts[id] = TypePart(
        name: entry.text(CatalogEntry.TypeSlot.name.rawValue),
        primaryKey: entry.identifier(CatalogEntry.TypeSlot.primaryKey.rawValue),
        newestLayout: UInt16(
          truncatingIfNeeded: entry.number(CatalogEntry.TypeSlot.newestLayout.rawValue) ?? 0),
        isEmbedded: flags & CatalogEntry.embeddedFlag != 0)
    }

    private mutating func addProperty(_ id: UInt32, _ entry: Entry) throws(StorageError) {
      typealias Slot = CatalogEntry.PropertySlot
      let number = entry.number(Slot.number.rawValue) ?? 0
      let rule = entry.number(Slot.deleteRule.rawValue) ?? 0
      let element = entry.number(Slot.element.rawValue)
      let flags = entry.number(Slot.flags.rawValue) ?? 0
      guard let type = PropertyType(number: number),
        let deleteRule = UInt8(exactly: rule).flatMap(DeleteRule.init(rawValue:)),
        element == nil || element.flatMap({ PropertyType(number: $0) }) != nil,
        flags & ~CatalogEntry.knownPropertyFlags == 0
      else { throw isNewer }
      let owner = UInt32(truncatingIfNeeded: entry.number(Slot.type.rawValue) ?? 0)
      let ordinal = Int(entry.number(Slot.ordinal.rawValue) ?? 0)
      guard (0..<1 << 31).contains(ordinal) else { throw .corrupted("property \(id) has no place") }
      nextOrdinals[owner] = max(nextOrdinals[owner] ?? 0, ordinal + 1)
      guard flags & CatalogEntry.retiredFlag == 0 else { return }
      unsafe properties[owner, default: []].append(
        StoredProperty(
          id: id, name: entry.text(Slot.name.rawValue), type: type,
          isOptional: flags & CatalogEntry.optionalFlag != 0,
          ordinal: ordinal,
          defaultValue: AnyValueCoding.decode(entry.bytes(Slot.defaultValue.rawValue)),
          target: entry.identifier(Slot.target.rawValue), deleteRule: deleteRule,
          origin: entry.identifier(Slot.origin.rawValue),
          element: element.flatMap { PropertyType(number: $0) },
          elementIsOptional: flags & CatalogEntry.optionalElementFlag != 0))
    }

    private mutating func addIndex(_ id: UInt32, _ entry: Entry) throws(StorageError) {
      typealias Slot = CatalogEntry.IndexSlot
      let owner = UInt32(truncatingIfNeeded: entry.number(Slot.type.rawValue) ?? 0)
      let flags = entry.number(Slot.flags.rawValue) ?? 0
      guard flags & CatalogEntry.retiredFlag == 0 else { return }
      let number = entry.number(Slot.kind.rawValue) ?? 0
      guard let kind = UInt8(exactly: number).flatMap(IndexKind.init(rawValue:)), flags == 0 else {
        throw isNewer
      }
      let fields = unsafe CatalogEntry.fields(in: entry.bytes(Slot.fields.rawValue))
      guard (1...LongKey.maximumFieldCount).contains(fields.count) else {
        throw .corrupted("index \(id) has \(fields.count) fields")
      }
      indexes[owner, default: []].append(
        StoredIndex(
          id: id, kind: kind, fields: fields,
          textRules: kind.textRules == nil ? nil : entry.number(Slot.textRules.rawValue)))
    }

    func types() -> [StoredType] {
      typeParts.map { id, part in
        StoredType(
          id: id, name: part.name, primaryKey: part.primaryKey,
          properties: (properties[id] ?? []).sorted { $0.ordinal < $1.ordinal },
          indexes: indexes[id] ?? [], newestLayout: part.newestLayout,
          layouts: layouts[id] ?? [:], nextOrdinal: nextOrdinals[id],
          isEmbedded: part.isEmbedded)
      }
    }
  }

  /// One entry; slots that it does not have are null.
  private struct Entry {
    let view: RecordView

    private func has(_ slot: Int) -> Bool {
      unsafe view.slotsStart + slot * 8 + 8 <= view.bytes.count && !view.isNull(slot)
    }

    func number(_ slot: Int) -> Int64? {
      has(slot) ? Int64(bitPattern: view.word(slot)) : nil
    }

    /// A number as an id.
    func identifier(_ slot: Int) -> UInt32? {
      number(slot).map { UInt32(truncatingIfNeeded: $0) }
    }

    func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
      unsafe has(slot) ? view.bytes(slot) : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    func text(_ slot: Int) -> String { unsafe String(decoding: bytes(slot), as: UTF8.self) }
  }
}
