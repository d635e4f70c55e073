package import LeydenStorage

/// Objects of one type that rows lead to through links, and how to get from them back to the rows.
///
/// What lies in embedded objects is noted at the property of their owner that holds them, and links in
/// them with the owner's row: so a way through embedded objects is one from owner to owner, by what holds them.
package struct RelatedObjects {
  private let type: UInt32
  /// Those of their properties that decide about the rows.
  private let deciding: ObjectChangeSet.Properties
  private let stepsBack: [StepBack]

  /// Follows a way from the rows of a type; `nil` where it ends within an embedded object, or in values, or at
  /// what the file does not have.
  ///
  /// - Parameters:
  ///   - way: The properties on the way, at least one; each is one of what the one before leads to.
  ///   - deciding: The properties at its end that somebody asks for.
  ///   - type: The rows' type.
  ///   - catalog: What the file knows.
  package init?(
    _ way: some Sequence<ModelType.Column>, deciding: some Sequence<ModelType.Column>,
    from type: Catalog.StoredType?, _ catalog: Catalog
  ) {
    guard var end = type else { return nil }
    var owner = end
    var holders: [Catalog.StoredProperty] = []
    var stepsBack: [StepBack] = []
    for column in way {
      guard let property = end.property(named: column.name),
        let target = property.target.flatMap({ catalog.types[$0] })
      else { return nil }
      end = target
      guard !target.isEmbedded else {
        holders.append(property)
        continue
      }
      stepsBack.append(StepBack(property, in: holders, of: owner.id, to: target.id))
      holders = []
      owner = target
    }
    guard !end.isEmbedded else { return nil }
    self.type = end.id
    self.stepsBack = stepsBack
    self.deciding = end.ordinals(of: deciding)
  }

  /// Those that are there before and after changes, and have other values that decide.
  package func changed(in changes: ObjectChangeSet) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for (row, change) in changes.types[type] ?? [:] {
      if case .modified(let properties) = change, properties.intersects(deciding) {
        rows.insert(row)
      }
    }
    return rows
  }

  /// The rows that lead to one that changed.
  ///
  /// The links are followed back as they are now. That finds all rows that another link led to before as
  /// well: the first link on the way that is another one now is a change of an object that the row still
  /// leads to, or of the row itself. So new and deleted objects need not be looked at.
  ///
  /// - Parameters:
  ///   - changes: What changed, up to the version that `transaction` sees.
  ///   - row: The only row that matters, if there is one: the result may leave others out.
  ///   - limit: How many objects may be looked at.
  ///   - catalog: As of the transaction.
  ///   - transaction: Where links are looked up.
  /// - Returns: `nil` where there are more than `limit`.
  /// - Throws: What reading may run into.
  /// - Complexity: O(links to what changed), for each step of the way.
  package func rows(
    concernedBy changes: ObjectChangeSet, only row: UInt64? = nil, limit: Int = .max,
    _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64>? {
    var rows = changed(in: changes)
    for (position, step) in stepsBack.enumerated().reversed() where !rows.isEmpty {
      guard
        let before = try step.rows(
          leadingTo: rows, only: position == 0 ? row : nil, limit: limit, catalog, in: transaction)
      else { return nil }
      rows = before
    }
    return rows
  }
}

extension ColumnPath {
  /// The objects from whose property the path leads to something that changed: an object on the way leads to
  /// another one, or has another value at the path's end.
  ///
  /// Changes of the path's first property are not looked for.
  ///
  /// - Parameters:
  ///   - changes: What changed, up to the version that `transaction` sees.
  ///   - type: The type of the objects.
  ///   - root: The only object that matters, if there is one.
  ///   - catalog: As of the transaction.
  ///   - transaction: Where links are looked up.
  /// - Returns: Their rows.
  /// - Throws: What reading may run into.
  package func changedRoots(
    _ changes: ObjectChangeSet, of type: Catalog.StoredType?, only root: UInt64? = nil,
    _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    var roots: Set<UInt64> = []
    for end in columns.indices.dropFirst() {
      let related = RelatedObjects(
        columns[..<end], deciding: columns[end...end], from: type, catalog)
      roots.formUnion(
        try related?.rows(concernedBy: changes, only: root, catalog, in: transaction) ?? [])
    }
    if let root { roots.formIntersection([root]) }
    return roots
  }
}

extension Catalog.StoredType {
  /// What stands in the log for some properties, as far as the file has them.
  package func ordinals(
    of columns: some Sequence<ModelType.Column>
  ) -> ObjectChangeSet.Properties {
    var properties = ObjectChangeSet.Properties()
    for column in columns {
      if let property = property(named: column.name) { properties.insert(property.ordinal) }
    }
    return properties
  }
}
