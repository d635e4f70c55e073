package import LeydenStorage

/// One step back along a property, from what it leads to.
package enum StepBack {
  /// To the objects of a type whose property leads there; the last one of several is that of embedded objects
  /// that the others hold.
  case sources(by: [Catalog.StoredProperty], ofType: UInt32, to: UInt32)
  /// To the objects that another property leads to: linking objects are reached against it.
  case links(of: UInt32, ofType: UInt32)

  /// The step back along a property of objects of a type, or of embedded objects that `holders` lead to in
  /// them, from the type that it leads to.
  package init(
    _ property: Catalog.StoredProperty, in holders: [Catalog.StoredProperty] = [],
    of source: UInt32, to target: UInt32
  ) {
    self =
      if let origin = property.origin {
        .links(of: origin, ofType: target)
      } else {
        .sources(by: holders + [property], ofType: source, to: target)
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
      case .sources(let way, let type, let target):
        let target = ObjectReference(type: target, row: row)
        let property = way.last?.id ?? 0
        if let source {
          let entry = InverseEntry(target: target, property: property, source: source)
          if try entry.exists(in: transaction) { found.insert(source) }
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
    return try leading(found, to: rows, catalog, in: transaction)
  }

  /// Those of some sources that lead to others by these properties: inverse entries name the embedded object's
  /// property, and not what holds that.
  private func leading(
    _ sources: Set<UInt64>, to rows: Set<UInt64>, _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    guard case .sources(let way, let type, _) = self, way.count > 1 else { return sources }
    var leading: Set<UInt64> = []
    for source in sources
    where try catalog.leads(source, of: type, by: way, to: rows, in: transaction) {
      leading.insert(source)
    }
    return leading
  }
}

extension Catalog {
  /// Whether a row leads to one of others by a way through embedded objects in it.
  fileprivate func leads(
    _ row: UInt64, of type: UInt32, by way: [StoredProperty], to targets: Set<UInt64>,
    in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard let type = types[type], let table = try transaction.table(named: type.tableName),
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return false }
    unsafe try RecordView.verify(bytes, type: type.id, row: row)
    return try leads(
      unsafe try type.view(of: bytes), of: type, row: row, by: way[...], to: targets,
      in: transaction)
  }

  private func leads(
    _ record: RecordView, of type: StoredType, row: UInt64?, by way: ArraySlice<StoredProperty>,
    to targets: Set<UInt64>, in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard let property = way.first, let slot = try type.slot(of: property.id, in: record) else {
      return false
    }
    var leads = false
    func look(_ value: StoredValue) throws(StorageError) -> Bool {
      if case .object(let reference) = value { leads = targets.contains(reference.row) }
      if case .structure(let bytes) = value, let inner = property.target.flatMap({ types[$0] }) {
        leads = unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
          try self.leads(
            unsafe try inner.view(of: bytes), of: inner, row: nil, by: way.dropFirst(),
            to: targets, in: transaction)
        }
      }
      return !leads
    }
    if property.type.isCollection {
      try CollectionReader(
        key: row.map { CollectionKey(type: type.id, row: $0, property: property.id) },
        property: property, form: try record.collection(slot, in: transaction),
        transaction: transaction
      ).forEach(look)
    } else {
      _ = try look(try record.value(slot, property.type, in: transaction))
    }
    return leads
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
