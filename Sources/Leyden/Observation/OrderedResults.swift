package import LeydenStorage

/// A query's results at one version, which can be brought forward to a later one from the log.
///
/// A value: whoever keeps a copy keeps its past.
package struct OrderedResults {
  /// The rows, in order, before the query's steps.
  package private(set) var rows: OrderedRows
  /// What the query's steps leave of them; `nil` where it has none.
  private var left: [UInt64]?
  /// The version that they are of.
  package private(set) var version: UInt64
  /// Whether ``rows`` ends where the query's steps need no more: such a list is not brought forward.
  let isCut: Bool
  private let query: RowQuery
  /// The sort key of each row, so that a changed one is found at its old place; made with the first
  /// step forward, and only where there is an order.
  private var keys: [UInt64: SortKey]?
  /// The rows in one array, for reading by position; made when asked for.
  private var flat: [UInt64]?

  /// Evaluates a query; with `mayBeCut` no more rows need to be found than its steps leave.
  package init(
    _ query: RowQuery, _ executor: QueryExecutor, version: UInt64, mayBeCut: Bool = false,
    in transaction: Transaction
  ) throws(StorageError) {
    self.query = query
    self.version = version
    if mayBeCut, let first = try executor.firstRows(in: transaction) {
      isCut = true
      rows = OrderedRows(sorted: first)
    } else {
      isCut = false
      rows = OrderedRows(sorted: try executor.run(in: transaction))
    }
    if !query.stages.isEmpty { left = try executor.staged(rows, in: transaction) }
  }

  /// The same rows for a reader: without what only stepping forward needs, so that the one who
  /// steps does not have to copy it.
  package var readable: OrderedResults {
    var copy = self
    copy.keys = nil
    return copy
  }

  /// The number of rows.
  package var count: Int { left?.count ?? rows.count }

  /// The row at a position.
  package mutating func row(at position: Int) -> UInt64 {
    (left ?? flat).map { $0[position] } ?? rows.row(at: position)
  }

  /// All rows in one array.
  package mutating func allRows() -> [UInt64] {
    if let known = left ?? flat { return known }
    let rows = rows.rows
    flat = rows
    return rows
  }

  /// Brings the list forward to the version that `transaction` sees.
  ///
  /// - Parameters:
  ///   - version: The version.
  ///   - changes: What the log says between the two versions, or `nil` where it does not reach back: then
  ///     the query is evaluated again and compared.
  ///   - executor: The query, with the types as the transaction's catalog has them.
  ///   - reported: Which changes of rows count as modifications.
  ///   - transaction: Where to read.
  /// - Returns: What changed, by position.
  /// - Throws: What reading may run into; the list is of no use then.
  /// - Complexity: O(*k* log *n*) for *k* changed rows among *n*, rows included that lead to changed objects
  ///   which the query asks for, and O(*n* / 512); where the query has steps, that of taking them anew.
  package mutating func advance(
    to version: UInt64, _ changes: ObjectChangeSet?, _ executor: QueryExecutor,
    reporting reported: ReportedChanges, in transaction: Transaction
  ) throws(StorageError) -> PositionChanges {
    let before = self.version
    self.version = version
    let type = executor.binding.stored?.id ?? 0
    guard let changes else {
      let own = try executor.changes(after: before, in: transaction)
      return try compare(with: executor, own, reporting: reported, in: transaction)
    }
    var own = changes.types[type] ?? [:]
    for row in reported.rows where own[row] == nil {
      own[row] = .modified(ObjectChangeSet.Properties())
    }
    guard !executor.query.source.isCollection else {
      guard !own.isEmpty || executor.mayBeConcerned(by: changes) else { return PositionChanges() }
      return try compare(with: executor, own, reporting: reported, in: transaction)
    }
    guard let related = try executor.rows(concernedBy: changes, in: transaction) else {
      return try compare(with: executor, own, reporting: reported, in: transaction)
    }
    if own.isEmpty, related.isEmpty { return PositionChanges() }
    if keys == nil, !query.order.isEmpty { keys = rows.keysByRow }
    let deciding = executor.decidingProperties
    var step = Step()
    for (row, change) in own {
      let old = place(of: row)
      let new: OrderedRow?
      switch change {
      case .deleted: new = nil
      case .modified(let properties)
      where !properties.intersects(deciding) && !related.contains(row):
        new = old
      case .inserted, .modified:
        new = try executor.place(of: row, in: transaction).map { OrderedRow(key: $0, row: row) }
      }
      step.add(old: old, new: new, isReported: reported.contains(change, of: row))
    }
    for row in related where own[row] == nil {
      let new = try executor.place(of: row, in: transaction).map { OrderedRow(key: $0, row: row) }
      step.add(old: place(of: row), new: new, isReported: false)
    }
    let positions = apply(&step)
    guard let before = left else { return positions }
    let after = try executor.staged(rows, in: transaction)
    left = after
    return Step.positions(from: before, to: after, own, related, reporting: reported)
  }

  /// Evaluates the query again, and finds out what changed by comparing.
  private mutating func compare(
    with executor: QueryExecutor, _ own: [UInt64: ObjectChangeSet.Change],
    reporting reported: ReportedChanges, in transaction: Transaction
  ) throws(StorageError) -> PositionChanges {
    let old = rows
    let oldLeft = allRows()
    rows = OrderedRows(sorted: try executor.run(in: transaction))
    (keys, flat) = (nil, nil)
    if left != nil { left = try executor.staged(rows, in: transaction) }
    let isReported = { (row: UInt64) in
      own[row].map { reported.contains($0, of: row) } ?? false
    }
    if query.source.isCollection {
      let newLeft = allRows()
      if query.isSorted {
        let changed = Set(own.keys).union(old.rowsSortedOtherwise(in: rows))
        return Step.positions(ofElements: oldLeft, newLeft, changed: changed, isReported)
      }
      func numbers(_ rows: [UInt64]) -> [Int] { rows.map { Int(truncatingIfNeeded: $0) } }
      return SequenceDiff(from: numbers(oldLeft), to: numbers(newLeft)).changes(replaces: false) {
        isReported(newLeft[$0.new])
      }
    }
    // A row that changed, or that led to something else, may be at another place.
    let places = rows.keysByRow
    var concerned: Set<UInt64> = []
    old.forEach { entry in
      if places[entry.row] != entry.key { concerned.insert(entry.row) }
    }
    if left != nil {
      return Step.positions(from: oldLeft, to: allRows(), own, concerned, reporting: reported)
    }
    var step = Step()
    let oldPlaces = old.keysByRow
    for row in concerned.union(own.keys).union(places.keys.filter { oldPlaces[$0] == nil }) {
      step.add(
        old: oldPlaces[row].map { OrderedRow(key: $0, row: row) },
        new: places[row].map { OrderedRow(key: $0, row: row) }, isReported: isReported(row))
    }
    return Step.positions(step, from: old, to: rows)
  }

  private func place(of row: UInt64) -> OrderedRow? {
    if let keys { return keys[row].map { OrderedRow(key: $0, row: row) } }
    let place = OrderedRow(key: .none, row: row)
    return rows.contains(place) ? place : nil
  }

  /// Moves the rows and works out the positions: old ones before the first change, new ones after
  /// the last.
  private mutating func apply(_ step: inout Step) -> PositionChanges {
    guard !step.isEmpty else { return PositionChanges() }
    flat = nil
    let left = step.leaving.compactMap { rows.rank(of: $0) }
    for position in step.staying.indices {
      step.staying[position].oldRank = rows.rank(of: step.staying[position].old) ?? 0
    }
    for row in step.leaving {
      rows.remove(row)
      keys?[row.row] = nil
    }
    for change in step.staying where change.old != change.new {
      rows.remove(change.old)
    }
    for change in step.staying where change.old != change.new {
      rows.insert(change.new)
      keys?[change.new.row] = change.new.key
    }
    for row in step.arriving {
      rows.insert(row)
      keys?[row.row] = row.key
    }
    let came = step.arriving.compactMap { rows.rank(of: $0) }
    for position in step.staying.indices {
      step.staying[position].newRank = rows.rank(of: step.staying[position].new) ?? 0
    }
    return step.positions(left: left, came: came)
  }
}

