import LeydenStorage

/// A row's place in an order, as bytes that compare as the values do.
package struct SortKey: Comparable, Hashable, Sendable {
  /// The first eight bytes, big-endian; shorter keys are padded with zeros.
  package let prefix: UInt64
  /// What follows.
  package let rest: [UInt8]

  /// The key of every row where no order was asked for.
  package static let none = SortKey(prefix: 0, rest: [])

  /// Takes the eight bytes of a number's key.
  @inline(__always)
  init(_ number: UInt64) {
    prefix = number
    rest = []
  }

  private init(prefix: UInt64, rest: [UInt8]) {
    self.prefix = prefix
    self.rest = rest
  }

  /// Takes the bytes that an encoder built.
  package init(_ bytes: [UInt8]) {
    var prefix: UInt64 = 0
    for position in 0..<8 {
      prefix = prefix << 8 | (position < bytes.count ? UInt64(bytes[position]) : 0)
    }
    self.prefix = prefix
    rest = bytes.count > 8 ? Array(bytes[8...]) : []
  }

  /// Takes a field of an index's key, with its order turned around where `isComplemented`.
  init(_ field: UnsafeRawBufferPointer, isComplemented: Bool) {
    if field.count == 8 {
      let number = unsafe UInt64(bigEndian: field.loadUnaligned(as: UInt64.self))
      self = SortKey(isComplemented ? ~number : number)
      return
    }
    let mask: UInt8 = isComplemented ? 0xff : 0
    var prefix: UInt64 = 0
    for position in 0..<8 {
      let byte = unsafe position < field.count ? field[position] ^ mask : 0
      prefix = prefix << 8 | UInt64(byte)
    }
    self = SortKey(
      prefix: prefix, rest: field.count > 8 ? unsafe field[8...].map { $0 ^ mask } : [])
  }

  /// The bytes without the position with which the key of a collection's row ends.
  package var bytesBeforePosition: [UInt8] {
    var key = KeyEncoder()
    key.append(prefix)
    return (key.bytes + rest).dropLast(8)
  }

  /// Whether one key comes before the other.
  package static func < (left: SortKey, right: SortKey) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return left.rest.lexicographicallyPrecedes(right.rest)
  }
}

/// A row with its place in an order; rows with equal keys are in order of their creation.
package struct OrderedRow: Comparable, Hashable, Sendable {
  /// The place.
  package let key: SortKey
  /// The row's number.
  package let row: UInt64

  /// Whether one row comes before the other.
  package static func < (left: OrderedRow, right: OrderedRow) -> Bool {
    if left.key.prefix != right.key.prefix { return left.key.prefix < right.key.prefix }
    if left.key.rest != right.key.rest {
      return left.key.rest.lexicographicallyPrecedes(right.key.rest)
    }
    return left.row < right.row
  }
}

/// One property that rows are sorted by.
package struct SortTerm: Sendable, Hashable {
  /// The property, of the row or of an object that it leads to.
  package let route: Route
  /// Whether small values come first; nil comes before every value, or after it where not.
  package let ascending: Bool

  /// Sorts by a column.
  package init(column: Int, ascending: Bool) {
    self.init(Route(column: column), ascending: ascending)
  }

  /// Sorts by a property of what a row leads to; a link that is nil is as if the property was.
  package init(_ route: Route, ascending: Bool) {
    self.route = route
    self.ascending = ascending
  }

  /// The column, in the record of the object whose property it is.
  package var column: Int { route.column }

  /// How the numbers of a column become keys, where the column is the whole key.
  enum NumberKey {
    case integer, floating
  }

  /// How the column's numbers become keys; `nil` for what is no number, or may be nil.
  func numberKey(_ column: ModelType.Column) -> NumberKey? {
    guard !column.isOptional, route.links.isEmpty else { return nil }
    switch column.type {
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: return .integer
    case .float, .double, .date: return .floating
    default: return nil
    }
  }

  /// The key of a record's number, made without building bytes; `nil` where the record has none.
  @inline(__always)
  func key(of record: StoredRecord, _ kind: NumberKey) -> SortKey? {
    guard let slot = record.slot(column), !record.view.isNull(slot) else { return nil }
    let word = record.view.word(slot)
    let bits =
      switch kind {
      case .integer: KeyEncoder.bits(of: Int64(bitPattern: word))
      case .floating: KeyEncoder.bits(of: Double(bitPattern: word))
      }
    return SortKey(ascending ? bits : ~bits)
  }

  /// Appends the value of the column to a key, from the record of the object whose property it is; `nil`
  /// where there is none.
  func append(
    _ record: StoredRecord?, _ isOptional: Bool, to key: inout KeyEncoder,
    _ transaction: Transaction
  ) throws(StorageError) {
    let start = key.count
    if let record, let value = decimal(of: record) {
      if isOptional { key.appendPresence(true) }
      key.append(decimal: value)
    } else {
      let value = try record?.value(column, in: transaction) ?? .null
      if isOptional || value == .null { key.appendPresence(value != .null) }
      if unsafe record?.binding.model.columns[column].type == .anyValue {
        key.append(anyValue: value)
      } else {
        key.append(field: value)
      }
    }
    if !ascending { key.complement(from: start) }
  }

  /// Appends an element of a collection that is sorted by itself.
  func append(_ element: StoredValue, isAnyValue: Bool, to key: inout KeyEncoder) {
    let start = key.count
    key.appendPresence(element != .null)
    if isAnyValue { key.append(anyValue: element) } else { key.append(field: element) }
    if !ascending { key.complement(from: start) }
  }

  /// A decimal number with its digits as the record has them: Foundation's would hide them again.
  private func decimal(of record: StoredRecord) -> StoredDecimal? {
    guard unsafe record.binding.model.columns[column].type == .decimal,
      let slot = record.slot(column)
    else { return nil }
    return unsafe StoredDecimal(bytes: record.view.bytes(slot))
  }
}
