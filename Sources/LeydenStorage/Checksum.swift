internal import CLeyden

/// Returns the CRC-32C of a record's bytes, tied to the record's place.
///
/// The checksum begins with the type and the row, so that a record which is whole but stands under
/// another key, or in another type's table, does not pass for the right one.
///
/// - Parameters:
///   - bytes: What is protected; may be empty.
///   - type: The type's id, or the number that Docs/FileFormat.md gives for other kinds of entry.
///   - row: The row number.
/// - Returns: CRC-32C over `type` (4 bytes), `row` (8 bytes), both little-endian, and `bytes`.
package func checksum(of bytes: UnsafeRawBufferPointer, type: UInt32, row: UInt64) -> UInt32 {
  // Two steps instead of one over a struct of both: no padding can come between them.
  let first = unsafe withUnsafeBytes(of: type.littleEndian) { unsafe checksum(of: $0) }
  let second = unsafe withUnsafeBytes(of: row.littleEndian) {
    unsafe checksum(of: $0, after: first)
  }
  return unsafe checksum(of: bytes, after: second)
}

/// Returns the plain CRC-32C of `bytes`, as for the contents of a large value.
package func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
  unsafe leyden_crc32c(0, bytes.baseAddress, bytes.count)
}

/// Returns the CRC-32C of `bytes` where `seed` is the checksum of what stands before them.
package func checksum(of bytes: UnsafeRawBufferPointer, after seed: UInt32) -> UInt32 {
  unsafe leyden_crc32c(seed, bytes.baseAddress, bytes.count)
}
