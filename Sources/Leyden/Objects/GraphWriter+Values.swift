import LeydenStorage

/// Objects that are made of values, with what these lead to.
extension GraphWriter {
  /// Makes an object of values, or gives them to the one that has their primary key; what they lead to is
  /// made as well.
  ///
  /// Nothing is written where a primary key is taken or missing.
  package func create(_ given: PropertyValues) throws(StoreError) -> ObjectReference {
    var keys: Set<PrimaryKeyOfType> = []
    try check(given, &keys)
    try search()
    let reference = try make(given)
    try write()
    return reference
  }

  private struct PrimaryKeyOfType: Hashable {
    let type: ObjectIdentifier
    let key: StoredValue
  }

  /// Looks for primary keys that are missing, or taken where they must not be.
  private func check(
    _ given: PropertyValues, _ keys: inout Set<PrimaryKeyOfType>
  ) throws(StoreError) {
    let model = given.model
    if let key = try given.primaryKey(), policy == .error {
      let isNew = keys.insert(PrimaryKeyOfType(type: ObjectIdentifier(model), key: key)).inserted
      let binding = try session.binding(for: model)
      guard isNew, try writer.row(ofPrimaryKey: key, binding) == nil else {
        throw .duplicatePrimaryKey(type: model.name, key: key.description)
      }
    }
    for column in model.columns {
      if let value = given[column] { try check(value, &keys) }
    }
  }

  private func check(
    _ given: PropertyValues.Given, _ keys: inout Set<PrimaryKeyOfType>
  ) throws(StoreError) {
    switch given {
    case .value: break
    case .object(let object as Object) where isCopiedEachTime(object):
      try planReferences(of: object, object.modelType)
    case .object(let object as Object): _ = try plan(object)
    case .object(let object):
      try planReferences(of: object, object.modelType)
    case .values(let values): try check(values, &keys)
    case .elements(let elements): for element in elements { try check(element, &keys) }
    case .entries(let entries): for entry in entries { try check(entry.value, &keys) }
    }
  }

  /// Whether an object of another store has no primary key that would make it one however often it is given.
  private func isCopiedEachTime(_ object: Object) -> Bool {
    guard let identity = object.access?.identity, identity.store != session.core.uuid else {
      return false
    }
    return object.modelType.primaryKey == nil
  }

  private func make(_ given: PropertyValues) throws(StoreError) -> ObjectReference {
    let model = given.model
    let binding = try session.binding(for: model)
    let place = try writer.place(of: binding)
    let primaryKey = try given.primaryKey()
    if let primaryKey, policy != .error,
      let row = try writer.row(ofPrimaryKey: primaryKey, binding)
    {
      for column in model.columns where !column.isPrimaryKey {
        if let value = given[column] {
          try set(value, column, of: session.row(row, binding))
        }
      }
      return ObjectReference(type: place.type.id, row: row)
    }
    let key = Writer.Key(type: place.type.id, row: try writer.takeRow(of: binding))
    let outer = owner
    owner = .row(session.row(key.row, binding))
    defer { owner = outer }
    var values: [Int: StoredValue] = [:]
    for column in model.columns where column.type != .linkingObjects {
      let number = Int(column.number)
      if column.isPrimaryKey, let primaryKey {
        values[number] = primaryKey
      } else if let given = given[column], let property = binding.properties[number] {
        values[number] = try stored(given, column, property, key, place)
      } else {
        values[number] = column.makeDefault()
      }
    }
    try writer.insert(key.row, binding) { (column, slot, record) throws(StorageError) in
      try record.set(values[column] ?? .null, as: model.columns[column].type, in: slot)
    }
    return ObjectReference(type: key.type, row: key.row)
  }

  /// Gives a column of a live object what was given; ``write()`` must follow.
  func set(
    _ given: PropertyValues.Given, _ column: ModelType.Column, of row: ManagedRow
  ) throws(StoreError) {
    let number = Int(column.number)
    guard let property = row.binding.properties[number] else { return }
    let outer = owner
    owner = .row(row)
    if policy != .error, let row = row as? LiveRow {
      before = try embedded(in: property, of: row.row, row.binding)
    }
    replacesContents = true
    defer {
      before = nil
      owner = outer
      replacesContents = false
    }
    switch given {
    case .elements, .entries:
      let contents = try contents(given, column, property)
      try row.change(column: number, writer) { (collection) throws(StoreError) in
        try writer.replace(collection, by: contents)
      }
    default: try row.write(try stored(given, column, property), column: number, writer)
    }
  }

  /// The stored form of what was given for a new row, with links and entries in the table.
  private func stored(
    _ given: PropertyValues.Given, _ column: ModelType.Column, _ property: Catalog.StoredProperty,
    _ key: Writer.Key, _ place: Writer.Place
  ) throws(StoreError) -> StoredValue {
    guard column.type.isCollection else {
      let value = try stored(given, column, property)
      try addLinks(of: value, property, key)
      return value
    }
    let collection = WrittenCollection(key: key, place: place, property: property)
    let form = try writer.make(collection, try contents(given, column, property))
    return form.slot.map { .structure($0) } ?? .null
  }

  func contents(
    _ given: PropertyValues.Given, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredContents {
    func form(_ given: PropertyValues.Given) throws(StoreError) -> StoredValue {
      try stored(given, column, property)
    }
    switch given {
    case .elements(let elements): return try stored(.elements(elements), form)
    case .entries(let entries): return try stored(.entries(entries), form)
    case .value, .object, .values: return .elements([])
    }
  }

  func stored(
    _ given: PropertyValues.Given, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue {
    switch given {
    case .value(let value): return value
    case .object(let object as Object) where isCopiedEachTime(object):
      return .object(ObjectReference(row: try planCopy(of: object)))
    case .object(let object): return try stored(object, column, property)
    case .values(let values) where values.model.isEmbedded:
      return .structure(try bytes(of: values, in: column))
    case .values(let values): return .object(ObjectReference(row: try make(values).row))
    case .elements, .entries: return .null
    }
  }

  func addLinks(
    of value: StoredValue, _ property: Catalog.StoredProperty, _ key: Writer.Key
  ) throws(StoreError) {
    guard property.mayLink || property.type == .embedded else { return }
    try writer.storage { () throws(StorageError) in
      try writer.catalog.forEachLink(of: property, value, in: writer.transaction) {
        (property, target) throws(StorageError) in
        try writer.addLink(to: target, property, from: key)
      }
    }
  }
}
