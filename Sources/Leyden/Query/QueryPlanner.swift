import Foundation
import LeydenStorage

/// Finds the rows that a condition can be true for, from the type's indexes.
///
/// What it finds may be too much, never too little: the whole condition is tested on each row
/// afterwards. That makes cut keys, bounds and values that are equal in a key but not in a query
/// (not-a-number) right without rules of their own. What keys alone tell is found by `exactRows`.
struct QueryPlanner {
  /// Rows that come into question, and how they were found.
  struct Candidates {
    /// The rows, in any order; each once or more often.
    var rows: [UInt64]
    /// The ranges of indexes that were read, in words.
    var ranges: [String]
    /// Whether they are just the rows that fulfil the condition, each once.
    var areExact = false
  }

  /// An index that this model's columns can be looked up in.
  struct UsableIndex {
    let stored: Catalog.StoredIndex
    let columns: [Int]
    let rule: LongKey

    /// Whether texts in its keys have their case folded, so that it tells no order.
    var foldsCase: Bool { stored.kind == .caseInsensitive }
  }

  let binding: TypeBinding
  let session: Session
  let indexes: [UsableIndex]

  init(_ binding: TypeBinding, _ session: Session) {
    self.binding = binding
    self.session = session
    let indexes = (binding.stored?.indexes ?? []).compactMap { stored -> UsableIndex? in
      guard stored.isCurrent else { return nil }
      let columns = stored.fields.map { field in
        field.isDescending
          ? nil : binding.properties.firstIndex { $0?.id == field.property }
      }
      // What the model does not name, it cannot ask for.
      let known = columns.prefix { $0 != nil }.compactMap { $0 }
      guard !known.isEmpty else { return nil }
      return UsableIndex(
        stored: stored, columns: known,
        rule: LongKey(fieldCount: stored.fields.count, store: binding.store))
    }
    // What names rows exactly comes first, and what folds case is asked only whether it has fewer.
    self.indexes = indexes.filter { !$0.foldsCase } + indexes.filter(\.foldsCase)
  }

  /// The candidates of a condition, if indexes name less than `limit` of them.
  func candidates(
    of condition: Expression, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    switch condition {
    case .constant(false): return Candidates(rows: [], ranges: ["nothing"])
    case .or(let parts):
      var all = Candidates(rows: [], ranges: [])
      for part in parts {
        guard
          let found = try candidates(
            of: part, limit: limit - all.rows.count, in: transaction)
        else { return nil }
        all.rows += found.rows
        all.ranges += found.ranges
      }
      return all
    default:
      return try best(of: condition.conjuncts, limit: limit, in: transaction)
    }
  }

  /// The candidates of that index, or that part of it, which names the fewest.
  private func best(
    of parts: [Expression], limit: Int, in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    var limit = limit
    var best: Candidates?
    func take(_ found: Candidates?) {
      guard let found else { return }
      best = found
      limit = found.rows.count
    }
    let constraints = Constraints(parts, foldingCase: false)
    let folded = Constraints(
      indexes.contains(where: \.foldsCase) ? parts : [], foldingCase: true)
    for index in indexes where limit > 0 {
      let constraints = index.foldsCase ? folded : constraints
      take(try lookUp(index, constraints, limit: limit, in: transaction))
    }
    for part in parts where limit > 0 {
      if case .or = part {
        take(try candidates(of: part, limit: limit, in: transaction))
      } else {
        take(try linked(by: part, limit: limit, in: transaction))
      }
    }
    return best
  }

