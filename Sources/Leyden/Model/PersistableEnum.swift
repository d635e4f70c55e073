/// An enumeration that a property may have the type of.
///
///     enum Priority: Int, PersistableEnum { case low, normal, high }
///
///     @Persisted var priority = Priority.normal
///
/// Stored as its raw value, so cases may be added and renamed, and a property may change between the
/// enumeration and its raw type without a migration. Queries and sorting go by the raw value, even
/// where the enumeration has an order of its own; `$0.priority.rawValue` asks for it as such.
///
/// A raw value that no case has, such as one that a newer program wrote, reads as nil in an optional
/// property and as ``Persistable/emptyValue`` in any other, and stays as it is in the store. The
/// empty value is the first case, or what the enumeration declares:
///
///     static var emptyValue: Priority { .normal }
public protocol PersistableEnum: Scalar, RawRepresentable, CaseIterable, Hashable
where RawValue: Scalar {}

extension PersistableEnum {
  /// The stored type of the raw value.
  public static var propertyType: PropertyType? { RawValue.propertyType }

  /// The first case; an enumeration may declare another one.
  @inlinable public static var emptyValue: Self {
    guard let first = allCases.first else { preconditionFailure("\(Self.self) has no case") }
    return first
  }

  /// Reads a column; nil where no case has the raw value.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    RawValue.loadIfPresent(from: row, column: column).flatMap { Self(rawValue: $0) }
  }

  /// Makes the case of a raw value.
  public static func make(from value: StoredValue) -> Self? {
    RawValue.make(from: value).flatMap { Self(rawValue: $0) }
  }

  /// The stored form of the raw value.
  public var storedValue: StoredValue { rawValue.storedValue }
}
