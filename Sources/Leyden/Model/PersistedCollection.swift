/// A collection that a property holds: a list, a set, a map, or linking objects.
///
/// What the library does with one whose elements' type it does not know.
package protocol PersistedCollection: AnyObject, Persistable {
  /// The column that the collection is of, and the way to its row; `nil` while it is unmanaged.
  var place: (access: RowAccess, column: Int32)? { get }
  /// The elements as they are now, in the collection's order, objects among them as they are.
  var contents: CollectionContents { get }
  /// The number of elements.
  var elementCount: Int { get }
  /// The first elements, so many at the most.
  func beginning(_ count: Int) -> CollectionContents
  /// Gives the unmanaged collection what `copy` makes of the elements of another one of the same type;
  /// elements that are left out go.
  func fill(from other: any PersistedCollection, _ copy: ElementCopier)
  /// Gives the collection the elements of another one of the same type.
  func replaceContents(_ other: any PersistedCollection)
  /// Makes an unmanaged collection that of a column; what it held is no longer its own.
  func attach(to row: PersistedRow, column: Int32)
}

/// What a collection holds, without its static type.
package enum CollectionContents {
  /// The elements of a list or a set.
  case elements([any Persistable])
  /// The entries of a map, in the order of their keys.
  case entries([(key: String, value: any Persistable)])
}
