package import LeydenStorage

/// A path through links as the catalog has it: from what changed at its end back to the objects where it begins.
///
/// What lies within embedded objects is noted at the property of their owner that holds them, so a path through
/// one is followed up to that property, and from links within it on.
package struct StoredPath {
  /// One property on the way.
  private struct Waypoint {
    let type: Catalog.StoredType
    let property: Catalog.StoredProperty
  }

  private let way: [Waypoint]

  /// A path from objects of a type; `nil` where the file does not have one of its properties yet: then nobody
  /// changed it either.
  package init?(_ path: ColumnPath, from type: Catalog.StoredType?, _ catalog: Catalog) {
    var way: [Waypoint] = []
    var type = type
    for column in path.columns {
      guard let stored = type, let property = stored.property(named: column.name) else {
        return nil
      }
      way.append(Waypoint(type: stored, property: property))
      type = column.target.flatMap { catalog.type(named: ModelType.of($0).name) }
    }
    self.way = way
  }

  /// The objects from whose property the path leads to something that changed.
  ///
  /// An object on the way leads to another one, or has another value at the path's end. Changes of the property
  /// itself are not looked for.
  ///
  /// - Parameters:
  ///   - changes: What changed, up to the version that `transaction` sees.
  ///   - root: The only object that matters, if there is one.
  ///   - catalog: As of the transaction.
  ///   - transaction: Where links are looked up.
  /// - Returns: Their rows.
  /// - Throws: What reading may run into.
  /// - Complexity: O(links to what changed), for each property on the way.
  package func changedRoots(
    _ changes: ObjectChangeSet, only root: UInt64? = nil, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for level in way.indices.reversed() where !way[level].type.isEmbedded {
      guard level > 0 else { break }
      rows.formUnion(changedRows(at: level, changes))
      guard !rows.isEmpty else { continue }
      // Links within embedded objects are entered with the row that holds these.
      let isLast = way[1..<level].allSatisfy(\.type.isEmbedded)
      rows = try sources(of: rows, at: level, only: isLast ? root : nil, catalog, in: transaction)
    }
    if let root { rows.formIntersection([root]) }
    return rows
  }

  /// Rows whose property on the path changed.
  private func changedRows(at level: Int, _ changes: ObjectChangeSet) -> [UInt64] {
    let ordinal = way[level].property.ordinal
    return (changes.types[way[level].type.id] ?? [:]).compactMap { row, change in
      guard case .modified(let properties) = change, properties.contains(ordinal) else {
        return nil
      }
      return row
    }
  }

  /// The rows whose property before a level leads to one of that level's rows.
  private func sources(
    of targets: Set<UInt64>, at level: Int, only root: UInt64?, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    let type = way[level].type
    let property = way[level - 1].property
    var sources: Set<UInt64> = []
    for row in targets {
      if property.type == .linkingObjects {
        try catalog.forEachLink(of: row, type, through: property.origin, in: transaction) {
          target in
          if target.type == way[level - 1].type.id { sources.insert(target.row) }
        }
        continue
      }
      let target = ObjectReference(type: type.id, row: row)
      if let root {
        let entry = InverseEntry(target: target, property: property.id, source: root)
        if try entry.exists(in: transaction) { return [root] }
      } else {
        try InverseEntry.forEach(to: target, property.id, in: transaction) { (entry, _) in
          sources.insert(entry.source)
          return true
        }
      }
    }
    return sources
  }
}

extension Catalog {
  /// Calls `body` with what a property of a row leads to; with all that embedded objects lead to, where the
  /// property is one of theirs.
  fileprivate func forEachLink(
    of row: UInt64, _ type: StoredType, through id: UInt32?, in transaction: Transaction,
    _ body: (ObjectReference) -> Void
  ) throws(StorageError) {
    guard let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return }
    unsafe try RecordView.verify(bytes, type: type.id, row: row)
    let record = unsafe try type.view(of: bytes)
    let mayHold = type.linking.filter {
      $0.id == id || $0.type == .embedded || $0.element == .embedded
    }
    try forEachLink(in: record, of: type, only: mayHold, row: row, in: transaction) {
      (property, target) in
      if property == id { body(target) }
    }
  }
}
