import LeydenStorage

/// Links: what they lead to (L1), and the entries among the inverses (L2).
extension Verifier {
  /// Notes that a property leads to an object.
  func noteLink(_ target: ObjectReference, _ spot: Spot) {
    let entry = InverseEntry(
      target: target, property: spot.property.id, source: spot.owner.row)
    spot.owner.links[entry, default: (0, spot.path)].count += 1
  }

  /// Looks at what an object leads to, when all of its record was read.
  func checkLinks(of owner: Owner) {
    for (entry, link) in owner.links {
      if followsLinks { followed.insert(entry) }
      report.links += 1
      var place = owner.check.place(owner.row, link.path)
      checkTarget(entry.target, place)
      place.table = InverseEntry.table
      place.key = entry.key
      checkInverse(entry, link.count, owner, place)
    }
  }

  private func checkTarget(_ target: ObjectReference, _ place: VerificationFinding.Place) {
    guard let type = typesByNumber[target.type], !type.isEmbedded else {
      if knowsCatalog {
        note(.link, "the link leads to type \(target.type), which has no objects", place)
      }
      return
    }
    guard let table = soundTable(type.tableName), table.value(forRow: target.row) == nil else {
      return
    }
    note(.link, "the link leads to row \(target.row) of \(type.name), which is not there", place)
  }

  private func checkInverse(
    _ entry: InverseEntry, _ count: UInt32, _ owner: Owner, _ place: VerificationFinding.Place
  ) {
    guard let value = inverseTable?.value(for: entry.key) else {
      if inverseTable?.isSound ?? snapshot.knowsAllTables {
        note(.missingInverseEntry, "the link has no entry among the inverses", place)
      }
      return
    }
    foundInverses += 1
    if value != entry.value(multiplicity: count, sourceType: owner.check.type.id) {
      note(
        .wrongInverseEntry,
        "the entry is damaged, or does not say that the link is there \(count) times", place)
    }
  }

  /// Looks for entries among the inverses that no link has, where there are more than links account for.
  func checkInverseEntries() {
    guard let table = inverseTable, !table.isSound || table.count != foundInverses else { return }
    // Which of them are of no link takes all links: they are read once more.
    let again = Verifier(again: self)
    for type in types { again.checkRecords(of: type) }
    unsafe table.forEach { key, value in
      let place = unsafe VerificationFinding.Place(table: InverseEntry.table, key: Array(key))
      guard key.count == 24 else {
        return note(.wrongInverseEntry, "the key has \(key.count) bytes", place)
      }
      let entry = unsafe InverseEntry(key)
      guard !again.followed.contains(entry), unsafe isKnown(sourceOf: entry, value) else { return }
      note(
        .wrongInverseEntry,
        "row \(entry.source) does not lead to row \(entry.target.row) of type \(entry.target.type)",
        place)
    }
  }

  /// Whether it can be told what the source of an entry leads to.
  private func isKnown(sourceOf entry: InverseEntry, _ value: UnsafeRawBufferPointer) -> Bool {
    if knowsAllRecords { return true }
    guard let value = unsafe try? InverseEntry.Value(value),
      let type = typesByNumber[value.sourceType]
    else { return false }
    return soundTable(type.tableName).map { $0.value(forRow: entry.source) == nil } ?? false
  }

  // MARK: Orphans

  /// The types whose objects others are meant to own: only properties with the rule `cascade` lead to them,
  /// some of them from other types.
  func findOwnedTypes() {
    for type in types where !type.isEmbedded {
      var rules: Set<DeleteRule> = []
      var hasOwner = false
      for other in types {
        for property in other.properties where property.target == type.id && property.mayLink {
          rules.insert(property.deleteRule)
          if other.id != type.id { hasOwner = true }
        }
      }
      if rules == [.cascade], hasOwner { ownedTypes.insert(type.id) }
    }
  }

  /// Notes an object that should have an owner and has none.
  func checkOwner(of owner: Owner) {
    let type = owner.check.type
    guard ownedTypes.contains(type.id), inverseTable?.isSound ?? true else { return }
    var hasOwner = false
    unsafe inverseTable?.forEach(
      prefix: InverseEntry.prefix(of: ObjectReference(type: type.id, row: owner.row)).bytes
    ) { _, _ in
      hasOwner = true
      return false
    }
    if !hasOwner { noteOrphan(owner.check.place(owner.row)) }
  }
}
