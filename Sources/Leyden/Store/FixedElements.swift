import LeydenStorage

/// The elements of a list, a set or results as they were at one moment, with live objects made as they are
/// reached.
///
/// What loops and slices run over.
public struct FixedElements<Element: Persistable>: RandomAccessCollection {
  private enum Source {
    case values([Element])
    case stored(ElementEvaluation.Elements, CollectionHandle)
    case rows([UInt64], Session)
  }

  private let source: Source

  init(_ values: [Element]) { source = .values(values) }

  init(_ stored: [StoredValue], of handle: CollectionHandle) {
    self.init(ElementEvaluation.Elements(values: stored), of: handle)
  }

  init(_ stored: ElementEvaluation.Elements, of handle: CollectionHandle) {
    source = .stored(stored, handle)
  }

  init(rows: [UInt64], _ session: Session) { source = .rows(rows, session) }

  /// Zero.
  public var startIndex: Int { 0 }

  /// The number of elements.
  public var endIndex: Int {
    switch source {
    case .values(let values): values.count
    case .stored(let elements, _): elements.values.count
    case .rows(let rows, _): rows.count
    }
  }

  /// The element at a position.
  public subscript(position: Int) -> Element {
    switch source {
    case .values(let values): values[position]
    case .stored(let elements, let handle): handle.element(elements, at: position)
    case .rows(let rows, let session): session.element(row: rows[position])
    }
  }

  // The standard library's goes from index to index, which takes longer than making the object
  // where the types are not known at compile time (benchmark: scan).
  /// Goes through the elements.
  public func makeIterator() -> Iterator {
    if case .rows(let rows, let session) = source { return Iterator(rows: rows, session) }
    return Iterator(self)
  }

  /// Maps the elements.
  public func map<T, Failure: Error>(
    _ transform: (Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    var mapped: [T] = []
    mapped.reserveCapacity(endIndex)
    var iterator = makeIterator()
    while let element = iterator.next() { mapped.append(try transform(element)) }
    return mapped
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the elements.
  public func _copyToContiguousArray() -> ContiguousArray<Element> {
    if case .values(let values) = source { return ContiguousArray(values) }
    var copy = ContiguousArray<Element>()
    copy.reserveCapacity(endIndex)
    var iterator = makeIterator()
    while let element = iterator.next() { copy.append(element) }
    return copy
  }
}

@available(*, unavailable)
extension FixedElements: Sendable {}

extension FixedElements {
  /// Goes through elements that were fixed at one moment, and makes a live object for each row.
  public struct Iterator: IteratorProtocol {
    private let rows: [UInt64]
    private let session: Session?
    private let type: Object.Type?
    private let others: FixedElements?
    private let end: Int
    private var position = 0

    init(rows: [UInt64], _ session: Session) {
      self.rows = rows
      self.session = session
      type = Element.requiredObjectType
      others = nil
      end = rows.count
    }

    init(_ elements: FixedElements) {
      rows = []
      session = nil
      type = nil
      others = elements
      end = elements.endIndex
    }

    /// The next element.
    public mutating func next() -> Element? {
      guard position < end else { return nil }
      defer { position += 1 }
      guard let session, let type else { return others?[position] }
      // SAFETY: `object` makes an instance of the class that it is given, which is `Element`.
      return unsafe unsafeBitCast(
        session.object(type, row: rows[position]), to: Element.self)
    }
  }
}

@available(*, unavailable)
extension FixedElements.Iterator: Sendable {}

extension Persistable {
  /// The model class that the type is.
  fileprivate static var requiredObjectType: Object.Type {
    guard let type = self as? Object.Type else { preconditionFailure("\(self) is not a model") }
    return type
  }
}

extension Session {
  /// The live object of a row, as the element of a collection.
  func element<Element: Persistable>(row: UInt64) -> Element {
    // SAFETY: `object` makes an instance of the class that it is given, which is `Element`.
    unsafe unsafeBitCast(object(Element.requiredObjectType, row: row), to: Element.self)
  }
}

extension CollectionHandle {
  /// The Swift value of one of some elements.
  func element<Element: Persistable>(
    _ elements: ElementEvaluation.Elements, at position: Int
  ) -> Element {
    element(
      elements.values[position], as: Element.self,
      at: elements.positions.map { $0[position] } ?? position)
  }
}

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
