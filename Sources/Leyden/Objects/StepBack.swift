package import LeydenStorage

/// One step back along a property, from what it leads to.
package enum StepBack {
  /// To the objects of a type whose property leads there, or that of an embedded object in them.
  case sources(of: UInt32, ofType: UInt32, to: UInt32)
  /// To the objects that another property leads to: linking objects are reached against it.
  case links(of: UInt32, ofType: UInt32)

  /// The step back along a property of objects of a type, or of embedded objects in them, from the type that
  /// it leads to.
  package init(_ property: Catalog.StoredProperty, of source: UInt32, to target: UInt32) {
    self =
      if let origin = property.origin {
        .links(of: origin, ofType: target)
      } else {
        .sources(of: property.id, ofType: source, to: target)
      }
  }

  /// The rows that lead to some of others.
  ///
  /// - Parameters:
  ///   - rows: The others.
  ///   - source: The only row that matters, if there is one: the result may leave others out.
  ///   - limit: How many rows may be looked at.
  ///   - catalog: As of the transaction.
  ///   - transaction: Where links are looked up.
  /// - Returns: `nil` where there are more than `limit`.
  /// - Throws: What reading may run into.
  /// - Complexity: O(links to `rows`).
  package func rows(
    leadingTo rows: Set<UInt64>, only source: UInt64? = nil, limit: Int, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    guard rows.count <= limit else { return nil }
    var found: Set<UInt64> = []
    for row in rows {
      switch self {
      case .sources(let property, let type, let target):
        let target = ObjectReference(type: target, row: row)
        if let source {
          let entry = InverseEntry(target: target, property: property, source: source)
          if try entry.exists(in: transaction) { return [source] }
          continue
        }
        try InverseEntry.forEach(to: target, property, in: transaction) { (entry, value) in
          if value.sourceType == type { found.insert(entry.source) }
          return found.count <= limit
        }
      case .links(let property, let type):
        found.formUnion(
          try catalog.targets(of: property, of: type, row: row, in: transaction) ?? [])
      }
      if found.count > limit { return nil }
    }
    return found
  }
}

extension Catalog {
  /// The rows that a property of an object leads to, in the property's order; `nil` where it is not a property
  /// of the type itself.
  package func targets(
    of property: UInt32, of type: UInt32, row: UInt64, in transaction: Transaction
  ) throws(StorageError) -> [UInt64]? {
    guard let type = types[type], let property = type.property(property) else { return nil }
    guard let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return [] }
    unsafe try RecordView.verify(bytes, type: type.id, row: row)
    let record = unsafe try type.view(of: bytes)
    guard let slot = try type.slot(of: property.id, in: record) else { return [] }
    var rows: [UInt64] = []
    func add(_ value: StoredValue) -> Bool {
      if case .object(let reference) = value { rows.append(reference.row) }
      return true
    }
    if property.type.isCollection {
      try CollectionReader(
        key: CollectionKey(type: type.id, row: row, property: property.id), property: property,
        form: try record.collection(slot, in: transaction), transaction: transaction
      ).forEach(add)
    } else {
      _ = add(try record.value(slot, property.type, in: transaction))
    }
    return rows
  }
}
