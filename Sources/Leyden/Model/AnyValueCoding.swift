import Foundation

/// A value with its type in front: how defaults are kept, and the form of any-values.
///
/// One byte, the property type's number (0 for null), then the value: numbers in 8 bytes,
/// little-endian; text and bytes as they are, to the end. Whole numbers of all widths are `int`.
package enum AnyValueCoding {
  /// The bytes of a value.
  package static func encode(_ value: StoredValue) -> [UInt8] {
    switch value {
    case .null: [0]
    case .bool(let value): number(.bool, value ? 1 : 0)
    case .int(let value): number(.int, UInt64(bitPattern: value))
    case .float(let value): number(.float, value.storedBits)
    case .double(let value): number(.double, value.bitPattern)
    case .date(let value): number(.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value): [PropertyType.string.rawValue] + value.utf8
    case .data(let value): [PropertyType.data.rawValue] + value
    case .uuid(let value):
      unsafe [PropertyType.uuid.rawValue] + withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
    case .decimal(let value): [PropertyType.decimal.rawValue] + StoredDecimal(value).bytes
    case .objectId(let value): [PropertyType.objectId.rawValue] + value.bytes
    case .object(let value): encode(value)
    case .structure: [0]
    }
  }

  /// The value of bytes; null where they are none that ``encode(_:)`` makes.
  package static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue {
    guard let first = unsafe bytes.first, let type = PropertyType(rawValue: first),
      type == .link || (type.isScalar && type != .anyValue)
    else { return .null }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
    if type == .link { return unsafe reference(in: rest) }
    if type.isStoredAsBytes { return unsafe StoredValue(type, bytes: rest) }
    guard rest.count == 8 else { return .null }
    return unsafe StoredValue(type, word: UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self)))
  }

  /// The type number of a link, the type's id and the row.
  private static func encode(_ reference: ObjectReference) -> [UInt8] {
    unsafe [PropertyType.link.rawValue]
      + withUnsafeBytes(of: reference.type.littleEndian) { unsafe Array($0) }
      + withUnsafeBytes(of: reference.row.littleEndian) { unsafe Array($0) }
  }

  private static func reference(in bytes: UnsafeRawBufferPointer) -> StoredValue {
    guard bytes.count == 12 else { return .null }
    return unsafe .object(
      ObjectReference(
        type: UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)),
        row: UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt64.self))))
  }

  private static func number(_ type: PropertyType, _ word: UInt64) -> [UInt8] {
    unsafe [type.rawValue] + withUnsafeBytes(of: word.littleEndian) { unsafe Array($0) }
  }
}

extension StoredValue {
  /// The value that a slot's 8 bytes stand for; null for types that are stored as bytes.
  init(_ type: PropertyType, word: UInt64) {
    self =
      switch type {
      case .bool: .bool(word != 0)
      case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32:
        .int(Int64(bitPattern: word))
      case .link: .object(ObjectReference(row: word))
      case .float: .float(Float(storedBits: word))
      case .double: .double(Double(bitPattern: word))
      case .date: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word)))
      default: .null
      }
  }

  /// The value that a slot's bytes stand for; null where they are too few or too many, and for types
  /// that are stored as numbers.
  init(_ type: PropertyType, bytes: UnsafeRawBufferPointer) {
    self =
      switch type {
      case .string: unsafe .string(String(decoding: bytes, as: UTF8.self))
      case .data: unsafe .data(Data(bytes))
      case .uuid where bytes.count == 16:
        unsafe .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
      case .decimal: unsafe StoredDecimal(bytes: bytes).map { .decimal($0.decimal) } ?? .null
      case .objectId: unsafe ObjectId(bytes: bytes).map { .objectId($0) } ?? .null
      case .anyValue: unsafe AnyValueCoding.decode(bytes)
      case .embedded, .list, .set, .map: unsafe .structure(Array(bytes))
      default: .null
      }
  }
}
