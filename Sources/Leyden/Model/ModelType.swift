/// A model class as the library sees it: its properties in the order in which Swift initialises
/// them, and where each wrapper lies in an object.
package final class ModelType: Sendable {
  /// One property of the class.
  package struct Column: Sendable {
    /// The property's name.
    package let name: String
    /// The number that the wrapper takes when an object is made.
    package let number: Int32
    /// The stored type.
    package let type: PropertyType
    /// The stored type of a collection's elements or values.
    package let element: PropertyType?
    /// Whether a collection's elements or values may be nil.
    package let elementIsOptional: Bool
    /// The class of the objects that the property leads to.
    package let target: PersistedObject.Type?
    /// The model of those where it is known from the store only.
    var dynamicTarget: (@Sendable () -> ModelType?)?
    /// What becomes of those when the owner is deleted.
    package let deleteRule: DeleteRule
    /// The property of ``target`` whose links linking objects are.
    package let origin: String?
    /// Whether it may be nil.
    package let isOptional: Bool
    /// Whether it identifies an object.
    package let isPrimaryKey: Bool
    /// The index over its values, other than a primary key's.
    package let index: IndexKind?
    /// The index over what is in its texts.
    package let textIndex: PropertyIndex?
    /// Evaluates the declared default.
    package let makeDefault: @Sendable () -> StoredValue
    /// The wrapper's offset in an object.
    let offset: Int
    /// The wrapper's type.
    let wrapper: any PersistedProperty.Type
  }

  /// The class.
  package let objectType: PersistedObject.Type
  /// The name that the file knows the type by: ``Object/storedName``.
  package let name: String
  /// Whether objects of the class lie inside their owners.
  package let isEmbedded: Bool
  /// Whether the type is known from the store only: then objects have no memory for the properties.
  package let isDynamic: Bool
  /// The properties, by column number.
  package let columns: [Column]
  /// The properties in the order of their declaration, inherited ones first.
  ///
  /// Swift initialises the properties of a class before those of its superclass, so columns are
  /// numbered the other way round.
  package let declared: [Column]
  /// The indexes, other than the primary key's.
  package let indexes: [ModelIndex]
  /// What is wrong with the declaration, in words; empty where it can be stored.
  package let problems: [String]
  /// The property that identifies objects of the type, if one does.
  package let primaryKey: Column?
  /// The number of that property.
  package let primaryKeyColumn: Int?
  /// The properties that hold objects, or may.
  package let references: [Column]
  /// Whether no property leads to an object or holds more than one value.
  package let hasOnlyValues: Bool
  /// Where each column's wrapper is, and how to use it.
  let wrappers: [(offset: Int, access: WrapperAccess)]
  /// What key paths read that were followed already.
  let paths = Locked<[AnyKeyPath: ColumnPath]>([:])

  /// Makes the model of a class, or of the type of a name in a store.
  init(
    objectType: PersistedObject.Type, dynamicName: String? = nil, declared: [Column],
    problems: [String] = []
  ) {
    self.objectType = objectType
    let name = dynamicName ?? objectType.typeName
    self.name = name
    isDynamic = dynamicName != nil
    isEmbedded = !(objectType is Object.Type)
    self.declared = declared
    let columns = declared.sorted { $0.number < $1.number }
    self.columns = columns
    references = columns.filter(\.mayHoldObjects)
    hasOnlyValues = columns.allSatisfy {
      $0.type == .linkingObjects || ($0.type.isScalar && $0.type != .anyValue)
    }
    primaryKey = columns.first(where: \.isPrimaryKey)
    primaryKeyColumn = primaryKey.map { Int($0.number) }
    wrappers = columns.map { ($0.offset, WrapperAccess.of($0.wrapper)) }
    let compound = (objectType as? Object.Type)?.indexes ?? []
    indexes = columns.flatMap(\.indexes) + compound.compactMap { $0.index(over: columns) }
    var problems = problems
    for compound in compound where compound.index(over: columns) == nil {
      problems.append(
        "\(objectType): an index over \(compound.properties) is not over stored properties")
    }
    if name.isEmpty { problems.append("\(objectType): its stored name is empty") }
    self.problems = problems
  }

  /// What ``ObjectMembers/objectSchema`` shows.
  package var schema: ObjectSchema {
    ObjectSchema(
      name: name,
      properties: declared.map {
        Property(
          name: $0.name, type: $0.type, isOptional: $0.isOptional, isPrimaryKey: $0.isPrimaryKey,
          isIndexed: $0.isPrimaryKey || $0.index != nil || $0.textIndex != nil)
      })
  }

  /// The model of a class; found out once for each class.
  package static func of(_ type: PersistedObject.Type) -> ModelType {
    let key = ObjectIdentifier(type)
    if let known = known.withLock({ $0[key] }) { return known }
    let model = Discovery(of: type).model()
    return known.withLock { types in
      if let first = types[key] { return first }
      types[key] = model
      return model
    }
  }

  /// The model of a class that was found out already.
  static func ifKnown(_ type: PersistedObject.Type) -> ModelType? {
    known.withLock { $0[ObjectIdentifier(type)] }
  }

  private static let known = Locked<[ObjectIdentifier: ModelType]>([:])

  /// The column of a name.
  package func column(named name: String) -> Column? { columns.first { $0.name == name } }
}

extension ModelType.Column {
  /// The model of the objects that the property leads to.
  package var targetModel: ModelType? { dynamicTarget?() ?? target.map { ModelType.of($0) } }

  /// Whether the property holds objects, or may.
  package var mayHoldObjects: Bool {
    switch element ?? type {
    case .link, .embedded, .anyValue: true
    default: false
    }
  }
}
