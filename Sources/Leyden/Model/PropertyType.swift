/// The type of a property, as the file knows it.
///
/// The raw values are part of the file format and never change their meaning.
public enum PropertyType: UInt8, Sendable, Hashable, CaseIterable {
  /// `Bool`.
  case bool = 1
  /// `Int`, stored in 64 bits.
  case int = 2
  /// `Int8`, stored in 64 bits, as all whole numbers are.
  case int8 = 3
  /// `Int16`.
  case int16 = 4
  /// `Int32`.
  case int32 = 5
  /// `Int64`.
  case int64 = 6
  /// `UInt8`.
  case uint8 = 7
  /// `UInt16`.
  case uint16 = 8
  /// `UInt32`.
  case uint32 = 9
  /// `Float`, stored as the `Double` of the same value.
  case float = 10
  /// `Double`.
  case double = 11
  /// `String`, as the bytes of its UTF-8 form.
  case string = 12
  /// `Data`.
  case data = 13
  /// `Date`, as the seconds since the reference date that Foundation keeps.
  case date = 14
  /// `UUID`, 16 bytes.
  case uuid = 15
  /// `Decimal`, 20 bytes.
  case decimal = 16
  /// `ObjectId`, 12 bytes.
  case objectId = 17

  /// Whether a record holds the value as bytes and not as a number in its slot.
  package var isStoredAsBytes: Bool {
    switch self {
    case .bool, .double, .date, .float: false
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: false
    case .string, .data, .uuid, .decimal, .objectId: true
    }
  }

  /// Whether it is a whole number, of whatever width.
  package var isInteger: Bool {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    case .bool, .float, .double, .string, .data, .date, .uuid, .decimal, .objectId: false
    }
  }

  /// Whether a property of the type may be a primary key.
  package var canIdentify: Bool {
    isInteger || self == .string || self == .uuid || self == .objectId
  }

  /// Whether a property of the type may hold the value; null is of no type.
  package func admits(_ value: StoredValue) -> Bool {
    value.type == (isInteger ? .int : self)
  }
}
