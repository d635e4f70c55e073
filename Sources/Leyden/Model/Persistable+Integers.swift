extension Scalar where Self: FixedWidthInteger {
  /// Zero.
  @inlinable public static var emptyValue: Self { 0 }

  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Self? {
    if let word = row.word(column) { return Self(truncatingIfNeeded: word) }
    return loadDistant(from: row, column: column)
  }

  /// Makes a whole number from one, where it is in the type's range.
  public static func make(from value: StoredValue) -> Self? {
    if case .int(let value) = value { Self(exactly: value) } else { nil }
  }

  /// The stored form: whole numbers of all widths are stored in 64 bits.
  @inlinable public var storedValue: StoredValue { .int(Int64(self)) }
}

extension Int: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .int }
}

extension Int8: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .int8 }
}

extension Int16: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .int16 }
}

extension Int32: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .int32 }
}

extension Int64: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .int64 }
}

extension UInt8: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .uint8 }
}

extension UInt16: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .uint16 }
}

extension UInt32: Scalar {
  /// Stored in 64 bits.
  public static var propertyType: PropertyType? { .uint32 }
}
