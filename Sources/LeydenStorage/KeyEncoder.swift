package import struct Foundation.UUID

/// Builds keys whose byte order is the order of the values in them.
///
///     var key = KeyEncoder()
///     key.appendPresence(true)
///     key.append(string: "Leiden", terminated: true)
///     key.appendRow(4)
///
/// Fields are appended one after the other; comparing two finished keys as LMDB does, byte by byte
/// and the shorter first, compares their first fields, then their second ones, and so on. Equal
/// values have equal bytes. Docs/FileFormat.md, "Keys", draws every encoding.
///
/// The buffer is kept over `removeAll`, so that one encoder can serve many keys.
package struct KeyEncoder {
  /// The key as far as it is built.
  package internal(set) var bytes: [UInt8]

  /// Makes an encoder with room for `capacity` bytes.
  package init(capacity: Int = 32) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// The number of bytes so far: where the next field begins.
  package var count: Int { bytes.count }

  /// Empties the key.
  package mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
  }

  /// Takes back everything from `position` on, as when the next key shares the fields before it.
  package mutating func truncate(to position: Int) {
    bytes.removeLast(bytes.count - position)
  }

  /// Appends the marker of a nullable field: null sorts before every value.
  ///
  /// Nothing follows the marker of a null field.
  package mutating func appendPresence(_ isPresent: Bool) {
    bytes.append(isPresent ? 1 : 0)
  }

  /// Appends a Boolean; false sorts first.
  package mutating func append(_ value: Bool) {
    bytes.append(value ? 1 : 0)
  }

  /// Appends a signed integer; all widths are stored as 64 bits.
  package mutating func append(_ value: Int64) {
    append(Self.bits(of: value))
  }

  /// The number that is ordered as the signed one is.
  package static func bits(of value: Int64) -> UInt64 { UInt64(bitPattern: value) ^ (1 << 63) }

  /// Appends an unsigned integer.
  package mutating func append(_ value: UInt64) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a 32-bit unsigned integer, such as an id.
  package mutating func append(_ value: UInt32) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a 16-bit unsigned integer, such as a part number.
  package mutating func append(_ value: UInt16) {
    unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends a single byte, such as a kind.
  package mutating func append(_ value: UInt8) {
    bytes.append(value)
  }

  /// Appends a number with a fraction, or a date as seconds since the reference date.
  ///
  /// The two zeros are one value. All values that are not a number are one value, which sorts last.
  package mutating func append(_ value: Double) {
    append(Self.bits(of: value))
  }

  /// The number that is ordered as the one with a fraction is.
  package static func bits(of value: Double) -> UInt64 {
    let bits = canonicalBits(of: value)
    return bits >> 63 == 1 ? ~bits : bits ^ (1 << 63)
  }

  /// Appends the sixteen bytes of an identifier.
  package mutating func append(_ value: UUID) {
    unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends bytes of a fixed length as they are.
  package mutating func append(raw value: UnsafeRawBufferPointer) {
    unsafe bytes.append(contentsOf: value)
  }

  /// Appends bytes of any length, ordered as `memcmp` orders them.
  ///
  /// A zero byte becomes `00 FF`.
  ///
  /// - Parameters:
  ///   - value: The bytes; may be empty.
  ///   - terminated: Whether `00 01` ends the field. Every stored field is terminated; one that is
  ///     not is the beginning of all fields that begin so, for a scan by prefix.
  package mutating func append(data value: UnsafeRawBufferPointer, terminated: Bool) {
    if unsafe value.contains(0) {
      for index in 0..<value.count {
        let byte = unsafe value[index]
        bytes.append(byte)
        if byte == 0 { bytes.append(0xFF) }
      }
    } else {
      unsafe bytes.append(contentsOf: value)
    }
    if terminated { appendTerminator() }
  }

  /// Appends text, ordered and equal as Swift's `String` compares it.
  ///
  /// - Parameters:
  ///   - value: The text, in any normalization form.
  ///   - terminated: As for ``append(data:terminated:)``.
  package mutating func append(string value: String, terminated: Bool) {
    var value = value
    value.withUTF8 { utf8 in
      unsafe append(utf8: UnsafeRawBufferPointer(utf8), terminated: terminated)
    }
  }

  /// Appends text given as UTF-8, such as a record holds it.
  ///
  /// - Parameters:
  ///   - value: The text, in any normalization form.
  ///   - terminated: As for ``append(data:terminated:)``.
  package mutating func append(utf8 value: UnsafeRawBufferPointer, terminated: Bool) {
    if unsafe isNormalized(utf8: value) {
      unsafe append(data: value, terminated: terminated)
    } else {
      let normalized = normalizedUTF8(of: unsafe String(decoding: value, as: UTF8.self))
      unsafe normalized.withUnsafeBytes { unsafe append(data: $0, terminated: terminated) }
    }
  }

  /// Appends text given as UTF-8, so that texts that differ in case only are one.
  ///
  /// - Parameters:
  ///   - value: The text, in any case and normalization form.
  ///   - terminated: As for ``append(data:terminated:)``.
  package mutating func append(folding value: UnsafeRawBufferPointer, terminated: Bool) {
    let folded = unsafe foldedUTF8(of: value)
    unsafe folded.withUnsafeBytes { unsafe append(data: $0, terminated: terminated) }
  }

  /// Appends the number of the row that an index entry belongs to.
  package mutating func appendRow(_ row: UInt64) {
    append(row)
  }

  /// Turns the order of a field around.
  ///
  /// - Parameter position: Where the field begins, its presence marker included; it ends at the end
  ///   of the key.
  package mutating func complement(from position: Int) {
    for index in position..<bytes.count { bytes[index] = ~bytes[index] }
  }

  mutating func appendTerminator() {
    bytes.append(0)
    bytes.append(KeyEncoder.terminator)
  }

  /// The bits that stand for all values equal to `value`: one zero, one not-a-number.
  private static func canonicalBits(of value: Double) -> UInt64 {
    if value == 0 { return 0 }
    return value.isNaN ? 0x7FF8_0000_0000_0000 : value.bitPattern
  }
}

extension KeyEncoder {
  /// What follows a zero byte at the end of a field of any length.
  static let terminator: UInt8 = 0x01
  /// What follows a zero byte where a field was cut and its hash follows.
  static let shortened: UInt8 = 0x02
  /// What follows a zero byte that belongs to the field.
  static let escapedZero: UInt8 = 0xFF
}
