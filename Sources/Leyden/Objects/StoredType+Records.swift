import LeydenStorage

extension Catalog.StoredType {
  /// A record of the type, ready to be read.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where its layout is unknown or its shape wrong.
  func view(of bytes: UnsafeRawBufferPointer) throws(StorageError) -> RecordView {
    let layout = unsafe try RecordView.layout(of: bytes)
    guard let slots = layouts[layout] else {
      throw .corrupted("a record of \(name) has the unknown layout \(layout)")
    }
    return unsafe try RecordView(bytes, slots: slots.count)
  }

  /// Where a record has a property; `nil` where it is older than that.
  func slot(of property: UInt32, in record: RecordView) throws(StorageError) -> Int? {
    slot(of: property, in: unsafe try RecordView.layout(of: record.bytes))
  }

  /// The properties whose values differ between two records of one row, each with the fingerprint
  /// of its value before.
  func differences(
    between original: UnsafeRawBufferPointer, and current: UnsafeRawBufferPointer, _ rule: LongKey,
    in transaction: Transaction
  ) throws(StorageError) -> ObjectChangeSet.Properties {
    let oldLayout = unsafe try RecordView.layout(of: original)
    let newLayout = unsafe try RecordView.layout(of: current)
    let old = unsafe try RecordView(original, slots: layouts[oldLayout]?.count ?? 0)
    let new = unsafe try RecordView(current, slots: layouts[newLayout]?.count ?? 0)
    var differing = ObjectChangeSet.Properties()
    for property in properties {
      guard let newSlot = slot(of: property.id, in: newLayout) else { continue }
      if let oldSlot = slot(of: property.id, in: oldLayout) {
        if try !old.holdsSame(oldSlot, as: new, newSlot, property.type, in: transaction),
          try !old.holdsSameElements(oldSlot, as: new, newSlot, property, in: transaction)
        {
          let before = try old.value(oldSlot, property.type, in: transaction)
          differing.insert(property.ordinal, before: ValueFingerprint.of(before, rule))
        }
      } else if try !new.value(newSlot, property.type, in: transaction)
        .isIdentical(to: property.defaultValue)
      {
        let before = ValueFingerprint.of(property.defaultValue, rule)
        differing.insert(property.ordinal, before: before)
      }
    }
    return differing
  }

  /// What a record refers to in the table of large values.
  func largeReferences(in record: RecordView) throws(StorageError) -> [LargeReference] {
    guard record.hasLargeValues,
      let heapSlots = heapSlots[unsafe try RecordView.layout(of: record.bytes)]
    else { return [] }
    return heapSlots.indices.compactMap { heapSlots[$0] ? record.largeReference($0) : nil }
  }

  /// What a record refers to in the table of large values; nothing where there is no record.
  func largeReferences(in bytes: [UInt8]) throws(StorageError) -> [LargeReference] {
    guard !bytes.isEmpty else { return [] }
    return unsafe try withBytes(of: bytes) { (bytes) throws(StorageError) in
      let layout = unsafe try RecordView.layout(of: bytes)
      return try largeReferences(
        in: unsafe try RecordView(bytes, slots: layouts[layout]?.count ?? 0))
    }
  }
}
