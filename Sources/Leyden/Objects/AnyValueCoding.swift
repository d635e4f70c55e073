import Foundation

/// A value with its type in front: how defaults are kept, and the form of any-values.
///
/// One byte, the property type's number (0 for null), then the value: numbers in 8 bytes,
/// little-endian; text and bytes as they are, to the end.
enum AnyValueCoding {
  static func encode(_ value: StoredValue) -> [UInt8] {
    switch value {
    case .null: [0]
    case .bool(let value): number(.bool, value ? 1 : 0)
    case .int(let value): number(.int, UInt64(bitPattern: value))
    case .double(let value): number(.double, value.bitPattern)
    case .date(let value): number(.date, value.timeIntervalSinceReferenceDate.bitPattern)
    case .string(let value): [PropertyType.string.rawValue] + value.utf8
    case .data(let value): [PropertyType.data.rawValue] + value
    case .uuid(let value):
      unsafe [PropertyType.uuid.rawValue] + withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
    }
  }

  /// Null where the bytes are none that ``encode(_:)`` makes.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> StoredValue {
    guard let first = unsafe bytes.first, let type = PropertyType(rawValue: first) else {
      return .null
    }
    let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[1...])
    switch type {
    case .string: return unsafe .string(String(decoding: rest, as: UTF8.self))
    case .data: return unsafe .data(Data(rest))
    case .uuid where rest.count == 16:
      return unsafe .uuid(UUID(uuid: rest.loadUnaligned(as: uuid_t.self)))
    case .bool, .int, .double, .date:
      guard rest.count == 8 else { return .null }
      return unsafe StoredValue(
        type, word: UInt64(littleEndian: rest.loadUnaligned(as: UInt64.self)))
    case .uuid: return .null
    }
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
      case .int: .int(Int64(bitPattern: word))
      case .double: .double(Double(bitPattern: word))
      case .date: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: word)))
      case .string, .data, .uuid: .null
      }
  }

  /// The value that a slot's bytes stand for; null for types that are stored as numbers.
  init(_ type: PropertyType, bytes: UnsafeRawBufferPointer) {
    self =
      switch type {
      case .string: unsafe .string(String(decoding: bytes, as: UTF8.self))
      case .data: unsafe .data(Data(bytes))
      case .uuid where bytes.count == 16:
        unsafe .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
      case .uuid, .bool, .int, .double, .date: .null
      }
  }
}
