import LeydenStorage

extension CatalogWriter {
  /// Notes that a type is gone, with all that belongs to it; its tables are the caller's.
  mutating func retire(_ type: Catalog.StoredType) throws(StorageError) {
    for index in type.indexes { try retire(index) }
    try retire(type.properties)
    typealias Slot = CatalogEntry.TypeSlot
    try change(.type, id: type.id) { (entry) in
      entry.set(UInt64(CatalogEntry.retiredFlag), in: Slot.flags.rawValue)
    }
  }

  /// Notes that an index is gone; its table is the caller's.
  mutating func retire(_ index: Catalog.StoredIndex) throws(StorageError) {
    typealias Slot = CatalogEntry.IndexSlot
    try change(.index, id: index.id) { (entry) in
      entry.set(UInt64(CatalogEntry.retiredFlag), in: Slot.flags.rawValue)
    }
  }

  /// Notes that properties are gone, and gives the type a layout without them.
  ///
  /// All records have to be in the new layout: the old ones are forgotten.
  mutating func retire(
    _ properties: [Catalog.StoredProperty], of type: Catalog.StoredType
  ) throws(StorageError) {
    try retire(properties)
    for layout in type.layouts.keys { try removeLayout(layout, of: type.id) }
    let layout = try type.nextLayout()
    try putLayout(layout, of: type.id, type.slots(without: Set(properties.map(\.id))))
    typealias Slot = CatalogEntry.TypeSlot
    try change(.type, id: type.id) { (entry) in
      entry.set(UInt64(layout), in: Slot.newestLayout.rawValue)
    }
  }

  private mutating func retire(_ properties: [Catalog.StoredProperty]) throws(StorageError) {
    typealias Slot = CatalogEntry.PropertySlot
    for property in properties {
      let optional = property.isOptional ? CatalogEntry.optionalFlag : 0
      try change(.property, id: property.id) { (entry) in
        entry.set(UInt64(optional | CatalogEntry.retiredFlag), in: Slot.flags.rawValue)
      }
    }
  }
}
