public import Foundation

extension Bool: Scalar {
  /// Stored as 0 or 1.
  public static var propertyType: PropertyType? { .bool }
  /// False.
  @inlinable public static var emptyValue: Bool { false }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Bool? {
    if let word = row.word(column) { return word != 0 }
    return loadDistant(from: row, column: column)
  }
  /// Makes a truth value from one.
  public static func make(from value: StoredValue) -> Bool? {
    if case .bool(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .bool(self) }
}

extension Float: Scalar {
  /// Stored as the `Double` of the same value.
  public static var propertyType: PropertyType? { .float }
  /// Zero.
  @inlinable public static var emptyValue: Float { 0 }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Float? {
    if let word = row.word(column) { return Float(storedBits: word) }
    return loadDistant(from: row, column: column)
  }
  /// Makes a number from one.
  public static func make(from value: StoredValue) -> Float? {
    if case .float(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .float(self) }

  // Converting a not-a-number may change its bits; moving them keeps them.
  private static let movedBits = UInt64(Double.significandBitCount - Float.significandBitCount)

  /// The bits of the `Double` that has the value; those of a not-a-number are moved.
  package var storedBits: UInt64 {
    guard isNaN else { return Double(self).bitPattern }
    return Double(
      sign: sign, exponentBitPattern: Double.infinity.exponentBitPattern,
      significandBitPattern: UInt64(significandBitPattern) << Self.movedBits
    ).bitPattern
  }

  /// The number that is stored as `bits`.
  @usableFromInline
  init(storedBits bits: UInt64) {
    let value = Double(bitPattern: bits)
    self =
      value.isNaN
      ? Float(
        sign: value.sign, exponentBitPattern: Float.infinity.exponentBitPattern,
        significandBitPattern: UInt32(
          truncatingIfNeeded: value.significandBitPattern >> Self.movedBits))
      : Float(value)
  }
}

extension Double: Scalar {
  /// Stored as its bits.
  public static var propertyType: PropertyType? { .double }
  /// Zero.
  @inlinable public static var emptyValue: Double { 0 }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Double? {
    if let word = row.word(column) { return Double(bitPattern: word) }
    return loadDistant(from: row, column: column)
  }
  /// Makes a number from one.
  public static func make(from value: StoredValue) -> Double? {
    if case .double(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .double(self) }
}

extension Date: Scalar {
  /// Stored as the bits of its seconds since the reference date: nothing is rounded.
  public static var propertyType: PropertyType? { .date }
  /// The reference date.
  @inlinable public static var emptyValue: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Date? {
    if let word = row.word(column) {
      return Date(timeIntervalSinceReferenceDate: Double(bitPattern: word))
    }
    return loadDistant(from: row, column: column)
  }
  /// Makes a date from one.
  public static func make(from value: StoredValue) -> Date? {
    if case .date(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .date(self) }
}

extension String: Scalar {
  /// Stored as its UTF-8 bytes, exactly as they are.
  public static var propertyType: PropertyType? { .string }
  /// The empty text.
  @inlinable public static var emptyValue: String { "" }
  // Without a detour through an optional, which costs a fifth more (benchmark: property).
  /// Reads a column; the empty text where there is none.
  @inlinable
  public static func load(from row: PersistedRow, column: Int32) -> String {
    if let bytes = unsafe row.bytes(column) { return unsafe String(decoding: bytes, as: UTF8.self) }
    return loadDistant(from: row, column: column) ?? emptyValue
  }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> String? {
    if let bytes = unsafe row.bytes(column) { return unsafe String(decoding: bytes, as: UTF8.self) }
    return loadDistant(from: row, column: column)
  }
  /// Makes a text from one.
  public static func make(from value: StoredValue) -> String? {
    if case .string(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .string(self) }
}

extension Data: Scalar {
  /// Stored as it is.
  public static var propertyType: PropertyType? { .data }
  /// No bytes.
  @inlinable public static var emptyValue: Data { Data() }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> Data? {
    if let bytes = unsafe row.bytes(column) { return unsafe Data(bytes) }
    return loadDistant(from: row, column: column)
  }
  /// Makes bytes from bytes.
  public static func make(from value: StoredValue) -> Data? {
    if case .data(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .data(self) }
}

extension UUID: Scalar {
  /// Stored as 16 bytes.
  public static var propertyType: PropertyType? { .uuid }
  /// All zero.
  @inlinable public static var emptyValue: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// Reads a column.
  @inlinable
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> UUID? {
    if let bytes = unsafe row.bytes(column), bytes.count == 16 {
      return unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
    return loadDistant(from: row, column: column)
  }
  /// Makes an identifier from one.
  public static func make(from value: StoredValue) -> UUID? {
    if case .uuid(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .uuid(self) }
}
