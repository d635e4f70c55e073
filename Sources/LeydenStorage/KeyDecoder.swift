package import Foundation

/// Returns the row number that ends an index entry.
///
/// - Returns: `nil` for a key of less than eight bytes, which no index holds.
@inlinable
package func row(atEndOf key: UnsafeRawBufferPointer) -> UInt64? {
  guard key.count >= 8 else { return nil }
  return unsafe UInt64(
    bigEndian: key.loadUnaligned(fromByteOffset: key.count - 8, as: UInt64.self))
}

/// Takes keys apart again, as ``KeyEncoder`` made them.
///
/// It borrows the key's bytes and is used while they are valid: in one read transaction. A key that
/// ends too early or holds what no encoder writes throws ``StorageError/corrupted(_:)``.
@unsafe package struct KeyDecoder {
  private let key: UnsafeRawBufferPointer
  private var position = 0

  /// Whether the fields that are read next were complemented: those of a descending field.
  package var isComplemented = false

  /// Reads `key` from its first byte.
  package init(_ key: UnsafeRawBufferPointer) { unsafe self.key = key }

  /// The number of bytes that are not read yet.
  package var remaining: Int { unsafe key.count - position }

  /// A field of any length: its bytes without escapes, or what is left of it.
  package struct Variable: Equatable, Sendable {
    /// The field, or its first bytes where it was shortened.
    package var bytes: [UInt8]
    /// The hash of the full encoding where the field was shortened.
    package var hash: [UInt8]?
  }

  /// Reads a presence marker: false for null.
  package mutating func readPresence() throws(StorageError) -> Bool { try unsafe readBool() }

  /// Reads a Boolean.
  package mutating func readBool() throws(StorageError) -> Bool {
    switch try unsafe readByte() {
    case 0: return false
    case 1: return true
    case let byte: throw .corrupted("The key holds \(byte) where only 0 and 1 can stand.")
    }
  }

  /// Reads a signed integer.
  package mutating func readInt64() throws(StorageError) -> Int64 {
    Int64(bitPattern: try unsafe readUInt64() ^ (1 << 63))
  }

  /// Reads an unsigned integer, or a row number.
  package mutating func readUInt64() throws(StorageError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<8 { value = value << 8 | UInt64(try unsafe readByte()) }
    return value
  }

  /// Reads a 32-bit unsigned integer.
  package mutating func readUInt32() throws(StorageError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 { value = value << 8 | UInt32(try unsafe readByte()) }
    return value
  }

  /// Reads a 16-bit unsigned integer.
  package mutating func readUInt16() throws(StorageError) -> UInt16 {
    UInt16(try unsafe readByte()) << 8 | UInt16(try unsafe readByte())
  }

  /// Reads one byte.
  package mutating func readByte() throws(StorageError) -> UInt8 {
    guard unsafe position < key.count else { throw .corrupted("A key ends too early.") }
    defer { unsafe position += 1 }
    let byte = unsafe key[position]
    return unsafe isComplemented ? ~byte : byte
  }

  /// Reads a number with a fraction.
  package mutating func readDouble() throws(StorageError) -> Double {
    let bits = try unsafe readUInt64()
    return Double(bitPattern: bits >> 63 == 1 ? bits ^ (1 << 63) : ~bits)
  }

  /// Reads an identifier.
  package mutating func readUUID() throws(StorageError) -> UUID {
    let bytes = try unsafe readRaw(count: 16)
    return unsafe bytes.withUnsafeBytes { bytes in
      unsafe UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
  }

  /// Reads bytes of a fixed length.
  package mutating func readRaw(count: Int) throws(StorageError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for _ in 0..<count { bytes.append(try unsafe readByte()) }
    return bytes
  }

  /// Reads a terminated field of any length: data or text.
  package mutating func readVariable() throws(StorageError) -> Variable {
    var bytes: [UInt8] = []
    while true {
      let byte = try unsafe readByte()
      guard byte == 0 else {
        bytes.append(byte)
        continue
      }
      switch try unsafe readByte() {
      case KeyEncoder.escapedZero: bytes.append(0)
      case KeyEncoder.terminator: return Variable(bytes: bytes)
      case KeyEncoder.shortened: return Variable(bytes: bytes, hash: try unsafe readRaw(count: 16))
      case let other: throw .corrupted("A key holds 00 \(other) inside a field.")
      }
    }
  }
}
