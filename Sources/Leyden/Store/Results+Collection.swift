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
}

@available(*, unavailable)
extension ResultsRows: Sendable {}

extension Session {
  /// The live object of a row, as the element of a collection.
  func element<Element: Persistable>(row: UInt64) -> Element {
    guard let type = Element.self as? Object.Type else {
      preconditionFailure("\(Element.self) is not a model")
    }
    // SAFETY: `object` makes an instance of the class that it is given, which is `Element`.
    return unsafe unsafeBitCast(object(type, row: row), to: Element.self)
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
  public var last: Element? { evaluation.rows().last.map { session.element(row: $0) } }

  /// Fixes the rows at the store's version and goes through them.
  public func makeIterator() -> IndexingIterator<ResultsRows<Element>> { fixed.makeIterator() }

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
