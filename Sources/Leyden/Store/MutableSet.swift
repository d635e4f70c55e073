import LeydenStorage

/// A collection that a property of a model holds, in which each value or object is once.
///
///     @Persisted var labels: MutableSet<Label>
///
/// As with `List`, it is live in a managed object. Its elements stand in the order of their values, objects in
/// that of their creation; an unmanaged set keeps the order in which they came. Values are the same where
/// queries say so: texts by canonical equivalence, 0 and −0, and there is one not-a-number. Objects are the
/// same where they are one row.
///
/// Positions are those of the last look at the store, which `endIndex` and loops take.
public final class MutableSet<Element: Persistable & Hashable>: Persistable, _LiveElements {
  /// A part of the set that owns its elements.
  public typealias SubSequence = Slice<FixedElements<Element>>

  /// Where the set is in a store; `nil` while it is unmanaged.
  package var handle: CollectionHandle?
  /// The elements of an unmanaged set.
  var own = UniqueElements<Element>()
  /// The elements as last looked at, for reading by position.
  private var known: [StoredValue] = []
  private var age: CollectionAge?

  /// Makes an empty unmanaged set.
  public init() {}

  init(_ handle: CollectionHandle) { self.handle = handle }

  deinit { own.release() }

  /// Whether the set belongs to a managed object that is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  // MARK: Elements

  /// The number of elements.
  public var count: Int {
    guard let handle else { return own.all.count }
    // Who reads by position asks for the number first, as some algorithms do.
    return age == nil ? handle.count : endIndex
  }

  /// Whether the set is empty.
  public var isEmpty: Bool { count == 0 }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of elements; a look at the store's version.
  public var endIndex: Int {
    guard handle != nil else { return own.all.count }
    look()
    return known.count
  }

  /// The next position.
  public func index(after position: Int) -> Int { position + 1 }

  /// The element at a position of the last look; any other position stops the program.
  public subscript(position: Int) -> Element {
    if handle != nil, known.isEmpty { look() }
    let count = handle == nil ? own.all.count : known.count
    precondition(
      position >= 0 && position < count,
      "Position \(position) is outside of the \(count) elements of "
        + (handle?.name ?? "an unmanaged set"))
    return handle?.element(known[position], as: Element.self) ?? own.all[position]
  }

  /// The elements at positions, which have to be there now.
  public subscript(bounds: Range<Int>) -> SubSequence { Slice(base: fixed, bounds: bounds) }

  /// The first element; nil where the set is empty.
  public var first: Element? { fixed.first }

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
  var fixed: FixedElements<Element> {
    guard let handle else { return FixedElements(own.all) }
    look()
    return FixedElements(known, of: handle)
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// The elements as they are now.
  public var _fixed: FixedElements<Element> { fixed }

  /// Goes through the elements as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> FixedElements<Element>.Iterator {
    fixed.makeIterator()
  }

  /// Whether the set holds a value or an object.
  public func contains(_ element: Element) -> Bool {
    guard let handle else { return own.contains(element) }
    guard let value = handle.stored(element), let rule = handle.row?.session.core.longKey else {
      return false
    }
    return handle.reading { (reader, _) throws(StorageError) in
      try reader.contains(value, rule)
    } ?? false
  }

  // MARK: Changes

  /// Puts a value or an object into the set, unless it is there.
  ///
  /// An object that the store does not have is added. A change of a managed set outside a write stops the
  /// program, and one that breaks a rule fails the write.
  public func insert(_ element: Element) { insert(contentsOf: CollectionOfOne(element)) }

  /// Puts values or objects into the set, as far as they are not there.
  public func insert<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    let elements = Array(elements)
    guard let handle else { return own.insert(contentsOf: elements) }
    handle.change(with: elements) { (writer, set, values) throws(StoreError) in
      for value in values { try writer.insert(value, set) }
    }
  }

  /// Takes a value or an object out of the set.
  public func remove(_ element: Element) { remove(contentsOf: CollectionOfOne(element)) }

  /// Takes values or objects out of the set, as far as they are there.
  func remove<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    let elements = Array(elements)
    guard let handle else { return own.remove(contentsOf: elements) }
    // What is not in the store is not in the set.
    let values = elements.compactMap { handle.stored($0) }
    handle.change { (writer, set, _) throws(StoreError) in
      for value in values { try writer.remove(value, set) }
    }
  }

  /// Takes everything out of the set.
  public func removeAll() {
    guard let handle else { return own = UniqueElements() }
    handle.change { (writer, set, _) throws(StoreError) in try writer.removeAll(set) }
  }
}

@available(*, unavailable)
extension MutableSet: Sendable {}

extension MutableSet: PersistedCollection, _CollectionProperty {
  /// What the set holds.
  public typealias _Element = Element
  /// A set.
  public static var propertyType: PropertyType? { .set }
  /// The set of a column.
  public static func held(by row: PersistedRow, column: Int32) -> MutableSet {
    MutableSet(CollectionHandle(row, column))
  }

  package func beginning(_ count: Int) -> CollectionContents {
    guard let handle else { return .elements(Array(own.all.prefix(count))) }
    return .elements(handle.beginning(count).map { handle.element($0, as: Element.self) })
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier?) {
    guard let other = other as? MutableSet else { return }
    own = UniqueElements(other.fixed.compactMap { copied($0, copy) })
  }

  package func removeOwn() { own = UniqueElements() }
}
