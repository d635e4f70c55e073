import Foundation
import LeydenStorage

/// Finds the rows that a condition can be true for, from the type's indexes.
///
/// What it finds may be too much, never too little: the whole condition is tested on each row
/// afterwards. That makes cut keys, bounds and values that are equal in a key but not in a query
/// (not-a-number) right without rules of their own.
struct QueryPlanner {
  /// Rows that come into question, and how they were found.
  struct Candidates {
    /// The rows, in any order; each once or more often.
    var rows: [UInt64]
    /// The ranges of indexes that were read, in words.
    var ranges: [String]
  }

  /// An index that this model's columns can be looked up in.
  private struct UsableIndex {
    let stored: Catalog.StoredIndex
    let columns: [Int]
    let rule: LongKey

    /// Whether texts in its keys have their case folded, so that it tells no order.
    var foldsCase: Bool { stored.kind == .caseInsensitive }
  }

  private let binding: TypeBinding
  private let indexes: [UsableIndex]

  init(_ binding: TypeBinding) {
    self.binding = binding
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
      guard case .or = part else { continue }
      take(try candidates(of: part, limit: limit, in: transaction))
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
  private func read(
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
        let isPast = unsafe upper.withUnsafeBytes { upper in
          unsafe upper.lexicographicallyPrecedes(key.prefix(upper.count))
        }
        if isPast { break }
        guard rows.count < limit else { return nil }
        if let row = unsafe row(atEndOf: key) { rows.append(row) }
        found = try cursor.next()
      }
    }
    return Candidates(rows: rows, ranges: [words.joined(separator: ", ")])
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
    let hasMarker = index.stored.fields[0].hasMarker
    var rows: [OrderedRow] = []
    if limit == .max { rows.reserveCapacity(try transaction.count(of: table)) }
    var cursor = try transaction.cursor(in: table)
    var found = term.ascending ? try cursor.first() : try cursor.last()
    while found {
      let key = unsafe cursor.key
      // A key this long may be cut, and then does not tell the order.
      guard key.count - 8 < index.rule.limit - 1, let row = unsafe row(atEndOf: key) else {
        return nil
      }
      let field = unsafe UnsafeRawBufferPointer(
        rebasing: key[(hasMarker && !isOptional ? 1 : 0)..<key.count - 8])
      rows.append(
        OrderedRow(key: unsafe SortKey(field, isComplemented: !term.ascending), row: row))
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
    while start < rows.count {
      let key = rows[start].key
      let end = rows[start...].firstIndex { $0.key != key } ?? rows.count
      rows[start..<end].reverse()
      start = end
    }
  }
}

/// What the parts of a condition that must all hold say of each column, or of its texts with their
/// case folded.
private struct Constraints {
  private(set) var byColumn: [Int: Constraint] = [:]

  init(_ parts: [Expression], foldingCase: Bool) {
    for part in parts {
      if foldingCase { addFolded(part) } else { add(part) }
    }
  }

  private mutating func add(_ part: Expression) {
    switch part {
    case .compare(let column, .equal, let value): add(.oneOf([value]), column)
    case .isIn(let column, let values): add(.oneOf(values), column)
    case .compare(let column, .less, let value), .compare(let column, .lessOrEqual, let value):
      add(.range(lower: nil, upper: value), column)
    case .compare(let column, .greater, let value),
      .compare(let column, .greaterOrEqual, let value):
      add(.range(lower: value, upper: nil), column)
    case .text(let column, .equals, let text, let options) where options.isEmpty:
      add(.oneOf([.string(text)]), column)
    case .text(let column, let match, let text, let options) where options.isEmpty:
      guard let beginning = TextMatcher.beginning(of: match, text, options) else { break }
      add(.prefix(beginning), column)
    default: break
    }
  }

