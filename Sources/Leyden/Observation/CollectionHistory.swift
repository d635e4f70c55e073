package import LeydenStorage

/// The past of one observer of a list, a set or a map, and each step forward from it.
///
/// It keeps the elements as they were: where the log says that the owner's property changed, it reads the
/// collection again and compares.
package struct CollectionHistory {
  /// One step.
  package struct Step {
    /// What changed, by position.
    package let changes: PositionChanges
    /// What changed in a map, by key.
    package let keys: KeyChanges
    /// Whether there was nothing before.
    package let isInitial: Bool
    /// Whether the log did not reach back.
    package let isResync: Bool
    /// The version after the step.
    package let version: UInt64
  }

  /// What changed in a map, in the order of the keys.
  package struct KeyChanges {
    /// Keys that are gone.
    package var deletions: [String] = []
    /// Keys that are new.
    package var insertions: [String] = []
    /// Keys whose values are others, or are objects that changed.
    package var modifications: [String] = []
  }

  /// The collection's property with its owner's type, as messages say it.
  package let name: String
  /// Whether the collection is gone, with its owner: then there is no further step.
  package private(set) var isGone = false
  private let place: CollectionPlace
  private let query: ElementQuery
  private let filter: ObservedProperties
  private var version: UInt64 = 0
  private var numbering = ElementNumbering()
  private var elements: CollectionElements?
  private var parts = PartsHistory()

  /// Begins before the first step.
  ///
  /// - Parameters:
  ///   - place: Where the collection is.
  ///   - query: What is asked of its elements.
  ///   - name: Its property with its owner's type.
  ///   - filter: Whose changes count, of the objects that the elements are or lead to.
  package init(
    of place: CollectionPlace, _ query: ElementQuery, name: String, filter: ObservedProperties
  ) {
    self.place = place
    self.query = query
    self.name = name
    self.filter = filter
  }

  /// Whether the first step was taken.
  var hasBegun: Bool { elements != nil }

  /// Replaces the past by what `transaction` sees.
  mutating func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    elements = try read(session, in: transaction)
    isGone = elements == nil
    self.version = version
    parts.removeAll()
    try noteParts(session, in: transaction)
  }

  /// What is observed of embedded objects in the objects that the elements are; `nil` where that is nothing.
  private func observedParts(_ session: Session) -> ObservedParts? {
    guard filter.paths != nil, let target = query.reader(session)?.target,
      !target.model.isEmbedded
    else { return nil }
    return ObservedParts(filter, target, session)
  }

  private mutating func noteParts(
    _ session: Session, in transaction: Transaction
  ) throws(StorageError) {
    guard let observed = observedParts(session), let elements else { return }
    let numbers = elements.contents.isEmpty ? elements.identities : elements.contents
    try parts.note(numbers.map { UInt64(truncatingIfNeeded: $0) }, observed, in: transaction)
  }

  /// The elements; `nil` where the owner is gone.
  private mutating func read(
    _ session: Session, in transaction: Transaction
  ) throws(StorageError) -> CollectionElements? {
    let contents = ElementContents(query, filter, session)
    return try place.read(session.catalog, in: transaction, ofNothing: CollectionElements()) {
      (reader) throws(StorageError) in
      let all = try numbering.elements(of: reader, contents)
      guard !query.stages.isEmpty else { return all }
      return all.selecting(
        try query.reader(session)?.positions(
          of: try reader.elements(), after: query.stages, in: transaction) ?? [])
    }
  }

  /// Brings the past forward to what `transaction` sees.
  ///
  /// - Returns: The step, or `nil` where nothing is to be told. A collection that is gone has lost all its
  ///   elements.
  package mutating func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> Step? {
    guard let old = elements else {
      try restart(session, at: version, in: transaction)
      return Step(
        changes: PositionChanges(), keys: KeyChanges(), isInitial: true, isResync: false,
        version: version)
    }
    guard version > self.version, !isGone else { return nil }
    let all = try changes(self.version)
    guard let property = place.storedProperty(session.catalog) else { return nil }
    let before = self.version
    self.version = version
    var new = old
    if all.map({ mayDiffer(after: $0, session) }) ?? true {
      let found = try read(session, in: transaction)
      isGone = found == nil
      new = found ?? CollectionElements()
      elements = new
    }
    let targets = CollectionTargets(of: place.owner.row, property, numbering.references)
    let changed =
      if let all {
        try targets.changed(
          all, filter, observedParts(session), &parts, session.catalog, in: transaction)
      } else {
        try targets.changed(since: before, among: new, session.catalog, in: transaction)
      }
    if all == nil { parts.removeAll() }
    try noteParts(session, in: transaction)
    if changed.isEmpty, new == old { return nil }
    let diff = SequenceDiff(from: old.identities, to: new.identities)
    let mayBeModified = !changed.isEmpty || !new.contents.isEmpty
    // Among results, an embedded object that takes the place of another one is another one.
    let isReplaced = query.stages.isEmpty || property.element != .embedded
    let step = diff.changes(
      replaces: property.type == .list && !query.isSorted && isReplaced,
      hasChanged: !mayBeModified
        ? nil
        : {
          old.differs(at: $0.old, from: new, at: $0.new)
            || targets.leads(new.value(at: $0.new), to: changed)
        })
    guard !step.isEmpty else { return nil }
    return Step(
      changes: step, keys: keys(step, old, new), isInitial: false, isResync: all == nil,
      version: version)
  }

  /// Whether the collection, or what is asked of it, may be something else than before.
  private func mayDiffer(after changes: ObjectChangeSet, _ session: Session) -> Bool {
    place.mayDiffer(after: changes, session.catalog) || query.asksForOthers(session)
      || ElementContents(query, filter, session).asksForOthers
  }

  private func keys(
    _ changes: PositionChanges, _ old: CollectionElements, _ new: CollectionElements
  ) -> KeyChanges {
    guard !old.keys.isEmpty || !new.keys.isEmpty else { return KeyChanges() }
    return KeyChanges(
      deletions: changes.deletions.map { old.keys[$0] },
      insertions: changes.insertions.map { new.keys[$0] },
      modifications: changes.modifications.map { old.keys[$0] })
  }
}

