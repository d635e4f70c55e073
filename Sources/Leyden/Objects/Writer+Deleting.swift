import LeydenStorage

/// Rows that are deleted, with what belongs to them and by the rules of what they lead to.
extension Writer {
  /// Deletes rows: with them what their delete rules say; whatever leads to them lets go.
  ///
  /// - Throws: ``StoreError/invalidatedObject(_:)`` where one is not there, and
  ///   ``StoreError/deleteDenied(_:)`` where a rule forbids it; nothing is deleted then.
  /// - Complexity: O(links of the rows and to them), and the length of each list that holds one.
  func delete(_ keys: [Key]) throws(StoreError) {
    let doomed = try doomed(by: keys)
    try checkDenials(doomed)
    var released: [Key: [UInt32: Set<ObjectReference>]] = [:]
    try storage { () throws(StorageError) in
      for key in doomed.keys where catalog.isTarget(key.type) {
        let target = ObjectReference(type: key.type, row: key.row)
        try InverseEntry.forEach(to: target, in: transaction) { (entry, value) in
          let source = Key(type: value.sourceType, row: entry.source)
          if !doomed.set.contains(source) {
            released[source, default: [:]][entry.property, default: []].insert(target)
          }
          return true
        }
      }
    }
    for source in released.keys.sorted(by: { ($0.type, $0.row) < ($1.type, $1.row) }) {
      for (property, targets) in released[source] ?? [:] {
        try release(targets, from: source, property)
      }
    }
    for key in doomed.keys { try remove(key) }
  }

  /// Rows that are deleted together, in the order in which they were found.
  private struct Doomed {
    var keys: [Key] = []
    var set: Set<Key> = []
  }

  /// The rows that are there, and those that cascades reach from them.
  private func doomed(by keys: [Key]) throws(StoreError) -> Doomed {
    var doomed = Doomed()
    doomed.set.reserveCapacity(keys.count)
    var waiting = Array(keys.reversed())
    while let key = waiting.popLast() {
      guard !doomed.set.contains(key) else { continue }
      guard let place = try placeOfRow(key) else {
        throw .invalidatedObject(catalog.types[key.type]?.name ?? "row \(key.row)")
      }
      doomed.keys.append(key)
      doomed.set.insert(key)
      guard catalog.hasDeleteRules else { continue }
      var next: [Key] = []
      try forEachLink(of: key, place) { (property, target) in
        if catalog.deleteRules[property] == .cascade {
          next.append(Key(type: target.type, row: target.row))
        }
      }
      waiting += next.reversed()
    }
    return doomed
  }

  /// Looks whether rows may be deleted together with embedded objects that have these links.
  ///
  /// - Throws: ``StoreError/deleteDenied(_:)`` where a rule forbids it.
  func checkDenials(of links: Set<Link>, deleting keys: [Key]) throws(StoreError) {
    guard !links.isEmpty || !keys.isEmpty else { return }
    let doomed = try doomed(by: keys)
    for link in links.sorted(by: { $0.property < $1.property })
    where !doomed.set.contains(Key(type: link.target.type, row: link.target.row)) {
      throw denial(by: link.property)
    }
    try checkDenials(doomed)
  }

  private func denial(by property: UInt32, of row: String = "") -> StoreError {
    let type = catalog.types.values.first { $0.property(property) != nil }
    return .deleteDenied("\(type?.name ?? "").\(type?.property(property)?.name ?? "")\(row)")
  }

  private func checkDenials(_ doomed: Doomed) throws(StoreError) {
    guard catalog.deleteRules.values.contains(.deny) else { return }
    for key in doomed.keys {
      guard let place = try placeOfRow(key) else { continue }
      var denied: UInt32?
      try forEachLink(of: key, place) { (property, target) in
        if catalog.deleteRules[property] == .deny,
          !doomed.set.contains(Key(type: target.type, row: target.row))
        {
          denied = property
        }
      }
      if let denied { throw denial(by: denied, of: " of row \(key.row)") }
    }
  }

  /// The tables of a row's type; `nil` where there is no such row.
  func placeOfRow(_ key: Key) throws(StoreError) -> Place? {
    try storage { () throws(StorageError) in
      guard let type = catalog.types[key.type] else { return nil }
      let place = try place(of: type)
      return unsafe try bytes(of: key, place) == nil ? nil : place
    }
  }

