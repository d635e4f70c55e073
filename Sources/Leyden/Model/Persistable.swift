/// A type that a property of a model may have.
///
/// The library conforms all types that API users need. The requirements are how a property wrapper
/// reads and writes; nothing outside the library calls them.
public protocol Persistable {
  /// The stored type, or `nil` for a type that cannot be the type of a property.
  static var propertyType: PropertyType? { get }
  /// Whether a property of this type may be nil.
  static var isOptional: Bool { get }
  /// What a collection holds; `nil` for everything else.
  static var elementType: (any Persistable.Type)? { get }
  /// The class of the objects that a property of this type leads to; `nil` where it leads to none.
  static var targetType: AnyClass? { get }
  /// Whether a property wrapper keeps the value for good, because it finds what it holds in the store
  /// by itself: collections.
  static var isHandle: Bool { get }
  /// What stands for a deleted row and for a missing value: 0, false, "", nil, the reference date.
  static var emptyValue: Self { get }
  /// Reads a column of a row that is current.
  static func load(from row: PersistedRow, column: Int32) -> Self
  /// Reads a column of a row that is current; `nil` where it is null.
  static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self?
  /// Makes a value from its stored form, or `nil` where that is of another type.
  static func make(from value: StoredValue) -> Self?
  /// What the property wrapper of an object that is being made holds: a handle of the column, else the
  /// empty value.
  static func held(by row: PersistedRow, column: Int32) -> Self
  /// The stored form of the value; null for what has none of its own: objects and collections.
  var storedValue: StoredValue { get }
  /// Makes the value that of a column of a managed object.
  func save(to row: PersistedRow, column: Int32)
}

extension Persistable {
  /// Whether a value of the type is an object, or may be one.
  static var mayHoldObjects: Bool { targetType != nil || propertyType == .anyValue }

  /// Only collections hold elements.
  public static var elementType: (any Persistable.Type)? { nil }
  /// Only objects, and what holds them, lead to some.
  public static var targetType: AnyClass? { nil }
  /// Only collections are handles.
  @inlinable public static var isHandle: Bool { false }
  /// The empty value.
  @inlinable
  public static func held(by row: PersistedRow, column: Int32) -> Self { emptyValue }
  /// Makes the value that of a column of a managed object.
  @inlinable
  public func save(to row: PersistedRow, column: Int32) {
    setDistantly(storedValue, in: row, column: column)
  }
}

/// A property type that holds a value, not objects.
public protocol Scalar: Persistable {}

extension Scalar {
  /// A scalar holds a value always; its optional need not.
  @inlinable public static var isOptional: Bool { false }

  /// Reads a column; the type's empty value where there is none.
  @inlinable
  public static func load(from row: PersistedRow, column: Int32) -> Self {
    loadIfPresent(from: row, column: column) ?? emptyValue
  }

  /// Reads a value that is not in the record.
  // Inlinable, though it is rarely called: where it is not, the compiler leaves ``load(from:column:)``
  // to a witness table in other modules, which costs a call for every read (benchmark: property).
  @inlinable
  static func loadDistant(from row: PersistedRow, column: Int32) -> Self? {
    make(from: row.distantValue(column))
  }
}

extension Optional: Persistable where Wrapped: Persistable {
  /// The stored type of the wrapped one.
  public static var propertyType: PropertyType? { Wrapped.isOptional ? nil : Wrapped.propertyType }
  /// An optional may be nil.
  public static var isOptional: Bool { true }
  /// The class of the objects that the wrapped type leads to.
  public static var targetType: AnyClass? { Wrapped.targetType }
  /// Nil.
  @inlinable public static var emptyValue: Wrapped? { nil }

  /// Reads a column; nil where it is null.
  @inlinable
  public static func load(from row: PersistedRow, column: Int32) -> Wrapped? {
    Wrapped.loadIfPresent(from: row, column: column)
  }

  /// Reads a column; an optional is always present.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Wrapped?? {
    .some(Wrapped.loadIfPresent(from: row, column: column))
  }

  /// Makes nil from null, otherwise what the wrapped type makes.
  public static func make(from value: StoredValue) -> Wrapped?? {
    if case .null = value { return .some(nil) }
    guard let wrapped = Wrapped.make(from: value) else { return nil }
    return .some(wrapped)
  }

  /// Null for nil, otherwise the stored form of the wrapped value.
  public var storedValue: StoredValue { self?.storedValue ?? .null }

  /// Makes the value, or null, that of a column of a managed object.
  @inlinable
  public func save(to row: PersistedRow, column: Int32) {
    if let self {
      self.save(to: row, column: column)
    } else {
      setDistantly(.null, in: row, column: column)
    }
  }
}
