import LeydenStorage

/// Objects that are made of values, with what these lead to.
extension GraphWriter {
  /// Makes an object of values, or gives them to the one that has their primary key; what they lead to is
  /// made as well.
  ///
  /// Where several have one key, values count more than objects, and later ones more than earlier ones.
  /// Nothing is written where a primary key is taken or missing.
  package func create(_ given: PropertyValues) throws(StoreError) -> ObjectReference {
    if !given.model.hasOnlyValues { try check(given) }
    let reference = try make(given)
    try write()
    return reference
  }

  /// Looks for primary keys that are missing, or taken where they must not be, and takes rows for new ones.
  private func check(_ given: PropertyValues) throws(StoreError) {
    let model = given.model
    if let key = try given.primaryKey() {
      let binding = try session.binding(for: model)
      let type = binding.stored?.id ?? 0
      var isNew = rowsByKey[type]?[key] == nil
      if isNew { isNew = try writer.row(ofPrimaryKey: key, binding) == nil }
      if isNew {
        let row = try writer.takeRow(of: binding)
        rowsByKey[type, default: [:]][key] = row
        reserved.insert(row)
      } else if policy == .error {
        throw .duplicatePrimaryKey(type: model.name, key: key.description)
      }
    }
    for column in model.columns {
      if let value = given[column] { try check(value) }
    }
  }

  /// Looks for primary keys in what was given for a property, and plans the objects in it.
  package func check(_ given: PropertyValues.Given) throws(StoreError) {
    switch given {
    case .value: break
    case .object(let object as Object) where isCopiedEachTime(object):
      try planReferences(of: object, object.modelType)
    case .object(let object as Object): _ = try plan(object)
    case .object(let object):
      try planReferences(of: object, object.modelType)
    case .values(let values): try check(values)
    case .elements(let elements): for element in elements { try check(element) }
    case .entries(let entries): for entry in entries { try check(entry.value) }
    }
    try search()
  }

  /// Whether an object of another store has no primary key that would make it one however often it is given.
  private func isCopiedEachTime(_ object: Object) -> Bool {
    guard let row = object.access as? LiveRow, row.key(in: session.core) == nil else {
      return false
    }
    return object.modelType.primaryKey == nil
  }

  private func make(_ given: PropertyValues) throws(StoreError) -> ObjectReference {
    let model = given.model
    // What lies in this object does not lie in the embedded one that leads to it.
    let outerDepth = (nestedValues, ownerDepth)
    nestedValues = 0
    defer { (nestedValues, ownerDepth) = outerDepth }
    let binding = try session.binding(for: model)
    let type = binding.stored?.id ?? 0
    let primaryKey = try given.primaryKey()
    if let primaryKey, let row = try row(of: primaryKey, binding) {
      for column in model.columns where !column.isPrimaryKey {
        if let value = given[column] {
          try set(value, column, of: session.row(row, binding))
        }
      }
      return ObjectReference(type: type, row: row)
    }
    let reserved = primaryKey.flatMap { rowsByKey[type]?[$0] }
    let row = if let reserved { reserved } else { try writer.takeRow(of: binding) }
    if let primaryKey { rowsByKey[type, default: [:]][primaryKey] = row }
    let outer = owner
    owner = .row(session.row(row, binding))
    defer { owner = outer }
    var values: [Int: NewValue] = [:]
    // What collections and embedded objects are declared with is found in a new object only.
    lazy var fresh = model.isDynamic ? nil : model.objectType.init()
    for column in model.columns where column.type != .linkingObjects {
      let number = Int(column.number)
      if column.isPrimaryKey, let primaryKey {
        values[number] = .value(primaryKey)
      } else if let given = given[column], let property = binding.properties[number] {
        values[number] = try newValue(given, column, property)
      } else if column.needsNewValue, let property = binding.properties[number], let fresh {
        values[number] = try newValue(column, of: fresh, model, property)
      } else {
        values[number] = .value(column.makeDefault())
      }
    }
    made.append(Made(row: row, binding: binding, values: values))
    return ObjectReference(type: type, row: row)
  }

  /// The row of a primary key that is to get values: one that is there, or one that others are made of.
  ///
  /// It lies around these values, is an object among them, or was made of earlier ones.
  private func row(
    of primaryKey: StoredValue, _ binding: TypeBinding
  ) throws(StoreError) -> UInt64? {
    if let row = rowsByKey[binding.stored?.id ?? 0]?[primaryKey] {
      return reserved.remove(row) == nil ? row : nil
    }
    return policy == .error ? nil : try writer.row(ofPrimaryKey: primaryKey, binding)
  }

  /// Gives a column of a live object what was given; ``write()`` makes the change.
  func set(
    _ given: PropertyValues.Given, _ column: ModelType.Column, of row: ManagedRow
  ) throws(StoreError) {
    let number = Int(column.number)
    guard let property = row.binding.properties[number] else { return }
    let outer = (owner, replaced, staying)
    owner = .row(row)
    if policy != .error, let row = row as? LiveRow {
      before = try embedded(in: property, of: row.row, row.binding)
    }
    replaced = 0..<Int.max
    staying = numbers(in: given)
    defer {
      before = nil
      (owner, replaced, staying) = outer
    }
    let new = try newValue(given, column, property)
    changes.append(Change(row: row, column: number, new: new))
    if let row = row as? LiveRow {
      try noteExchange(of: property, in: row.row, row.binding, by: new)
    }
  }

  /// The numbers of the live embedded objects among what was given.
  private func numbers(in given: PropertyValues.Given) -> Set<UInt64> {
    switch given {
    case .object(let object): (object.access as? EmbeddedRow).map { [$0.number] } ?? []
    case .elements(let elements): Set(elements.flatMap(numbers))
    case .entries(let entries): Set(entries.flatMap { numbers(in: $0.value) })
    case .value, .values: []
    }
  }

  /// What a column gets of what was given; what that leads to is planned, or made.
  private func newValue(
    _ given: PropertyValues.Given, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> NewValue {
    column.type.isCollection
      ? .contents(try contents(given, column, property))
      : .value(try stored(given, column, property))
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
}