  /// Calls `body` with each link of a row, and the property that holds it.
  private func forEachLink(
    of key: Key, _ place: Place, _ body: (UInt32, ObjectReference) -> Void
  ) throws(StoreError) {
    try storage { () throws(StorageError) in
      guard let bytes = unsafe try bytes(of: key, place) else { return }
      try catalog.forEachLink(
        in: unsafe try place.type.view(of: bytes), of: place.type, row: key.row, in: transaction,
        body)
    }
  }

  /// Lets a property of a row lead no longer to some targets.
  private func release(
    _ targets: Set<ObjectReference>, from source: Key, _ id: UInt32
  ) throws(StoreError) {
    guard let place = try placeOfRow(source) else { return }
    guard let property = place.type.property(id) else {
      return try releaseEmbedded(targets, from: source, place)
    }
    let collection = WrittenCollection(key: source, place: place, property: property)
    func leads(_ value: StoredValue) -> Bool {
      guard case .object(let reference) = value else { return false }
      return targets.contains(
        reference.type == 0 ? property.reference(reference.row) : reference)
    }
    switch property.type {
    case .list:
      var positions: [Int] = []
      try storage { () throws(StorageError) in
        var position = 0
        try reader(of: collection).forEach { (value) in
          if leads(value) { positions.append(position) }
          position += 1
          return true
        }
      }
      try remove(positions.map { $0..<$0 + 1 }, collection)
    case .set:
      let values = try storage { () throws(StorageError) in
        try reader(of: collection).elements().filter(leads)
      }
      for value in values { try remove(value, collection) }
    case .map:
      var keys: [String] = []
      try storage { () throws(StorageError) in
        try reader(of: collection).forEachEntry { (key, value) in
          if leads(value) { keys.append(key) }
          return true
        }
      }
      for key in keys { try set(.null, forKey: key, collection) }
    default:
      try storage { () throws(StorageError) in
        try replaceLinks(of: property, by: .null, source, place)
        try put(.null, in: property, of: source, place)
      }
    }
    if staged.count > Self.stagingLimit { try flush() }
  }

  /// Removes a row with everything that belongs to it.
  private func remove(_ key: Key) throws(StoreError) {
    guard let type = catalog.types[key.type] else { return }
    try storage { () throws(StorageError) in
      let place = try place(of: type)
      try removeOutgoing(key, place)
      guard let bytes = unsafe try transaction.value(forRow: key.row, in: place.table) else {
        return
      }
      unsafe keepOriginal(bytes, key)
      let record = unsafe try type.view(of: bytes)
      let entries = unsafe try place.indexes.entries(of: bytes, row: key.row)
      // What the row had before the write as well: a flush within it put other values in their place.
      let references =
        try type.largeReferences(in: record)
        + (try type.largeReferences(in: originals[key] ?? []))
        + (chunked.removeValue(forKey: key) ?? [])
      staged[key] = nil
      for reference in Set(references) {
        try LargeValues.delete(reference, in: large, transaction: transaction)
      }
      try place.indexes.replace(entries, by: [])
      _ = try transaction.delete(row: key.row, in: place.table)
      changes.note(.deleted, row: key.row, type: type.id)
      noteChange()
    }
  }

  /// Removes the inverse entries of a row's links, and its collections' entries.
  private func removeOutgoing(_ key: Key, _ place: Place) throws(StorageError) {
    for property in place.type.properties where property.type.isCollection {
      try releaseAll(WrittenCollection(key: key, place: place, property: property))
    }
    for property in place.type.linking where !property.type.isCollection {
      try replaceLinks(of: property, by: .null, key, place)
    }
  }
}

extension Catalog {
  /// Calls `body` with each link of a record, those in embedded objects and in collections included, and
  /// the property that holds it; of some properties where they are given.
  func forEachLink(
    in record: RecordView, of type: StoredType, only properties: [StoredProperty]? = nil,
    row: UInt64, in transaction: Transaction,
    _ body: (UInt32, ObjectReference) throws(StorageError) -> Void
  ) throws(StorageError) {
    for property in properties ?? type.linking {
      let slot = try type.slot(of: property.id, in: record)
      if property.type.isCollection {
        let reader = CollectionReader(
          key: CollectionKey(type: type.id, row: row, property: property.id), property: property,
          form: try record.collection(slot, in: transaction), transaction: transaction)
        try reader.forEach { (element) throws(StorageError) in
          try forEachLink(ofElement: element, of: property, in: transaction, body)
          return true
        }
      } else if let slot {
        try forEachLink(
          of: property, try record.value(slot, property.type, in: transaction), in: transaction,
          body)
      }
    }
  }
}
