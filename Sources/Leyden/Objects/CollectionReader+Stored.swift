import LeydenStorage

/// Elements as they are stored, without making values of them.
extension CollectionReader {
  /// The collection that a column of a row holds; `nil` where there is no such row.
  init?(
    _ binding: TypeBinding, row: UInt64, column: Int, in transaction: Transaction
  ) throws(StorageError) {
    guard let record = try binding.record(ofRow: row, in: transaction),
      let type = binding.stored, let property = binding.properties[column]
    else { return nil }
    self.init(
      key: CollectionKey(type: type.id, row: row, property: property.id), property: property,
      form: try record.view.collection(record.slot(column), in: transaction),
      transaction: transaction)
  }

  /// Calls `body` with each element, in order: its key, which is empty outside of maps, and what is stored.
  func forEachStored(
    _ body: (_ key: [UInt8], ElementsView.Element) throws(StorageError) -> Void
  ) throws(StorageError) {
    let width = ElementCoding(property).width
    func take(_ view: ElementsView) throws(StorageError) {
      try view.forEach { (element, _, _) throws(StorageError) in
        try body([], element)
        return true
      }
    }
    func take(_ key: [UInt8], stored element: [UInt8]?) throws(StorageError) {
      guard let element else { return try body(key, .null) }
      unsafe try withBytes(of: element) { (bytes) throws(StorageError) in
        var offset = 0
        try body(key, unsafe try ElementsView.element(in: bytes, at: &offset, width: width))
      }
    }
    switch form {
    case .packed(let bytes):
      guard !bytes.isEmpty else { return }
      unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
        guard property.type == .map else {
          return try take(unsafe try ElementsView(packed: bytes, width: width))
        }
        for entry in unsafe try MapEntries(packed: bytes, width: width).entries {
          try take(entry.key, stored: entry.element)
        }
      }
    case .table:
      unsafe try key?.forEach(in: transaction) { (suffix, value) throws(StorageError) in
        switch property.type {
        case .list:
          unsafe try verify(part: value, try CollectionKey.order(suffix))
          try take(unsafe try ElementsView(part: value))
        case .map:
          unsafe try verify(entry: value, suffix)
          let entry = unsafe try Self.mapEntry(value)
          try take(entry.key, stored: entry.element)
        default:
          unsafe try verify(entry: value, suffix)
          try take([], stored: unsafe value.count > 4 ? Array(value[4...]) : nil)
        }
        return true
      }
    }
  }
}

extension TypeBinding {
  /// The record of a row, checked and ready to be read; `nil` where there is no such row.
  func record(ofRow row: UInt64, in transaction: Transaction) throws(StorageError) -> StoredRecord?
  {
    guard let table = try table(in: transaction), let stored,
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return nil }
    unsafe try RecordView.verify(bytes, type: stored.id, row: row)
    return unsafe try record(bytes)
  }
}
