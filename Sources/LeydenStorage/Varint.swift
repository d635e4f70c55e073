/// Unsigned numbers in as few bytes as they need: seven bits to a byte, the lowest first, the top bit set
/// in every byte but the last (LEB128).
package enum Varint {
  /// Appends a number.
  package static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads the number at an offset, and moves the offset behind it.
  ///
  /// - Returns: `nil` where the bytes end within it, or it has more than 64 bits.
  @inline(__always)
  package static func read(_ bytes: UnsafeRawBufferPointer, at offset: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while offset < bytes.count, shift < 64 {
      let byte = unsafe bytes[offset]
      offset += 1
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }

  /// The bytes that a number takes.
  package static func size(of value: UInt64) -> Int {
    max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
  }
}
