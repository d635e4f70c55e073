import LeydenStorage

/// The elements of a list, a set or results as they were at one moment, with live objects made as they are
/// reached.
///
/// What loops and slices run over.
public struct FixedElements<Element: Persistable>: RandomAccessCollection {
  private enum Source {
    case values([Element])
    case stored(ElementEvaluation.Elements, CollectionHandle)
    case rows([UInt64], RowObjects<Element>)
  }

  private let source: Source

  init(_ values: [Element]) { source = .values(values) }

  init(_ stored: [StoredValue], of handle: CollectionHandle) {
    self.init(ElementEvaluation.Elements(values: stored), of: handle)
  }

  init(_ stored: ElementEvaluation.Elements, of handle: CollectionHandle) {
    source = .stored(stored, handle)
  }

  init(rows: [UInt64], _ objects: RowObjects<Element>) { source = .rows(rows, objects) }

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
    case .rows(let rows, let objects): objects[rows[position]]
    }
  }

  // The standard library's goes from index to index, which takes longer than making the object
  // where the types are not known at compile time (benchmark: scan).
  /// Goes through the elements.
  public func makeIterator() -> Iterator {
    if case .rows(let rows, let objects) = source { return Iterator(rows: rows, objects) }
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
    private let objects: RowObjects<Element>?
    private let others: FixedElements?
    private let end: Int
    private var position = 0

    init(rows: [UInt64], _ objects: RowObjects<Element>) {
      self.rows = rows
      self.objects = objects
      others = nil
      end = rows.count
    }

    init(_ elements: FixedElements) {
      rows = []
      objects = nil
      others = elements
      end = elements.endIndex
    }

    /// The next element.
    public mutating func next() -> Element? {
      guard position < end else { return nil }
      defer { position += 1 }
      return objects?[rows[position]] ?? others?[position]
    }
  }
}

@available(*, unavailable)
extension FixedElements.Iterator: Sendable {}

/// The live objects of rows of one type.
struct RowObjects<Element: Persistable> {
  private let session: Session
  private let type: Object.Type
  /// The type, where the program has no class for it.
  private let dynamicModel: ModelReference?

  init(_ evaluation: Evaluation) {
    guard let type = Element.self as? Object.Type else {
      preconditionFailure("\(Element.self) is not a model")
    }
    session = evaluation.session
    self.type = type
    dynamicModel = evaluation.model.isDynamic ? evaluation.model : nil
  }

  /// The live object of a row.
  subscript(row: UInt64) -> Element {
    // SAFETY: `object` makes an instance of the class that it is given, which is `Element`.
    unsafe unsafeBitCast(
      dynamicModel.map { $0.object(row, in: session) ?? DynamicObject() }
        ?? session.object(type, row: row), to: Element.self)
  }
}

extension Evaluation {
  /// The live object of a row.
  func element<Element: Persistable>(_ row: UInt64) -> Element { RowObjects(self)[row] }
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
