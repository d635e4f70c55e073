// Underscores: users never name these, the compiler chooses by them.

/// A collection whose elements may be others at each look at the store.
///
/// What the standard library would do position by position, and so with several looks of which each may see
/// another writer's commit, is done with the elements of one look.
public protocol _LiveElements<Element>: Swift.Collection
where Index == Int, SubSequence == Slice<FixedElements<Element>>, Element: Persistable {
  /// The elements at the store's version.
  var _fixed: FixedElements<Element> { get }
}

extension _LiveElements {
  /// Zero: the number that an iteration finds is known when it begins, and not before.
  public var underestimatedCount: Int { 0 }

  // Array's initialiser asks for the count and then iterates: with another process committing in
  // between it would stop the program. This is the hook by which a collection copies itself.
  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the elements as they are now.
  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    _fixed._copyToContiguousArray()
  }

  /// Maps the elements as they are now.
  public func map<T, Failure: Error>(
    _ transform: (Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    try _fixed.map(transform)
  }

  /// The first elements, so many at the most.
  public func prefix(_ maxLength: Int) -> SubSequence { _fixed.prefix(maxLength) }

  /// The last elements, so many at the most.
  public func suffix(_ maxLength: Int) -> SubSequence { _fixed.suffix(maxLength) }

  /// The elements without the first ones.
  public func dropFirst(_ count: Int = 1) -> SubSequence { _fixed.dropFirst(count) }

  /// The elements without the last ones.
  public func dropLast(_ count: Int = 1) -> SubSequence { _fixed.dropLast(count) }

  /// The elements up to the first that does not fulfil a condition.
  public func prefix(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try _fixed.prefix(while: predicate)
  }

  /// The elements from the first that does not fulfil a condition.
  public func drop(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try _fixed.drop(while: predicate)
  }

  /// The position of the first element that fulfils a condition.
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try _fixed.firstIndex(where: predicate)
  }
}

extension _LiveElements where Self: BidirectionalCollection {
  /// The last elements, so many at the most.
  public func suffix(_ maxLength: Int) -> SubSequence { _fixed.suffix(maxLength) }

  /// The elements without the last ones.
  public func dropLast(_ count: Int = 1) -> SubSequence { _fixed.dropLast(count) }

  /// The elements, the last one first.
  public func reversed() -> ReversedCollection<FixedElements<Element>> { _fixed.reversed() }

  /// The last element that fulfils a condition.
  public func last(where predicate: (Element) throws -> Bool) rethrows -> Element? {
    try _fixed.last(where: predicate)
  }

  /// The position of the last element that fulfils a condition.
  public func lastIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try _fixed.lastIndex(where: predicate)
  }
}
