public import Foundation

/// A collection that a property holds, and that can be asked as results can: a list, a set, or linking objects.
///
///     person.cards.where { $0.rating > 3 }.sorted(by: \.title)
///     card.numbers.where { $0 > 3 }
///
/// What is asked for follows the collection: its elements, in its order, each as often as it is there. Where
/// the owner is deleted there are none.
public protocol QueryableCollection<Element>: Sequence where Element: Persistable {
  /// The elements as results, in the collection's order; nil while the owner is unmanaged.
  var results: Results<Element>? { get }
}

extension List: QueryableCollection {
  /// The elements as results, in the list's order; nil while the owner is unmanaged.
  public var results: Results<Element>? { handle?.results() }
}

extension MutableSet: QueryableCollection {
  /// The elements as results, in the set's order; nil while the owner is unmanaged.
  public var results: Results<Element>? { handle?.results() }
}

extension LinkingObjects: QueryableCollection {}

extension CollectionHandle {
  /// What a list or a set holds, or the values of a map, as results.
  func results<Element: Persistable>() -> Results<Element>? {
    guard let row else { return nil }
    guard let type = Element.self as? Object.Type else {
      return Results(ElementEvaluation(row, ElementQuery(row, column: Int(column))))
    }
    guard let place = CollectionPlace(row, column: Int(column)) else { return nil }
    var query = RowQuery()
    query.source = .collection(place)
    let model = row.binding.model.columns[Int(column)].targetModel
    return Results(
      Evaluation(row.session, model.map { ModelReference($0) } ?? ModelReference(type), query))
  }
}

extension QueryableCollection {
  private var managed: Results<Element> {
    guard let results else {
      preconditionFailure(
        "A collection of \(Element.self) is asked while its owner is in no store; add the owner first,"
          + " or use `filter` and `sorted` of Swift itself")
    }
    return results
  }

  /// Those of the elements that fulfil a condition; the owner has to be managed.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results<Element> {
    managed.where(isIncluded)
  }

  /// The elements sorted by a property, values by `\.self`; equal ones keep the collection's order.
  ///
  /// The owner has to be managed.
  public func sorted<V>(
    by path: KeyPath<Element, V>, ascending: Bool = true
  ) -> Results<Element> {
    managed.sorted(by: path, ascending: ascending)
  }

  /// The values sorted, nil before all of them; the owner has to be managed.
  public func sorted(ascending: Bool) -> Results<Element> where Element: Comparable {
    managed.sorted(ascending: ascending)
  }

  /// The objects sorted by a property that is named, or values by `"self"`; equal ones keep the collection's order.
  ///
  /// The owner has to be managed.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for what is not one stored value.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> Results<Element> {
    try managed.sorted(byKeyPath: path, ascending: ascending)
  }

  /// The objects sorted by descriptors; those that are equal in all keep the collection's order.
  ///
  /// The owner has to be managed.
  ///
  /// - Throws: As for results.
  public func sorted(
    by descriptors: [SortDescriptor<Element>]
  ) throws -> Results<Element> where Element: Object {
    try managed.sorted(by: descriptors)
  }

  /// Of the elements with an equal value of a property, the first one; the owner has to be managed.
  public func distinct<V>(by path: KeyPath<Element, V>) -> Results<Element> {
    managed.distinct(by: path)
  }

  /// The position of the first element that fulfils a condition, or nil where none does; the owner has to be managed.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    managed.index(matching: isIncluded)
  }

  /// The smallest value of a property among the objects that have one; nil where none has.
  public func min<V>(of path: KeyPath<Element, V>) -> V? {
    aggregation(of: path).minimum.flatMap { Aggregation.value(of: $0) }
  }

  /// The largest value of a property among the objects that have one; nil where none has.
  public func max<V>(of path: KeyPath<Element, V>) -> V? {
    aggregation(of: path).maximum.flatMap { Aggregation.value(of: $0) }
  }

  /// The sum of a property over all objects, each as often as it is there; zero where there are none.
  public func sum<V: Numeric>(of path: KeyPath<Element, V>) -> V {
    results?.sum(of: path) ?? reduce(.zero) { $0 + $1[keyPath: path] }
  }

  /// The same of a property that may be nil, or is reached through links: nil does not count.
  public func sum<V: Numeric>(of path: KeyPath<Element, V?>) -> V {
    results?.sum(of: path) ?? reduce(.zero) { $0 + ($1[keyPath: path] ?? .zero) }
  }

  /// The mean of a property over the objects that have a value; nil where none has, and for properties that
  /// are not numbers.
  public func average<V>(of path: KeyPath<Element, V>) -> Double? {
    aggregation(of: path).average
  }

  private func aggregation<V>(of path: KeyPath<Element, V>) -> Aggregation {
    if let results { return results.aggregation(of: Route(to: path)) }
    var all = Aggregation()
    for object in self {
      all.add((object[keyPath: path] as? any Persistable)?.storedValue ?? .null)
    }
    return all
  }
}
