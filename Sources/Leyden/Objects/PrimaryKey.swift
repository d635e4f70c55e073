import Foundation
import LeydenStorage

/// Finding a row in the unique index over its type's primary key.
enum PrimaryKey {
  // SAFETY: the bytes are the transaction's, for the call that it was asked in.
  /// A row, with its record where that was read on the way.
  @safe
  struct Found {
    let row: UInt64
    let record: UnsafeRawBufferPointer?
  }

  /// The row that has a primary key.
  ///
  /// - Complexity: One descent of the records where the key was asked for lately; else one of the
  ///   index, and where the key is long, one record for each row whose key shares its beginning and
  ///   hash.
  static func find(
    _ value: StoredValue, _ binding: TypeBinding, _ rule: LongKey, in transaction: Transaction
  ) throws(StorageError) -> Found? {
    guard let column = binding.model.primaryKeyColumn,
      let records = try binding.table(in: transaction)
    else { return nil }
    let hash = KeyCache.hash(of: value)
    if let hash, let row = binding.keyCache.row(hash),
      let bytes = unsafe try transaction.value(forRow: row, in: records),
      unsafe try binding.record(bytes).holds(value, column)
    {
      return unsafe Found(row: row, record: bytes)
    }
    guard let row = try indexedRow(of: value, binding, column, rule, in: transaction) else {
      return nil
    }
    if let hash {
      try binding.keyCache.put(row, hash) { () throws(StorageError) in
        try transaction.count(of: records)
      }
    }
    return unsafe Found(row: row, record: nil)
  }

  private static func indexedRow(
    of value: StoredValue, _ binding: TypeBinding, _ column: Int, _ rule: LongKey,
    in transaction: Transaction
  ) throws(StorageError) -> UInt64? {
    guard let table = try binding.primaryKeyTable(in: transaction) else { return nil }
    let (field, isShortened) = field(value, rule)
    let prefix = field.bytes
    return unsafe try withBytes(of: prefix) { (prefix) throws(StorageError) in
      if !isShortened {
        guard let key = unsafe try transaction.firstKey(from: prefix, in: table),
          key.count == prefix.count + 8,
          unsafe UnsafeRawBufferPointer(rebasing: key[..<prefix.count]).elementsEqual(prefix)
        else { return nil }
        return unsafe LeydenStorage.row(atEndOf: key)
      }
      var cursor = try transaction.cursor(in: table)
      var found = unsafe try cursor.seek(prefix)
      while found, unsafe cursor.key.count == prefix.count + 8,
        unsafe cursor.key.starts(with: prefix)
      {
        let row = unsafe cursor.key.suffix(8).reduce(0) { $0 << 8 | UInt64($1) }
        if let records = try binding.table(in: transaction),
          let bytes = unsafe try transaction.value(forRow: row, in: records),
          unsafe try binding.record(bytes).value(column, in: transaction) == value
        {
          return row
        }
        found = try cursor.next()
      }
      return nil
    }
  }

  private static func field(_ value: StoredValue, _ rule: LongKey) -> (
    key: KeyEncoder, isShortened: Bool
  ) {
    var key = KeyEncoder()
    key.append(field: value)
    let isShortened = key.shorten(from: 0, by: rule)
    return (key, isShortened)
  }
}

extension StoredRecord {
  /// Whether a column has the same bytes as a primary key; false for values that lie elsewhere.
  func holds(_ key: StoredValue, _ column: Int) -> Bool {
    guard let slot = slot(column), !view.isNull(slot) else { return false }
    switch key {
    case .int(let number): return view.word(slot) == UInt64(bitPattern: number)
    case .string(var text):
      return text.withUTF8 { unsafe holds(UnsafeRawBufferPointer($0), slot) }
    case .uuid(let identifier):
      return unsafe withUnsafeBytes(of: identifier.uuid) { unsafe holds($0, slot) }
    case .objectId(let identifier):
      return unsafe identifier.bytes.withUnsafeBytes { unsafe holds($0, slot) }
    default: return false
    }
  }

  private func holds(_ bytes: UnsafeRawBufferPointer, _ slot: Int) -> Bool {
    guard view.largeReference(slot) == nil else { return false }
    let stored = unsafe view.bytes(slot)
    guard stored.count == bytes.count else { return false }
    guard let a = bytes.baseAddress, let b = stored.baseAddress else { return unsafe bytes.isEmpty }
    return unsafe memcmp(a, b, bytes.count) == 0
  }
}

extension KeyEncoder {
  /// Appends a value in the encoding of its type, without a marker for null.
  mutating func append(field value: StoredValue) {
    switch value {
    case .null: break
    case .bool(let value): append(value)
    case .int(let value): append(value)
    case .float(let value): append(Double(value))
    case .double(let value): append(value)
    case .date(let value): append(value.timeIntervalSinceReferenceDate)
    case .string(let value): append(string: value, terminated: true)
    case .data(let value):
      unsafe value.withUnsafeBytes { unsafe append(data: $0, terminated: true) }
    case .uuid(let value): append(value)
    case .decimal(let value): append(decimal: StoredDecimal(value))
    case .objectId(let value):
      append(value.high)
      append(value.low)
    case .object(let reference): append(reference.row)
    case .structure: break
    }
  }

  /// Appends a decimal number; what is not a number sorts last.
  mutating func append(decimal value: StoredDecimal) {
    guard value.sign != .notANumber else { return appendDecimalNotANumber() }
    append(
      decimal: value.mantissa, exponent: Int(value.exponent), isNegative: value.sign == .negative)
  }
}
