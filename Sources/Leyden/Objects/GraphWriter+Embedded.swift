import LeydenStorage

/// What an embedded object is written into.
enum EmbeddedOwner {
  /// An object that is being written, live or not.
  case object(PersistedObject)
  /// A live object.
  case row(ManagedRow)

  var row: ManagedRow? {
    switch self {
    case .object(let object): object.access as? ManagedRow
    case .row(let row): row
    }
  }
}

/// Where an embedded object is written to.
struct EmbeddedPlace {
  let object: EmbeddedObject
  let owner: EmbeddedOwner
  let column: Int
  let number: UInt64

  /// Makes the object live; one that is in several places is the one that lies in the first of them.
  func attach() {
    guard object.access == nil, let row = owner.row else { return }
    let binding = row.session.requiredBinding(of: type(of: object))
    binding.model.bind(
      object, to: EmbeddedRow(owner: row, column: column, number: number, binding))
  }
}

/// Embedded objects, as they are written into their owners.
extension GraphWriter {
  /// The record of an embedded object; what it leads to is planned.
  ///
  /// One that lies in this place already keeps its record; any other live one is copied.
  func bytes(
    of object: EmbeddedObject, in column: ModelType.Column
  ) throws(StoreError) -> [UInt8] {
    let model = object.modelType
    if let row = object.access as? ManagedRow {
      guard row.exists else { throw .invalidatedObject(model.name) }
      if let record = recordInPlace(of: row, column) { return record }
    }
    guard !(object is DynamicEmbeddedObject) || object.access == nil else { throw .unsupported("copying a dynamic embedded object") }
    let binding = session.requiredBinding(of: model.objectType)
    guard let type = binding.stored else { throw .corrupted("\(model.name) is not in the store") }
    let number = writer.rows.take()
    if let owner, object.access == nil {
      embedded.append(
        EmbeddedPlace(object: object, owner: owner, column: Int(column.number), number: number))
    }
    let outer = owner
    owner = .object(object)
    defer { owner = outer }
    let record = MutableRecord(heapSlots: type.heapSlots[type.newestLayout] ?? [])
    for (slot, id) in (type.layouts[type.newestLayout] ?? []).enumerated() {
      guard let property = type.property(id) else { continue }
      let column = binding.properties.firstIndex { $0?.id == id }.map { model.columns[$0] }
      var value = property.defaultValue
      if let column { value = try storedInside(column, of: object, model, property) }
      try writer.storage { () throws(StorageError) in
        try record.set(value, as: property.type, in: slot)
      }
    }
    return unsafe Array(record.finish(layout: type.newestLayout, embedded: number))
  }

  /// The record of a live embedded object that is put where it is.
  private func recordInPlace(of row: ManagedRow, _ column: ModelType.Column) -> [UInt8]? {
    guard case .row(let owner) = owner, let row = row as? EmbeddedRow,
      row.column == Int(column.number), row.owner.isSame(as: owner),
      column.type == .embedded || (replacesContents && kept.insert(row.number).inserted)
    else { return nil }
    return row.record()
  }

  private func storedInside(
    _ column: ModelType.Column, of object: EmbeddedObject, _ model: ModelType,
    _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue {
    if column.type.isScalar, column.type != .anyValue { return model.value(of: column, in: object) }
    guard let value = model.dynamicValue(of: column, in: object) else { return .null }
    guard let contents = (value as? any PersistedCollection)?.contents else {
      return try stored(value, column, property)
    }
    let packed = writer.packed(try stored(contents, column, property), property)
    return packed.isEmpty ? .null : .structure(packed)
  }
}
