extension Query where T: PersistableEnum {
  /// The property as what it is stored as.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node: node) }
}

extension Query where T: FailableCustomPersistable {
  /// The property as what it is stored as.
  public var persistableValue: Query<T.PersistedType> { Query<T.PersistedType>(node: node) }
}

/// An optional enumeration.
public protocol _OptionalEnum { associatedtype RawValue }
extension Optional: _OptionalEnum where Wrapped: PersistableEnum {
  /// The raw type of the enumeration.
  public typealias RawValue = Wrapped.RawValue
}

extension Query where T: _OptionalEnum {
  /// The property as what it is stored as; nil where it is nil.
  public var rawValue: Query<T.RawValue?> { Query<T.RawValue?>(node: node) }
}

/// An optional custom type.
public protocol _OptionalCustom { associatedtype PersistedType }
extension Optional: _OptionalCustom where Wrapped: FailableCustomPersistable {
  /// The type that is stored.
  public typealias PersistedType = Wrapped.PersistedType
}

extension Query where T: _OptionalCustom {
  /// The property as what it is stored as; nil where it is nil.
  public var persistableValue: Query<T.PersistedType?> {
    Query<T.PersistedType?>(node: node)
  }
}
