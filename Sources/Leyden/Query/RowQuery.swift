package import LeydenStorage

/// What is asked of one type: which rows, in which order.
///
/// Without an order, rows come in the order of their creation.
package struct RowQuery: Sendable, Hashable {
  /// The condition; `nil` where every row is wanted.
  package var condition: Expression?
  /// The order: the first term counts most.
  package var order: [SortTerm] = []

  /// What is done with the rows in that order, one step after the other.
  package var stages: [RowStage] = []

  /// Asks for every row.
  package init() {}

  /// The same rows, of which those that also fulfil another condition.
  package func filtered(by more: Expression) -> RowQuery {
    guard stages.isEmpty else { return followed(by: .filter(more)) }
    var query = self
    query.condition = condition?.and(more) ?? more
    return query
  }

  /// The same rows in another order; rows that are equal in it keep the order that they had.
  package func sorted(by term: SortTerm) -> RowQuery {
    guard stages.isEmpty else { return followed(by: .sort(term)) }
    var query = self
    query.order = [term] + order.filter { $0.column != term.column }
    return query
  }

  /// The same rows, with one more step.
  package func followed(by stage: RowStage) -> RowQuery {
    var query = self
    query.stages.append(stage)
    return query
  }

  /// The columns that membership and place depend on before the first step.
  package var columns: Set<Int> {
    (condition?.columns ?? []).union(order.map(\.column))
  }
}

