package import LeydenStorage

/// A number that tells a value from others of its property, without holding it.
///
/// The first 8 bytes of SipHash-2-4-128, keyed with the store's UUID, over the value as an any-value, or over 0xFF
/// and what the record has of an embedded object or a packed collection; 1 where they are 0, which stands for
/// "not known". The log keeps it for each changed property, so that several commits that come to nothing are seen
/// to be no change.
///
/// Linking objects and collections in the table have no value in a record. What is kept for them is which sources or
/// entries came and went: the sum of their fingerprints, those that went subtracted. Over several commits the sums add up
/// to 0 where nothing changed.
enum ValueFingerprint {
  /// 0, which no value has, for a collection in the table: the record has only its count.
  static func of(_ value: StoredValue, _ rule: LongKey) -> UInt64 {
    var bytes = AnyValueCoding.encode(value)
    if case .structure(let own) = value {
      if case .table = CollectionForm(own) { return 0 }
      bytes = [0xff] + own
    }
    return hash(of: bytes, rule)
  }

  private static func hash(of bytes: [UInt8], _ rule: LongKey) -> UInt64 {
    let hash = unsafe bytes.withUnsafeBytes { unsafe rule.hash($0) }
    return max(1, hash.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// What an entry of the table `lists` adds to its collection when it comes, and takes from it when it goes.
  static func of(entry suffix: [UInt8], _ value: [UInt8], _ rule: LongKey) -> UInt64 {
    hash(of: [0xfe] + suffix + value, rule)
  }

  /// What a source adds to the linking objects of its target when it comes, and takes from them when it goes.
  static func of(source row: UInt64, _ rule: LongKey) -> UInt64 {
    of(.object(ObjectReference(row: row)), rule)
  }
}

extension Session {
  /// What changed after `old`, up to the version that the transaction sees, merged: rows and
  /// properties that are as they were are not among it.
  ///
  /// - Returns: `nil` where the log does not reach back to `old`.
  package func changes(
    after old: UInt64, through new: UInt64, in transaction: Transaction
  ) throws(StorageError) -> ObjectChangeSet? {
    var merged = try ChangeLog.changes(after: old, through: new, in: transaction)
    try merged?.settle(catalog, core.longKey, in: transaction)
    return merged
  }
}

extension ObjectChangeSet {
  fileprivate mutating func settle(
    _ catalog: Catalog, _ rule: LongKey, in transaction: Transaction
  ) throws(StorageError) {
    for (number, rows) in types {
      guard let type = catalog.types[number],
        let table = try transaction.table(named: type.tableName)
      else { continue }
      for (row, change) in rows {
        guard case .modified(var properties) = change, properties.hasRepeated,
          let bytes = unsafe try transaction.value(forRow: row, in: table)
        else { continue }
        let layout = unsafe try RecordView.layout(of: bytes)
        guard let slots = type.layouts[layout]?.count else { continue }
        let record = unsafe try RecordView(bytes, slots: slots)
        try properties.settle { (ordinal, first, sum) throws(StorageError) in
          guard let property = type.properties.first(where: { $0.ordinal == ordinal }) else {
            return false
          }
          if property.type == .linkingObjects { return sum == 0 }
          let value =
            if let slot = type.slot(of: property.id, in: layout) {
              try record.value(slot, property.type, in: transaction)
            } else { property.defaultValue }
          let now = ValueFingerprint.of(value, rule)
          return now == 0 ? sum == 0 : now == first
        }
        types[number]?[row] = properties.isEmpty ? nil : .modified(properties)
      }
    }
  }
}
