import LeydenStorage

/// Which properties' changes an observer wants to hear of.
package enum ObservedProperties {
  /// All of the objects' own; none of others.
  case all
  /// Those of these paths, and changed links on the way to them.
  case paths([ColumnPath])

  /// The properties of a model that names say.
  ///
  /// - Throws: ``StoreError/invalidQuery(_:position:)`` where there is none of a name.
  package init(_ names: [String]?, of model: ModelType) throws(StoreError) {
    guard let names else {
      self = .all
      return
    }
    self = .paths(
      try names.map { (name) throws(StoreError) in
        guard let path = model.path(named: name) else {
          throw .invalidQuery("\(model.name) has no property \(name)", position: 0)
        }
        return path
      })
  }

  /// The paths; `nil` for all.
  package var paths: [ColumnPath]? {
    if case .paths(let paths) = self { paths } else { nil }
  }

  /// The objects' own properties among them, or `nil` for all; without those of which only parts are observed.
  func properties(
    of type: Catalog.StoredType?, besides parts: ObservedParts? = nil
  ) -> ObjectChangeSet.Properties? {
    guard case .paths(let paths) = self else { return nil }
    let others = parts?.columns ?? []
    let columns = paths.map { $0.columns[0] }.filter { !others.contains($0.number) }
    return type?.ordinals(of: columns) ?? ObjectChangeSet.Properties()
  }

  /// The objects from which a path through links leads to something that changed.
  func changedThroughLinks(
    _ changes: ObjectChangeSet, of type: Catalog.StoredType?, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    guard case .paths(let paths) = self else { return [] }
    var rows: Set<UInt64> = []
    for path in paths {
      rows.formUnion(try path.changedRoots(changes, of: type, catalog, in: transaction))
    }
    return rows
  }
}

/// Which changes of rows an observer hears of.
package struct ReportedChanges {
  /// All.
  static let all = ReportedChanges(properties: nil, rows: [])

  /// Properties of the rows themselves; `nil` means all.
  let properties: ObjectChangeSet.Properties?
  /// Rows that lead to something that changed.
  let rows: Set<UInt64>

  /// Whether the change of a row is among them.
  func contains(_ change: ObjectChangeSet.Change, of row: UInt64) -> Bool {
    guard case .modified(let changed) = change, let properties else { return true }
    return changed.intersects(properties) || rows.contains(row)
  }
}
