import LeydenStorage

/// Rows that are added and deleted.
extension Writer {
  /// Adds a row with a value for each column of the binding, and returns its number.
  func insert(
    _ values: [StoredValue], _ binding: TypeBinding
  ) throws(StoreError) -> UInt64 {
    try insert(binding) { (column, slot, record) throws(StorageError) in
      try record.set(values[column], as: binding.model.columns[column].type, in: slot)
    }
  }

  /// Adds a row with the values of an object, and returns its number.
  func insert(_ object: Object, _ binding: TypeBinding) throws(StoreError) -> UInt64 {
    try insert(binding) { (column, slot, record) throws(StorageError) in
      try binding.model.encode(column, of: object, in: slot, of: record)
    }
  }

  /// Makes room for so many more rows, which saves making it little by little.
  ///
  /// What is said of a sequence may be anything, so no more is made than a large write needs.
  func expect(_ count: Int, _ binding: TypeBinding) {
    guard let type = binding.stored?.id else { return }
    let count = min(max(count, 0), 1 << 20)
    changes.types[type, default: [:]].reserveCapacity(
      changes.types[type, default: [:]].count + count)
  }

  /// Takes the number of a row that is added later.
  func takeRow(of binding: TypeBinding) throws(StoreError) -> UInt64 {
    let table = try place(of: binding).table
    return try storage { () throws(StorageError) in
      var row = rows.take()
      while unsafe try transaction.value(forRow: row, in: table) != nil {
        rows.skipBlock()
        row = rows.take()
      }
      return row
    }
  }

  /// Adds a row whose number was taken before.
  func insert(
    _ row: UInt64, _ binding: TypeBinding,
    _ fill: (Int, Int, MutableRecord) throws(StorageError) -> Void
  ) throws(StoreError) {
    _ = try insert(binding, row: row, fill)
  }

  private func insert(
    _ binding: TypeBinding, row wanted: UInt64? = nil,
    _ fill: (Int, Int, MutableRecord) throws(StorageError) -> Void
  ) throws(StoreError) -> UInt64 {
    let place = try place(of: binding)
    let record = binding.newRecord
    let row = try storage { () throws(StorageError) in
      record.reset(layout: place.type.newestLayout)
      for slot in binding.newColumns.indices {
        if let column = binding.newColumns[slot] {
          try fill(column, slot, record)
        } else {
          try record.set(
            binding.newDefaults[slot], as: binding.newTypes[slot], in: slot)
        }
      }
      return wanted ?? rows.take()
    }
    if try storage({ () throws(StorageError) in
      unsafe try !place.indexes.insert(record.bytes, row: row)
    }) {
      try checkPrimaryKey(of: record, binding)
      try storage { () throws(StorageError) in
        _ = unsafe try place.indexes.insert(record.bytes, row: row, isChecked: true)
      }
    }
    return try storage { () throws(StorageError) in
      let row = try put(record, new: row, place)
      changes.note(.inserted, row: row, type: place.type.id)
      noteChange()
      return row
    }
  }

  /// Writes a new record under its row number, or another one where that turns out to be taken.
  private func put(
    _ record: MutableRecord, new wanted: UInt64, _ place: Place
  ) throws(StorageError) -> UInt64 {
    var row = wanted
    while try !put(record, row, place, isNew: true) {
      try place.indexes.replace(
        unsafe place.indexes.entries(of: record.bytes, row: row), by: [])
      // Where the values are the same, so were the entries: they are those of the row that is there.
      if let taken = unsafe try transaction.value(forRow: row, in: place.table) {
        try place.indexes.replace([], by: unsafe place.indexes.entries(of: taken, row: row))
      }
      rows.skipBlock()
      row = rows.take()
      _ = unsafe try place.indexes.insert(record.bytes, row: row, isChecked: true)
    }
    return row
  }

  /// Throws where another row has the primary key; keys that were cut only look alike.
  private func checkPrimaryKey(
    of record: MutableRecord, _ binding: TypeBinding
  ) throws(StoreError) {
    guard let column = binding.model.primaryKeyColumn else { return }
    let key = try storage { () throws(StorageError) in
      unsafe try binding.record(record.bytes).value(column, in: transaction)
    }
    if try row(ofPrimaryKey: key, binding) != nil {
      throw .duplicatePrimaryKey(type: binding.model.name, key: key.description)
    }
  }

  /// The row that has a primary key, staged changes included.
  package func row(
    ofPrimaryKey value: StoredValue, _ binding: TypeBinding
  ) throws(StoreError) -> UInt64? {
    try storage { () throws(StorageError) in
      try PrimaryKey.find(value, binding, core.longKey, in: transaction)?.row
    }
  }

  /// All rows of a type, in order of creation.
  func keys(of binding: TypeBinding) throws(StoreError) -> [Key] {
    let place = try place(of: binding)
    let table = place.table
    return try storage { () throws(StorageError) in
      var keys: [Key] = []
      keys.reserveCapacity(try transaction.count(of: table))
      var cursor = try transaction.cursor(in: table)
      var found = try cursor.first()
      while found {
        keys.append(Key(type: place.type.id, row: cursor.row))
        found = try cursor.next()
      }
      return keys
    }
  }
}
