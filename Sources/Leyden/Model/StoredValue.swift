public import Foundation

/// A property's value without its static type: what queries compare, dynamic access returns and
/// change sets carry.
///
/// An enumeration or a custom type stands as what it is stored as.
///
/// Two values are equal as Swift's own types are: strings by canonical equivalence, doubles by
/// IEEE 754, decimals by their value. Storing one over the other may still be a change: 0 and −0
/// are equal and stored as different bits.
public enum StoredValue: Sendable, Hashable {
  /// No value, of an optional property.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number, of whatever width.
  case int(Int64)
  /// A floating-point number of single precision.
  case float(Float)
  /// A floating-point number.
  case double(Double)
  /// A text.
  case string(String)
  /// Bytes.
  case data(Data)
  /// A point in time.
  case date(Date)
  /// A universally unique identifier.
  case uuid(UUID)
  /// A decimal number.
  case decimal(Decimal)
  /// An identifier of 12 bytes.
  case objectId(ObjectId)
  /// An object of the same store.
  case object(ObjectReference)
  /// An embedded object or a collection, as it is stored in its owner.
  case structure([UInt8])

  /// Whether both would be stored as the same bytes.
  ///
  /// Stricter than `==`: 0 and −0 differ, as do two spellings of "é"; two NaNs with one bit pattern
  /// do not.
  package func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: self == other
    }
  }

  /// The type that the value is of, or `nil` for null; whole numbers of all widths are `int`.
  package var type: PropertyType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    case .decimal: .decimal
    case .objectId: .objectId
    case .object: .link
    case .structure: nil
    }
  }

  /// The value as Swift knows it: `Int`, `String`, …; `nil` for ``null``.
  public var swiftValue: (any Sendable)? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .float(let value): value
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .uuid(let value): value
    case .decimal(let value): value
    case .objectId(let value): value
    case .object(let value): value
    case .structure: nil
    }
  }
}

/// An object of the same store as whoever refers to it.
public struct ObjectReference: Sendable, Hashable {
  /// Its type's number; 0 where the property that refers to it says it.
  package let type: UInt32
  /// Its row.
  package let row: UInt64

  /// Refers to a row of the type that a property leads to.
  package init(row: UInt64) { self.init(type: 0, row: row) }

  /// Refers to a row of a type.
  package init(type: UInt32, row: UInt64) {
    self.type = type
    self.row = row
  }
}

extension StoredValue: CustomStringConvertible {
  /// The value as ``ObjectMembers/description`` prints it; long texts and bytes are cut.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .float(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): Self.description(of: value)
    case .data(let value): "\(value.count) bytes"
    case .date(let value): Self.description(of: value)
    case .uuid(let value): value.uuidString
    case .decimal(let value): value.description
    case .objectId(let value): value.description
    case .object(let value): "object \(value.row)"
    case .structure: "…"
    }
  }

  /// Scalars are counted, not characters: one character may have any number of them.
  private static func description(of text: String) -> String {
    let start = text.unicodeScalars.prefix(200)
    return start.endIndex == text.endIndex ? "\"\(text)\"" : "\"\(Substring(start))…\""
  }

  /// Foundation formats the years 1 to 9999 only; a date beyond them is shown as it is stored.
  private static func description(of date: Date) -> String {
    let seconds = date.timeIntervalSinceReferenceDate
    let endOfYear9999 = 252_423_993_600.0
    guard date >= .distantPast, seconds < endOfYear9999 else { return "2001 + \(seconds) s" }
    return date.formatted(.iso8601)
  }
}
