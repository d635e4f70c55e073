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
  /// - Returns: `nil` where evaluating the query again is better.
  package func rows(
    concernedBy changes: ObjectChangeSet, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    var rows: Set<UInt64> = []
    for related in relatedObjects {
      let found = try related.rows(
        concernedBy: changes, limit: Self.mostRelatedRows, session.catalog, in: transaction)
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
      way.isEmpty ? nil : RelatedObjects(way, deciding: columns, from: binding, session)
    }
  }
}
