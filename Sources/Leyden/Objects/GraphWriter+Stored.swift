/// What objects hold, as it is stored.
extension GraphWriter {
  /// The stored form of what a collection holds.
  func stored(
    _ contents: CollectionContents, _ column: ModelType.Column, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredContents {
    try stored(contents) { (value) throws(StoreError) in try stored(value, column, property) }
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
