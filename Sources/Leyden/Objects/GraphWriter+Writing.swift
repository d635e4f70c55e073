import LeydenStorage

/// Writing the objects that were found, with links to rows that are known.
extension GraphWriter {
  /// Writes a new row.
  func insert(_ next: Planned) throws(StoreError) {
    let model = next.binding.model
    let key = Writer.Key(type: next.binding.stored?.id ?? 0, row: next.row)
    let place = try writer.place(of: next.binding)
    var references: [Int: StoredValue] = [:]
    for column in model.columns where !column.type.isScalar || column.type == .anyValue {
      guard column.type != .linkingObjects,
        let property = next.binding.properties[Int(column.number)]
      else { continue }
      references[Int(column.number)] = try stored(
        column, of: next.source, model, property, key, place)
    }
    try writer.insert(next.row, next.binding) { (column, slot, record) throws(StorageError) in
      if let value = references[column] {
        try record.set(value, as: model.columns[column].type, in: slot)
      } else {
        try model.encode(column, of: next.source, in: slot, of: record)
      }
    }
  }

  /// Gives a row the values of an object; what is equal already is no change.
  func update(
    _ row: UInt64, from object: Object, _ binding: TypeBinding
  ) throws(StoreError) {
    let model = binding.model
    for column in model.columns where !column.isPrimaryKey && column.type != .linkingObjects {
      let number = Int(column.number)
      guard let property = binding.properties[number] else { continue }
      if column.type.isScalar, column.type != .anyValue {
        try writer.set(model.value(of: column, in: object), column: number, row: row, binding)
        continue
      }
      before = try embedded(in: property, of: row, binding)
      defer { before = nil }
      let value = model.dynamicValue(of: column, in: object)
      if let contents = (value as? any PersistedCollection)?.contents {
        try writer.replace(
          try writer.collection(number, row: row, binding),
          by: try stored(contents, column, property))
      } else {
        try writer.set(
          try stored(value, column, property), column: number, row: row, binding)
      }
    }
  }

  /// The value of a column that may hold objects, or is a collection; links and entries in the table are
  /// made for it.
  private func stored(
    _ column: ModelType.Column, of object: PersistedObject, _ model: ModelType,
    _ property: Catalog.StoredProperty, _ key: Writer.Key, _ place: Writer.Place
  ) throws(StoreError) -> StoredValue {
    let value = model.dynamicValue(of: column, in: object)
    guard let contents = (value as? any PersistedCollection)?.contents else {
      let value = try stored(value, column, property)
      try addLinks(of: value, property, key)
      return value
    }
    let collection = WrittenCollection(key: key, place: place, property: property)
    let form = try writer.make(collection, try stored(contents, column, property))
    return form.slot.map { .structure($0) } ?? .null
  }

  /// The stored form of what a collection holds.
  func stored(
    _ contents: CollectionContents, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredContents {
    try stored(contents) { (element) throws(StoreError) in
      try stored(element, column, property)
    }
  }

  /// The stored form of contents: `form` makes that of each value, while ``before`` is what lies in its place.
  func stored<Value>(
    _ contents: Contents<Value>, _ form: (Value) throws(StoreError) -> StoredValue
  ) throws(StoreError) -> StoredContents {
    let old = before
    defer { before = nil }
    switch contents {
    case .elements(let elements):
      return .elements(
        try elements.enumerated().map { (position, element) throws(StoreError) in
          before = old?.element(position)
          return try form(element)
        })
    case .entries(let entries):
      return .entries(
        try entries.map { (entry) throws(StoreError) in
          before = old?.value(of: entry.key)
          return (entry.key, try form(entry.value))
        })
    }
  }

  /// The stored form of a value, or of an element, of a property; what it leads to is planned.
  func stored(
    _ value: Any?, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue {
    switch column.element ?? column.type {
    case .link:
      guard let object = unwrapped(value) as? Object else { return .null }
      let reference = try plan(object)
      guard reference.type == property.target else {
        throw .invalidValue(
          "\(column.name) leads to \(column.target?.typeName ?? "") and not to \(type(of: object))")
      }
      return .object(ObjectReference(row: reference.row))
    case .anyValue:
      if case AnyValue.object(let object)? = value { return .object(try plan(object)) }
      if let object = value as? Object { return .object(try plan(object)) }
      return (value as? any Persistable)?.storedValue ?? .null
    case .embedded:
      guard let object = unwrapped(value) as? EmbeddedObject else {
        return (value as? any Persistable)?.storedValue ?? .null
      }
      return .structure(try bytes(of: object, in: column))
    default: return (value as? any Persistable)?.storedValue ?? .null
    }
  }
}
