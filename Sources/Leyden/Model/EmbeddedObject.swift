/// The superclass of models whose objects live inside others.
///
///     final class Address: EmbeddedObject {
///       @Persisted var street = ""
///       @Persisted var city = ""
///     }
///
///     @Persisted var address: Address?
///     @Persisted var earlier: List<Address>
///
/// An embedded object has no identity of its own: it has exactly one owner, is stored inside it, and goes
/// with it. Giving one that belongs to an object already to
/// another place copies it: the one that was given stays where it is. It has no primary key and no index, and is
/// not in a set.
///
/// Objects lie in each other to a depth of 100. One whose place goes, or gets another object, is deleted, and the
/// delete rules of its links hold, as they do when its owner is deleted: see ``DeleteRule``.
///
/// An object that was unmanaged is live in its place as soon as its owner is in a store. One whose owner was
/// deleted, or has another in its place, is invalidated: its properties are empty, and setting one fails the
/// write with ``StoreError/invalidatedObject(_:)``. One that is moved within its list stays the same.
open class EmbeddedObject: PersistedObject, Persistable {
  /// Makes an unmanaged object with the declared defaults.
  public required init() { super.init() }

  /// The name that stores know the type by: the class's own, without its module, unless a model
  /// overrides it.
  open class var storedName: String { String(describing: Self.self) }

  override final class var typeName: String { storedName }

  /// Whether the object was managed and is gone: its owner was deleted, or has another in its place.
  public var isInvalidated: Bool { access.map { !$0.exists } ?? false }
}

extension EmbeddedObject {
  /// An embedded object, which a property holds as an optional.
  public static var propertyType: PropertyType? { .embedded }
  /// An object is not nil.
  public static var isOptional: Bool { false }
  /// The class itself.
  public static var targetType: AnyClass? { Self.self }
  /// A new unmanaged object.
  public static var emptyValue: Self { self.init() }
  /// A new unmanaged object: no property holds an object that is not optional.
  public static func load(from row: PersistedRow, column: Int32) -> Self { self.init() }
  /// The object that lies in a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    row.access.object(column, row: 0, Self.self) as? Self
  }
  /// Nil: an embedded object is read in its place.
  public static func make(from value: StoredValue) -> Self? { nil }
  /// Null: an embedded object has no stored form of its own.
  public var storedValue: StoredValue { .null }
  /// Puts a copy into a column, and makes this object the one that lies there.
  public func save(to row: PersistedRow, column: Int32) {
    if !isBeingMade(row) { row.access.set(self, column: column) }
  }
}

extension EmbeddedObject: CustomStringConvertible {
  /// The type's name and each property with its value.
  public var description: String { Describer.description(of: self) }
}
