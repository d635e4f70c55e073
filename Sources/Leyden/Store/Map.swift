import LeydenStorage

/// A collection of values or objects under texts that a property of a model holds.
///
///     @Persisted var marks: Map<String, Label?>
///     card.marks["first"] = label
///
/// As with `List`, it is live in a managed object. Its entries stand in the order of their keys; keys are the
/// same as texts are, by canonical equivalence, and may be any text. Objects are held
/// as optionals: the entry of an object that is deleted keeps its key, with nil.
public final class Map<Key: Hashable, Value: Persistable>: Persistable, Sequence {
  /// Where the map is in a store; `nil` while it is unmanaged.
  package var handle: CollectionHandle?
  /// The entries of an unmanaged map.
  var own: [Key: Value] = [:]

  /// Makes an empty unmanaged map.
  public init() {}

  init(_ handle: CollectionHandle) { self.handle = handle }

  deinit {
    guard Value.mayHoldObjects, !own.isEmpty else { return }
    var values = Array(own.values)
    own = [:]
    Released.take(&values)
  }

  /// Whether the map belongs to a managed object that is gone: deleted, rolled back, or its store closed.
  public var isInvalidated: Bool { handle.map { !$0.access.exists } ?? false }

  // MARK: Entries

  /// The number of entries.
  public var count: Int { handle?.count ?? own.count }

  /// Whether the map is empty.
  public var isEmpty: Bool { count == 0 }

  /// The value of a key; nil where the map does not have the key, or has it for an object that is gone.
  ///
  /// Setting nil removes the key. In a map of optionals, `map["k"] = .some(nil)` keeps the key with nil. A
  /// change of a managed map outside a write stops the program, and one that breaks a rule fails the write.
  public subscript(key: Key) -> Value? {
    get {
      guard let handle, let text = key as? String else {
        return own[key].flatMap { Self.shown($0) }
      }
      guard let rule = handle.row?.session.core.longKey else { return nil }
      let found: StoredValue?? = handle.reading { (reader, _) throws(StorageError) in
        try reader.value(forKey: text, rule)
      }
      guard case .some(.some(let value)) = found else { return nil }
      return Self.shown(handle.element(value, as: Value.self, of: text))
    }
    set {
      guard let newValue else { return removeObject(for: key) }
      guard let handle, let text = key as? String else { return own[key] = newValue }
      if handle.holds(newValue, of: text) { return }
      handle.change(with: [newValue]) { (writer, map, values) throws(StoreError) in
        try writer.set(values[0], forKey: text, map)
      }
    }
  }

  /// The value of a key, or another one where there is none: `map["k", default: 0] += 1`.
  public subscript(key: Key, default value: @autoclosure () -> Value) -> Value {
    get { self[key] ?? value() }
    set { self[key] = .some(newValue) }
  }

  /// The keys, in their order.
  public var keys: [Key] {
    guard let handle else { return entries.map(\.key) }
    return storedEntries(handle).compactMap { $0.key as? Key }
  }

  /// The values, in the order of their keys.
  public var values: [Value] { entries.map(\.value) }

  /// The first entry in the order of the keys; nil where the map is empty.
  public var first: (key: Key, value: Value?)? {
    entries(first: 1).first.map { (key: $0.key, value: Self.shown($0.value)) }
  }

  /// Goes through the entries as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> IndexingIterator<[(key: Key, value: Value?)]> {
    entries.map { (key: $0.key, value: Self.shown($0.value)) }.makeIterator()
  }

  /// The entries as they are now, in the order of the keys.
  var entries: [(key: Key, value: Value)] { entries(first: .max) }

  private func entries(first count: Int) -> [(key: Key, value: Value)] {
    guard let handle else {
      let sorted = own.sorted {
        ($0.key as? String ?? "") < ($1.key as? String ?? "")
      }
      return sorted.prefix(count).map { ($0.key, $0.value) }
    }
    return storedEntries(handle, first: count).compactMap { key, value in
      (key as? Key).map { ($0, handle.element(value, as: Value.self, of: key)) }
    }
  }

  func storedEntries(
    _ handle: CollectionHandle, first count: Int = .max
  ) -> [(key: String, value: StoredValue)] {
    var found: [(key: String, value: StoredValue)] = []
    _ = handle.reading { (reader, _) throws(StorageError) in
      try reader.forEachEntry {
        found.append(($0, $1))
        return found.count < count
      }
    }
    return found
  }

  /// What a map shows of a value: nothing of an object that is gone.
  private static func shown(_ value: Value) -> Value? {
    guard Value.isOptional, Value.targetType != nil else { return value }
    return unwrapped(value) == nil ? nil : value
  }
}

@available(*, unavailable)
extension Map: Sendable {}

extension Map: PersistedCollection, _CollectionProperty {
  /// What the map holds under its keys.
  public typealias _Element = Value
  /// A map, whose keys are texts.
  public static var propertyType: PropertyType? { Key.self == String.self ? .map : nil }
  /// The map of a column.
  public static func held(by row: PersistedRow, column: Int32) -> Map {
    Map(CollectionHandle(row, column))
  }

  package func beginning(_ count: Int) -> CollectionContents {
    .entries(
      entries(first: count).compactMap { entry in
        (entry.key as? String).map { ($0, entry.value) }
      })
  }

  package func fill(from other: any PersistedCollection, _ copy: ElementCopier?) {
    guard let other = other as? Map else { return }
    own = [:]
    for (key, value) in other.entries { own[key] = copied(value, copy) }
  }

  package func removeOwn() { own = [:] }
}
