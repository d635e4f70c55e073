import LeydenStorage

/// The rows of one query in one session, shared by all copies of a results value.
///
/// It is evaluated when first asked, and brought forward by the change log after that.
package final class Evaluation {
  /// The session whose version counts.
  package let session: Session
  /// The model.
  package let objectType: Object.Type
  /// Which rows, in which order.
  package let query: RowQuery
  /// The type's name where it is dynamic.
  private let typeName: String?
  private var list: OrderedResults?
  /// The write's revision that the list is of; 0 for a committed version.
  private var revision: UInt64 = 0
  /// How many positions were said to exist without the rows being listed; they stay valid.
  private var promised = 0
  /// What was counted without listing the rows.
  private var counted: (version: UInt64, revision: UInt64, count: Int)?

  /// Makes an evaluation that has not been done yet.
  package init(
    _ session: Session, _ objectType: Object.Type, _ query: RowQuery, typeName: String? = nil
  ) {
    self.typeName = typeName
    self.session = session
    self.objectType = objectType
    self.query = query
  }

  /// The rows as last evaluated; evaluates where that never happened.
  package func lastRows() -> [UInt64] {
    listFirstTime()
    return list?.allRows() ?? []
  }

  /// The row at a position of the last evaluation; 0, which no row has, where the position was
  /// promised and its row is gone by now.
  package func lastRow(at position: Int) -> UInt64 {
    listFirstTime()
    if let count = list?.count, (0..<count).contains(position), let row = list?.row(at: position) {
      return row
    }
    precondition(
      (0..<promised).contains(position),
      "Position \(position) is outside of the results' \(lastCount) rows")
    return 0
  }

  /// The number of rows of the last evaluation.
  package var lastCount: Int {
    listFirstTime()
    return list?.count ?? 0
  }

  private func listFirstTime() {
    guard list == nil else { return }
    let before = promised
    evaluate()
    promised = before
  }

  /// The rows at the session's version.
  package func rows() -> [UInt64] {
    evaluate()
    return list?.allRows() ?? []
  }

  /// The number of rows at the session's version; they are listed where it is asked for again, of
  /// another version.
  package func count() -> Int {
    if list == nil, query.stages.isEmpty, let known = countOnly() {
      promised = known
      return known
    }
    evaluate()
    return list?.count ?? 0
  }

  private func countOnly() -> Int? {
    let count: Int?? = reading { (transaction, binding) throws(StorageError) -> Int? in
      let executor = QueryExecutor(self.query, binding, self.session)
      if self.query.condition == nil, self.query.source == .all {
        return try executor.count(in: transaction)
      }
      let writer = self.session.writer
      var (version, revision) = (writer?.version ?? 0, writer?.revision ?? 0)
      if writer == nil { version = try ChangeLog.newestVersion(in: transaction) }
      if let counted = self.counted {
        return counted.version == version && counted.revision == revision ? counted.count : nil
      }
      let count = try executor.count(in: transaction)
      self.counted = (version, revision, count)
      return count
    }
    return count ?? nil
  }

  /// The last row at the session's version.
  package func finalRow() -> UInt64? {
    evaluate()
    return list.flatMap { $0.count > 0 ? lastRow(at: $0.count - 1) : nil }
  }

  /// The first row at the session's version.
  package func firstRow() -> UInt64? {
    if list == nil, query.stages.isEmpty, query.order.isEmpty || query.condition == nil {
      let found = reading { (transaction, binding) throws(StorageError) in
        try QueryExecutor(self.query, binding, self.session).run(in: transaction, limit: 1).first?
          .row
      }
      let row = found ?? nil
      if row != nil { promised = max(promised, 1) }
      return row
    }
    evaluate()
    return list.flatMap { $0.count > 0 ? lastRow(at: 0) : nil }
  }

  /// Calls `body` with a property's value in each row of the query at the session's version, in order
  /// of creation where the order does not decide which rows there are.
  package func forEachValue(of route: Route, _ body: (StoredValue) -> Void) {
    var unordered = query
    if query.stages.isEmpty { unordered.order = [] }
    _ = reading { (transaction, binding) throws(StorageError) in
      try QueryExecutor(unordered, binding, self.session).forEachValue(
        of: route, in: transaction, body)
    }
  }

  /// How the query would be answered now, in words.
  package func explanation() -> String {
    reading { (transaction, binding) throws(StorageError) in
      try QueryExecutor(self.query, binding, self.session).explanation(in: transaction)
    } ?? "the store cannot be read"
  }

  /// Takes over an observer's list, so that positions that it was told are positions here.
  package func adopt(_ list: OrderedResults) {
    self.list = list
    revision = 0
  }

  /// Makes the list that of the session's version.
  private func evaluate() {
    promised = 0
    let result: OrderedResults? = reading { (transaction, binding) throws(StorageError) in
      let executor = QueryExecutor(self.query, binding, self.session)
      if let writer = self.session.writer {
        if let list = self.list, list.version == writer.version, self.revision == writer.revision {
          return list
        }
        self.revision = writer.revision
        return try OrderedResults(
          self.query, executor, version: writer.version, mayBeCut: true, in: transaction)
      }
      let version = try ChangeLog.newestVersion(in: transaction)
      if self.revision == 0, let list = self.list, list.version == version { return list }
      guard self.revision == 0, var list = self.list, list.version <= version, !list.isCut else {
        self.revision = 0
        return try OrderedResults(
          self.query, executor, version: version, mayBeCut: true, in: transaction)
      }
      let changes = try self.session.changes(
        after: list.version, through: version, in: transaction)
      self.list = nil
      _ = try list.advance(
        to: version, changes, executor, reporting: .all, in: transaction)
      return list
    }
    if let result { list = result }
  }

  /// The type as the session's catalog has it; `nil` for a dynamic one that it does not have.
  package var binding: TypeBinding? {
    guard let typeName else { return session.requiredBinding(of: objectType) }
    return session.catalog.type(named: typeName).flatMap { session.dynamicBinding($0.id) }
  }

  /// Runs `body` with the type as the transaction's catalog has it.
  ///
  /// - Returns: `nil` where the store is closed, or reading failed and the session noted it.
  private func reading<Result>(
    _ body: (Transaction, TypeBinding) throws(StorageError) -> Result
  ) -> Result? {
    if let writer = session.writer {
      do throws(StoreError) { try writer.flush() } catch {
        // The write does not fit, say: it fails, and the store stays as good as it was.
        writer.poison(error)
        return nil
      }
    }
    do throws(StoreError) {
      return try session.withTransaction { (transaction) throws(StorageError) in
        try session.refreshCatalog(in: transaction)
        // A dynamic type that the store does not have, or not yet, has no objects.
        guard let binding else { return nil }
        return try body(transaction, binding)
      }
    } catch {
      if error != .closed { session.fail(error) }
      promised = max(promised, list?.count ?? 0)
      list = nil
      return nil
    }
  }
}