/// A query made ready for one model and catalog.
package struct QueryExecutor {
  let binding: TypeBinding
  let query: RowQuery
  private let test: RowTest?
  private let order: [(term: SortTerm, isOptional: Bool)]
  /// The order where it is one number.
  private let number: (term: SortTerm, kind: SortTerm.NumberKey)?

  /// Compiles a query.
  package init(_ query: RowQuery, _ binding: TypeBinding) {
    self.binding = binding
    self.query = query
    test = query.condition.map { $0.compiled(for: binding) }
    order = query.order.map { ($0, binding.model.columns[$0.column].isOptional) }
    number =
      query.order.count == 1
      ? query.order.first.flatMap { term in
        term.numberKey(binding.model.columns[term.column]).map { (term, $0) }
      } : nil
  }

  /// The rows that the query names, in order, before its steps.
  ///
  /// - Parameters:
  ///   - transaction: Where to read.
  ///   - limit: How many are wanted; heeded where they need not be sorted first.
  /// - Returns: The rows, each with its place.
  /// - Throws: What reading may run into.
  /// - Complexity: O(*n*) records for *n* rows of the type, and O(*m* log *m*) for *m* results.
  package func run(
    in transaction: Transaction, limit: Int = .max
  ) throws(StorageError) -> [OrderedRow] {
    guard let table = try binding.table(in: transaction) else { return [] }
    if let found = try runByIndex(table, limit: limit, in: transaction) { return found }
    var rows: [OrderedRow] = []
    if test == nil, limit == .max { rows.reserveCapacity(try transaction.count(of: table)) }
    var key = KeyEncoder()
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      if let place = unsafe try place(cursor.value, &key, transaction) {
        rows.append(OrderedRow(key: place, row: cursor.row))
        if order.isEmpty, rows.count == limit { break }
      }
      found = try cursor.next()
    }
    if !order.isEmpty { rows.sort() }
    return rows
  }

  /// Answers from an index: its order, or the rows that it names for the condition.
  ///
  /// - Returns: `nil` where going through all records is as good.
  private func runByIndex(
    _ table: Table, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> [OrderedRow]? {
    guard let condition = query.condition else {
      guard order.count == 1, let (term, isOptional) = order.first else { return nil }
      return try QueryPlanner(binding).ordered(
        by: term, isOptional: isOptional, limit: limit, in: transaction)
    }
    guard
      let found = try QueryPlanner(binding).candidates(
        of: condition, limit: try candidateLimit(table, transaction), in: transaction)
    else { return nil }
    var rows: [OrderedRow] = []
    var key = KeyEncoder()
    var last: UInt64?
    for row in found.rows.sorted() where row != last {
      last = row
      guard let bytes = unsafe try transaction.value(forRow: row, in: table) else {
        throw .corrupted("an index of \(binding.model.name) names row \(row), which does not exist")
      }
      if let place = unsafe try place(bytes, &key, transaction) {
        rows.append(OrderedRow(key: place, row: row))
        if order.isEmpty, rows.count == limit { break }
      }
    }
    if !order.isEmpty { rows.sort() }
    return rows
  }

  /// Reading a record by its number costs about eight times what passing it in a scan does.
  private func candidateLimit(
    _ table: Table, _ transaction: Transaction
  ) throws(StorageError) -> Int {
    max(64, try transaction.count(of: table) / 8)
  }

  /// How the query would be answered now, in words.
  package func explanation(in transaction: Transaction) throws(StorageError) -> String {
    guard let table = try binding.table(in: transaction) else { return "no rows" }
    let all = try transaction.count(of: table)
    let names = order.map { term, _ in
      binding.model.columns[term.column].name + (term.ascending ? "" : " descending")
    }
    let steps = query.stages.map { "; then \(description(of: $0))" }.joined()
    let sorting = (names.isEmpty ? "" : "; sort by \(names.joined(separator: ", "))") + steps
    guard let condition = query.condition else {
      let isByIndex = try runByIndex(table, limit: 1, in: transaction) != nil
      return isByIndex
        ? "\(all) rows in the order of the index on \(names[0])\(steps)"
        : "all \(all) rows of \(binding.model.name)\(sorting)"
    }
    let found = try QueryPlanner(binding).candidates(
      of: condition, limit: try candidateLimit(table, transaction), in: transaction)
    guard let found else {
      return "all \(all) rows of \(binding.model.name), each tested\(sorting)"
    }
    return "\(found.rows.count) rows from the index: \(found.ranges.joined(separator: " or "))"
      + ", each tested\(sorting)"
  }

  /// The place of one row, or `nil` where it is not among the results.
  package func place(
    of row: UInt64, in transaction: Transaction
  ) throws(StorageError) -> SortKey? {
    guard let table = try binding.table(in: transaction),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return nil }
    var key = KeyEncoder()
    return unsafe try place(bytes, &key, transaction)
  }

  /// Calls `body` with a column's value in each row that the query names, in order of creation where
  /// the query has no order.
  ///
  /// - Throws: What reading may run into.
  /// - Complexity: O(*n*) records.
  package func forEachValue(
    of column: Int, in transaction: Transaction, _ body: (StoredValue) -> Void
  ) throws(StorageError) {
    guard let table = try binding.table(in: transaction) else { return }
    guard test == nil, query.stages.isEmpty else {
      let found = OrderedRows(sorted: try run(in: transaction))
      for row in try staged(found, in: transaction) {
        body(try record(row, table, transaction).value(column, in: transaction))
      }
      return
    }
    let type = binding.model.columns[column].type
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      let record = unsafe try binding.record(cursor.value)
      if let slot = record.slot(column) {
        body(try record.view.value(slot, type, in: transaction))
      } else {
        body(binding.defaultValue(column))
      }
      found = try cursor.next()
    }
  }

  private func place(
    _ bytes: UnsafeRawBufferPointer, _ key: inout KeyEncoder, _ transaction: Transaction
  ) throws(StorageError) -> SortKey? {
    if test == nil, order.isEmpty { return SortKey.none }
    let record = unsafe try binding.record(bytes)
    if let test, try !test(record, transaction) { return nil }
    if order.isEmpty { return SortKey.none }
    if let number, let key = number.term.key(of: record, number.kind) { return key }
    key.removeAll()
    for (term, isOptional) in order {
      try term.append(record, isOptional, to: &key, transaction)
    }
    return SortKey(key.bytes)
  }

  /// Rows whose record is newer than a version.
  ///
  /// What a change log that does not reach back would have named, but for rows that are gone.
  package func rows(
    changedAfter version: UInt64, in transaction: Transaction
  ) throws(StorageError) -> [UInt64] {
    guard let table = try binding.table(in: transaction) else { return [] }
    var rows: [UInt64] = []
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      if unsafe try binding.record(cursor.value).view.version > version { rows.append(cursor.row) }
      found = try cursor.next()
    }
    return rows
  }
}
