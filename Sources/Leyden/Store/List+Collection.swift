public import Foundation
import LeydenStorage

// What answers from positions by default, and so would look into the store for each.
extension List {
  /// Goes through the elements as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> FixedElements<Element>.Iterator {
    fixed.makeIterator()
  }

  /// Zero: the number that an iteration finds is known when it begins, and not before.
  public var underestimatedCount: Int { 0 }

  // As with results: Array's initialiser asks for the count and then iterates.
  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the elements as they are now.
  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    fixed._copyToContiguousArray()
  }

  /// Maps the elements as they are now.
  public func map<T, Failure: Error>(
    _ transform: (Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    try fixed.map(transform)
  }

  /// The first elements, so many at the most.
  public func prefix(_ maxLength: Int) -> SubSequence { fixed.prefix(maxLength) }

  /// The last elements, so many at the most.
  public func suffix(_ maxLength: Int) -> SubSequence { fixed.suffix(maxLength) }

  /// The elements without the first ones.
  public func dropFirst(_ count: Int = 1) -> SubSequence { fixed.dropFirst(count) }

  /// The elements without the last ones.
  public func dropLast(_ count: Int = 1) -> SubSequence { fixed.dropLast(count) }

  /// The elements up to the first that does not fulfil a condition.
  public func prefix(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try fixed.prefix(while: predicate)
  }

  /// The elements from the first that does not fulfil a condition.
  public func drop(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try fixed.drop(while: predicate)
  }

  /// The elements, the last one first.
  public func reversed() -> ReversedCollection<FixedElements<Element>> { fixed.reversed() }

  /// The last element that fulfils a condition.
  public func last(where predicate: (Element) throws -> Bool) rethrows -> Element? {
    try fixed.last(where: predicate)
  }

  /// The position of the first element that fulfils a condition.
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try fixed.firstIndex(where: predicate)
  }

  /// The position of the last element that fulfils a condition.
  public func lastIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try fixed.lastIndex(where: predicate)
  }

  /// The elements at positions, which have to be there now.
  public func objects(at positions: IndexSet) -> [Element] {
    let elements = fixed
    return positions.map { elements[$0] }
  }
}

extension List where Element: Equatable {
  /// The position of the first element that equals one; nil where there is none.
  ///
  /// An object equals the same row of the same store.
  public func firstIndex(of element: Element) -> Int? {
    guard let handle, Element.targetType != nil else { return fixed.firstIndex { $0 == element } }
    guard let wanted = handle.stored(element) else { return nil }
    var position = 0
    let isFound = handle.reading { (reader, _) throws(StorageError) in
      var isFound = false
      try reader.forEach { value in
        isFound = value == wanted
        if !isFound { position += 1 }
        return !isFound
      }
      return isFound
    }
    return isFound ?? false ? position : nil
  }

  /// The position of the first element that equals one; nil where there is none.
  public func index(of element: Element) -> Int? { firstIndex(of: element) }

  /// Whether an element equals one.
  public func contains(_ element: Element) -> Bool { firstIndex(of: element) != nil }
}
