import LeydenStorage

/// An ordered collection that a property of a model holds: values, their optionals, or objects.
///
///     @Persisted var tags: List<Tag>
///
///     try store.write { note.tags.append(tag) }
///
/// An element may be in a list more than once. While the owner is unmanaged the list is its own; in a managed
/// object it is live: it shows what the store holds, and is changed within a write only. A list of a deleted
/// object is empty. A change costs the same however long the list is.
///
/// `count` and loops look at the store's version. A position that a count has said to exist stays valid: where
/// somebody shortened the list meanwhile, the element there is an empty value or an invalidated object.
public final class List<Element: Persistable>: Persistable, RandomAccessCollection {
  /// Where the list is in a store; `nil` while it is unmanaged.
  var handle: CollectionHandle?
  /// The elements of an unmanaged list.
  var own: [Element] = []
  /// The list's parts, as they were when ``age`` was that of the owner.
  private var directory: ListDirectory?
  private var age: CollectionAge?
  /// How many positions were said to exist.
  private var promised = 0

  /// Makes an empty unmanaged list.
  public init() {}

  init(_ handle: CollectionHandle) { self.handle = handle }

  /// Whether the list belongs to a managed object that is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  // MARK: Elements

  /// The number of elements.
  public var count: Int {
    guard let handle else { return own.count }
    let count = handle.reading { (reader, _) throws(StorageError) in try reader.count() } ?? 0
    promised = count
    return count
  }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { count }

  /// The element at a position.
  public subscript(position: Int) -> Element {
    get {
      guard let handle else { return own[position] }
      precondition(position >= 0, "Position \(position) is before the list's beginning")
      let found: StoredValue?? = handle.reading { (reader, age) throws(StorageError) in
        let row = handle.row
        var parts = reader.key.flatMap { row?.session.writer?.directories[$0] }
        if parts == nil, self.age == age { parts = self.directory }
        let value = try reader.element(position, &parts)
        self.directory = parts
        self.age = age
        return value
      }
      if case .some(.some(let value)) = found {
        return handle.element(value, as: Element.self, at: position)
      }
      precondition(
        position < Swift.max(promised, 0),
        "Position \(position) is outside of the list's \(promised) elements")
      return handle.missing(Element.self)
    }
    set { replace(index: position, object: newValue) }
  }

  /// The elements as they are now.
  var elements: [Element] {
    guard let handle else { return own }
    let stored = handle.reading { (reader, _) throws(StorageError) in try reader.elements() } ?? []
    return stored.enumerated().map { handle.element($1, as: Element.self, at: $0) }
  }

  /// Goes through the elements as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> IndexingIterator<[Element]> { elements.makeIterator() }

  // MARK: Changes

  /// Puts an element behind all.
  ///
  /// An object that the store does not have is added. As with properties, a change of a managed list outside
  /// a write stops the program, and one that breaks a rule fails the write.
  public func append(_ element: Element) { append(contentsOf: CollectionOfOne(element)) }

