import LeydenStorage

/// The elements of a list or a set as they were at one moment, with live objects made as they are reached.
///
/// What loops and slices run over.
public struct FixedElements<Element: Persistable>: RandomAccessCollection {
  private enum Source {
    case values([Element])
    case stored([StoredValue], CollectionHandle)
  }

  private let source: Source

  init(_ values: [Element]) { source = .values(values) }

  init(_ stored: [StoredValue], of handle: CollectionHandle) {
    source = .stored(stored, handle)
  }

  /// Zero.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int {
    switch source {
    case .values(let values): values.count
    case .stored(let values, _): values.count
    }
  }

  /// The element at a position.
  public subscript(position: Int) -> Element {
    switch source {
    case .values(let values): values[position]
    case .stored(let values, let handle):
      handle.element(values[position], as: Element.self, at: position)
    }
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the elements.
  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    if case .values(let values) = source { return ContiguousArray(values) }
    var copy = ContiguousArray<Element>()
    copy.reserveCapacity(endIndex)
    for position in indices { copy.append(self[position]) }
    return copy
  }
}

@available(*, unavailable)
extension FixedElements: Sendable {}

extension CollectionHandle {
  /// The elements of a list or a set as they are now; none where the owner is gone.
  func elements<Element: Persistable>(as type: Element.Type) -> FixedElements<Element> {
    guard !Element.mayHoldObjects else {
      let stored = reading { (reader, _) throws(StorageError) in try reader.elements() } ?? []
      return FixedElements(stored, of: self)
    }
    var values: [Element] = []
    _ = reading { (reader, _) throws(StorageError) in
      values.reserveCapacity(try reader.count())
      try reader.forEach { value in
        values.append(Element.make(from: value) ?? Element.emptyValue)
        return true
      }
    }
    return FixedElements(values)
  }

  /// The elements of a list or a set as they are stored.
  func storedElements() -> [StoredValue] {
    reading { (reader, _) throws(StorageError) in try reader.elements() } ?? []
  }

  /// The collection's property with its owner's type, as messages say it.
  var name: String { row.map { $0.binding.name(of: Int(column)) } ?? "an embedded collection" }
}

extension Persistable {
  /// Whether an element of the type is an object, or may be one.
  static var mayHoldObjects: Bool { targetType != nil || propertyType == .anyValue }
}
