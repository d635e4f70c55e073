import LeydenStorage

/// A collection that a property of a model holds, in which each value or object is once.
///
///     @Persisted var labels: MutableSet<Label>
///
/// As with `List`, it is live in a managed object. Its elements stand in the order of their values, objects in
/// that of their creation; an unmanaged set keeps the order in which they came.
public final class MutableSet<Element: Persistable & Hashable>: Persistable, Swift.Collection {
  /// Where the set is in a store; `nil` while it is unmanaged.
  var handle: CollectionHandle?
  /// The elements of an unmanaged set.
  var own: [Element] = []
  /// The elements as last looked at, for reading by position.
  private var known: [StoredValue] = []
  private var age: CollectionAge?

  /// Makes an empty unmanaged set.
  public init() {}

  init(_ handle: CollectionHandle) { self.handle = handle }

  /// Whether the set belongs to a managed object that is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  /// The number of elements.
  public var count: Int {
    guard let handle else { return own.count }
    return handle.reading { (reader, _) throws(StorageError) in try reader.count() } ?? 0
  }

  /// Whether the set is empty.
  public var isEmpty: Bool { count == 0 }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of elements; a look at the store's version.
  public var endIndex: Int {
    guard handle != nil else { return own.count }
    look()
    return known.count
  }

  /// The next position.
  public func index(after position: Int) -> Int { position + 1 }

  /// The element at a position of the last look.
  public subscript(position: Int) -> Element {
    guard let handle else { return own[position] }
    if known.isEmpty { look() }
    return handle.element(known[position], as: Element.self)
  }

  private func look() {
    guard let handle else { return }
    let found: [StoredValue]? = handle.reading { (reader, age) throws(StorageError) in
      if self.age == age { return self.known }
      self.age = age
      return try reader.elements()
    }
    if found == nil { age = nil }
    known = found ?? []
  }

  /// The elements as they are now.
  var elements: [Element] {
    guard let handle else { return own }
    look()
    return known.map { handle.element($0, as: Element.self) }
  }

  /// Goes through the elements as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  /// Whether the set holds a value or an object.
  public func contains(_ element: Element) -> Bool {
    guard let handle else { return own.contains(element) }
    let value = handle.stored(element)
    guard let value else { return false }
    let rule = handle.row?.session.core.longKey
    return handle.reading { (reader, _) throws(StorageError) in
      try rule.map { (rule) throws(StorageError) in try reader.contains(value, rule) } ?? false
    } ?? false
  }

  /// Puts a value or an object into the set, unless it is there; an object that the store does not have is
  /// added.
  public func insert(_ element: Element) { insert(contentsOf: CollectionOfOne(element)) }

  /// Puts values or objects into the set, as far as they are not there.
  public func insert<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    let elements = Array(elements)
    guard let handle else {
      for element in elements where !own.contains(element) { own.append(element) }
      return
    }
    handle.change(with: elements) { (writer, set, values) throws(StoreError) in
      for value in values { try writer.insert(value, set) }
    }
  }

  /// Takes a value or an object out of the set.
  public func remove(_ element: Element) {
    guard let handle else { return own.removeAll { $0 == element } }
    guard let value = handle.stored(element) else { return }
    handle.change { (writer, set, _) throws(StoreError) in try writer.remove(value, set) }
  }

  /// Takes everything out of the set.
  public func removeAll() {
    guard let handle else { return own.removeAll() }
    handle.change { (writer, set, _) throws(StoreError) in try writer.removeAll(set) }
  }
}

@available(*, unavailable)
extension MutableSet: Sendable {}

extension MutableSet: PersistedCollection {
  /// A set.
  public static var propertyType: PropertyType? { .set }
  /// A set is never nil.
  public static var isOptional: Bool { false }
  /// What the set holds.
  public static var elementType: (any Persistable.Type)? { Element.self }
  /// The class of the objects that the set holds.
  public static var targetType: AnyClass? { Element.targetType }
  /// A set finds its elements itself.
  public static var isHandle: Bool { true }
  /// A new unmanaged set.
  public static var emptyValue: MutableSet { MutableSet() }
  /// The set of a column.
  public static func held(by row: PersistedRow, column: Int32) -> MutableSet {
    MutableSet(CollectionHandle(access: row.access, column: column))
  }
  /// The set of a column.
  public static func load(from row: PersistedRow, column: Int32) -> MutableSet {
    held(by: row, column: column)
  }
  /// The set of a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> MutableSet? {
    held(by: row, column: column)
  }
  /// Nil: a set is read in its place.
  public static func make(from value: StoredValue) -> MutableSet? { nil }
  /// Null: a set has no stored form of its own.
  public var storedValue: StoredValue { .null }
  /// Gives a column's set these elements.
  public func save(to row: PersistedRow, column: Int32) {
    if !isBeingMade(row) { row.access.set(self, column: column) }
  }

  package var contents: CollectionContents { .elements(elements) }

  package var elementCount: Int { count }

  package func beginning(_ count: Int) -> CollectionContents {
    guard let handle else { return .elements(Array(own.prefix(count))) }
    return .elements(handle.beginning(count).map { handle.element($0, as: Element.self) })
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier) {
    guard let other = other as? MutableSet else { return }
    own = other.elements.compactMap { copied($0, copy) }
  }

  package func replaceContents(_ other: any PersistedCollection) {
    guard let other = other as? MutableSet, other !== self else { return }
    own = other.elements
  }

  package func attach(to row: PersistedRow, column: Int32) {
    own = []
    handle = CollectionHandle(access: row.access, column: column)
  }
}
