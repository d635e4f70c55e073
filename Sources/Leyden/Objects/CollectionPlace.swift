import LeydenStorage

/// Where a collection is in a store: at a property of a row, or of an embedded object that lies in it.
package struct CollectionPlace: Sendable, Hashable {
  /// One embedded object on the way from the row to the collection.
  private struct Holder: Hashable {
    /// The property that holds it, alone or among others.
    let property: UInt32
    /// What tells it from others.
    let number: UInt64
  }

  /// The row.
  package let owner: ObjectReference
  private let way: [Holder]
  /// The collection's property; 0, which no property is, where the file does not have it.
  private let property: UInt32

  /// The place of a live object's column; `nil` where the store does not have the object's type.
  package init?(_ row: ManagedRow, column: Int) {
    guard let type = row.root.binding.stored?.id else { return nil }
    owner = ObjectReference(type: type, row: row.root.row)
    property = row.binding.properties[column]?.id ?? 0
    var way: [Holder] = []
    var place = row
    while let embedded = place as? EmbeddedRow {
      place = embedded.owner
      let property = place.binding.properties[embedded.column]?.id ?? 0
      way.append(Holder(property: property, number: embedded.number))
    }
    self.way = way.reversed()
  }

  /// Whether the collection may hold something else after changes.
  func mayDiffer(after changes: ObjectChangeSet, _ catalog: Catalog) -> Bool {
    switch changes.types[owner.type]?[owner.row] {
    case nil: return false
    case .inserted, .deleted: return true
    case .modified(let properties):
      // What lies in embedded objects is noted at the row's property.
      let noted = catalog.types[owner.type]?.property(way.first?.property ?? property)
      return noted.map { properties.contains($0.ordinal) } ?? true
    }
  }

  /// The collection's property, as a catalog has it.
  func storedProperty(_ catalog: Catalog) -> Catalog.StoredProperty? {
    var type = catalog.types[owner.type]
    for step in way {
      type = type?.property(step.property)?.target.flatMap { catalog.types[$0] }
    }
    return type?.property(property)
  }

  /// Reads the collection.
  ///
  /// - Parameters:
  ///   - catalog: As of the transaction.
  ///   - transaction: Where to read.
  ///   - nothing: The result where the file does not have the property, and so nothing in it.
  ///   - body: Gets the collection.
  /// - Returns: `nil` where the object is gone that the collection is in.
  /// - Throws: What reading may run into, and `body`.
  func read<Result>(
    _ catalog: Catalog, in transaction: Transaction, ofNothing nothing: Result,
    _ body: (CollectionReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard let type = catalog.types[owner.type],
      let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: owner.row, in: table)
    else { return nil }
    unsafe try RecordView.verify(bytes, type: type.id, row: owner.row)
    var record = (type: type, bytes: unsafe Array(bytes))
    for (depth, step) in way.enumerated() {
      let found = try reader(step.property, record, depth, transaction) {
        (reader) throws(StorageError) in try reader.embedded(step.number)
      }
      guard case let found?? = found, let type = catalog.types[found.type] else { return nil }
      record = (type, found.bytes)
    }
    return try reader(property, record, way.count, transaction, body) ?? nothing
  }

  /// Reads a property that holds elements, or one embedded object as if it was a list.
  private func reader<Result>(
    _ property: UInt32, _ record: (type: Catalog.StoredType, bytes: [UInt8]), _ depth: Int,
    _ transaction: Transaction, _ body: (CollectionReader) throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    guard let property = record.type.property(property) else { return nil }
    return try body(
      unsafe try withBytes(of: record.bytes) { (bytes) throws(StorageError) in
        let view = unsafe try record.type.view(of: bytes)
        return CollectionReader(
          key: depth == 0
            ? CollectionKey(type: owner.type, row: owner.row, property: property.id) : nil,
          property: property,
          form: try view.collection(
            try record.type.slot(of: property.id, in: view), in: transaction),
          transaction: transaction)
      })
  }
}

extension CollectionReader {
  /// The embedded object of a number: its type and its record.
  fileprivate func embedded(
    _ number: UInt64
  ) throws(StorageError) -> (type: UInt32, bytes: [UInt8])? {
    guard let type = property.target else { return nil }
    if property.type == .embedded {
      guard case .packed(let bytes) = form, embeddedNumber(of: bytes) == number else { return nil }
      return (type, bytes)
    }
    var found: [UInt8]?
    try forEach { value in
      if case .structure(let bytes) = value, embeddedNumber(of: bytes) == number { found = bytes }
      return found == nil
    }
    return found.map { (type, $0) }
  }
}
