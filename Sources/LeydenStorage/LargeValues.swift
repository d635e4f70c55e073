import CLeyden

/// Values too long for a record, in chunks that fill one page each.
///
/// LMDB needs contiguous free pages for a value of several pages, which fragments the file; a
/// chunk never does. Table `large`: key `id u64 | chunk u32`, big-endian; value
/// `crc32c u32 | bytes`, the checksum seeded with the chunk's place.
package enum LargeValues {
  /// The table's name.
  package static let table = "large"
  /// Bytes of the value in each chunk but the last: a page of 4,096 less LMDB's header of 16, the
  /// checksum and what LMDB keeps of key and node.
  package static let chunkSize = 4_060

  /// Stores `value` under a new number.
  ///
  /// - Returns: What to keep in the record.
  /// - Complexity: O(bytes), one page for each ``chunkSize``.
  package static func write(
    _ value: UnsafeRawBufferPointer, identifier: UInt64, in table: Table,
    transaction: WriteTransaction
  ) throws(StorageError) -> LargeReference {
    var buffer = [UInt8](repeating: 0, count: chunkSize + 4)
    var start = 0
    var chunk: UInt32 = 0
    while start < value.count {
      let part = unsafe UnsafeRawBufferPointer(
        rebasing: value[start..<min(start + chunkSize, value.count)])
      let sum = unsafe checksum(of: part, type: chunk, row: identifier)
      unsafe buffer.withUnsafeMutableBytes { target in
        unsafe target.storeBytes(of: sum.littleEndian, as: UInt32.self)
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[4...]).copyMemory(from: part)
      }
      unsafe try withKey(identifier, chunk) { (key) throws(StorageError) in
        unsafe try withBytes(of: buffer, count: part.count + 4) { (bytes) throws(StorageError) in
          unsafe try transaction.put(bytes, for: key, in: table)
        }
      }
      start += part.count
      chunk += 1
    }
    return unsafe LargeReference(
      identifier: identifier, total: UInt64(value.count),
      checksum: leyden_crc32c(0, value.baseAddress, value.count))
  }

  /// Whether a value is stored under a number already.
  package static func isTaken(
    _ identifier: UInt64, in table: Table, transaction: Transaction
  ) throws(StorageError) -> Bool {
    unsafe try withKey(identifier, 0) { (key) throws(StorageError) in
      unsafe try transaction.value(for: key, in: table) != nil
    }
  }

  /// The key of a chunk.
  package static func key(_ identifier: UInt64, _ chunk: UInt32) -> [UInt8] {
    var key = KeyEncoder(capacity: 12)
    key.append(identifier)
    key.append(chunk)
    return key.bytes
  }

  /// Whether a chunk's bytes match its checksum and its place.
  package static func isWhole(_ bytes: [UInt8], identifier: UInt64, chunk: UInt32) -> Bool {
    guard bytes.count > 4 else { return false }
    return unsafe bytes.withUnsafeBytes { bytes in
      let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[4...])
      return unsafe checksum(of: part, type: chunk, row: identifier)
        == UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    }
  }

  /// Reads a whole value.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where a chunk is missing, damaged or misplaced.
  package static func read(
    _ reference: LargeReference, in table: Table, transaction: Transaction
  ) throws(StorageError) -> [UInt8] {
    var value: [UInt8] = []
    value.reserveCapacity(Int(clamping: min(reference.total, 1 << 24)))
    var chunk: UInt32 = 0
    while UInt64(value.count) < reference.total {
      unsafe try withKey(reference.identifier, chunk) { (key) throws(StorageError) in
        guard let bytes = unsafe try transaction.value(for: key, in: table), bytes.count > 4 else {
          throw .corrupted("chunk \(chunk) of large value \(reference.identifier) is missing")
        }
        let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[4...])
        let stored = unsafe UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
        guard unsafe checksum(of: part, type: chunk, row: reference.identifier) == stored else {
          throw .corrupted("chunk \(chunk) of large value \(reference.identifier) is damaged")
        }
        unsafe value.append(contentsOf: part)
      }
      chunk += 1
    }
    return value
  }

  /// Removes a value's chunks, up to the first one that is missing.
  package static func delete(
    _ reference: LargeReference, in table: Table, transaction: WriteTransaction
  ) throws(StorageError) {
    var chunk: UInt32 = 0
    var isThere = true
    while isThere, UInt64(chunk) * UInt64(chunkSize) < reference.total {
      isThere = unsafe try withKey(reference.identifier, chunk) { (key) throws(StorageError) in
        unsafe try transaction.delete(key, in: table)
      }
      chunk += 1
    }
  }

  private static func withKey<Result>(
    _ identifier: UInt64, _ chunk: UInt32,
    _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    var key: (UInt32, UInt32, UInt32) = (
      UInt32(truncatingIfNeeded: identifier >> 32).bigEndian,
      UInt32(truncatingIfNeeded: identifier).bigEndian, chunk.bigEndian
    )
    return unsafe try withTypedBytes(of: &key, body)
  }
}

/// Lends the bytes of a value; `withUnsafeBytes` with a typed error.
@inlinable
package func withTypedBytes<Value, Result>(
  of value: inout Value, _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
) throws(StorageError) -> Result {
  let outcome: Swift.Result<Result, StorageError> = unsafe withUnsafeBytes(of: &value) { bytes in
    do throws(StorageError) { return unsafe .success(try body(bytes)) } catch {
      return .failure(error)
    }
  }
  return try outcome.get()
}

/// Lends the first `count` bytes of an array, all of them by default, with a typed error.
// Inlinable: a generic call into another module costs more than what it does (benchmark: insert).
@inlinable
package func withBytes<Result>(
  of array: [UInt8], count: Int? = nil,
  _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Result
) throws(StorageError) -> Result {
  let outcome: Swift.Result<Result, StorageError> = unsafe array.withUnsafeBytes { bytes in
    do throws(StorageError) {
      return unsafe .success(
        try body(UnsafeRawBufferPointer(rebasing: bytes[..<(count ?? bytes.count)])))
    } catch { return .failure(error) }
  }
  return try outcome.get()
}
