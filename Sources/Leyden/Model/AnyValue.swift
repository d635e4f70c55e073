public import Foundation

/// A value of any type that a property may have, or an object.
///
///     @Persisted var answer: AnyValue
///     form.answer = .int(42)
///
/// Whole numbers of all widths are `int`; numbers of different cases are equal in queries where their values are.
public enum AnyValue: Scalar, Hashable {
  /// No value.
  case none
  /// A whole number.
  case int(Int)
  /// A truth value.
  case bool(Bool)
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
  /// A link to an object of any type.
  case object(Object)
  /// An identifier of 12 bytes.
  case objectId(ObjectId)
  /// A decimal number.
  case decimal(Decimal)
  /// A universally unique identifier.
  case uuid(UUID)
}

extension AnyValue {
  /// Stored with the type of the value in front.
  public static var propertyType: PropertyType? { .anyValue }
  /// It may hold nothing, and is not wrapped in an optional.
  public static var isOptional: Bool { true }
  /// Nothing.
  public static var emptyValue: AnyValue { .none }

  /// Reads a column; nil where it is null.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> AnyValue? {
    let value =
      if let bytes = unsafe row.bytes(column) {
        unsafe AnyValueCoding.decode(bytes)
      } else { row.distantValue(column) }
    return AnyValue(value, of: row.access)
  }

  /// Makes a value of a stored one; nil for a reference, which only a store can follow.
  public static func make(from value: StoredValue) -> AnyValue? { AnyValue(value, of: nil) }

  /// The stored form; null for an object that is not managed.
  public var storedValue: StoredValue {
    switch self {
    case .none: .null
    case .int(let value): value.storedValue
    case .bool(let value): value.storedValue
    case .float(let value): value.storedValue
    case .double(let value): value.storedValue
    case .string(let value): value.storedValue
    case .data(let value): value.storedValue
    case .date(let value): value.storedValue
    case .objectId(let value): value.storedValue
    case .decimal(let value): value.storedValue
    case .uuid(let value): value.storedValue
    case .object(let object):
      if let identity = object.access?.identity {
        .object(ObjectReference(type: identity.type, row: identity.row))
      } else {
        .null
      }
    }
  }

  /// Makes the value that of a column of a managed object.
  public func save(to row: PersistedRow, column: Int32) {
    if case .object(let object) = self { return object.save(to: row, column: column) }
    setDistantly(storedValue, in: row, column: column)
  }

  /// The object, where it is one.
  package var object: Object? { if case .object(let object) = self { object } else { nil } }

  /// The value that a stored one stands for; objects are found by the row that refers to them.
  package init?(_ value: StoredValue, of access: RowAccess?) {
    switch value {
    case .null: self = .none
    case .int(let value): self = .int(Int(value))
    case .bool(let value): self = .bool(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .string(let value): self = .string(value)
    case .data(let value): self = .data(value)
    case .date(let value): self = .date(value)
    case .objectId(let value): self = .objectId(value)
    case .decimal(let value): self = .decimal(value)
    case .uuid(let value): self = .uuid(value)
    case .object(let reference):
      guard let object = access?.object(reference) as? Object else { return nil }
      self = .object(object)
    case .structure: return nil
    }
  }
}
