import Foundation

/// Values for some of a model's properties, as `create` takes them.
///
/// From a dictionary by property names, an array in the order of the properties, another object by
/// the names of its properties, or anything that can be encoded into one of these. Keys that the
/// model does not have are passed over. What a property leads to or holds is given in the same ways.
package struct PropertyValues {
  /// A value that was given.
  package indirect enum Given {
    /// A value that stands for itself.
    case value(StoredValue)
    /// An object that is there, in whatever store, or embedded.
    case object(PersistedObject)
    /// An object to be made.
    case values(PropertyValues)
    /// The elements of a list or a set.
    case elements([Given])
    /// The entries of a map.
    case entries([(key: String, value: Given)])
  }

  /// The model.
  package let model: ModelType
  private var byColumn: [Int: Given] = [:]

  /// Reads the values that are there.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)`` where one is of a wrong type, where an array has too
  ///   many, and where there are no properties to be seen; what `value` throws when it is encoded.
  package init(_ value: Any, for model: ModelType) throws {
    self.model = model
    try read(value)
  }

  /// The properties in the order of an array, which cannot give linking objects.
  private var positions: [ModelType.Column] {
    model.columns.filter { $0.type != .linkingObjects }
  }

  private mutating func read(_ value: Any) throws {
    switch unwrapped(value) {
    case nil: return
    case let object as PersistedObject:
      let source = object.modelType
      // What is gone looks empty.
      guard object.access?.exists ?? true else { throw StoreError.invalidatedObject(source.name) }
      for column in positions {
        guard let from = source.column(named: column.name), from.type != .linkingObjects else {
          continue
        }
        try set(source.dynamicValue(of: from, in: object), column)
      }
    case let values as [String: Any]:
      for column in positions {
        if let value = values[column.name] { try set(value, column) }
      }
    case let values as [Any]:
      guard values.count <= positions.count else {
        throw StoreError.invalidValue(
          "\(model.name) has \(positions.count) properties, and \(values.count) values came")
      }
      for (column, value) in zip(positions, values) { try set(value, column) }
    case let value as any Encodable:
      let encoded = try DynamicEncoder.encode(value)
      guard encoded is [String: Any] || encoded is [Any] else {
        throw StoreError.invalidValue("\(model.name) cannot be made from one \(type(of: value))")
      }
      try read(encoded)
    case let value?:
      throw StoreError.invalidValue("\(model.name) cannot be made from one \(type(of: value))")
    }
  }

  private mutating func set(_ value: Any?, _ column: ModelType.Column) throws {
    byColumn[Int(column.number)] = try Given(value, for: column, of: model)
  }

  /// The value of a column, or `nil` where none was given.
  package subscript(column: ModelType.Column) -> Given? { byColumn[Int(column.number)] }

  /// The value that identifies the object: the given one, else the declared default.
  ///
  /// - Returns: `nil` where the model has no primary key.
  /// - Throws: ``StoreError/invalidValue(_:)`` where neither is there: the empty value, which every
  ///   type has, identifies nothing.
  package func primaryKey() throws(StoreError) -> StoredValue? {
    guard let column = model.primaryKey else { return nil }
    if case .value(let given)? = self[column] { return given }
    let value = column.makeDefault()
    guard !value.isIdentical(to: column.wrapper.valueType.emptyValue.storedValue) else {
      throw .invalidValue("\(model.name).\(column.name) is missing, and has no default")
    }
    return value
  }
}

extension PropertyValues.Given {
  /// Reads what was given for a column of a model.
  ///
  /// - Throws: ``StoreError/invalidValue(_:)``, which names type and property.
  package init(_ value: Any?, for column: ModelType.Column, of model: ModelType) throws {
    guard column.type.isCollection else {
      self = try Self.single(value, column, model)
      return
    }
    guard let value = unwrapped(value) else {
      // Nothing is an empty collection.
      self = column.type == .map ? .entries([]) : .elements([])
      return
    }
    if column.type == .map {
      guard let entries = Self.entries(of: value) else { throw Self.refusal(value, column, model) }
      self = .entries(
        try entries.map { ($0.key, try Self.single($0.value, column, model)) })
    } else {
      guard let elements = Self.elements(of: value) else {
        throw Self.refusal(value, column, model)
      }
      self = .elements(try elements.map { try Self.single($0, column, model) })
    }
  }

  /// Reads a value that is not a collection, or one element of it.
  private static func single(
    _ value: Any?, _ column: ModelType.Column, _ model: ModelType
  ) throws -> PropertyValues.Given {
    let isElement = column.type.isCollection
    let type = column.element ?? column.type
    let isOptional = isElement ? column.elementIsOptional : column.isOptional
    let value = unwrapped(value)
    let objectInValue = (value as? AnyValue)?.object
    switch type {
    case .link, .embedded:
      guard let value = objectInValue ?? value else {
        guard isOptional else {
          throw StoreError.invalidValue("\(model.name).\(column.name) cannot hold nil")
        }
        return .value(.null)
      }
      guard let target = column.targetModel else { throw refusal(value, column, model) }
      if let object = value as? PersistedObject, object.modelType.name == target.name {
        return .object(object)
      }
      // One of another class is not taken for values by its properties' names here.
      if value is Object { throw refusal(value, column, model) }
      do { return .values(try PropertyValues(value, for: target)) } catch {
        throw StoreError.invalidValue("\(model.name).\(column.name): \(Self.words(of: error))")
      }
    default:
      if type == .anyValue, let object = objectInValue ?? value as? Object {
        return .object(object)
      }
      return .value(
        try model.storedValue(of: value, for: column, isElement: isElement))
    }
  }

  private static func words(of error: any Error) -> String {
    if case .invalidValue(let words)? = error as? StoreError { return words }
    return "\(error)"
  }

  private static func refusal(
    _ value: Any, _ column: ModelType.Column, _ model: ModelType
  ) -> StoreError {
    .invalidValue(
      "\(model.name).\(column.name) is a \(column.type) and cannot be the \(Swift.type(of: value))")
  }

  /// The elements of a collection that was given.
  private static func elements(of value: Any) -> [Any?]? {
    if let collection = value as? any PersistedCollection {
      if case .elements(let elements) = collection.contents { return elements }
      return nil
    }
    if let array = value as? [Any] { return array }
    // Texts and bytes are values, though they are sequences.
    guard !(value is String), !(value is Data), !(value is [AnyHashable: Any]),
      let sequence = value as? any Sequence
    else { return nil }
    func all(_ sequence: some Sequence) -> [Any?] { sequence.map { $0 } }
    return all(sequence)
  }

  /// The entries of a map that was given.
  private static func entries(of value: Any) -> [(key: String, value: Any?)]? {
    if let collection = value as? any PersistedCollection {
      guard case .entries(let entries) = collection.contents else { return nil }
      return entries.map { ($0.key, $0.value) }
    }
    return (value as? [String: Any]).map { $0.map { ($0.key, $0.value) } }
  }
}
