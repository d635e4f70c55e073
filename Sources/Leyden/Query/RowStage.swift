package import LeydenStorage

/// One step that is taken with rows in order, after the condition and the order of their query.
package enum RowStage: Sendable, Hashable {
  /// Of the rows with an equal value of a property, the first one.
  case distinct(Route)
  /// So many rows at the most.
  case limit(Int)
  /// Not so many of the first rows.
  case offset(Int)
  /// The rows that fulfil a condition.
  case filter(Expression)
  /// Another order; rows that are equal in it keep the order that they had.
  case sort(SortTerm)
}

extension QueryExecutor {
  /// What the query's steps leave of its rows in order.
  ///
  /// - Throws: What reading may run into.
  /// - Complexity: O(*m*) where there are limits and offsets only, for *m* rows that are left; else
  ///   O(*n*) records for each other step.
  package func staged(
    _ ordered: OrderedRows, in transaction: Transaction
  ) throws(StorageError) -> [UInt64] {
    guard let table = try binding.table(in: transaction) else { return [] }
    var stages = query.stages[...]
    var rows = ordered.rows(in: window(of: &stages, ordered.count))
    for stage in stages {
      switch stage {
      case .limit(let count): rows = Array(rows.prefix(count))
      case .offset(let count): rows = Array(rows.dropFirst(count))
      case .filter(let condition):
        let test = condition.compiled(for: binding, in: session)
        rows = try keeping(rows) { (row) throws(StorageError) in
          try test(try record(row, table, transaction), transaction)
        }
      case .distinct(let route):
        let reader = RouteReader(route, binding, session)
        var seen = DistinctValues(areOfAnyType: reader.column.type == .anyValue)
        rows = try keeping(rows) { (row) throws(StorageError) in
          let value = try reader.value(of: record(row, table, transaction), in: transaction)
          return seen.insert(value)
        }
      case .sort(let term): rows = try sorted(rows, by: term, table, transaction)
      }
    }
    return rows
  }

  /// How many of the rows in order the query's steps can need; `nil` for all.
  var neededCount: Int? {
    var stages = query.stages[...]
    let window = window(of: &stages, .max)
    return window.upperBound < .max ? window.upperBound : nil
  }

  /// The positions that the limits and offsets at the beginning leave; takes those steps away.
  private func window(of stages: inout ArraySlice<RowStage>, _ count: Int) -> Range<Int> {
    var window = 0..<count
    while let stage = stages.first {
      switch stage {
      case .limit(let count): window = window.prefix(count)
      case .offset(let count): window = window.dropFirst(count)
      case .distinct, .filter, .sort: return window
      }
      stages.removeFirst()
    }
    return window
  }

  private func keeping(
    _ rows: [UInt64], _ isKept: (UInt64) throws(StorageError) -> Bool
  ) throws(StorageError) -> [UInt64] {
    var kept: [UInt64] = []
    for row in rows where try isKept(row) { kept.append(row) }
    return kept
  }

  private func sorted(
    _ rows: [UInt64], by term: SortTerm, _ table: Table, _ transaction: Transaction
  ) throws(StorageError) -> [UInt64] {
    let term = CompiledTerm(term, binding, session)
    var keys: [(key: SortKey, position: Int)] = []
    keys.reserveCapacity(rows.count)
    var key = KeyEncoder()
    for (position, row) in rows.enumerated() {
      key.removeAll()
      try term.append(record(row, table, transaction), to: &key, transaction)
      keys.append((SortKey(key.bytes), position))
    }
    keys.sort { $0.key == $1.key ? $0.position < $1.position : $0.key < $1.key }
    return keys.map { rows[$0.position] }
  }

  /// A step in words.
  func description(of stage: RowStage) -> String {
    switch stage {
    case .distinct(let route): "distinct by \(route.name(in: binding.model))"
    case .limit(let count): "limit \(count)"
    case .offset(let count): "offset \(count)"
    case .filter: "each tested"
    case .sort(let term):
      "sort by \(term.route.name(in: binding.model))\(term.ascending ? "" : " descending")"
    }
  }

  /// The record of a row that is there.
  func record(
    _ row: UInt64, _ table: Table, _ transaction: Transaction
  ) throws(StorageError) -> StoredRecord {
    guard let bytes = unsafe try transaction.value(forRow: row, in: table) else {
      throw .corrupted("row \(row) of \(binding.model.name) is gone")
    }
    return unsafe try binding.record(bytes, row: row)
  }
}
