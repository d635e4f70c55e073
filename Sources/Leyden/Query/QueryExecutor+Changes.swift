package import LeydenStorage

extension QueryExecutor {
  /// How many objects may be looked at on the way back from changed ones; where there are more, the query
  /// is evaluated again.
  private static let mostRelatedRows = 10_000

  /// The properties that decide whether a row is among the results, and where, before the first step.
  package var decidingProperties: ObjectChangeSet.Properties {
    var properties = ObjectChangeSet.Properties()
    for column in dependencies.columns[[]] ?? [] {
      if let ordinal = binding.properties[column]?.ordinal { properties.insert(ordinal) }
    }
    if case .linking(_, let origin) = query.source {
      // A link within an embedded object is noted at the owner's property.
      guard let ordinal = binding.stored?.property(origin)?.ordinal else { return .all }
      properties.insert(ordinal)
    }
    return properties
  }

  /// The rows that lead to a changed object, where the query asks for what changed in it.
  ///
  /// The links are followed back as they are now. That finds all rows that another link led to before as
  /// well: the first link on the way that is another one now is a change of an object that the row still
  /// leads to, or of the row itself. So new and deleted objects need not be looked at.
  ///
  /// - Returns: `nil` where evaluating the query again is better, or the way back is not known.
  package func rows(
    concernedBy changes: ObjectChangeSet, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    var rows: Set<UInt64> = []
    for related in relatedObjects {
      let changed = related.changed(in: changes)
      guard !changed.isEmpty else { continue }
      let found = try related.rows(
        leadingTo: changed, limit: Self.mostRelatedRows, session.catalog, in: transaction)
      guard let found else { return nil }
      rows.formUnion(found)
      if rows.count > Self.mostRelatedRows { return nil }
    }
    return rows
  }

  /// Whether the results of a collection may be others after changes.
  package func mayBeConcerned(by changes: ObjectChangeSet) -> Bool {
    if changes.types[binding.stored?.id ?? 0]?.isEmpty == false { return true }
    if case .collection(let place) = query.source,
      place.mayDiffer(after: changes, session.catalog)
    {
      return true
    }
    return relatedObjects.contains { !$0.changed(in: changes).isEmpty }
  }

  private var dependencies: Dependencies { Dependencies(query) }

  private var relatedObjects: [RelatedObjects] {
    dependencies.columns.compactMap { way, columns in
      way.isEmpty ? nil : RelatedObjects(way, columns, from: binding, session)
    }
  }
}

extension RelatedObjects {
  /// Those that are there before and after changes, and have other values that the query asks for.
  func changed(in changes: ObjectChangeSet) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for (row, change) in changes.types[type] ?? [:] {
      if case .modified(let properties) = change, properties.intersects(deciding) {
        rows.insert(row)
      }
    }
    return rows
  }
}