extension OrderedRows {
  /// The rows of a collection that are sorted by something else in another list, wherever they are in the
  /// collection.
  func rowsSortedOtherwise(in other: OrderedRows) -> Set<UInt64> {
    var keys: [UInt64: [UInt8]] = [:]
    forEach { keys[$0.row] = $0.key.bytesBeforePosition }
    var rows: Set<UInt64> = []
    other.forEach { entry in
      if let old = keys[entry.row], old != entry.key.bytesBeforePosition { rows.insert(entry.row) }
    }
    return rows
  }

  /// The sort key of each row.
  var keysByRow: [UInt64: SortKey] {
    var keys: [UInt64: SortKey] = [:]
    keys.reserveCapacity(count)
    forEach { keys[$0.row] = $0.key }
    return keys
  }
}

/// One step forward: the rows that leave, come, or stay with other values.
private struct Step {
  struct Staying {
    let old: OrderedRow
    let new: OrderedRow
    let isReported: Bool
    var oldRank = 0
    var newRank = 0
  }

  var leaving: [OrderedRow] = []
  var arriving: [OrderedRow] = []
  var staying: [Staying] = []

  var isEmpty: Bool { leaving.isEmpty && arriving.isEmpty && staying.isEmpty }

  mutating func add(old: OrderedRow?, new: OrderedRow?, isReported: Bool) {
    switch (old, new) {
    case (nil, nil): break
    case (let old?, nil): leaving.append(old)
    case (nil, let new?): arriving.append(new)
    case (let old?, let new?):
      if isReported || old != new {
        staying.append(Staying(old: old, new: new, isReported: isReported))
      }
    }
  }

