import LeydenStorage

extension Map {
  /// Removes a key and its value.
  public func removeObject(for key: Key) {
    guard let handle, let text = key as? String else {
      own[key] = nil
      return
    }
    handle.change { (writer, map, _) throws(StoreError) in
      try writer.removeValue(forKey: text, map)
    }
  }

  /// Removes a key.
  ///
  /// - Returns: The value that it had; nil where it was not there.
  @discardableResult
  public func removeValue(forKey key: Key) -> Value? {
    let old = self[key]
    removeObject(for: key)
    return old
  }

  /// Gives a key a value, which may be nil in a map of optionals.
  ///
  /// - Returns: The value that it had; nil where it was not there.
  @discardableResult
  public func updateValue(_ value: Value, forKey key: Key) -> Value? {
    let old = self[key]
    self[key] = .some(value)
    return old
  }

  /// Removes all entries.
  public func removeAll() {
    guard let handle else { return own.removeAll() }
    handle.change { (writer, map, _) throws(StoreError) in try writer.removeAll(map) }
  }

  /// Takes entries over.
  ///
  /// - Parameters:
  ///   - other: Keys and values, of a dictionary for instance.
  ///   - combine: What becomes of a key that is there: made of its value and the new one.
  public func merge<S: Sequence>(
    _ other: S, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where S.Element == (key: Key, value: Value) {
    for (key, value) in other { try merge(value, forKey: key, combine) }
  }

  /// Takes entries over.
  ///
  /// - Parameters:
  ///   - other: Keys and values.
  ///   - combine: What becomes of a key that is there: made of its value and the new one.
  public func merge<S: Sequence>(
    _ other: S, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows where S.Element == (Key, Value) {
    for (key, value) in other { try merge(value, forKey: key, combine) }
  }

  /// Takes the entries of another map over.
  ///
  /// - Parameters:
  ///   - other: The other map.
  ///   - combine: What becomes of a key that is there: made of its value and the new one.
  public func merge(
    _ other: Map, uniquingKeysWith combine: (Value, Value) throws -> Value
  ) rethrows {
    for (key, value) in other.entries { try merge(value, forKey: key, combine) }
  }

  private func merge(
    _ value: Value, forKey key: Key, _ combine: (Value, Value) throws -> Value
  ) rethrows {
    self[key] = .some(try self[key].map { try combine($0, value) } ?? value)
  }

  /// The entries with other values, as a dictionary of the standard library.
  public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> [Key: T] {
    var mapped: [Key: T] = [:]
    for (key, value) in entries { mapped[key] = try transform(value) }
    return mapped
  }
}
