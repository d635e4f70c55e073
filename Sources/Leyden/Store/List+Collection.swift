public import Foundation
import LeydenStorage

// What answers from positions by default, and so would look into the store for each.
extension List: _LiveElements {
  // swift-format-ignore: NoLeadingUnderscores
  /// The elements as they are now.
  public var _fixed: FixedElements<Element> { fixed }

  /// Goes through the elements as they are now; they may be changed and removed meanwhile.
  public func makeIterator() -> FixedElements<Element>.Iterator {
    fixed.makeIterator()
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
