import LeydenStorage

/// What an embedded object is written into.
enum EmbeddedOwner {
  /// An object that is being written, live or not.
  case object(PersistedObject)
  /// A live object.
  case row(ManagedRow)

  /// How deep a live object lies in others.
  var liveDepth: Int { if case .row(let row) = self { row.depth } else { 0 } }

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
    try begin(object)
    defer { end(object) }
    let (old, number) = takeBefore()
    if let owner, object.access == nil {
      embedded.append(
        EmbeddedPlace(object: object, owner: owner, column: Int(column.number), number: number))
    }
    let outer = owner
    owner = .object(object)
    defer { owner = outer }
    return try record(of: model, number) { (column, property) throws(StoreError) in
      before = old.isEmpty ? nil : try embedded(in: property, of: old, model)
      defer { before = nil }
      return try storedInside(column, of: object, model, property)
    }
  }

  /// The record of an embedded object that is made of values.
  ///
  /// Where one is there already, what the values do not give stays; that of a collection gets the defaults.
  func bytes(
    of given: PropertyValues, in column: ModelType.Column
  ) throws(StoreError) -> [UInt8] {
    try beginValues(given.model)
    defer { nestedValues -= 1 }
    let (old, number) = takeBefore()
    let type = try session.binding(for: given.model).stored
    let stays = !old.isEmpty && column.type == .embedded
    // Nobody holds the object: it is looked for in the store when it is asked for.
    let outer = owner
    owner = nil
    defer { owner = outer }
    lazy var fresh = given.model.isDynamic ? nil : given.model.objectType.init()
    return try record(of: given.model, number) { (column, property) throws(StoreError) in
      guard let value = given[column] else {
        if stays, let type { return try self.value(of: property, in: old, type) }
        guard column.needsNewValue, let fresh = fresh as? EmbeddedObject else {
          return column.makeDefault()
        }
        return try storedInside(column, of: fresh, given.model, property)
      }
      before = old.isEmpty ? nil : try embedded(in: property, of: old, given.model)
      defer { before = nil }
      guard column.type.isCollection else { return try stored(value, column, property) }
      let packed = writer.packed(try contents(value, column, property), property)
      return packed.isEmpty ? .null : .structure(packed)
    }
  }

  /// The embedded objects that a property of a row holds now; `nil` where it holds none.
  func embedded(
    in property: Catalog.StoredProperty, of row: UInt64, _ binding: TypeBinding
  ) throws(StoreError) -> StoredContents? {
    guard property.type == .embedded || property.element == .embedded else { return nil }
    let place = try writer.place(of: binding)
    let key = Writer.Key(type: place.type.id, row: row)
    return try writer.storage { () throws(StorageError) in
      guard property.element == .embedded else {
        return .elements([try writer.value(of: property, in: key, place)])
      }
      return try writer.reader(of: WrittenCollection(key: key, place: place, property: property))
        .contents()
    }
  }

  /// The embedded objects that a property of an embedded object holds now.
  private func embedded(
    in property: Catalog.StoredProperty, of record: [UInt8], _ model: ModelType
  ) throws(StoreError) -> StoredContents? {
    guard property.type == .embedded || property.element == .embedded,
      let type = try session.binding(for: model).stored
    else { return nil }
    let value = try value(of: property, in: record, type)
    guard property.element == .embedded else { return .elements([value]) }
    guard case .structure(let bytes) = value else { return nil }
    return try writer.storage { () throws(StorageError) in
      try CollectionReader(
        key: nil, property: property, form: CollectionForm(bytes), transaction: writer.transaction
      ).contents()
    }
  }

  /// What a property of an embedded object holds.
  private func value(
    of property: Catalog.StoredProperty, in record: [UInt8], _ type: Catalog.StoredType
  ) throws(StoreError) -> StoredValue {
    try writer.storage { () throws(StorageError) in
      unsafe try withBytes(of: record) { (bytes) throws(StorageError) in
        let view = unsafe try type.view(of: bytes)
        guard let slot = try type.slot(of: property.id, in: view) else {
          return property.defaultValue
        }
        return try view.value(slot, property.type, in: writer.transaction)
      }
    }
  }

  /// The record that lies where one is written, and the number of the new one: the same, or another.
  private func takeBefore() -> (record: [UInt8], number: UInt64) {
    defer { before = nil }
    guard case .elements(let values)? = before, case .structure(let record)? = values.first,
      !staying.contains(embeddedNumber(of: record))
    else { return ([], writer.rows.take()) }
    return (record, embeddedNumber(of: record))
  }

  /// How many embedded objects may lie within each other.
  private static let deepest = 100

  /// Begins with an embedded object, and refuses one that lies within itself, or too deep.
  func begin(_ object: EmbeddedObject) throws(StoreError) {
    let name = object.modelType.name
    noteOwnerDepth()
    guard nested.insert(ObjectIdentifier(object)).inserted else {
      throw .invalidValue("an object \(name) lies within itself")
    }
    do throws(StoreError) { try checkDepth(of: name) } catch {
      nested.remove(ObjectIdentifier(object))
      throw error
    }
  }

  /// Begins with values for an embedded object, and refuses those that lie too deep.
  private func beginValues(_ model: ModelType) throws(StoreError) {
    noteOwnerDepth()
    nestedValues += 1
    do throws(StoreError) { try checkDepth(of: model.name) } catch {
      nestedValues -= 1
      throw error
    }
  }

  private func noteOwnerDepth() {
    if nested.isEmpty, nestedValues == 0 { ownerDepth = owner?.liveDepth ?? 0 }
  }

  private func checkDepth(of name: String) throws(StoreError) {
    guard nested.count + nestedValues + ownerDepth <= Self.deepest else {
      throw .invalidValue("an object \(name) lies in more than \(Self.deepest - 1) others")
    }
  }

  /// Ends what ``begin(_:)`` began.
  func end(_ object: EmbeddedObject) { nested.remove(ObjectIdentifier(object)) }

  /// The record of a live embedded object that is put where it is.
  private func recordInPlace(of row: ManagedRow, _ column: ModelType.Column) -> [UInt8]? {
    guard case .row(let owner) = owner, let row = row as? EmbeddedRow,
      row.column == Int(column.number), row.owner.isSame(as: owner),
      column.type == .embedded
        || (replaced?.contains(row.position) == true && kept.insert(row.number).inserted)
    else { return nil }
    return row.record()
  }

  /// The record of an embedded object whose values `value` gives.
  private func record(
    of model: ModelType, _ number: UInt64,
    _ value: (ModelType.Column, Catalog.StoredProperty) throws(StoreError) -> StoredValue
  ) throws(StoreError) -> [UInt8] {
    let binding = try session.binding(for: model)
    guard let type = binding.stored else { throw .corrupted("\(model.name) is not in the store") }
    let record = MutableRecord(heapSlots: type.heapSlots[type.newestLayout] ?? [])
    for (slot, id) in (type.layouts[type.newestLayout] ?? []).enumerated() {
      guard let property = type.property(id) else { continue }
      var stored = property.defaultValue
      if let column = binding.properties.firstIndex(where: { $0?.id == id }) {
        stored = try value(binding.model.columns[column], property)
      }
      try writer.storage { () throws(StorageError) in
        try record.set(stored, as: property.type, in: slot)
      }
    }
    return unsafe Array(record.finish(layout: type.newestLayout, embedded: number))
  }

  private func storedInside(
    _ column: ModelType.Column, of object: EmbeddedObject, _ model: ModelType,
    _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue {
    if column.type.isScalar, column.type != .anyValue { return model.value(of: column, in: object) }
    let value = model.dynamicValue(of: column, in: object)
    guard let contents = (value as? any PersistedCollection)?.contents else {
      return try stored(value, column, property)
    }
    let packed = writer.packed(try stored(contents, column, property), property)
    return packed.isEmpty ? .null : .structure(packed)
  }
}
