public import Foundation

/// A property's value without its static type: what queries compare, dynamic access returns and
/// change sets carry.
///
/// Two values are equal as Swift's own types are: strings by canonical equivalence, doubles by
/// IEEE 754. Use ``isIdentical(to:)`` to tell whether storing one over the other changes anything.
public enum StoredValue: Sendable, Hashable {
  /// No value, of an optional property.
  case null
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case int(Int64)
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

  /// Whether both would be stored as the same bytes.
  ///
  /// Stricter than `==`: 0 and −0 differ, as do two spellings of "é"; two NaNs with one bit pattern
  /// do not.
  package func isIdentical(to other: StoredValue) -> Bool {
    switch (self, other) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: self == other
    }
  }

  /// The type that the value is of, or `nil` for null.
  package var type: PropertyType? {
    switch self {
    case .null: nil
    case .bool: .bool
    case .int: .int
    case .double: .double
    case .string: .string
    case .data: .data
    case .date: .date
    case .uuid: .uuid
    }
  }

  /// The value as Swift knows it: `Int`, `String`, …; `nil` for ``null``.
  public var swiftValue: (any Sendable)? {
    switch self {
    case .null: nil
    case .bool(let value): value
    case .int(let value): Int(value)
    case .double(let value): value
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .uuid(let value): value
    }
  }
}

extension StoredValue: CustomStringConvertible {
  /// The value as ``ObjectMembers/description`` prints it; long texts and bytes are cut.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value) where value.count > 200: "\"\(value.prefix(200))…\""
    case .string(let value): "\"\(value)\""
    case .data(let value): "\(value.count) bytes"
    case .date(let value): value.formatted(.iso8601)
    case .uuid(let value): value.uuidString
    }
  }
}
