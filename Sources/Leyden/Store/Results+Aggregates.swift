extension Results where Element: Object {
  /// The smallest value of a property among the objects that have one; `nil` where none has.
  ///
  /// In the order of sorting, in which NaN is no number and does not count. Read from the records at
  /// the store's version; no object is made.
  ///
  /// - Complexity: O(*n*) records.
  public func min<V>(of path: KeyPath<Element, V>) -> V? {
    value(of: Aggregation(of: column(path), in: evaluation).minimum)
  }

  /// The largest value of a property among the objects that have one; `nil` where none has.
  ///
  /// As for the smallest.
  public func max<V>(of path: KeyPath<Element, V>) -> V? {
    value(of: Aggregation(of: column(path), in: evaluation).maximum)
  }

  /// The sum of a property over all objects; zero where there are none.
  ///
  /// Whole numbers are added exactly. A sum that the type cannot hold is its largest or smallest
  /// value, and a line in the log. Other numbers are added in order of creation.
  public func sum<V: Numeric>(of path: KeyPath<Element, V>) -> V {
    let column = column(path)
    if V.self is any BinaryInteger.Type {
      return Aggregation(of: column, in: evaluation).sum(as: V.self) {
        "\(Element.self).\(column.name)"
      }
    }
    guard let type = V.self as? any Persistable.Type else { return .zero }
    var sum = V.zero
    evaluation.forEachValue(of: Int(column.number)) { value in
      if let value = type.make(from: value) as? V { sum += value }
    }
    return sum
  }

  /// The mean of a property over the objects that have a value; `nil` where none has, and for
  /// properties that are not numbers.
  public func average<V>(of path: KeyPath<Element, V>) -> Double? {
    Aggregation(of: column(path), in: evaluation).average
  }

  private func column(_ path: AnyKeyPath) -> ModelType.Column {
    guard let column = ModelType.of(Element.self).column(for: path) else {
      preconditionFailure("\(path) is not one stored property of \(Element.self)")
    }
    return column
  }

  private func value<V>(of stored: StoredValue?) -> V? {
    guard let stored, let type = V.self as? any Persistable.Type else { return nil }
    return type.make(from: stored) as? V
  }
}