  /// Reads the ranges that the constraints leave of one index.
  private func lookUp(
    _ index: UsableIndex, _ constraints: Constraints, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    guard constraints.byColumn[index.columns[0]] != nil,
      let table = try transaction.table(named: index.stored.tableName)
    else { return nil }
    var prefixes: [[UInt8]] = [[]]
    var words: [String] = []
    for (number, column) in index.columns.enumerated() {
      guard let constraint = constraints.byColumn[column] else { break }
      let field = index.stored.fields[number]
      let name = binding.model.columns[column].name
      words.append("\(name) \(constraint)\(index.foldsCase ? " ignoring case" : "")")
      guard case .oneOf(let values) = constraint else {
        let (lower, upper) = constraint.bounds(hasMarker: field.hasMarker, index.rule)
        return try read(
          prefixes.map { ($0 + lower, $0 + upper) }, table, words, limit: limit, in: transaction)
      }
      let encoded = values.map { value in
        var key = KeyEncoder()
        key.append(value, hasMarker: field.hasMarker)
        key.shorten(from: 0, by: index.rule)
        return key.bytes
      }
      guard encoded.count * prefixes.count < limit else { return nil }
      prefixes = prefixes.flatMap { prefix in encoded.map { prefix + $0 } }
    }
    return try read(prefixes.map { ($0, $0) }, table, words, limit: limit, in: transaction)
  }

  /// The rows of all entries that begin with something from a lower to an upper bound.
  func read(
    _ ranges: [(lower: [UInt8], upper: [UInt8])], _ table: Table, _ words: [String], limit: Int,
    in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    var rows: [UInt64] = []
    var cursor = try transaction.cursor(in: table)
    for (lower, upper) in ranges {
      var found =
        unsafe lower.isEmpty
        ? try cursor.first()
        : try withBytes(of: lower) { (key) throws(StorageError) in unsafe try cursor.seek(key) }
      while found {
        let key = unsafe cursor.key
        if unsafe isPast(key, upper) { break }
        guard rows.count < limit else { return nil }
        if let row = unsafe row(atEndOf: key) { rows.append(row) }
        found = try cursor.next()
      }
    }
    return Candidates(rows: rows, ranges: [words.joined(separator: ", ")])
  }

  /// Whether a key is behind all that begin with `upper`.
  private func isPast(_ key: UnsafeRawBufferPointer, _ upper: [UInt8]) -> Bool {
    guard let start = key.baseAddress else { return false }
    return unsafe memcmp(start, upper, min(key.count, upper.count)) > 0
  }

  /// The type's rows in the order of an index, each with the key that it is sorted by; `nil` where
  /// no index has this order, or where keys were cut and do not tell the order.
  func ordered(
    by term: SortTerm, isOptional: Bool, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> [OrderedRow]? {
    guard
      let index = indexes.first(where: {
        $0.columns == [term.column] && $0.stored.fields.count == 1 && !$0.foldsCase
      }),
      let table = try transaction.table(named: index.stored.tableName)
    else { return nil }
    let start = index.stored.fields[0].hasMarker && !isOptional ? 1 : 0
    let longest = index.rule.limit - 2
    var rows: [OrderedRow] = []
    if limit == .max { rows.reserveCapacity(try transaction.count(of: table)) }
    var cursor = try transaction.cursor(in: table)
    var found = term.ascending ? try cursor.first() : try cursor.last()
    while found {
      let key = unsafe cursor.key
      // A key this long may be cut, and then does not tell the order.
      guard key.count - 8 <= longest, key.count - 8 >= start else { return nil }
      let field = unsafe UnsafeRawBufferPointer(rebasing: key[start..<key.count - 8])
      rows.append(
        OrderedRow(key: unsafe SortKey(field, isComplemented: !term.ascending), row: cursor.row))
      // Rows of one value come in order of creation in both directions: the last group is whole
      // before the limit ends it.
      if rows.count > limit, rows[rows.count - 1].key != rows[rows.count - 2].key { break }
      found = term.ascending ? try cursor.next() : try cursor.previous()
    }
    if !term.ascending { reverseGroups(&rows) }
    return rows
  }

  /// Puts rows of equal keys, which were read backwards, into order of creation.
  private func reverseGroups(_ rows: inout [OrderedRow]) {
    var start = 0
    for end in 1...max(rows.count, 1) where end >= rows.count || rows[end].key != rows[start].key {
      if end - start > 1 { rows[start..<end].reverse() }
      start = end
    }
  }
}

extension Expression {
  /// The parts that must all hold, however they are nested.
  var conjuncts: [Expression] {
    if case .and(let parts) = self { return parts.flatMap(\.conjuncts) }
    return [self]
  }
}