  /// Puts elements behind all, in their order.
  public func append<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    insert(contentsOf: Array(elements), at: count)
  }

  /// Puts an element before the one at a position, or behind all.
  public func insert(_ element: Element, at position: Int) {
    insert(contentsOf: CollectionOfOne(element), at: position)
  }

  /// Puts elements before the one at a position, or behind all, in their order.
  public func insert<S: Swift.Collection>(contentsOf elements: S, at position: Int)
  where S.Element == Element {
    let elements = Array(elements)
    check(position..<position)
    guard let handle else { return own.insert(contentsOf: elements, at: position) }
    handle.change(with: elements) { (writer, list, values) throws(StoreError) in
      try writer.insert(values, at: position, list)
    }
  }

  /// Removes the element at a position.
  public func remove(at position: Int) { removeSubrange(position..<position + 1) }

  /// Removes the first element; an empty list stops the program.
  public func removeFirst() { remove(at: 0) }

  /// Removes the last element; an empty list stops the program.
  public func removeLast() { remove(at: count - 1) }

  /// Removes the elements at positions.
  public func removeSubrange(_ range: Range<Int>) {
    check(range)
    guard let handle else { return own.removeSubrange(range) }
    handle.change { (writer, list, _) throws(StoreError) in try writer.remove(range, list) }
  }

  /// Removes all elements.
  public func removeAll() {
    guard let handle else { return own.removeAll() }
    handle.change { (writer, list, _) throws(StoreError) in try writer.removeAll(list) }
  }

  /// Moves an element to the position that it has afterwards.
  public func move(from: Int, to: Int) {
    check(from..<from + 1)
    check(to..<to + 1)
    guard let handle else { return own.insert(own.remove(at: from), at: to) }
    handle.change { (writer, list, _) throws(StoreError) in
      try writer.move(from: from, to: to, list)
    }
  }

  /// Exchanges two elements.
  public func swapAt(_ left: Int, _ right: Int) {
    check(left..<left + 1)
    check(right..<right + 1)
    guard let handle else { return own.swapAt(left, right) }
    handle.change { (writer, list, _) throws(StoreError) in try writer.swap(left, right, list) }
  }

  /// Puts an element in place of the one at a position.
  public func replace(index: Int, object: Element) {
    check(index..<index + 1)
    guard let handle else { return own[index] = object }
    if handle.holds(object, at: index) { return }
    handle.change(with: [object]) { (writer, list, values) throws(StoreError) in
      try writer.replace(at: index, with: values[0], list)
    }
  }

  /// Puts elements in place of those at positions.
  public func replaceSubrange<C: Swift.Collection>(_ range: Range<Int>, with elements: C)
  where C.Element == Element {
    let elements = Array(elements)
    check(range)
    guard let handle else { return own.replaceSubrange(range, with: elements) }
    handle.change(with: elements) { (writer, list, values) throws(StoreError) in
      try writer.remove(range, list)
      try writer.insert(values, at: range.lowerBound, list)
    }
  }

  private func check(_ range: Range<Int>) {
    let count = count
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count,
      "Position \(range.lowerBound) is outside of the list's \(count) elements")
  }
}

@available(*, unavailable)
extension List: Sendable {}

extension List: PersistedCollection {
  /// A list.
  public static var propertyType: PropertyType? { .list }
  /// A list is never nil.
  public static var isOptional: Bool { false }
  /// What the list holds.
  public static var elementType: (any Persistable.Type)? { Element.self }
  /// The class of the objects that the list holds.
  public static var targetType: AnyClass? { Element.targetType }
  /// A list finds its elements itself.
  public static var isHandle: Bool { true }
  /// A new unmanaged list.
  public static var emptyValue: List { List() }
  /// The list of a column.
  public static func held(by row: PersistedRow, column: Int32) -> List {
    List(CollectionHandle(access: row.access, column: column))
  }
  /// The list of a column.
  public static func load(from row: PersistedRow, column: Int32) -> List {
    held(by: row, column: column)
  }
  /// The list of a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> List? {
    held(by: row, column: column)
  }
  /// Nil: a list is read in its place.
  public static func make(from value: StoredValue) -> List? { nil }
  /// Null: a list has no stored form of its own.
  public var storedValue: StoredValue { .null }
  /// Gives a column's list these elements.
  public func save(to row: PersistedRow, column: Int32) {
    if !isBeingMade(row) { row.access.set(self, column: column) }
  }

  package var contents: CollectionContents { .elements(elements) }

  package var elementCount: Int { count }

  package func beginning(_ count: Int) -> CollectionContents {
    guard let handle else { return .elements(Array(own.prefix(count))) }
    let stored = handle.beginning(count)
    return .elements(stored.enumerated().map { handle.element($1, as: Element.self, at: $0) })
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier) {
    guard let other = other as? List else { return }
    own = other.elements.compactMap { copied($0, copy) }
  }

  package func replaceContents(_ other: any PersistedCollection) {
    guard let other = other as? List, other !== self else { return }
    own = other.elements
  }

  package func attach(to row: PersistedRow, column: Int32) {
    own = []
    handle = CollectionHandle(access: row.access, column: column)
  }
}
