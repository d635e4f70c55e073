import Foundation
import LeydenStorage

/// Finding a row in the unique index over its type's primary key.
enum PrimaryKey {
  /// The row that has a primary key.
  ///
  /// - Complexity: One descent of the index; where the key is long, one record for each row whose
  ///   key shares its beginning and hash.
  static func row(
    of value: StoredValue, _ binding: TypeBinding, _ rule: LongKey, in transaction: Transaction
  ) throws(StorageError) -> UInt64? {
    guard let table = try binding.primaryKeyTable(in: transaction),
      let column = binding.model.primaryKeyColumn
    else { return nil }
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
    }
  }

  /// Appends a decimal number; what is not a number sorts last.
  mutating func append(decimal value: StoredDecimal) {
    guard value.sign != .notANumber else { return appendDecimalNotANumber() }
    append(
      decimal: value.mantissa, exponent: Int(value.exponent), isNegative: value.sign == .negative)
  }
}
