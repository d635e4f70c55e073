import LeydenStorage

/// Links and their inverse entries, which are kept up with every change of a link.
extension Writer {
  /// Notes that a source's property leads to a target, once more than before.
  func addLink(
    to target: ObjectReference, _ property: UInt32, from source: Key
  ) throws(StorageError) {
    try changeLink(
      InverseEntry(target: target, property: property, source: source.row), source.type
    ) { $0 + 1 }
  }

  /// Notes that a source's property leads to a target once less than before.
  func removeLink(
    to target: ObjectReference, _ property: UInt32, from source: Key
  ) throws(StorageError) {
    try changeLink(
      InverseEntry(target: target, property: property, source: source.row), source.type
    ) { $0 > 0 ? $0 - 1 : 0 }
  }

  private func changeLink(
    _ entry: InverseEntry, _ sourceType: UInt32, _ change: (UInt32) -> UInt32
  ) throws(StorageError) {
    let table = try inverse()
    unsafe try withBytes(of: entry.key) { (key) throws(StorageError) in
      let stored = unsafe try transaction.value(for: key, in: table)
      let old =
        unsafe try stored.map { (bytes) throws(StorageError) in
          unsafe try InverseEntry.Value(bytes).multiplicity
        } ?? 0
      if originalLinks[entry] == nil, catalog.isFollowed(entry) { originalLinks[entry] = old > 0 }
      let new = change(old)
      guard new != old else { return }
      guard new > 0 else {
        _ = unsafe try transaction.delete(key, in: table)
        return
      }
      let value = entry.value(multiplicity: new, sourceType: sourceType)
      unsafe try withBytes(of: value) { (value) throws(StorageError) in
        unsafe try transaction.put(value, for: key, in: table)
      }
    }
  }

  /// Brings the inverse entries from a property's old value to its new one.
  func replaceLinks(
    of property: Catalog.StoredProperty, by value: StoredValue, _ key: Key, _ place: Place
  ) throws(StorageError) {
    guard let bytes = unsafe try bytes(of: key, place) else { return }
    let record = unsafe try place.type.view(of: bytes)
    var old: [(UInt32, ObjectReference)] = []
    if let slot = try place.type.slot(of: property.id, in: record) {
      let before = try record.value(slot, property.type, in: transaction)
      try catalog.forEachLink(of: property, before, in: transaction) { old.append(($0, $1)) }
    }
    for (property, target) in old { try removeLink(to: target, property, from: key) }
    try catalog.forEachLink(of: property, value, in: transaction) {
      (property, target) throws(StorageError) in try addLink(to: target, property, from: key)
    }
  }

  /// Notes the changes of linking objects: at each target that has a source more or less.
  func noteLinks() throws(StorageError) {
    // For each target's properties the sources that came, less those that went.
    var differences: [Key: [Int: UInt64]] = [:]
    for (entry, wasThere) in originalLinks {
      let target = Key(type: entry.target.type, row: entry.target.row)
      switch changes.types[target.type]?[target.row] {
      case .inserted, .deleted: continue
      case nil, .modified: break
      }
      let isThere = unsafe try withBytes(of: entry.key) { (key) throws(StorageError) in
        unsafe try transaction.value(for: key, in: try inverse()) != nil
      }
      guard isThere != wasThere else { continue }
      let source = ValueFingerprint.of(source: entry.source, core.longKey)
      for follower in catalog.followers[entry.property] ?? [] where follower.type == target.type {
        differences[target, default: [:]][follower.ordinal, default: 0] &+=
          isThere ? source : 0 &- source
      }
    }
    for (target, all) in differences {
      var properties = ObjectChangeSet.Properties()
      for (ordinal, difference) in all { properties.insert(ordinal, before: difference) }
      changes.note(.modified(properties), row: target.row, type: target.type)
    }
  }
}

extension Catalog {
  /// Whether a property of linking objects of the target shows the link.
  func isFollowed(_ entry: InverseEntry) -> Bool {
    followers[entry.property]?.contains { $0.type == entry.target.type } ?? false
  }

  /// Calls `body` with each link that a property's value holds, and the property that holds it: another
  /// one within embedded objects.
  ///
  /// The value is not that of a collection in the table.
  func forEachLink(
    of property: StoredProperty, _ value: StoredValue, in transaction: Transaction,
    _ body: (UInt32, ObjectReference) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch (property.type, value) {
    case (_, .object(let reference)):
      try body(property.id, reference.type == 0 ? property.reference(reference.row) : reference)
    case (.embedded, .structure(let bytes)):
      try forEachLink(embedded: bytes, of: property, in: transaction, body)
    case (.list, .structure(let bytes)), (.set, .structure(let bytes)),
      (.map, .structure(let bytes)):
      guard property.mayLink || property.element == .embedded else { return }
      let reader = CollectionReader(
        key: nil, property: property, form: CollectionForm(bytes), transaction: transaction)
      try reader.forEach { (element) throws(StorageError) in
        try forEachLink(ofElement: element, of: property, in: transaction, body)
        return true
      }
    default: break
    }
  }

  /// Calls `body` with each link that an element of a collection holds.
  func forEachLink(
    ofElement element: StoredValue, of property: StoredProperty, in transaction: Transaction,
    _ body: (UInt32, ObjectReference) throws(StorageError) -> Void
  ) throws(StorageError) {
    switch element {
    case .object(let reference):
      try body(property.id, reference.type == 0 ? property.reference(reference.row) : reference)
    case .structure(let bytes):
      try forEachLink(embedded: bytes, of: property, in: transaction, body)
    default: break
    }
  }

  private func forEachLink(
    embedded bytes: [UInt8], of property: StoredProperty, in transaction: Transaction,
    _ body: (UInt32, ObjectReference) throws(StorageError) -> Void
  ) throws(StorageError) {
    guard let type = property.target.flatMap({ types[$0] }) else { return }
    unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      let record = unsafe try type.view(of: bytes)
      for inner in type.linking {
        guard let slot = try type.slot(of: inner.id, in: record) else { continue }
        try forEachLink(
          of: inner, try record.value(slot, inner.type, in: transaction), in: transaction, body)
      }
    }
  }
}

extension Catalog.StoredProperty {
  /// A row of the type that the property leads to.
  func reference(_ row: UInt64) -> ObjectReference { ObjectReference(type: target ?? 0, row: row) }
}
