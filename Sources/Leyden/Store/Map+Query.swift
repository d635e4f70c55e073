// What is asked of a map's values.
extension Map {
  /// The values as results, in the order of their keys; nil while the owner is unmanaged, or dynamic.
  ///
  /// Of an object that is gone they hold nil.
  public var results: Results<Value>? { handle?.results() }

  /// Those of the values that fulfil a condition; the owner has to be managed.
  public func `where`(_ isIncluded: (Query<Value>) -> Query<Bool>) -> Results<Value> {
    managed.where(isIncluded)
  }

  /// The values sorted by a property, or by themselves with `\.self`; the owner has to be managed.
  public func sorted<V>(by path: KeyPath<Value, V>, ascending: Bool = true) -> Results<Value> {
    managed.sorted(by: path, ascending: ascending)
  }

  /// The values sorted, nil before all of them; the owner has to be managed.
  public func sorted(ascending: Bool) -> Results<Value> where Value: Comparable {
    managed.sorted(ascending: ascending)
  }

  /// The values sorted by a property that is named, or by themselves with `"self"`.
  ///
  /// The owner has to be managed.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for what is not one stored value.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> Results<Value> {
    try managed.sorted(byKeyPath: path, ascending: ascending)
  }

  private var managed: Results<Value> {
    guard let results else {
      preconditionFailure(
        "A map of \(Value.self) is asked while its owner is in no store, or dynamic; add the owner first, or"
          + " use `filter` and `sorted` of Swift itself")
    }
    return results
  }
}