  /// What changed between two lists of rows, given the rows that may have.
  static func positions(
    _ step: Step, from old: OrderedRows, to new: OrderedRows
  ) -> PositionChanges {
    var (step, old, new) = (step, old, new)
    for position in step.staying.indices {
      step.staying[position].oldRank = old.rank(of: step.staying[position].old) ?? 0
      step.staying[position].newRank = new.rank(of: step.staying[position].new) ?? 0
    }
    return step.positions(
      left: step.leaving.compactMap { old.rank(of: $0) },
      came: step.arriving.compactMap { new.rank(of: $0) })
  }

  /// What changed between two lists of rows that a query's steps left.
  ///
  /// Rows without a change may come and go, where others made room or took it, but they keep their
  /// order among each other; those of `related` may have moved, though nobody changed them.
  static func positions(
    from old: [UInt64], to new: [UInt64], _ changes: [UInt64: ObjectChangeSet.Change],
    _ related: Set<UInt64>, reporting reported: ReportedChanges
  ) -> PositionChanges {
    let oldRanks = Dictionary(uniqueKeysWithValues: zip(old, old.indices))
    let newRanks = Dictionary(uniqueKeysWithValues: zip(new, new.indices))
    var step = Step()
    for row in related.union(changes.keys) {
      guard let oldRank = oldRanks[row], let newRank = newRanks[row] else { continue }
      let place = OrderedRow(key: .none, row: row)
      step.staying.append(
        Staying(
          old: place, new: place,
          isReported: changes[row].map { reported.contains($0, of: row) } ?? false,
          oldRank: oldRank, newRank: newRank))
    }
    return step.positions(
      left: old.indices.filter { newRanks[old[$0]] == nil },
      came: new.indices.filter { oldRanks[new[$0]] == nil })
  }

