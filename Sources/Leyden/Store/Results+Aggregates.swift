extension Results {
  /// The smallest value of a property among the objects that have one; `nil` where none has.
  ///
  /// In the order of sorting, in which NaN is no number and does not count. Read from the records at
  /// the store's version; no object is made.
  ///
  /// - Complexity: O(*n*) records.
  public func min<V>(of path: KeyPath<Element, V>) -> V? {
    aggregation(of: Route(to: path)).minimum.flatMap { Aggregation.value(of: $0) }
  }

  /// The largest value of a property among the objects that have one; `nil` where none has.
  ///
  /// As for the smallest.
  public func max<V>(of path: KeyPath<Element, V>) -> V? {
    aggregation(of: Route(to: path)).maximum.flatMap { Aggregation.value(of: $0) }
  }

  /// The sum of a property over all objects; zero where there are none.
  ///
  /// Whole numbers are added exactly. A sum that the type cannot hold is its largest or smallest
  /// value, and a line in the log. Other numbers are added in order of creation.
  public func sum<V: Numeric>(of path: KeyPath<Element, V>) -> V {
    sum(of: Route(to: path))
  }

  /// The same of a property that may be nil, or is reached through links: nil does not count.
  public func sum<V: Numeric>(of path: KeyPath<Element, V?>) -> V { sum(of: Route(to: path)) }

  private func sum<V: Numeric>(of route: Route) -> V {
    if V.self is any BinaryInteger.Type {
      return aggregation(of: route).sum(as: V.self) {
        "\(Element.self).\(Element.model.map { route.name(in: $0) } ?? "self")"
      }
    }
    guard let type = V.self as? any Persistable.Type else { return .zero }
    var sum = V.zero
    forEachValue(of: route) { value in
      if let value = type.make(from: value) as? V { sum += value }
    }
    return sum
  }

  /// The mean of a property over the objects that have a value; `nil` where none has, and for
  /// properties that are not numbers.
  public func average<V>(of path: KeyPath<Element, V>) -> Double? {
    aggregation(of: Route(to: path)).average
  }
}

extension Results {
  /// What a property's values come to at the store's version.
  func aggregation(of route: Route) -> Aggregation {
    var all = Aggregation()
    forEachValue(of: route) { all.add($0) }
    return all
  }

  private func forEachValue(of route: Route, _ body: (StoredValue) -> Void) {
    switch source {
    case .rows(let evaluation): evaluation.forEachValue(of: route, body)
    case .elements(let evaluation): evaluation.forEachValue(of: route, body)
    }
  }
}

extension Aggregation {
  /// The value that a stored one stands for.
  static func value<V>(of stored: StoredValue) -> V? {
    (V.self as? any Persistable.Type)?.make(from: stored) as? V
  }
}
