import Foundation
import LeydenStorage

/// How the elements of a collection are stored.
struct ElementCoding {
  /// Their type.
  let type: PropertyType
  /// Whether they may be null.
  let isOptional: Bool

  init(_ property: Catalog.StoredProperty) {
    type = property.element ?? .bool
    isOptional = property.elementIsOptional
  }

  /// The bytes of each element; 0 where they differ.
  var width: Int {
    switch type {
    case .string, .data, .anyValue, .embedded: 0
    case .uuid: 16
    case .decimal: 20
    case .objectId: 12
    default: 8
    }
  }

  /// The bytes of a value, without a length in front.
  func bytes(of value: StoredValue) -> [UInt8] {
    if type == .anyValue { return AnyValueCoding.encode(value) }
    if case .object(let reference) = value { return Self.bytes(of: reference.row) }
    if case .structure(let bytes) = value { return bytes }
    return Array(AnyValueCoding.encode(value).dropFirst())
  }

  private static func bytes(of number: UInt64) -> [UInt8] {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
  }

  /// The value of an element.
  ///
  /// - Throws: What reading one in chunks may run into.
  func value(
    _ element: ElementsView.Element, in transaction: Transaction
  ) throws(StorageError) -> StoredValue {
    switch element {
    case .null: return .null
    case .bytes(let bytes): return unsafe value(bytes)
    case .large(let reference):
      guard let table = try transaction.table(named: LargeValues.table) else {
        throw .corrupted("a collection refers to a large value, but there is no table of them")
      }
      let bytes = try LargeValues.read(reference, in: table, transaction: transaction)
      return unsafe bytes.withUnsafeBytes { unsafe value($0) }
    }
  }

  private func value(_ bytes: UnsafeRawBufferPointer) -> StoredValue {
    if type.isStoredAsBytes { return unsafe StoredValue(type, bytes: bytes) }
    guard bytes.count == 8 else { return .null }
    return unsafe StoredValue(
      type, word: UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)))
  }

  /// The value of an element as it was stored; `nil` is null.
  func value(
    stored element: [UInt8]?, in transaction: Transaction
  ) throws(StorageError) -> StoredValue {
    guard let element else { return .null }
    return unsafe try withBytes(of: element) { (bytes) throws(StorageError) in
      var offset = 0
      return try value(
        unsafe try ElementsView.element(in: bytes, at: &offset, width: width), in: transaction)
    }
  }

  /// The large value that an element as it was stored refers to.
  func largeReference(in element: [UInt8]?) throws(StorageError) -> LargeReference? {
    guard width == 0, let element else { return nil }
    return unsafe try withBytes(of: element) { (bytes) throws(StorageError) in
      var offset = 0
      guard
        case .large(let reference) = unsafe try ElementsView.element(
          in: bytes, at: &offset, width: 0)
      else { return nil }
      return reference
    }
  }

  /// The key that finds a value in a set.
  ///
  /// - Returns: The key's bytes, and whether it was shortened: then other values may have the same.
  func key(of value: StoredValue, _ rule: LongKey) -> (bytes: [UInt8], isShortened: Bool) {
    var key = KeyEncoder(capacity: 64)
    if type == .anyValue {
      key.appendPresence(value != .null)
      key.append(anyValue: value)
    } else {
      // With a marker always: a set whose elements become optional keeps its keys.
      key.append(value, hasMarker: true)
    }
    let isShortened = key.shorten(from: 0, by: rule)
    return (key.bytes, isShortened)
  }

  /// The key that finds a text in a map.
  static func key(of text: String, _ rule: LongKey) -> (bytes: [UInt8], isShortened: Bool) {
    var key = KeyEncoder(capacity: 64)
    key.append(string: text, terminated: true)
    let isShortened = key.shorten(from: 0, by: rule)
    return (key.bytes, isShortened)
  }
}

extension KeyEncoder {
  /// Appends a value of any type: its rank among the types, then itself.
  mutating func append(anyValue value: StoredValue) {
    func rank(_ rank: UInt8) { append(rank) }
    switch value {
    case .null, .structure: break
    case .bool: rank(0x10); append(field: value)
    case .int(let number):
      rank(0x20)
      if let exact = Double(exactly: number) {
        append(number: exact)
      } else {
        append(number: Decimal(number))
      }
    case .float(let number): rank(0x20); append(number: Double(number))
    case .double(let number): rank(0x20); append(number: number)
    case .decimal(let number):
      rank(0x20)
      if number.isNaN { append(number: Double.nan) } else { append(number: number) }
    case .string: rank(0x30); append(field: value)
    case .data: rank(0x40); append(field: value)
    case .date: rank(0x50); append(field: value)
    case .uuid: rank(0x60); append(field: value)
    case .objectId: rank(0x70); append(field: value)
    case .object(let reference):
      rank(0x80)
      append(reference.type)
      append(reference.row)
    }
  }

  /// A binary number is exactly itself.
  private mutating func append(number: Double) {
    append(number)
    append(UInt8(0))
  }

  /// The greatest binary number that is not above, and the number itself where they differ.
  private mutating func append(number: Decimal) {
    let decimal = StoredDecimal(number)
    let (below, isExact) = DecimalOrder.binary(notAbove: decimal)
    append(below)
    append(UInt8(isExact ? 0 : 1))
    if !isExact { append(decimal: decimal) }
  }
}
