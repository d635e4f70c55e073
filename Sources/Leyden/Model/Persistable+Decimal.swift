public import Foundation

extension Decimal: Scalar {
  /// Stored as its digits and the power of ten: exactly.
  public static var propertyType: PropertyType? { .decimal }
  /// Zero.
  public static var emptyValue: Decimal { 0 }
  /// Reads a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Decimal? {
    if let bytes = unsafe row.bytes(column), let value = unsafe StoredDecimal(bytes: bytes) {
      return value.decimal
    }
    return loadDistant(from: row, column: column)
  }
  /// Makes a decimal number from one.
  public static func make(from value: StoredValue) -> Decimal? {
    if case .decimal(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .decimal(self) }
}
