import LeydenStorage

/// Embedded objects: records inside their owners'.
extension Writer {
  /// Lets embedded objects of a row lead no longer to some targets.
  func releaseEmbedded(
    _ targets: Set<ObjectReference>, from source: Key, _ place: Place
  ) throws(StoreError) {
    for property in place.type.linking {
      let collection = WrittenCollection(key: source, place: place, property: property)
      if property.type == .embedded {
        let old = try storage { () throws(StorageError) in
          try value(of: property, in: source, place)
        }
        guard let new = try released(targets, old, property) else { continue }
        try storage { () throws(StorageError) in
          try replaceLinks(of: property, by: new, source, place)
          try put(new, in: property, of: source, place)
        }
      } else if property.element == .embedded {
        let reader = try storage { () throws(StorageError) in try self.reader(of: collection) }
        if property.type == .map {
          var entries: [(key: String, value: StoredValue)] = []
          try storage { () throws(StorageError) in
            try reader.forEachEntry {
              entries.append(($0, $1))
              return true
            }
          }
          for entry in entries {
            guard let new = try released(targets, entry.value, property) else { continue }
            try set(new, forKey: entry.key, collection)
          }
        } else {
          let elements = try storage { () throws(StorageError) in try reader.elements() }
          for (position, element) in elements.enumerated() {
            guard let new = try released(targets, element, property) else { continue }
            try replace(at: position, with: new, collection)
          }
        }
      }
    }
  }

  /// The value of a property of a row, as the write has it.
  func value(
    of property: Catalog.StoredProperty, in key: Key, _ place: Place
  ) throws(StorageError) -> StoredValue {
    guard let bytes = unsafe try bytes(of: key, place) else { return .null }
    let record = unsafe try place.type.view(of: bytes)
    guard let slot = try place.type.slot(of: property.id, in: record) else {
      return property.defaultValue
    }
    return try record.value(slot, property.type, in: transaction)
  }

  /// An embedded object that leads to some targets no longer; `nil` where it did not.
  private func released(
    _ targets: Set<ObjectReference>, _ value: StoredValue, _ property: Catalog.StoredProperty
  ) throws(StoreError) -> StoredValue? {
    guard case .structure(let bytes) = value,
      let type = property.target.flatMap({ catalog.types[$0] })
    else { return nil }
    return try storage { () throws(StorageError) in
      try released(targets, bytes, type).map { .structure($0) }
    }
  }

  private func released(
    _ targets: Set<ObjectReference>, _ bytes: [UInt8], _ type: Catalog.StoredType
  ) throws(StorageError) -> [UInt8]? {
    let record = try type.mutable(embedded: bytes)
    var hasChanged = false
    for property in type.linking {
      guard let slot = type.slot(of: property.id, in: type.newestLayout) else { continue }
      let old = try type.view(of: record).value(slot, property.type, in: transaction)
      guard let new = try released(targets, old, within: property) else { continue }
      try record.set(new, as: property.type, in: slot)
      hasChanged = true
    }
    guard hasChanged else { return nil }
    return unsafe Array(
      record.finish(layout: type.newestLayout, embedded: embeddedNumber(of: bytes)))
  }

  private func released(
    _ targets: Set<ObjectReference>, _ value: StoredValue, within property: Catalog.StoredProperty
  ) throws(StorageError) -> StoredValue? {
    switch (property.type, value) {
    case (_, .object(let reference)):
      let target = reference.type == 0 ? property.reference(reference.row) : reference
      return targets.contains(target) ? .null : nil
    case (.embedded, .structure(let bytes)):
      guard let type = property.target.flatMap({ catalog.types[$0] }) else { return nil }
      return try released(targets, bytes, type).map { .structure($0) }
    case (_, .structure(let bytes)):
      let reader = CollectionReader(
        key: nil, property: property, form: CollectionForm(bytes), transaction: transaction)
      return try released(targets, reader, property)
    default: return nil
    }
  }

  /// A packed collection without some targets; a map keeps their keys.
  private func released(
    _ targets: Set<ObjectReference>, _ reader: CollectionReader, _ property: Catalog.StoredProperty
  ) throws(StorageError) -> StoredValue? {
    let values = try reader.elements()
    let stored = try reader.storedElements()
    let coding = ElementCoding(property)
    var kept: [[UInt8]?] = []
    var hasChanged = false
    for (value, element) in zip(values, stored) {
      if property.element == .embedded, case .structure(let bytes) = value {
        let type = property.target.flatMap { catalog.types[$0] }
        let new = try type.flatMap { (type) throws(StorageError) in
          try released(targets, bytes, type)
        }
        if new != nil { hasChanged = true }
        kept.append(
          new.map { unsafe $0.withUnsafeBytes { unsafe Elements.encode(bytes: $0) } } ?? element)
      } else if try released(targets, value, within: property) != nil {
        hasChanged = true
        if property.type == .map { kept.append(nil) }
      } else {
        kept.append(element)
      }
    }
    guard hasChanged else { return nil }
    if property.type == .map, case .packed(let bytes) = reader.form {
      var all = unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        unsafe try MapEntries(packed: bytes, width: coding.width)
      }
      all.entries = zip(all.entries, kept).map { MapEntries.Entry(key: $0.key, element: $1) }
      return .structure(all.packed)
    }
    var elements = Elements(width: coding.width)
    for element in kept { elements.append(element) }
    return kept.isEmpty ? .null : .structure(elements.packed)
  }
}

extension Catalog.StoredType {
  /// An embedded object's record in memory of its own, in the newest layout.
  func mutable(embedded bytes: [UInt8]) throws(StorageError) -> MutableRecord {
    let record = MutableRecord(heapSlots: heapSlots[newestLayout] ?? [])
    unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      let source = unsafe try view(of: bytes)
      for (slot, property) in (layouts[newestLayout] ?? []).enumerated() {
        if let old = try self.slot(of: property, in: source) {
          try record.copy(source, slot: old, to: slot)
        } else if let stored = self.property(property) {
          try record.set(stored.defaultValue, as: stored.type, in: slot)
        }
      }
    }
    return record
  }

  /// A record that is being made, ready to be read.
  func view(of record: MutableRecord) throws(StorageError) -> RecordView {
    unsafe try RecordView(record.bytes, slots: record.slots)
  }
}
