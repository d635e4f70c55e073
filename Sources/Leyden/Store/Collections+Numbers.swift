// Numbers and other values that have an order, in lists and sets. Nil does not count, and what is not a
// number is neither smallest nor largest.

// An underscore: users never name it, the compiler chooses by it.
/// A list or a set.
public protocol _ElementCollection: _CollectionProperty, Swift.Collection
where Element == _Element {}

extension List: _ElementCollection {}
extension MutableSet: _ElementCollection {}

extension _ElementCollection where Element: Comparable {
  /// The smallest element, by what is stored; nil where there is none.
  public func min() -> Element? { Element.made(of: aggregation.minimum) }

  /// The largest element, by what is stored; nil where there is none.
  public func max() -> Element? { Element.made(of: aggregation.maximum) }
}

extension _ElementCollection where Element: Numeric {
  /// The sum of the elements; zero where there are none.
  ///
  /// Whole numbers are added exactly. A sum that the type cannot hold is its largest or smallest value, and a
  /// line in the log. Other numbers are added in their order.
  public func sum() -> Element { Element.sum(of: stored) { name } }

  /// The mean of the elements; nil where there are none.
  public func average() -> Double? { aggregation.average }
}

extension _ElementCollection {
  /// The smallest element that is not nil, by what is stored; nil where there is none.
  public func min<Wrapped: Comparable>() -> Wrapped? where Element == Wrapped? {
    Wrapped.made(of: aggregation.minimum)
  }

  /// The largest element that is not nil, by what is stored; nil where there is none.
  public func max<Wrapped: Comparable>() -> Wrapped? where Element == Wrapped? {
    Wrapped.made(of: aggregation.maximum)
  }

  /// The sum of the elements that are not nil; zero where there are none.
  public func sum<Wrapped: Numeric>() -> Wrapped where Element == Wrapped? {
    Wrapped.sum(of: stored) { name }
  }

  /// The mean of the elements that are not nil; nil where there are none.
  public func average<Wrapped: Numeric>() -> Double? where Element == Wrapped? {
    aggregation.average
  }

  private var aggregation: Aggregation { Aggregation(of: stored) }

  /// The elements as they are stored.
  private var stored: [StoredValue] { handle?.storedElements() ?? map(\.storedValue) }

  private var name: String { handle?.name ?? "an unmanaged \(type(of: self))" }

  private var handle: CollectionHandle? { (self as? any PersistedCollection)?.handle }
}

extension Persistable {
  /// The value of a stored one that an aggregation has found.
  fileprivate static func made(of value: StoredValue?) -> Self? { value.flatMap { make(from: $0) } }
}

extension Persistable where Self: Numeric {
  fileprivate static func sum(of values: [StoredValue], _ name: () -> String) -> Self {
    if Self.self is any BinaryInteger.Type {
      return Aggregation(of: values).sum(as: Self.self, name)
    }
    return values.reduce(into: .zero) { sum, value in
      if value != .null, let number = make(from: value) { sum += number }
    }
  }
}

extension Aggregation {
  /// The sum of whole numbers; the type's largest or smallest value where that cannot hold it, which the log
  /// tells.
  func sum<Number: Numeric>(as type: Number.Type, _ name: () -> String) -> Number {
    let sum = wholeSum ?? 0
    if let sum = Number(exactly: sum) { return sum }
    Log.note("the sum of \(name()) is \(sum), too large for \(Number.self)")
    guard let type = Number.self as? any FixedWidthInteger.Type else { return .zero }
    let extreme: Any = sum < 0 ? type.min : type.max
    return extreme as? Number ?? .zero
  }
}
