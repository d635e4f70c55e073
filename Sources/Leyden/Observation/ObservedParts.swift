import LeydenStorage

/// What of the embedded objects in a row an observer wants to hear of, where key paths lead into them.
///
/// The log only says that the property changed that holds them, so it is compared by a hash.
struct ObservedParts {
  /// The properties that hold them, each with what reads where its paths lead.
  private let parts: [(column: ModelType.Column, values: [RowValues])]
  private let binding: TypeBinding

  /// Prepares what paths ask for of the embedded objects in rows of a type.
  init(_ filter: ObservedProperties, _ binding: TypeBinding, _ session: Session) {
    self.binding = binding
    let paths = Dictionary(grouping: filter.paths ?? []) { $0.columns[0].number }
    parts = paths.values.compactMap { paths in
      let column = paths[0].columns[0]
      guard column.holdsEmbedded, paths.allSatisfy({ $0.columns.count > 1 }) else { return nil }
      return (column, paths.map { $0.inside.compiled(for: binding, in: session) })
    }
  }

  /// Whether no path leads into embedded objects.
  var isEmpty: Bool { parts.isEmpty }

  /// The properties that hold them.
  var columns: Set<Int32> { Set(parts.map(\.column.number)) }

  /// The hash of all that is observed in a row, or in one property of it; 0 where there is no such row.
  func hash(
    of row: UInt64, _ column: Int32? = nil, in transaction: Transaction
  ) throws(StorageError) -> Int {
    guard let record = try binding.record(ofRow: row, in: transaction) else { return 0 }
    var hasher = Hasher()
    for part in parts where column == nil || part.column.number == column {
      for values in part.values {
        _ = try values(record, transaction) { value in
          hasher.combine(value)
          return true
        }
        hasher.combine(0)
      }
    }
    return hasher.finalize()
  }
}

/// What observed embedded objects in rows were like when they were last looked at.
struct PartsHistory {
  private var hashes: [UInt64: Int] = [:]

  /// Notes what rows are like that are not known.
  mutating func note(
    _ rows: some Sequence<UInt64>, _ parts: ObservedParts, in transaction: Transaction
  ) throws(StorageError) {
    if parts.isEmpty { return }
    for row in rows where hashes[row] == nil {
      hashes[row] = try parts.hash(of: row, in: transaction)
    }
  }

  /// Forgets all rows.
  mutating func removeAll() { hashes = [:] }

  /// Looks at the rows that the log names.
  ///
  /// - Returns: Those whose observed parts are others than before.
  mutating func changed(
    _ changes: [UInt64: ObjectChangeSet.Change], _ parts: ObservedParts,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    var changed: Set<UInt64> = []
    if parts.isEmpty { return changed }
    for (row, change) in changes {
      if case .deleted = change {
        hashes[row] = nil
      } else {
        let hash = try parts.hash(of: row, in: transaction)
        if hashes.updateValue(hash, forKey: row) != hash { changed.insert(row) }
      }
    }
    return changed
  }
}

extension ModelType.Column {
  /// Whether it holds embedded objects.
  fileprivate var holdsEmbedded: Bool { type == .embedded || element == .embedded }
}

extension ColumnPath {
  /// What a path leads to within embedded objects: its end, or the first link or collection of others on it.
  fileprivate var inside: Operand {
    let end = columns.firstIndex { !$0.holdsEmbedded } ?? columns.count - 1
    let steps = columns[..<end].map { column in
      column.type == .embedded
        ? PathStep.one(Int(column.number)) : PathStep.each(Int(column.number))
    }
    return Operand.column(Int(columns[end].number)).after(steps)
  }
}