  /// Adds what a part says of folded texts.
  ///
  /// Texts that are equal, or begin alike, do so with their case folded as well; their order says
  /// nothing of folded ones, and what ignores marks finds more than they tell.
  private mutating func addFolded(_ part: Expression) {
    switch part {
    case .compare(let column, .equal, let value): add(.oneOf([Self.folded(value)]), column)
    case .isIn(let column, let values): add(.oneOf(values.map(Self.folded)), column)
    case .text(let column, let match, let text, let options)
    where !options.contains(.diacriticInsensitive):
      guard let beginning = TextMatcher.beginning(of: match, text, options) else { break }
      let folded =
        match == .equals || options.contains(.caseInsensitive)
        ? foldedUTF8(of: beginning) : foldedBeginning(ofTextsFrom: beginning)
      let start = String(decoding: folded, as: UTF8.self)
      if match == .equals {
        add(.oneOf([.string(start)]), column)
      } else if !start.isEmpty {
        add(.prefix(start), column)
      }
    default: break
    }
  }

  private static func folded(_ value: StoredValue) -> StoredValue {
    guard case .string(let text) = value else { return value }
    return .string(String(decoding: foldedUTF8(of: text), as: UTF8.self))
  }

  private mutating func add(_ constraint: Constraint, _ column: Int) {
    byColumn[column] = byColumn[column].map { $0.narrowed(by: constraint) } ?? constraint
  }
}

/// What is known of one column.
private enum Constraint: CustomStringConvertible {
  case oneOf([StoredValue])
  case range(lower: StoredValue?, upper: StoredValue?)
  case prefix(String)

  /// The stronger of two, or both ends of a range.
  func narrowed(by other: Constraint) -> Constraint {
    switch (self, other) {
    case (.oneOf(let some), .oneOf(let others)): some.count <= others.count ? self : other
    case (.oneOf, _): self
    case (_, .oneOf): other
    case (.range(let lower, let upper), .range(let otherLower, let otherUpper)):
      // Two bounds on one side: either is right, as the condition is tested in full.
      .range(lower: lower ?? otherLower, upper: upper ?? otherUpper)
    case (.prefix, _): self
    case (_, .prefix): other
    }
  }

  /// The bytes that an entry's field must begin with, at least and at most.
  func bounds(hasMarker: Bool, _ rule: LongKey) -> (lower: [UInt8], upper: [UInt8]) {
    func open(_ value: StoredValue?) -> [UInt8] {
      var key = KeyEncoder()
      if hasMarker { key.appendPresence(true) }
      guard let value else { return key.bytes }
      key.append(unterminated: value)
      _ = key.shortenBound(from: 0, by: rule)
      return key.bytes
    }
    switch self {
    case .oneOf: return ([], [])
    case .range(let lower, let upper): return (open(lower), open(upper))
    case .prefix(let text): return (open(.string(text)), open(.string(text)))
    }
  }

  var description: String {
    switch self {
    case .oneOf(let values) where values.count == 1: "= \(values[0])"
    case .oneOf(let values): "in \(values.count) values"
    case .range(let lower?, let upper?): "from \(lower) to \(upper)"
    case .range(let lower?, nil): "from \(lower)"
    case .range(nil, let upper?): "up to \(upper)"
    case .range(nil, nil): "not nil"
    case .prefix(let text): "begins with \"\(text)\""
    }
  }
}

extension KeyEncoder {
  /// Appends a value as the beginning of all keys that are equal to it or go on from it.
  fileprivate mutating func append(unterminated value: StoredValue) {
    switch value {
    case .string(let text): append(string: text, terminated: false)
    case .data(let data):
      unsafe data.withUnsafeBytes { unsafe append(data: $0, terminated: false) }
    default: append(field: value)
    }
  }
}

extension Expression {
  /// The parts that must all hold, however they are nested.
  fileprivate var conjuncts: [Expression] {
    if case .and(let parts) = self { return parts.flatMap(\.conjuncts) }
    return [self]
  }
}
