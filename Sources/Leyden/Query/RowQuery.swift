package import LeydenStorage

/// What is asked of one type: which rows, in which order.
///
/// Without an order, rows come in the order of their creation.
package struct RowQuery: Sendable, Hashable {
  /// Where the rows come from.
  package var source = RowSource.all
  /// The condition; `nil` where every row is wanted.
  package var condition: Expression?
  /// The order: the first term counts most.
  package var order: [SortTerm] = []

  /// What is done with the rows in that order, one step after the other.
  package var stages: [RowStage] = []

  /// Asks for every row.
  package init() {}

  /// Whether the rows come in an order that was asked for.
  package var isSorted: Bool {
    !order.isEmpty || stages.contains { if case .sort = $0 { true } else { false } }
  }

  /// The same rows, with one more step; a condition or an order before any other step is the query's own.
  package func followed(by stage: RowStage) -> RowQuery {
    var query = self
    switch stage {
    case .filter(let more) where stages.isEmpty: query.condition = condition?.and(more) ?? more
    case .sort(let term) where stages.isEmpty:
      query.order = [term] + order.filter { $0.route != term.route }
    default: query.stages.append(stage)
    }
    return query
  }
}

/// A query made ready for one model and catalog.
package struct QueryExecutor {
  let binding: TypeBinding
  let query: RowQuery
  let session: Session
  private let test: RowTest
  private let order: [CompiledTerm]
  /// The order where it is one number.
  private let number: (term: SortTerm, kind: SortTerm.NumberKey)?

  /// Compiles a query; the session has the types that its rows lead to.
  package init(_ query: RowQuery, _ binding: TypeBinding, _ session: Session) {
    self.binding = binding
    self.query = query
    self.session = session
    if case .collection(let place) = query.source { session.noteRead(ofType: place.owner.type) }
    test = (query.condition ?? .constant(true)).compiled(for: binding, in: session)
    order = query.order.map { CompiledTerm($0, binding, session) }
    number =
      query.order.count == 1
      ? query.order.first.flatMap { term in
        term.route.links.isEmpty
          ? term.numberKey(binding.model.columns[term.column]).map { (term, $0) } : nil
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
    if query.source != .all { return try runSource(table, limit: limit, in: transaction) }
    if let found = try runByIndex(table, limit: limit, in: transaction) { return found }
    var rows: [OrderedRow] = []
    if query.condition == nil, limit == .max {
      rows.reserveCapacity(try transaction.count(of: table))
    }
    var key = KeyEncoder()
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    if query.condition == nil, order.isEmpty {
      // All that is asked for stands in the keys.
      while found, rows.count < limit {
        rows.append(OrderedRow(key: .none, row: cursor.row))
        found = try cursor.next()
      }
      return rows
    }
    let test = test
    while found {
      let record = unsafe try binding.record(cursor.value, row: cursor.row)
      if try test(record, transaction) {
        let place = try place(of: record, &key, transaction)
        rows.append(OrderedRow(key: place, row: cursor.row))
        if order.isEmpty, rows.count == limit { break }
      }
      found = try cursor.next()
    }
    if !order.isEmpty { rows.sort() }
    return rows
  }

  /// Tests the rows of the source, one after the other.
  ///
  /// The place of one of a collection ends with its position there: so each has a place of its own, and
  /// equal ones keep the collection's order.
  private func runSource(
    _ table: Table, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> [OrderedRow] {
    var rows: [OrderedRow] = []
    var key = KeyEncoder()
    for (position, row) in try sourceRows(in: transaction).enumerated() {
      let record = try record(row, table, transaction)
      guard try test(record, transaction) else { continue }
      if query.source.isCollection {
        key.removeAll()
        for term in order { try term.append(record, to: &key, transaction) }
        key.append(UInt64(position))
        rows.append(OrderedRow(key: SortKey(key.bytes), row: row))
      } else {
        rows.append(OrderedRow(key: try place(of: record, &key, transaction), row: row))
      }
      if order.isEmpty, rows.count == limit { break }
    }
    if !order.isEmpty { rows.sort() }
    return rows
  }

  private func sourceRows(in transaction: Transaction) throws(StorageError) -> [UInt64] {
    try query.source.rows(session.catalog, in: transaction)
  }

  /// Whether a row is among those of the source.
  private func isInSource(
    _ row: UInt64, in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard case .linking(let target, let property) = query.source else { return true }
    let entry = InverseEntry(target: target, property: property, source: row)
    guard let table = try transaction.table(named: InverseEntry.table) else { return false }
    return unsafe try withBytes(of: entry.key) { (key) throws(StorageError) in
      unsafe try transaction.value(for: key, in: table) != nil
    }
  }

  /// The number of rows that the query names, before its steps.
  ///
  /// - Throws: What reading may run into.
  /// - Complexity: O(*n*) records for *n* rows of the type; without a condition O(1), and where an
  ///   index tells, its entries only.
  package func count(in transaction: Transaction) throws(StorageError) -> Int {
    guard let table = try binding.table(in: transaction) else { return 0 }
    if query.source != .all {
      guard query.condition != nil else { return try sourceRows(in: transaction).count }
      return try runSource(table, limit: .max, in: transaction).count
    }
    guard let condition = query.condition else {
      return try transaction.count(of: table)
    }
    if let found = try candidates(of: condition, ordered: false, table, transaction) {
      guard !found.areExact else { return found.rows.count }
      var count = 0
      for row in found.rows where try test(try record(row, table, transaction), transaction) {
        count += 1
      }
      return count
    }
    var count = 0
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      let record = unsafe try binding.record(cursor.value, row: cursor.row)
      if try test(record, transaction) { count += 1 }
      found = try cursor.next()
    }
    return count
  }

  /// The rows, in order, that the query's steps need, or some more, where finding them takes no look
  /// at all others: few without a condition, in order of creation or of an index; else `nil`.
  package func firstRows(in transaction: Transaction) throws(StorageError) -> [OrderedRow]? {
    guard query.source == .all, query.condition == nil, let count = neededCount,
      let table = try binding.table(in: transaction),
      count <= (try candidateLimit(table, transaction))
    else { return nil }
    if order.isEmpty { return try run(in: transaction, limit: count) }
    return try runByIndex(table, limit: max(count, 1), in: transaction)
  }

  /// Answers from an index: its order, or the rows that it names for the condition.
  ///
  /// - Returns: `nil` where going through all records is as good.
  private func runByIndex(
    _ table: Table, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> [OrderedRow]? {
    guard let condition = query.condition else {
      guard order.count == 1, let term = order.first, term.reader.isDirect else { return nil }
      return try QueryPlanner(binding, session).ordered(
        by: term.term, isOptional: term.reader.isOptional, limit: limit, in: transaction)
    }
    guard
      let found = try candidates(of: condition, ordered: !order.isEmpty, table, transaction)
    else { return nil }
    if found.areExact {
      return found.rows.sorted().prefix(limit).map { OrderedRow(key: .none, row: $0) }
    }
    var rows: [OrderedRow] = []
    var key = KeyEncoder()
    for row in found.rows {
      let record = try record(row, table, transaction)
      guard try test(record, transaction) else { continue }
      rows.append(OrderedRow(key: try place(of: record, &key, transaction), row: row))
      if order.isEmpty, rows.count == limit { break }
    }
    if !order.isEmpty { rows.sort() }
    return rows
  }

  /// The rows that indexes name for a condition: in any order where these are exact; else in order
  /// of creation, each once.
  ///
  /// - Returns: `nil` where going through all records is as good.
  private func candidates(
    of condition: Expression, ordered: Bool, _ table: Table, _ transaction: Transaction
  ) throws(StorageError) -> QueryPlanner.Candidates? {
    let planner = QueryPlanner(binding, session)
    let limit = try candidateLimit(table, transaction)
    // Places are in the records: who needs them tests these as well.
    if !ordered, let exact = try planner.exactRows(of: condition, limit: limit, in: transaction) {
      return exact
    }
    var found = try planner.candidates(of: condition, limit: limit, in: transaction)
    if let rows = found?.rows.sorted() {
      found?.rows = rows.indices.filter { $0 == 0 || rows[$0] != rows[$0 - 1] }.map { rows[$0] }
    }
    return found
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
    let names = query.order.map { term in
      term.route.name(in: binding.model) + (term.ascending ? "" : " descending")
    }
    let steps = query.stages.map { "; then \(description(of: $0))" }.joined()
    let sorting = (names.isEmpty ? "" : "; sort by \(names.joined(separator: ", "))") + steps
    if query.source != .all {
      let rows = try sourceRows(in: transaction).count
      let place = query.source.isCollection ? "of one collection" : "that lead to one object"
      return "\(rows) rows \(place)\(query.condition == nil ? "" : ", each tested")\(sorting)"
    }
    let all = try transaction.count(of: table)
    guard let condition = query.condition else {
      let isByIndex = try runByIndex(table, limit: 1, in: transaction) != nil
      let first = try firstRows(in: transaction) == nil ? nil : neededCount
      let rows = first.map { "the first \(min($0, all)) of \(all) rows" }
      return isByIndex
        ? "\(rows ?? "\(all) rows") in the order of the index on \(names[0])\(steps)"
        : "\(rows ?? "all \(all) rows") of \(binding.model.name)\(sorting)"
    }
    let found = try candidates(of: condition, ordered: !order.isEmpty, table, transaction)
    guard let found else {
      return "all \(all) rows of \(binding.model.name), each tested\(sorting)"
    }
    return "\(found.rows.count) rows from the index: \(found.ranges.joined(separator: " or "))"
      + "\(found.areExact ? "" : ", each tested")\(sorting)"
  }

  /// The place of one row, or `nil` where it is not among the results.
  package func place(
    of row: UInt64, in transaction: Transaction
  ) throws(StorageError) -> SortKey? {
    guard let table = try binding.table(in: transaction),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return nil }
    guard try isInSource(row, in: transaction) else { return nil }
    if query.condition == nil, order.isEmpty { return SortKey.none }
    let record = unsafe try binding.record(bytes, row: row)
    if try !test(record, transaction) { return nil }
    var key = KeyEncoder()
    return try place(of: record, &key, transaction)
  }

  /// Calls `body` with a property's value in each row that the query names, in order of creation where
  /// the query has no order.
  ///
  /// - Throws: What reading may run into.
  /// - Complexity: O(*n*) records.
  package func forEachValue(
    of route: Route, in transaction: Transaction, _ body: (StoredValue) -> Void
  ) throws(StorageError) {
    guard let table = try binding.table(in: transaction) else { return }
    let reader = RouteReader(route, binding, session)
    guard query.source == .all, query.condition == nil, query.stages.isEmpty else {
      let found = OrderedRows(sorted: try run(in: transaction))
      for row in try staged(found, in: transaction) {
        body(try reader.value(of: record(row, table, transaction), in: transaction))
      }
      return
    }
    let (column, type) = (route.column, reader.column.type)
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      let record = unsafe try binding.record(cursor.value, row: cursor.row)
      if !reader.isDirect {
        body(try reader.value(of: record, in: transaction))
      } else if let slot = record.slot(column) {
        body(try record.view.value(slot, type, in: transaction))
      } else {
        body(binding.defaultValue(column))
      }
      found = try cursor.next()
    }
  }

  /// The place of a record that is among the results.
  private func place(
    of record: StoredRecord, _ key: inout KeyEncoder, _ transaction: Transaction
  ) throws(StorageError) -> SortKey {
    if order.isEmpty { return SortKey.none }
    if let number, let key = number.term.key(of: record, number.kind) { return key }
    key.removeAll()
    for term in order { try term.append(record, to: &key, transaction) }
    return SortKey(key.bytes)
  }

  /// What the change log would have said of the type, but for rows that are gone, where it does not reach
  /// back: the rows whose record is newer than a version.
  package func changes(
    after version: UInt64, in transaction: Transaction
  ) throws(StorageError) -> [UInt64: ObjectChangeSet.Change] {
    guard let table = try binding.table(in: transaction) else { return [:] }
    var changes: [UInt64: ObjectChangeSet.Change] = [:]
    var cursor = try transaction.cursor(in: table)
    var found = try cursor.first()
    while found {
      if unsafe try binding.record(cursor.value).view.version > version {
        changes[cursor.row] = .modified(.all)
      }
      found = try cursor.next()
    }
    return changes
  }
}
