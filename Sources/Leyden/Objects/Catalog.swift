import Foundation
import LeydenStorage

/// What a store says about itself: its types, their properties, indexes and record layouts.
///
/// A value of one moment, read from the file; a change makes a new one with a higher
/// ``generation``.
package final class Catalog: Sendable {
  /// One property as the file knows it.
  package struct StoredProperty: Sendable {
    /// The number that names it, unique in the store.
    package let id: UInt32
    /// Its name now.
    package let name: String
    /// Its type.
    package let type: PropertyType
    /// Whether it may be nil.
    package let isOptional: Bool
    /// Its place among all properties that its type ever had: the bit that stands for it in the log.
    package let ordinal: Int
    /// What rows have that were written before the property existed.
    package let defaultValue: StoredValue
    /// The type that the property leads to.
    package var target: UInt32?
    /// What becomes of the objects there when the owner is deleted.
    package var deleteRule = DeleteRule.nullify
    /// The property whose links linking objects are.
    package var origin: UInt32?
    /// The type of a collection's elements or values.
    package var element: PropertyType?
    /// Whether those may be nil.
    package var elementIsOptional = false

    /// Whether records have a slot for it.
    var hasSlot: Bool { type != .linkingObjects }

    /// Whether it may lead to objects, each of which has an entry among the inverses.
    var mayLink: Bool {
      type == .link || type == .anyValue || element == .link || element == .anyValue
    }

    /// Whether it holds embedded objects.
    var holdsEmbedded: Bool { type == .embedded || element == .embedded }
  }

  /// One index as the file knows it.
  package struct StoredIndex: Sendable {
    /// A property's part in the key.
    package struct Field: Sendable {
      /// The property.
      package let property: UInt32
      /// Whether large values come first.
      package let isDescending: Bool
      /// Whether a byte in front tells null from a value.
      package let hasMarker: Bool
    }

    /// The number that names it, unique in the store.
    package let id: UInt32
    /// What kind it is.
    package let kind: IndexKind
    /// What makes the key, in this order.
    package let fields: [Field]
    /// The number of the rules by which its keys were made from texts, if there are such rules.
    package let textRules: Int64?

    /// Whether this program makes the same keys: else it builds the index again before it writes,
    /// and does without it until then.
    package var isCurrent: Bool { textRules == kind.textRules }

    /// The properties whose values make the key, in this order.
    package var properties: [UInt32] { fields.map(\.property) }
  }

  /// One type as the file knows it.
  package final class StoredType: Sendable {
    /// The number that names it, unique in the store.
    package let id: UInt32
    /// Its name.
    package let name: String
    /// Whether its objects lie inside their owners: then it has no table.
    package let isEmbedded: Bool
    /// The property that identifies objects, if one does.
    package let primaryKey: UInt32?
    /// All properties, by ordinal.
    package let properties: [StoredProperty]
    /// The place of the next property: those that were removed keep theirs.
    let nextOrdinal: Int
    /// All indexes.
    package let indexes: [StoredIndex]
    /// The layout that new records get.
    package let newestLayout: UInt16
    /// The properties in slot order, for each layout that a record may have.
    package let layouts: [UInt16: [UInt32]]
    /// For each layout, which slots hold bytes and which hold numbers.
    package let heapSlots: [UInt16: [Bool]]
    /// The unique index over the primary key.
    package let primaryKeyIndex: StoredIndex?
    /// The properties that may lead to objects, or hold embedded ones that may.
    let linking: [StoredProperty]

    init(
      id: UInt32, name: String, primaryKey: UInt32?, properties: [StoredProperty],
      indexes: [StoredIndex], newestLayout: UInt16, layouts: [UInt16: [UInt32]],
      nextOrdinal: Int? = nil, isEmbedded: Bool = false
    ) {
      self.isEmbedded = isEmbedded
      self.id = id
      self.name = name
      self.primaryKey = primaryKey
      self.properties = properties
      self.nextOrdinal = nextOrdinal ?? properties.count
      self.indexes = indexes
      self.newestLayout = newestLayout
      self.layouts = layouts
      linking = properties.filter { $0.mayLink || $0.holdsEmbedded }
      primaryKeyIndex = primaryKey.flatMap { key in
        indexes.first { $0.kind == .unique && $0.properties == [key] }
      }
      heapSlots = layouts.mapValues { slots in
        slots.map { id in
          properties.first { $0.id == id }?.type.isStoredAsBytes ?? true
        }
      }
    }

    /// The property of a name.
    package func property(named name: String) -> StoredProperty? {
      properties.first { $0.name == name }
    }

    /// Whether the type has an index that a model declares.
    package func has(_ index: ModelIndex, of model: ModelType) -> Bool {
      let names = index.columns.map { model.columns[$0].name }
      return indexes.contains { stored in
        stored.kind == index.kind
          && stored.fields.map { field in properties.first { $0.id == field.property }?.name }
            == names
      }
    }

    /// The name of the table of the type's records.
    package var tableName: String { "t\(id)" }

    /// The number of a layout that the type does not have yet.
    ///
    /// - Throws: ``StorageError/corrupted(_:)`` where no number is left: no program makes so many.
    func nextLayout() throws(StorageError) -> UInt16 {
      guard newestLayout < .max else { throw .corrupted("\(name) has no number for a layout left") }
      return newestLayout + 1
    }

    /// The slot of a property in a layout.
    package func slot(of property: UInt32, in layout: UInt16) -> Int? {
      layouts[layout]?.firstIndex(of: property)
    }
  }

  /// Rises with each change of the catalog.
  package let generation: UInt64
  /// All types, by number.
  package let types: [UInt32: StoredType]
  /// The application's number for its schema, which only rises.
  package let schemaVersion: UInt64
  private let idsByName: [String: UInt32]
  /// The indexes whose keys this program would make in another way, each with its type's number.
  let outdatedIndexes: [(type: UInt32, index: StoredIndex)]
  /// The types that some property leads to; all types where an any-value may.
  private let targets: Set<UInt32>
  /// The delete rules of properties that do not let their targets be.
  let deleteRules: [UInt32: DeleteRule]
  /// The properties that hold embedded objects which have such properties, themselves or further inside.
  let rulesInside: Set<UInt32>
  /// For each link's property, the linking objects that follow it: their type, and their ordinal there.
  let followers: [UInt32: [(type: UInt32, ordinal: Int)]]

  init(generation: UInt64, schemaVersion: UInt64, types: [StoredType]) {
    self.generation = generation
    self.schemaVersion = schemaVersion
    self.types = Dictionary(uniqueKeysWithValues: types.map { ($0.id, $0) })
    idsByName = Dictionary(types.map { ($0.name, $0.id) }) { first, _ in first }
    var followers: [UInt32: [(type: UInt32, ordinal: Int)]] = [:]
    for type in types {
      for property in type.properties {
        guard let origin = property.origin else { continue }
        followers[origin, default: []].append((type.id, property.ordinal))
      }
    }
    self.followers = followers
    let linking = types.flatMap(\.properties).filter(\.mayLink)
    targets =
      linking.contains { $0.target == nil }
      ? Set(types.map(\.id)) : Set(linking.compactMap(\.target))
    let ruled = types.flatMap(\.properties).filter { $0.deleteRule != .nullify }
    deleteRules = Dictionary(ruled.map { ($0.id, $0.deleteRule) }) { first, _ in first }
    rulesInside = Self.rulesInside(types)
    outdatedIndexes = types.flatMap { type in
      type.indexes.filter { !$0.isCurrent }.map { (type.id, $0) }
    }
  }

  /// Whether anything may lead to objects of a type.
  func isTarget(_ type: UInt32) -> Bool { targets.contains(type) }

  /// Whether deleting an object may concern others than those that lead to it.
  var hasDeleteRules: Bool { !deleteRules.isEmpty }

  private static func rulesInside(_ types: [StoredType]) -> Set<UInt32> {
    let embedded = types.filter(\.isEmbedded)
    var ruled = Set(
      embedded.filter { $0.properties.contains { $0.deleteRule != .nullify } }.map(\.id))
    func holdsRules(_ property: StoredProperty) -> Bool {
      guard property.holdsEmbedded, let target = property.target else { return false }
      return ruled.contains(target)
    }
    var before = -1
    while before != ruled.count {
      before = ruled.count
      ruled.formUnion(embedded.filter { $0.properties.contains(where: holdsRules) }.map(\.id))
    }
    return Set(types.flatMap(\.properties).filter(holdsRules).map(\.id))
  }

  /// The type of a name.
  package func type(named name: String) -> StoredType? {
    idsByName[name].flatMap { types[$0] }
  }
}

extension IndexKind {
  /// The number of the rules by which this program makes keys from texts, where there are such.
  var textRules: Int64? { self == .caseInsensitive ? CaseFolding.version : nil }
}

extension Catalog.StoredIndex {
  /// The name of the index's table.
  package var tableName: String { "i\(id)" }
}
