import LeydenStorage

/// What is read and changed of a managed collection.
extension CollectionHandle {
  var row: ManagedRow? { access as? ManagedRow }

  /// The Swift value of an element, or of a map's value.
  ///
  /// Its place in a list or a map saves looking for it later, where it is an embedded object.
  func element<Element: Persistable>(
    _ value: StoredValue, as type: Element.Type, at position: Int? = nil, of key: String? = nil
  ) -> Element {
    switch value {
    case .structure(let record):
      guard let target = Element.targetType as? EmbeddedObject.Type else { break }
      let object = access.object(column, row: embeddedNumber(of: record), target)
      (object?.access as? EmbeddedRow)?.expect(at: position, key: key)
      return object as? Element ?? Element.emptyValue
    case .object(let reference):
      if Element.self == AnyValue.self {
        return AnyValue(value, of: access) as? Element ?? Element.emptyValue
      }
      guard let target = Element.targetType as? PersistedObject.Type else { break }
      return access.object(column, row: reference.row, target) as? Element ?? Element.emptyValue
    default: break
    }
    return Element.make(from: value) ?? Element.emptyValue
  }

  /// What stands for an element that is gone.
  func missing<Element: Persistable>(_ type: Element.Type) -> Element {
    guard !Element.isOptional, let target = Element.targetType as? PersistedObject.Type else {
      return Element.emptyValue
    }
    return access.object(column, row: 0, target) as? Element ?? Element.emptyValue
  }

  /// The stored form of a value, or of an object that this store has; `nil` for another one.
  func stored<Element: Persistable>(_ element: Element) -> StoredValue? {
    guard let object = object(in: element) else { return element.storedValue }
    guard let core = row?.session.core, let key = (object.access as? LiveRow)?.key(in: core) else {
      return nil
    }
    return element is AnyValue
      ? .object(ObjectReference(type: key.type, row: key.row))
      : .object(ObjectReference(row: key.row))
  }

  /// Whether an embedded object lies at a place of the collection already.
  func holds(_ element: any Persistable, at position: Int? = nil, of key: String? = nil) -> Bool {
    guard let object = unwrapped(element) as? EmbeddedObject,
      let own = object.access as? EmbeddedRow, let row, own.column == Int(column),
      own.owner.isSame(as: row), own.exists
    else { return false }
    return position.map { own.position == $0 } ?? (own.key == key)
  }

  /// The first elements of a list or a set.
  func beginning(_ count: Int) -> [StoredValue] {
    reading { (reader, _) throws(StorageError) in
      var found: [StoredValue] = []
      guard count > 0 else { return found }
      try reader.forEach {
        found.append($0)
        return found.count < count
      }
      return found
    } ?? []
  }

  private func object(in element: any Persistable) -> Object? {
    if case AnyValue.object(let object) = element { return object }
    return element as? Object
  }

  /// Reads the collection; `nil` where its owner is gone.
  func reading<Result>(
    _ body: (CollectionReader, CollectionAge) throws(StorageError) -> Result
  ) -> Result? {
    guard let row else { return nil }
    return row.session.reading(row, Int(column), body)
  }

  /// Changes the collection within the running write; outside of one the program stops.
  func change(
    with values: [any Persistable] = [], replacing positions: Range<Int>? = nil,
    _ body: (Writer, WrittenCollection, [StoredValue]) throws(StoreError) -> Void
  ) {
    guard let row else { return }
    row.session.change(row, Int(column), with: values, replacing: positions, body)
  }

  /// The number of elements; `nil` where the owner is gone.
  var countIfPresent: Int? {
    reading { (reader, _) throws(StorageError) in try reader.count() }
  }

  /// The number of elements; 0 where the owner is gone.
  var count: Int { countIfPresent ?? 0 }
}
