// SAFETY: every access is within the bounds of the bytes, which the caller keeps valid.
/// A stored record, read in place.
///
/// It borrows its bytes: valid as long as the transaction that gave them, and in a write
/// transaction only until the next change.
///
/// What a condition asks of each record is `@inlinable` (benchmark: scan).
@safe
package struct RecordView {
  /// The record's bytes.
  package let bytes: UnsafeRawBufferPointer
  /// The offset of slot 0.
  package let slotsStart: Int

  /// Looks at `bytes` as a record of `slots` slots, without checking its checksum.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where header, bitmap and slots do not fit.
  @inlinable @inline(__always)
  package init(_ bytes: UnsafeRawBufferPointer, slots: Int) throws(StorageError) {
    let start = RecordFormat.slotsStart(slots: slots)
    guard bytes.count >= start + slots * 8, unsafe bytes[0] == RecordFormat.version else {
      throw .corrupted("a record of \(bytes.count) bytes does not have \(slots) slots")
    }
    unsafe self.bytes = unsafe bytes
    slotsStart = start
  }

  /// The layout that a record follows, which says how many slots it has.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes cannot be a record of this format.
  @inlinable @inline(__always)
  package static func layout(of bytes: UnsafeRawBufferPointer) throws(StorageError) -> UInt16 {
    guard bytes.count >= RecordFormat.headerSize, unsafe bytes[0] == RecordFormat.version else {
      throw .corrupted("\(bytes.count) bytes are not a record of format \(RecordFormat.version)")
    }
    return unsafe UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
  }

  /// Compares the checksum with the bytes.
  ///
  /// - Throws: ``StorageError/corrupted(_:)`` where they differ: damaged, or another row's record.
  package static func verify(
    _ bytes: UnsafeRawBufferPointer, type: UInt32, row: UInt64
  ) throws(StorageError) {
    guard bytes.count >= RecordFormat.headerSize else {
      throw .corrupted("\(bytes.count) bytes are too few for a record")
    }
    let stored = unsafe UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard unsafe sum(of: bytes, type: type, row: row) == stored else {
      throw .corrupted("the record of row \(row) of type \(type) does not match its checksum")
    }
  }

  /// The checksum that belongs into a record: over all of it but the checksum itself.
  static func sum(of record: UnsafeRawBufferPointer, type: UInt32, row: UInt64) -> UInt32 {
    let start = unsafe checksum(
      of: UnsafeRawBufferPointer(rebasing: record[..<4]), type: type, row: row)
    return unsafe checksum(of: UnsafeRawBufferPointer(rebasing: record[8...]), after: start)
  }

  /// The commit that last wrote the record.
  package var version: UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Whether the record refers to values that are stored in chunks.
  package var hasLargeValues: Bool { unsafe bytes[1] & RecordFormat.hasLargeValues != 0 }

  /// Whether a slot holds no value.
  @inlinable @inline(__always)
  package func isNull(_ slot: Int) -> Bool {
    unsafe bytes[RecordFormat.headerSize + slot >> 3] >> UInt8(slot & 7) & 1 != 0
  }

  /// A slot's 8 bytes as a number; 0 where it is null.
  @inlinable @inline(__always)
  package func word(_ slot: Int) -> UInt64 {
    unsafe UInt64(
      littleEndian: bytes.loadUnaligned(fromByteOffset: slotsStart + slot * 8, as: UInt64.self))
  }

  /// A slot's value as bytes in the record; empty where null, damaged or stored in chunks.
  package func bytes(_ slot: Int) -> UnsafeRawBufferPointer {
    let word = word(slot)
    if word >> 63 != 0 {
      let count = Int(word >> 56 & 0x7f)
      guard count <= RecordFormat.inlineCapacity else {
        return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
      }
      let start = slotsStart + slot * 8
      return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }
    let offset = Int(word & 0xffff_ffff)
    let count = Int(word >> 32)
    guard unsafe offset + count <= bytes.count else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return unsafe UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
  }

  /// The reference that a slot holds in place of its value, or `nil` where the value is here.
  package func largeReference(_ slot: Int) -> LargeReference? {
    let word = word(slot)
    let offset = Int(word & 0xffff_ffff)
    guard word >> 32 == UInt64(RecordFormat.largeMark),
      unsafe offset + LargeReference.size <= bytes.count
    else { return nil }
    return unsafe LargeReference(bytes, at: offset)
  }
  /// The first bytes, 16 at the most, of a value that is stored in chunks.
  package func largePrefix(_ slot: Int) -> UnsafeRawBufferPointer {
    guard let reference = largeReference(slot) else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let offset = Int(word(slot) & 0xffff_ffff) + 20
    return unsafe UnsafeRawBufferPointer(
      rebasing: bytes[offset..<offset + min(16, Int(clamping: reference.total))])
  }
}
