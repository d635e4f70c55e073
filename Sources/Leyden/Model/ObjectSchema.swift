/// A model's name and properties.
public struct ObjectSchema: Sendable, Hashable {
  /// The name that the file knows the type by.
  public var name: String
  /// The stored properties, in the order of their declaration, inherited ones first.
  public var properties: [Property]
}

/// A stored property of a model.
public struct Property: Sendable, Hashable {
  /// The property's name.
  public var name: String
  /// The stored type.
  public var type: PropertyType
  /// Whether it may be nil.
  public var isOptional: Bool
  /// Whether it identifies an object among those of its type.
  public var isPrimaryKey: Bool
  /// Whether an index serves conditions on it.
  public var isIndexed: Bool
}
