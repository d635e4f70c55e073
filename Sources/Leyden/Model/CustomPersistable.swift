/// A type of yours that a property may have, stored as a type that the library knows.
///
///     extension Temperature: CustomPersistable {
///       init(persistedValue: Double) { self.init(celsius: persistedValue) }
///       var persistableValue: Double { celsius }
///     }
///
///     @Persisted var temperature: Temperature
///
/// Queries and sorting go by the stored value, even where the type has an order of its own;
/// `$0.temperature.persistableValue` asks for it as such. A property may change between the type and
/// its stored type without a migration.
///
/// Where not every stored value makes a value of the type, conform to ``FailableCustomPersistable``.
public protocol CustomPersistable: FailableCustomPersistable {
  /// Makes a value of its stored one.
  init(persistedValue: PersistedType)
}

/// A ``CustomPersistable`` type that not every stored value makes a value of.
///
///     extension Address: FailableCustomPersistable {
///       init?(persistedValue: String) { self.init(parsing: persistedValue) }
///       var persistableValue: String { text }
///       static var emptyValue: Address { Address.unknown }
///     }
///
/// A stored value that makes none reads as nil in an optional property and as
/// ``Persistable/emptyValue`` in any other, and stays as it is in the store. A type that makes no value
/// of the stored type's empty value (0, "", …) declares an empty value of its own, unless all
/// properties of the type are optional.
public protocol FailableCustomPersistable: Scalar {
  /// The type that is stored.
  associatedtype PersistedType: Scalar
  /// Makes a value of its stored one, or `nil` where that is none of a value.
  init?(persistedValue: PersistedType)
  /// The value to store; the type makes an equal value of it.
  var persistableValue: PersistedType { get }
}

extension FailableCustomPersistable {
  /// The stored type.
  public static var propertyType: PropertyType? { PersistedType.propertyType }

  /// What the type makes of the stored type's empty value.
  @inlinable public static var emptyValue: Self {
    guard let value = Self(persistedValue: PersistedType.emptyValue) else {
      preconditionFailure(
        "\(Self.self) makes no value of an empty \(PersistedType.self); declare its `emptyValue`")
    }
    return value
  }

  /// Reads a column; nil where the type makes no value of what is stored.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    PersistedType.loadIfPresent(from: row, column: column).flatMap { Self(persistedValue: $0) }
  }

  /// Makes a value of its stored form.
  public static func make(from value: StoredValue) -> Self? {
    PersistedType.make(from: value).flatMap { Self(persistedValue: $0) }
  }

  /// The stored form.
  public var storedValue: StoredValue { persistableValue.storedValue }
}
