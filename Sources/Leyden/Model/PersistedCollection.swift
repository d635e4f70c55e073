// An underscore: users never name it, it says what holds for the type of any collection.
/// A collection that a property of a model holds: a list, a set, a map, or linking objects.
///
/// The property wrapper keeps it for good; it finds what it holds by its owner's row and column.
public protocol _CollectionProperty: AnyObject, Persistable {
  /// What it holds.
  associatedtype _Element: Persistable

  /// Makes an empty unmanaged collection.
  init()
}

extension _CollectionProperty {
  /// A collection is never nil.
  public static var isOptional: Bool { false }
  /// What the collection holds.
  public static var elementType: (any Persistable.Type)? { _Element.self }
  /// The class of the objects that the collection holds.
  public static var targetType: AnyClass? { _Element.targetType }
  /// A collection finds what it holds itself.
  @inlinable public static var isHandle: Bool { true }
  /// A new unmanaged collection.
  public static var emptyValue: Self { Self() }
  /// The collection of a column.
  public static func load(from row: PersistedRow, column: Int32) -> Self {
    held(by: row, column: column)
  }
  /// The collection of a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    held(by: row, column: column)
  }
  /// Nil: a collection is read in its place.
  public static func make(from value: StoredValue) -> Self? { nil }
  /// Null: a collection has no stored form of its own.
  public var storedValue: StoredValue { .null }
  /// Gives a column's collection these elements.
  public func save(to row: PersistedRow, column: Int32) {
    guard !isBeingMade(row), let collection = self as? any PersistedCollection else { return }
    row.access.set(collection, column: column)
  }
}

/// What the library does with a collection whose elements' type it does not know.
package protocol PersistedCollection: _CollectionProperty {
  /// Where the collection is in a store; `nil` while it is unmanaged.
  var handle: CollectionHandle? { get set }
  /// The number of elements.
  var count: Int { get }
  /// The first elements as they are now, so many at the most, in the collection's order.
  func beginning(_ count: Int) -> CollectionContents
  /// Gives the unmanaged collection the elements of another one of the same type, or what `copy` makes of
  /// them; those that it leaves out go.
  func fill(from other: any PersistedCollection, _ copy: ElementCopier?)
  /// Lets the elements of an unmanaged collection go.
  func removeOwn()
}

extension PersistedCollection {
  /// The elements as they are now, in the collection's order, objects among them as they are.
  package var contents: CollectionContents { beginning(.max) }

  /// Makes an unmanaged collection that of a column; what it held is no longer its own.
  package func attach(to row: PersistedRow, column: Int32) {
    removeOwn()
    handle = CollectionHandle(row, column)
  }
}

/// What a collection holds.
package enum Contents<Value> {
  /// The elements of a list or a set.
  case elements([Value])
  /// The entries of a map, in the order of their keys.
  case entries([(key: String, value: Value)])

  /// All elements, or the values of all entries.
  package var values: [Value] {
    switch self {
    case .elements(let elements): elements
    case .entries(let entries): entries.map(\.value)
    }
  }
}

/// What a collection holds, without its static type.
package typealias CollectionContents = Contents<any Persistable>

/// Where a managed collection is: a column of a live object.
package struct CollectionHandle {
  /// The way to the object's row.
  package let access: RowAccess
  /// The column.
  package let column: Int32

  /// A column of a row.
  init(access: RowAccess, column: Int32) {
    self.access = access
    self.column = column
  }

  /// A column of a row.
  init(_ row: PersistedRow, _ column: Int32) { self.init(access: row.access, column: column) }
}
