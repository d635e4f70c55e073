import LeydenStorage

/// Values that are changed: staged by row, and written once.
extension Writer {
  /// Sets a column of a row; a value that is equal already changes nothing.
  func set(
    _ value: StoredValue, column: Int, row: UInt64, _ binding: TypeBinding
  ) throws(StoreError) {
    let place = try place(of: binding)
    let type = place.type
    let key = Key(type: type.id, row: row)
    guard let property = binding.properties[column] else {
      throw .corrupted("\(binding.name(of: column)) is not in the store's catalog")
    }
    let changed: Bool? = try storage { () throws(StorageError) in
      guard let bytes = unsafe try bytes(of: key, place) else { return nil }
      return unsafe try !binding.record(bytes).value(column, in: transaction).isIdentical(to: value)
    }
    guard let changed else { throw .invalidatedObject(binding.name(of: column)) }
    guard changed else { return }
    if binding.model.columns[column].isPrimaryKey {
      throw .invalidValue("\(binding.name(of: column)) is a primary key and cannot be changed")
    }
    func change() throws(StoreError) {
      try storage { () throws(StorageError) in
        if property.mayLink || property.type == .embedded {
          try replaceLinks(of: property, by: value, key, place)
        }
        try put(value, in: property, of: key, place)
      }
    }
    if followsRules(in: property) {
      let old = try storage { () throws(StorageError) in
        try self.value(of: property, in: key, place)
      }
      try exchange([Exchange(property: property, old: [old], new: [value])], change)
    } else {
      try change()
    }
    if staged.count > Self.stagingLimit { try flush() }
  }

  /// The record of a row in memory of its own, in the newest layout.
  func stage(_ key: Key, _ place: Place) throws(StorageError) -> MutableRecord {
    if let known = staged[key] { return known.record }
    let type = place.type
    guard let bytes = unsafe try transaction.value(forRow: key.row, in: place.table) else {
      throw .corrupted("row \(key.row) of \(type.name) is gone")
    }
    unsafe try RecordView.verify(bytes, type: key.type, row: key.row)
    unsafe keepOriginal(bytes, key)
    let source = unsafe try type.view(of: bytes)
    let layout = unsafe try RecordView.layout(of: bytes)
    let record = MutableRecord(heapSlots: type.heapSlots[type.newestLayout] ?? [])
    for (slot, property) in (type.layouts[type.newestLayout] ?? []).enumerated() {
      if let old = type.slot(of: property, in: layout) {
        try record.copy(source, slot: old, to: slot)
      } else if let stored = type.property(property) {
        try record.set(stored.defaultValue, as: stored.type, in: slot)
      }
    }
    // The copy must be readable like a stored record before it is finished.
    _ = unsafe record.finish(
      layout: type.newestLayout, type: key.type, row: key.row, version: version)
    staged[key] = Staged(place: place, record: record)
    generation.advance()
    return record
  }

  /// The record of a row as the write has it; `nil` where there is none.
  func bytes(of key: Key, _ place: Place) throws(StorageError) -> UnsafeRawBufferPointer? {
    if let staged = staged[key] { return unsafe staged.record.bytes }
    return unsafe try transaction.value(forRow: key.row, in: place.table)
  }

  /// Puts a value into the slot of a property of a row.
  func put(
    _ value: StoredValue, in property: Catalog.StoredProperty, of key: Key, _ place: Place
  ) throws(StorageError) {
    let record = try stage(key, place)
    let before = record.revision
    guard let slot = place.type.slot(of: property.id, in: place.type.newestLayout) else {
      throw .corrupted(
        "\(place.type.name).\(property.name) is not in the newest layout of its type")
    }
    try record.set(value, as: property.type, in: slot)
    revision = generation.takeRevision()
    if record.revision != before { generation.advance() }
  }

  /// Locates a row for a live object if its record is staged.
  func locate(_ row: LiveRow) -> Bool {
    guard let type = row.binding.stored,
      let staged = staged[Key(type: type.id, row: row.row)]
    else { return false }
    return unsafe row.locate(at: staged.record.bytes, layout: staged.place.type.newestLayout)
  }

  /// Writes staged records to their tables, so that queries within the write see them.
  package func flush() throws(StoreError) {
    guard !staged.isEmpty else { return }
    try storage { () throws(StorageError) in
      for (key, entry) in staged {
        let place = entry.place
        guard let old = unsafe try transaction.value(forRow: key.row, in: place.table) else {
          throw .corrupted("row \(key.row) of \(place.type.name) is gone")
        }
        let entries = unsafe try place.indexes.entries(of: old, row: key.row)
        _ = try put(entry.record, key.row, place, isNew: false)
        try place.indexes.replace(
          entries, by: unsafe place.indexes.entries(of: entry.record.bytes, row: key.row))
      }
    }
    staged = [:]
    generation.advance()
  }
}
