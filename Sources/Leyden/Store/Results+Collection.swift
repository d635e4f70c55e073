/// Rows that were fixed at one moment, with live objects made as they are reached.
///
/// What loops and slices of ``Results`` run over.
public struct ResultsRows<Element: Persistable>: RandomAccessCollection {
  private let session: Session
  private let rows: [UInt64]

  init(_ session: Session, _ rows: [UInt64]) {
    self.session = session
    self.rows = rows
  }

  /// Zero.
  public var startIndex: Int { 0 }
  /// The number of rows.
  public var endIndex: Int { rows.count }
  /// The live object of a row.
  public subscript(position: Int) -> Element { session.element(row: rows[position]) }
  /// Goes through the rows.
  public func makeIterator() -> ResultsIterator<Element> { ResultsIterator(session, rows) }

  // The standard library's goes from index to index, which takes longer than making the object
  // where the types are not known at compile time (benchmark: scan).
  /// Maps the live objects.
  public func map<T, Failure: Error>(
    _ transform: (Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    var mapped: [T] = []
    mapped.reserveCapacity(rows.count)
    var iterator = makeIterator()
    while let element = iterator.next() { mapped.append(try transform(element)) }
    return mapped
  }
}

@available(*, unavailable)
extension ResultsRows: Sendable {}

/// Goes through rows that were fixed at one moment, and makes a live object for each.
public struct ResultsIterator<Element: Persistable>: IteratorProtocol {
  private let session: Session
  private let type: Object.Type
  private let rows: [UInt64]
  private var position = 0

  init(_ session: Session, _ rows: [UInt64]) {
    self.session = session
    self.rows = rows
    type = Element.requiredObjectType
  }

  /// The live object of the next row.
  public mutating func next() -> Element? {
    guard position < rows.count else { return nil }
    defer { position += 1 }
    // SAFETY: `object` makes an instance of the class that it is given, which is `Element`.
    return unsafe unsafeBitCast(
      session.object(type, row: rows[position]), to: Element.self)
  }
}

@available(*, unavailable)
extension ResultsIterator: Sendable {}

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

extension Results: RandomAccessCollection {
  /// A part of the results that owns its rows.
  public typealias SubSequence = Slice<ResultsRows<Element>>

  /// Zero.
  public var startIndex: Int { 0 }

  /// The number of rows of the last look at the store.
  public var endIndex: Int { evaluation.lastCount }

  /// The live object at a position of the last look at the store.
  ///
  /// A position outside of it stops the program.
  public subscript(position: Int) -> Element {
    session.element(row: evaluation.lastRow(at: position))
  }

  /// The objects at positions of the last look at the store.
  public subscript(bounds: Range<Int>) -> SubSequence {
    Slice(base: ResultsRows(session, evaluation.lastRows()), bounds: bounds)
  }

  /// The number of objects at the store's version.
  public var count: Int { evaluation.count() }

  /// Whether there is no object at the store's version.
  public var isEmpty: Bool { evaluation.firstRow() == nil }

  /// The first object at the store's version.
  public var first: Element? { evaluation.firstRow().map { session.element(row: $0) } }

  /// The last object at the store's version.
  public var last: Element? { evaluation.finalRow().map { session.element(row: $0) } }

  /// Fixes the rows at the store's version and goes through them.
  public func makeIterator() -> ResultsIterator<Element> { fixed.makeIterator() }

  /// Zero: the number that an iteration finds is known when it begins, and not before.
  public var underestimatedCount: Int { 0 }

  fileprivate var fixed: ResultsRows<Element> { ResultsRows(session, evaluation.rows()) }

  /// Maps the objects of one look at the store.
  public func map<T, Failure: Error>(
    _ transform: (Element) throws(Failure) -> T
  ) throws(Failure) -> [T] {
    try fixed.map(transform)
  }

  // Array's initialiser asks for the count and then iterates: with another process committing in
  // between it would stop the program. This is the hook by which a collection copies itself.
  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the objects of one look at the store.
  public func _copyToContiguousArray() -> ContiguousArray<Element> { ContiguousArray(fixed) }
}

// What answers from positions by default, and would so go through rows of an earlier look.
extension Results {
  /// The first objects at the store's version, so many at the most.
  public func prefix(_ maxLength: Int) -> SubSequence { fixed.prefix(maxLength) }

  /// The last objects at the store's version, so many at the most.
  public func suffix(_ maxLength: Int) -> SubSequence { fixed.suffix(maxLength) }

  /// The objects at the store's version without the first ones.
  public func dropFirst(_ count: Int = 1) -> SubSequence { fixed.dropFirst(count) }

  /// The objects at the store's version without the last ones.
  public func dropLast(_ count: Int = 1) -> SubSequence { fixed.dropLast(count) }

  /// The objects at the store's version up to the first that does not fulfil a condition.
  public func prefix(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try fixed.prefix(while: predicate)
  }

  /// The objects at the store's version from the first that does not fulfil a condition.
  public func drop(while predicate: (Element) throws -> Bool) rethrows -> SubSequence {
    try fixed.drop(while: predicate)
  }

  /// The objects at the store's version, the last one first.
  public func reversed() -> ReversedCollection<ResultsRows<Element>> { fixed.reversed() }

  /// The last object at the store's version that fulfils a condition.
  public func last(where predicate: (Element) throws -> Bool) rethrows -> Element? {
    try fixed.last(where: predicate)
  }

  /// The position at the store's version of the first object that fulfils a condition.
  public func firstIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try fixed.firstIndex(where: predicate)
  }

  /// The position at the store's version of the last object that fulfils a condition.
  public func lastIndex(where predicate: (Element) throws -> Bool) rethrows -> Int? {
    try fixed.lastIndex(where: predicate)
  }
}
