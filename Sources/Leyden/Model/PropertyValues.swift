/// Values for some of a model's properties, as `create` takes them.
///
/// From a dictionary by property names, an array in the order of the properties, another object by
/// the names of its properties, or anything that can be encoded into one of these. Keys that the
/// model does not have are passed over.
package struct PropertyValues {
  private var byColumn: [Int: StoredValue] = [:]

  /// Reads the values that are there.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)`` where one is of a wrong type, where an array has too
  ///   many, and where there are no properties to be seen; what `value` throws when it is encoded.
  package init(_ value: Any, for model: ModelType) throws { try read(value, for: model) }

  private mutating func read(_ value: Any, for model: ModelType) throws {
    switch unwrapped(value) {
    case nil: return
    case let object as Object:
      let source = object.modelType
      for column in model.columns {
        guard let from = source.column(named: column.name) else { continue }
        try set(source.dynamicValue(of: from, in: object), column, model)
      }
    case let values as [String: Any]:
      for column in model.columns {
        if let value = values[column.name] { try set(value, column, model) }
      }
    case let values as [Any]:
      guard values.count <= model.columns.count else {
        throw StoreError.invalidValue(
          "\(model.name) has \(model.columns.count) properties, and \(values.count) values came")
      }
      for (column, value) in zip(model.columns, values) { try set(value, column, model) }
    case let value as any Encodable:
      let encoded = try DynamicEncoder.encode(value)
      guard encoded is [String: Any] || encoded is [Any] else {
        throw StoreError.invalidValue("\(model.name) cannot be made from one \(type(of: value))")
      }
      try read(encoded, for: model)
    case let value?:
      throw StoreError.invalidValue("\(model.name) cannot be made from one \(type(of: value))")
    }
  }

  private mutating func set(
    _ value: Any?, _ column: ModelType.Column, _ model: ModelType
  ) throws(StoreError) {
    byColumn[Int(column.number)] = try model.storedValue(of: value, for: column)
  }

  /// The value of a column, or `nil` where none was given.
  package subscript(column: ModelType.Column) -> StoredValue? { byColumn[Int(column.number)] }

  /// The value that identifies the object: the given one, else the declared default.
  ///
  /// - Returns: `nil` where the model has no primary key.
  /// - Throws: ``StoreError/invalidValue(_:)`` where neither is there: the empty value, which every
  ///   type has, identifies nothing.
  package func primaryKey(of model: ModelType) throws(StoreError) -> StoredValue? {
    guard let column = model.primaryKey else { return nil }
    if let given = self[column] { return given }
    let value = column.makeDefault()
    guard !value.isIdentical(to: column.wrapper.valueType.emptyValue.storedValue) else {
      throw .invalidValue("\(model.name).\(column.name) is missing, and has no default")
    }
    return value
  }
}
