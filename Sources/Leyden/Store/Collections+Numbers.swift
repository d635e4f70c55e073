// Numbers and other values that have an order, in collections and results. Nil does not count, and what is not a
// number is neither smallest nor largest.

// Underscores: users never name these, the compiler chooses by them.
/// What holds values that come to one.
public protocol _Aggregated {
  /// What it holds.
  associatedtype _Element: Persistable
  /// The values as they are stored.
  var _storedElements: [StoredValue] { get }
}

extension List: _Aggregated {
  // swift-format-ignore: NoLeadingUnderscores
  /// The elements as they are stored.
  public var _storedElements: [StoredValue] {
    handle?.storedElements() ?? own.map(\.storedValue)
  }
}

extension MutableSet: _Aggregated {
  // swift-format-ignore: NoLeadingUnderscores
  /// The elements as they are stored.
  public var _storedElements: [StoredValue] {
    handle?.storedElements() ?? own.all.map(\.storedValue)
  }
}

extension Map: _Aggregated {
  // swift-format-ignore: NoLeadingUnderscores
  /// The values as they are stored.
  public var _storedElements: [StoredValue] {
    handle?.storedElements() ?? own.values.map(\.storedValue)
  }
}

extension Results: _Aggregated {
  /// What the results are of.
  public typealias _Element = Element
  // swift-format-ignore: NoLeadingUnderscores
  /// The elements as they are stored; none for objects.
  public var _storedElements: [StoredValue] {
    if case .elements(let evaluation) = source { evaluation.current().values } else { [] }
  }
}

extension _Aggregated where _Element: Comparable {
  /// The smallest value, by what is stored; nil where there is none.
  public func min() -> _Element? { aggregation.minimum.flatMap { _Element.make(from: $0) } }

  /// The largest value, by what is stored; nil where there is none.
  public func max() -> _Element? { aggregation.maximum.flatMap { _Element.make(from: $0) } }
}

// Sequences have these too.
extension _Aggregated where Self: Sequence, Element == _Element, _Element: Comparable {
  /// The smallest element, by what is stored; nil where there is none.
  public func min() -> Element? { aggregation.minimum.flatMap { Element.make(from: $0) } }

  /// The largest element, by what is stored; nil where there is none.
  public func max() -> Element? { aggregation.maximum.flatMap { Element.make(from: $0) } }
}

extension _Aggregated where _Element: Numeric {
  /// The sum of the values; zero where there are none.
  ///
  /// Whole numbers are added exactly. A sum that the type cannot hold is its largest or smallest value, and a
  /// line in the log. Other numbers are added in their order.
  public func sum() -> _Element { _Element.sum(of: _storedElements) { name } }

  /// The mean of the values; nil where there are none.
  public func average() -> Double? { aggregation.average }
}

extension _Aggregated {
  /// The smallest value that is not nil, by what is stored; nil where there is none.
  public func min<Wrapped: Persistable & Comparable>() -> Wrapped? where _Element == Wrapped? {
    aggregation.minimum.flatMap { Wrapped.make(from: $0) }
  }

  /// The largest value that is not nil, by what is stored; nil where there is none.
  public func max<Wrapped: Persistable & Comparable>() -> Wrapped? where _Element == Wrapped? {
    aggregation.maximum.flatMap { Wrapped.make(from: $0) }
  }

  /// The sum of the values that are not nil; zero where there are none.
  public func sum<Wrapped: Persistable & Numeric>() -> Wrapped where _Element == Wrapped? {
    Wrapped.sum(of: _storedElements) { name }
  }

  /// The mean of the values that are not nil; nil where there are none.
  public func average<Wrapped: Persistable & Numeric>() -> Double? where _Element == Wrapped? {
    aggregation.average
  }

  private var aggregation: Aggregation { Aggregation(of: _storedElements) }

  private var name: String {
    (self as? any PersistedCollection)?.handle?.name ?? "\(Self.self)"
  }
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
