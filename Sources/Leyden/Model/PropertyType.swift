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
  /// `AnyValue`: a value of any of the types above, or a link to an object of any type.
  case anyValue = 18
  /// A link to an object, by its row.
  case link = 32
  /// An embedded object, which lies inside its owner.
  case embedded = 33
  /// `LinkingObjects`: nothing is stored, others' links are.
  case linkingObjects = 34
  /// `List`.
  case list = 48
  /// `MutableSet`.
  case set = 49
  /// `Map` from texts.
  case map = 50

  /// Whether a record holds the value as bytes and not as a number in its slot.
  package var isStoredAsBytes: Bool {
    switch self {
    case .bool, .double, .date, .float: false
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .link: false
    case .string, .data, .uuid, .decimal, .objectId, .anyValue, .embedded: true
    case .linkingObjects, .list, .set, .map: true
    }
  }

  /// Whether it holds any number of elements of its own.
  package var isCollection: Bool { self == .list || self == .set || self == .map }

  /// Whether it is one value that stands for itself: not a reference and not a collection.
  package var isScalar: Bool {
    switch self {
    case .link, .embedded, .linkingObjects, .list, .set, .map: false
    default: true
    }
  }

  /// Whether it is a whole number, of whatever width.
  package var isInteger: Bool {
    switch self {
    case .int, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32: true
    default: false
    }
  }

  /// Whether an index may be over a property of the type.
  package var canBeIndexed: Bool { isScalar && self != .anyValue }

  /// Whether a property of the type may be a primary key.
  package var canIdentify: Bool {
    isInteger || self == .string || self == .uuid || self == .objectId
  }

  /// Whether a property of the type may hold the value; null is of no type.
  package func admits(_ value: StoredValue) -> Bool {
    guard self != .anyValue else { return value != .null }
    return value.type == (isInteger ? .int : self)
  }
}