/// The objects that a collection's elements lead to.
private struct CollectionTargets {
  private let owner: UInt64
  private let property: Catalog.StoredProperty
  private let references: [Int: ObjectReference]

  init(
    of owner: UInt64, _ property: Catalog.StoredProperty, _ references: [Int: ObjectReference]
  ) {
    self.owner = owner
    self.property = property
    self.references = references
  }

  /// What the element of a number leads to.
  private func target(_ number: Int) -> ObjectReference? {
    switch property.element {
    case .link: property.reference(UInt64(truncatingIfNeeded: number))
    case .anyValue: references[number]
    default: nil
    }
  }

  /// Whether the element of a number leads to one of some rows.
  func leads(_ number: Int, to rows: Set<UInt64>) -> Bool {
    // Rows are numbered over all types.
    guard !rows.isEmpty, let target = target(number) else { return false }
    return rows.contains(target.row)
  }

  /// The rows that changed in what an observer wants to hear of; of any type that the elements may be of.
  func changed(
    _ changes: ObjectChangeSet, _ filter: ObservedProperties, _ observed: ObservedParts?,
    _ parts: inout PartsHistory, _ catalog: Catalog, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    var rows: Set<UInt64> = []
    for (type, all) in changes.types where mayLead(to: type) {
      let stored = catalog.types[type]
      var inside: Set<UInt64> = []
      if let observed { inside = try parts.changed(all, observed, in: transaction) }
      let reported = ReportedChanges(
        properties: filter.properties(of: stored, besides: observed), rows: inside)
      for (row, change) in all {
        if case .modified = change, reported.contains(change, of: row) { rows.insert(row) }
      }
    }
    guard let type = property.target, property.element == .link else { return rows }
    rows.formUnion(
      try filter.changedThroughLinks(
        changes, of: catalog.types[type], catalog, in: transaction))
    // A few are asked for whether they are in the collection at all, before that is looked through.
    guard rows.count <= 16 else { return rows }
    var linked: Set<UInt64> = []
    for row in rows {
      let entry = InverseEntry(
        target: property.reference(row), property: property.id, source: owner)
      if try entry.exists(in: transaction) { linked.insert(row) }
    }
    return linked
  }

  private func mayLead(to type: UInt32) -> Bool {
    switch property.element {
    case .link: type == property.target
    case .anyValue: true
    default: false
    }
  }

  /// The rows whose record is newer than a version.
  func changed(
    since version: UInt64, among elements: CollectionElements, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    let numbers = Set(elements.contents.isEmpty ? elements.identities : elements.contents)
    var rows: Set<UInt64> = []
    for number in numbers {
      guard let target = target(number), let type = catalog.types[target.type],
        let table = try transaction.table(named: type.tableName),
        let bytes = unsafe try transaction.value(forRow: target.row, in: table)
      else { continue }
      if unsafe try type.view(of: bytes).version > version { rows.insert(target.row) }
    }
    return rows
  }
}
