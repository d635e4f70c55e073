/// Finding all objects that are to be written, and giving them rows.
extension GraphWriter {
  /// A row of another store; a copy of a store has the same identifier, and so that does not tell.
  private struct Origin: Hashable {
    let store: ObjectIdentifier
    let row: UInt64
  }

  /// What identifies an object: its row in another store, or itself.
  static func key(of object: Object) -> AnyHashable {
    guard let row = object.access as? LiveRow else { return AnyHashable(ObjectIdentifier(object)) }
    return AnyHashable(Origin(store: ObjectIdentifier(row.session.core), row: row.row))
  }

  /// The row of an object of this store; `nil` for an unmanaged one, and one of another store.
  ///
  /// - Throws: ``StoreError/invalidatedObject(_:)`` where it is there no more.
  private func ownRow(of object: Object) throws(StoreError) -> Writer.Key? {
    guard let row = object.access as? LiveRow, let key = row.key(in: session.core) else {
      return nil
    }
    // Another session may keep an older version, in which it is there still.
    if row.session !== session, try writer.placeOfRow(key) == nil {
      throw .invalidatedObject(object.modelType.name)
    }
    return key
  }

  /// Gives an object a row, unless it has one.
  func plan(_ object: Object) throws(StoreError) -> ObjectReference {
    let model = object.modelType
    try keepVersion(of: object)
    if let access = object.access {
      guard access.exists else { throw .invalidatedObject(model.name) }
      if let own = try ownRow(of: object) { return ObjectReference(type: own.type, row: own.row) }
    }
    // One of another store: it cannot be copied without its class.
    guard !(object is DynamicObject) else { throw .wrongStore }
    let binding = try session.binding(for: model)
    let type = binding.stored?.id ?? 0
    let key = Self.key(of: object)
    if let position = positions[key] {
      return ObjectReference(type: type, row: planned[position].row)
    }
    let primaryKey = model.primaryKey.map { model.value(of: $0, in: object) }
    var existing: UInt64?
    if let primaryKey {
      existing = rowsByKey[type]?[primaryKey]
      if existing == nil { existing = try writer.row(ofPrimaryKey: primaryKey, binding) }
      if existing != nil, policy == .error {
        throw .duplicatePrimaryKey(type: model.name, key: primaryKey.description)
      }
    }
    let row = if let existing { existing } else { try writer.takeRow(of: binding) }
    // A row that was taken for values: they are given to it when the object is written.
    let isNew = existing == nil || reserved.remove(row) != nil
    if let primaryKey { rowsByKey[type, default: [:]][primaryKey] = row }
    positions[key] = planned.count
    planned.append(
      Planned(
        source: object, object: object.access == nil ? object : Swift.type(of: object).init(),
        binding: binding, row: row, isNew: isNew))
    return ObjectReference(type: type, row: row)
  }

  /// Gives one more copy of an object of another store a row.
  func planCopy(of object: Object) throws(StoreError) -> UInt64 {
    try keepVersion(of: object)
    let binding = session.requiredBinding(of: type(of: object))
    let row = try writer.takeRow(of: binding)
    planned.append(
      Planned(
        source: object, object: type(of: object).init(), binding: binding, row: row, isNew: true))
    return row
  }

  /// Finds what the planned objects lead to.
  func search() throws(StoreError) {
    while searched < planned.count {
      let next = planned[searched]
      searched += 1
      try planReferences(of: next.source, next.binding.model)
    }
  }

  func planReferences(
    of object: PersistedObject, _ model: ModelType
  ) throws(StoreError) {
    try keepVersion(of: object)
    // What is gone looks empty.
    guard object.access?.exists ?? true else { throw .invalidatedObject(model.name) }
    for column in model.references {
      try planReferences(in: model.dynamicValue(of: column, in: object), of: column)
    }
  }

  private func planReferences(
    in value: Any?, of column: ModelType.Column
  ) throws(StoreError) {
    switch value {
    case let object as Object:
      try check(object, for: column)
      _ = try plan(object)
    case let object as EmbeddedObject:
      try begin(object)
      defer { end(object) }
      try planReferences(of: object, object.modelType)
    case AnyValue.object(let object)?: _ = try plan(object)
    case let collection as any PersistedCollection:
      for value in collection.contents.values { try planReferences(in: value, of: column) }
    default: break
    }
  }

  /// Looks whether an object is of the class that a column leads to: one of a subclass has a table of its own.
  private func check(_ object: Object, for column: ModelType.Column) throws(StoreError) {
    guard let target = column.target, target != DynamicObject.self, type(of: object) != target
    else { return }
    throw .invalidValue(
      "\(column.name) leads to \(target.typeName) and not to \(type(of: object))")
  }
}
