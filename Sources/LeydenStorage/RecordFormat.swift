/// The bytes of a record: one object, or one entry of the catalog.
///
/// All integers are little-endian and may lie unaligned.
///
///     offset  size       field
///     0       1          format, 1
///     1       1          flags: 1 encrypted (reserved), 2 has large values, 4 clock (reserved)
///     2       2          layout id, per type; the number of slots in records of the catalog
///     4       4          CRC-32C of all the rest, seeded with type id and row number
///     8       8          version: the commit that last wrote the record
///     16      ceil(n/8)  null bitmap, 1 is null, padded to a multiple of 8
///     …       8 × n      slots
///     …       rest       heap
///
/// A slot holds a number itself, up to 7 bytes inline (top byte `0x80 | length`), or
/// `offset u32 | length u32` into the heap. Length `0xFFFFFFFF` marks a ``LargeReference`` there.
package enum RecordFormat {
  /// The format that this code writes.
  @inlinable package static var version: UInt8 { 1 }
  /// The flag of a record that refers to large values.
  package static let hasLargeValues: UInt8 = 2
  /// Bytes before the null bitmap.
  @inlinable package static var headerSize: Int { 16 }
  /// The longest value that a slot holds itself.
  package static let inlineCapacity = 7
  /// The length that marks a reference to a large value.
  package static let largeMark: UInt32 = .max
  /// A record longer than this moves its largest values out; two of this length share a page.
  package static let inlineLimit = 1_900
  /// Shorter values always stay in the record.
  package static let smallestLargeValue = 65

  /// Returns the offset of slot 0 in a record of `slots` slots.
  @inlinable
  package static func slotsStart(slots: Int) -> Int {
    headerSize + (slots + 63) / 64 * 8
  }
}

/// What a record's heap holds in place of a value that is stored in chunks.
package struct LargeReference: Hashable, Sendable {
  /// Bytes that a reference takes in the heap: id, total, checksum and a prefix of 16 bytes.
  package static let size = 36
  /// The value's number in the table of large values.
  package var identifier: UInt64
  /// The value's length in bytes.
  package var total: UInt64
  /// CRC-32C of the whole value, seeded with 0.
  package var checksum: UInt32
}
