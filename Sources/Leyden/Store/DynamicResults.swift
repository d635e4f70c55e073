/// The objects of a type that is named, whether or not the program has a class for it: a lazy collection
/// that follows the store, as `Results` do.
public struct DynamicResults {
  private let evaluation: Evaluation
  private let typeName: String

  init(_ session: Session, _ typeName: String, _ query: RowQuery = RowQuery()) {
    self.typeName = typeName
    evaluation = Evaluation(session, DynamicObject.self, query, typeName: typeName)
  }

  /// The same objects, sorted by a property; equal ones keep the order that they had.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` for a name that the type does not have, or that
  ///   is not one value.
  public func sorted(byKeyPath path: String, ascending: Bool = true) throws -> DynamicResults {
    guard let column = evaluation.binding?.model.column(named: path), column.type.isScalar else {
      throw StoreError.invalidQuery("\(typeName) has no value \(path) to sort by", position: 0)
    }
    let term = SortTerm(column: Int(column.number), ascending: ascending)
    return DynamicResults(evaluation.session, typeName, evaluation.query.followed(by: .sort(term)))
  }

  private func object(_ row: UInt64) -> DynamicObject {
    let type = evaluation.session.catalog.type(named: typeName)?.id
    return type.flatMap {
      evaluation.session.dynamicObject(ObjectReference(type: $0, row: row))
    } ?? DynamicObject()
  }
}

@available(*, unavailable)
extension DynamicResults: Sendable {}

extension DynamicResults: RandomAccessCollection {
  /// Zero.
  public var startIndex: Int { 0 }

  /// The number of rows of the last look at the store.
  public var endIndex: Int { evaluation.lastCount }

  /// The live object at a position of the last look at the store.
  public subscript(position: Int) -> DynamicObject { object(evaluation.lastRow(at: position)) }

  /// The number of objects at the store's version.
  public var count: Int { evaluation.count() }

  /// Whether there is no object at the store's version.
  public var isEmpty: Bool { evaluation.firstRow() == nil }

  /// The first object at the store's version.
  public var first: DynamicObject? { evaluation.firstRow().map { object($0) } }

  /// The last object at the store's version.
  public var last: DynamicObject? { evaluation.finalRow().map { object($0) } }

  /// Zero: the number that an iteration finds is known when it begins, and not before.
  public var underestimatedCount: Int { 0 }

  /// Fixes the rows at the store's version and goes through them; they may be deleted meanwhile.
  public func makeIterator() -> AnyIterator<DynamicObject> {
    var rows = evaluation.rows().makeIterator()
    return AnyIterator { rows.next().map { object($0) } }
  }

  // swift-format-ignore: NoLeadingUnderscores
  /// Copies the objects of one look at the store.
  public func _copyToContiguousArray() -> ContiguousArray<DynamicObject> {
    ContiguousArray(evaluation.rows().map { object($0) })
  }
}
