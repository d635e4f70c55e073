import CLeyden
public import Foundation

/// An identifier of 12 bytes that programs make without asking each other: a time in seconds, a
/// number of the process, and a counter.
///
///     @Persisted(primaryKey: true) var identifier = ObjectId.generate()
///
/// Printed, encoded and parsed as 24 hexadecimal digits. Identifiers are in the order of their
/// bytes, and so of the seconds in which they were made.
public struct ObjectId: Hashable, Sendable {
  /// The first eight bytes: four of seconds since 1970, four of the process's number.
  let high: UInt64
  /// The last four bytes: one of the process's number, three of the counter.
  let low: UInt32

  /// The number of bytes.
  static let byteCount = 12

  init(high: UInt64, low: UInt32) {
    self.high = high
    self.low = low
  }

  /// The identifier whose bytes are all zero.
  public init() { self.init(high: 0, low: 0) }

  /// Parses an identifier.
  ///
  /// - Parameter string: 24 hexadecimal digits, of either case.
  /// - Throws: ``StoreError/invalidValue(_:)`` for everything else.
  public init(string: String) throws(StoreError) {
    // The standard library's conversion alone would take a sign, too.
    let digits = string.utf8.count == 2 * Self.byteCount && string.allSatisfy(\.isHexDigit)
    guard digits, let high = UInt64(string.prefix(16), radix: 16),
      let low = UInt32(string.suffix(8), radix: 16)
    else { throw .invalidValue("\"\(string)\" is not 24 hexadecimal digits, as an ObjectId is") }
    self.init(high: high, low: low)
  }

  /// Makes a new identifier.
  ///
  /// No two calls of one process give the same one, unless it makes more than 16,777,216 in one
  /// second; processes, also those made by `fork`, differ in 40 random bits.
  public static func generate() -> ObjectId {
    generator.withLock { $0.next(at: Date()) }
  }

  private static let generator = Locked(ObjectIdGenerator())

  /// The second in which the identifier was made.
  public var timestamp: Date { Date(timeIntervalSince1970: TimeInterval(high >> 32)) }

  /// The 24 hexadecimal digits, in lower case.
  public var stringValue: String {
    let digits = (String(high, radix: 16), String(low, radix: 16))
    return String(repeating: "0", count: 16 - digits.0.count) + digits.0
      + String(repeating: "0", count: 8 - digits.1.count) + digits.1
  }
}

extension ObjectId: Comparable {
  /// Whether the bytes of one come before those of the other.
  public static func < (left: ObjectId, right: ObjectId) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

extension ObjectId: CustomStringConvertible {
  /// The 24 hexadecimal digits, in lower case.
  public var description: String { stringValue }
}

extension ObjectId: Codable {
  /// Decodes 24 hexadecimal digits.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { try self.init(string: container.decode(String.self)) } catch let error as StoreError {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: error.errorDescription ?? "no ObjectId")
    }
  }

  /// Encodes the 24 hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(stringValue)
  }
}

extension ObjectId: Scalar {
  /// Stored as its 12 bytes.
  public static var propertyType: PropertyType? { .objectId }
  /// All zero.
  public static var emptyValue: ObjectId { ObjectId() }
  /// Reads a column.
  public static func loadIfPresent(from row: PersistedRow, column: Int32) -> ObjectId? {
    if let bytes = unsafe row.bytes(column), let value = unsafe ObjectId(bytes: bytes) {
      return value
    }
    return loadDistant(from: row, column: column)
  }
  /// Makes an identifier from one.
  public static func make(from value: StoredValue) -> ObjectId? {
    if case .objectId(let value) = value { value } else { nil }
  }
  /// The stored form.
  public var storedValue: StoredValue { .objectId(self) }

  /// Takes 12 bytes; `nil` for another number of them.
  init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.byteCount else { return nil }
    unsafe self.init(
      high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
      low: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self)))
  }

  /// The 12 bytes.
  var bytes: [UInt8] {
    unsafe withUnsafeBytes(of: high.bigEndian) { unsafe Array($0) }
      + withUnsafeBytes(of: low.bigEndian) { unsafe Array($0) }
  }
}

/// What one process makes its identifiers of.
package struct ObjectIdGenerator: Sendable {
  private var process = Self.randomProcess()
  private var counter: UInt32
  private var generation: UInt64

  /// Begins with a random number of the process; the counter of the first identifier is one more
  /// than `counter`.
  package init(
    counter: UInt32 = .random(in: 0 ... .max), generation: UInt64 = leyden_fork_generation()
  ) {
    self.counter = counter
    self.generation = generation
  }

  private static func randomProcess() -> UInt64 { .random(in: 0..<1 << 40) }

  /// The next identifier; the counter goes round within its three bytes.
  ///
  /// `current` says how many times this process is a child by `fork`.
  package mutating func next(
    at time: Date, generation current: UInt64 = leyden_fork_generation()
  ) -> ObjectId {
    // A child has its parent's numbers; it takes one of its own.
    if current != generation {
      generation = current
      process = Self.randomProcess()
    }
    counter &+= 1
    let seconds = UInt64(UInt32(truncatingIfNeeded: Int64(time.timeIntervalSince1970)))
    return ObjectId(
      high: seconds << 32 | process >> 8,
      low: UInt32(truncatingIfNeeded: process) << 24 | counter & 0xff_ffff)
  }
}
