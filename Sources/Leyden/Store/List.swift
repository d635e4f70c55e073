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
/// `count`, `first`, `last`, loops, and parts such as `prefix` and `reversed` look at the store's version; a
/// loop runs over the elements that it found at its beginning, which may be removed meanwhile. A position
/// that a count has said to exist stays valid: where somebody shortened the list meanwhile, the element
/// there is an empty value or an invalidated object. Any other position stops the program.
public final class List<Element: Persistable>: Persistable, RandomAccessCollection {
  /// A part of the list that owns its elements.
  public typealias SubSequence = Slice<FixedElements<Element>>

  /// Where the list is in a store; `nil` while it is unmanaged.
  package var handle: CollectionHandle?
  /// The elements of an unmanaged list.
  var own: [Element] = []
  /// How many positions were said to exist.
  var promised = 0

  /// Makes an empty unmanaged list.
  public init() {}

  init(_ handle: CollectionHandle) { self.handle = handle }

  deinit { Released.take(&own) }

  /// Whether the list belongs to a managed object that is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  // MARK: Elements

  /// The number of elements.
  public var count: Int {
    guard let handle else { return own.count }
    promised = handle.count
    return promised
  }

  /// Whether there is no element.
  public var isEmpty: Bool { count == 0 }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int { count }

  /// The element at a position.
  ///
  /// - Complexity: One look-up in the store; O(parts) for the first one after somebody else changed a long
  ///   list, which has a part for about 200 elements.
  public subscript(position: Int) -> Element {
    get {
      guard let handle else {
        check(position..<position + 1)
        return own[position]
      }
      let found = look(handle) { _ in position }
      if let value = found?.value {
        return handle.element(value, as: Element.self, at: position)
      }
      precondition(
        position >= 0 && position < promised, problem(position, count: found?.count ?? 0))
      return handle.missing(Element.self)
    }
    set { replace(index: position, object: newValue) }
  }

  /// The elements at positions, which have to be there now.
  public subscript(bounds: Range<Int>) -> SubSequence { Slice(base: fixed, bounds: bounds) }

  /// The first element; nil where the list is empty.
  public var first: Element? {
    guard let handle else { return own.first }
    return look(handle) { _ in 0 }?.value.map { handle.element($0, as: Element.self, at: 0) }
  }

  /// The last element; nil where the list is empty.
  public var last: Element? {
    guard let handle else { return own.last }
    let found = look(handle) { $0 - 1 }
    return found?.value.map {
      handle.element($0, as: Element.self, at: found.map { $0.count - 1 })
    }
  }

  /// The number of elements, and the one at a position; nil where the owner is gone.
  private func look(
    _ handle: CollectionHandle, _ position: (Int) -> Int
  ) -> (count: Int, value: StoredValue?)? {
    let row = handle.row
    let found = handle.reading { (reader, _) throws(StorageError) -> (Int, StoredValue?) in
      let count = try reader.count()
      let position = position(count)
      guard position >= 0, position < count else { return (count, nil) }
      let value = try reader.element(position) { (list) throws(StorageError) in
        guard let row else { return try ListDirectory(of: list, in: reader.transaction) }
        return try row.session.directory(of: list, row, in: reader.transaction)
      }
      return (count, value)
    }
    return found.map { (count: $0.0, value: $0.1) }
  }

  /// The elements as they are now.
  var fixed: FixedElements<Element> {
    handle?.elements(as: Element.self) ?? FixedElements(own)
  }

  // MARK: Checking positions

  /// Stops the program where positions are outside of an unmanaged list, or of a managed one and of what was
  /// said of it.
  ///
  /// - Returns: The number of elements; `nil` where the owner is gone.
  @discardableResult
  func check(_ range: Range<Int>) -> Int? {
    let count = handle.map { $0.countIfPresent } ?? own.count
    guard let count else { return nil }
    let known = Swift.max(count, handle == nil ? 0 : promised)
    precondition(
      range.lowerBound >= 0 && range.upperBound <= known,
      problem(
        range.lowerBound < 0 || range.isEmpty ? range.lowerBound : range.upperBound - 1,
        count: count))
    return count
  }

  func problem(_ position: Int, count: Int) -> String {
    "Position \(position) is outside of the \(count) elements of "
      + (handle?.name ?? "an unmanaged list")
  }
}

@available(*, unavailable)
extension List: Sendable {}

extension List: PersistedCollection, _CollectionProperty {
  /// What the list holds.
  public typealias _Element = Element
  /// A list.
  public static var propertyType: PropertyType? { .list }
  /// The list of a column.
  public static func held(by row: PersistedRow, column: Int32) -> List {
    List(CollectionHandle(row, column))
  }

  package func beginning(_ count: Int) -> CollectionContents {
    guard let handle else { return .elements(Array(own.prefix(count))) }
    let stored = handle.beginning(count)
    return .elements(stored.enumerated().map { handle.element($1, as: Element.self, at: $0) })
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier?) {
    guard let other = other as? List else { return }
    own = other.fixed.compactMap { copied($0, copy) }
  }

  package func removeOwn() { own = [] }
}
