extension Query {
  /// A stored property of the objects in the list.
  public subscript<E: PersistedObject, V>(dynamicMember path: KeyPath<E, V>) -> Query<V>
  where T == List<E> {
    elements(E.self).member(path, of: E.self)
  }

  /// A stored property of the objects in the set.
  public subscript<E: PersistedObject, V>(dynamicMember path: KeyPath<E, V>) -> Query<V>
  where T == MutableSet<E> {
    elements(E.self).member(path, of: E.self)
  }

  /// A stored property of the objects that lead here.
  public subscript<E: Object, V>(dynamicMember path: KeyPath<E, V>) -> Query<V>
  where T == LinkingObjects<E> {
    elements(E.self).member(path, of: E.self)
  }
}

extension Query {
  /// The list has the value or the object.
  public func contains<E: Equatable>(_ element: E) -> Query<Bool> where T == List<E> {
    elements(E.self) == element
  }

  /// The list has one of the values or objects.
  public func containsAny<E, S: Sequence>(in elements: S) -> Query<Bool>
  where T == List<E>, S.Element == E {
    self.elements(E.self).isIn(Array(elements))
  }

  /// The set has the value or the object.
  public func contains<E: Equatable>(_ element: E) -> Query<Bool> where T == MutableSet<E> {
    elements(E.self) == element
  }

  /// The set has one of the values or objects.
  public func containsAny<E, S: Sequence>(in elements: S) -> Query<Bool>
  where T == MutableSet<E>, S.Element == E {
    self.elements(E.self).isIn(Array(elements))
  }

  /// The object leads here.
  public func contains<E: Object>(_ object: E) -> Query<Bool> where T == LinkingObjects<E> {
    elements(E.self) == object
  }

  /// One of the objects leads here.
  public func containsAny<E: Object, S: Sequence>(in objects: S) -> Query<Bool>
  where T == LinkingObjects<E>, S.Element == E {
    elements(E.self).isIn(Array(objects))
  }

  /// An element of the list lies in the range, its ends included.
  public func contains<E: Comparable>(_ range: ClosedRange<E>) -> Query<Bool>
  where T == List<E> {
    elements(E.self).contains(range)
  }

  /// An element of the list lies in the range, its upper end excluded.
  public func contains<E: Comparable>(_ range: Range<E>) -> Query<Bool> where T == List<E> {
    elements(E.self).contains(range)
  }

  /// An element of the set lies in the range, its ends included.
  public func contains<E: Comparable>(_ range: ClosedRange<E>) -> Query<Bool>
  where T == MutableSet<E> {
    elements(E.self).contains(range)
  }

  /// An element of the set lies in the range, its upper end excluded.
  public func contains<E: Comparable>(_ range: Range<E>) -> Query<Bool> where T == MutableSet<E> {
    elements(E.self).contains(range)
  }
}

extension Query {
  /// The value that the map has under a key; nil where it does not have the key.
  public subscript<Value>(key: String) -> Query<Value> where T == Map<String, Value> {
    let (steps, column) = value
    return Query<Value>(node: .value(steps + [.entry(column, key)], Expression.itself))
  }

  /// The map has the value, or the object, under some key.
  public func contains<Value: Equatable>(_ value: Value) -> Query<Bool>
  where T == Map<String, Value> {
    elements(Value.self) == value
  }

  /// The map has one of the values, or of the objects, under some key.
  public func containsAny<Value, S: Sequence>(in values: S) -> Query<Bool>
  where T == Map<String, Value>, S.Element == Value {
    elements(Value.self).isIn(Array(values))
  }
}

/// A map from texts.
public protocol _MapProperty: _CollectionProperty {}
extension Map: _MapProperty where Key == String {}

extension Query where T: _MapProperty {
  /// The keys of the map: compared with success where any of them is.
  public var keys: Query<String> {
    let (steps, column) = value
    return Query<String>(node: .value(steps + [.keys(column)], Expression.itself))
  }

  /// The values of the map: compared with success where any of them is.
  public var values: Query<T._Element> { eachElement }
}