  /// What changed between two sorted lists of a collection's rows, which may be there more than once.
  ///
  /// Those that nobody changed stay as far as they can.
  static func positions(
    ofElements old: [UInt64], _ new: [UInt64], changed: Set<UInt64>, _ isReported: (UInt64) -> Bool
  ) -> PositionChanges {
    let (oldPlaces, newPlaces) = (Occurrence.all(in: old), Occurrence.all(in: new))
    let newRanks = Dictionary(uniqueKeysWithValues: zip(newPlaces, newPlaces.indices))
    let oldRanks = Dictionary(uniqueKeysWithValues: zip(oldPlaces, oldPlaces.indices))
    // Those that keep their order first: they stay, and all others are compared with them.
    let firm = oldPlaces.indices.filter {
      newRanks[oldPlaces[$0]] != nil && !changed.contains(old[$0])
    }
    let ranks = firm.compactMap { newRanks[oldPlaces[$0]] }
    let kept = Set(longestAscendingSubsequence(ranks).map { firm[$0] })
    var step = Step()
    for position in oldPlaces.indices {
      guard let newRank = newRanks[oldPlaces[position]] else { continue }
      let row = old[position]
      guard !kept.contains(position) || isReported(row) else { continue }
      let place = OrderedRow(key: .none, row: row)
      step.staying.append(
        Staying(
          old: place, new: place, isReported: isReported(row), oldRank: position, newRank: newRank))
    }
    return step.positions(
      left: oldPlaces.indices.filter { newRanks[oldPlaces[$0]] == nil },
      came: newPlaces.indices.filter { oldRanks[newPlaces[$0]] == nil })
  }

  /// A row in a list, and how often it was there before.
  private struct Occurrence: Hashable {
    let row: UInt64
    let number: Int

    static func all(in rows: [UInt64]) -> [Occurrence] {
      var counts: [UInt64: Int] = [:]
      return rows.map { row in
        counts[row, default: 0] += 1
        return Occurrence(row: row, number: counts[row, default: 0])
      }
    }
  }

  /// Tells moved rows from modified ones.
  ///
  /// A changed row keeps its place where it has as many unchanged rows before it as it had, and
  /// where it is in the longest sequence of such rows that are in the same order as before. All
  /// other changed rows moved, and no smaller number of them could have.
  func positions(left: [Int], came: [Int]) -> PositionChanges {
    let byOldRank = staying.sorted { $0.oldRank < $1.oldRank }
    let oldTouched = (left + staying.map(\.oldRank)).sorted()
    let newTouched = (came + staying.map(\.newRank)).sorted()
    let candidates = byOldRank.indices.filter { position in
      let change = byOldRank[position]
      return change.oldRank - Self.countBefore(change.oldRank, oldTouched)
        == change.newRank - Self.countBefore(change.newRank, newTouched)
    }
    let kept = Set(
      longestAscendingSubsequence(candidates.map { byOldRank[$0].newRank }).map { candidates[$0] })
    var changes = PositionChanges()
    changes.deletions = left
    changes.insertions = came
    for (position, change) in byOldRank.enumerated() {
      if !kept.contains(position) {
        changes.deletions.append(change.oldRank)
        changes.insertions.append(change.newRank)
        changes.moves.append(.init(from: change.oldRank, to: change.newRank))
      } else if change.isReported {
        changes.modifications.append(change.oldRank)
        changes.newModifications.append(change.newRank)
      }
    }
    changes.deletions.sort()
    changes.insertions.sort()
    changes.newModifications.sort()
    return changes
  }

  /// How many of the sorted numbers are less than `value`.
  private static func countBefore(_ value: Int, _ sorted: [Int]) -> Int {
    var low = 0
    var high = sorted.count
    while low < high {
      let middle = (low + high) / 2
      if sorted[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
