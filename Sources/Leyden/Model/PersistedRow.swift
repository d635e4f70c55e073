public import CLeyden

// SAFETY: made only from a row state whose object is alive during the call; every load first checks
// that the row is current, and stays within the record's length.
/// The place that a managed object's properties are read from.
///
/// A property wrapper holds one; it is a borrowed pointer that the object owns. Reading is a check
/// that the row is current and one load. Only the library makes and uses these.
@safe
@frozen
public struct PersistedRow {
  @usableFromInline let state: UnsafeMutablePointer<leyden_row>

  @inlinable
  init(_ state: UnsafeMutablePointer<leyden_row>) { unsafe self.state = unsafe state }

  /// Whether the record may be read in place: it was located in the version that the store shows.
  @inlinable @inline(__always) var isCurrent: Bool {
    unsafe state.pointee.generation == state.pointee.current.pointee
  }

  /// The address of a column's slot, or `nil` where the record has none or it is null.
  ///
  /// Meaningful only while ``isCurrent`` holds.
  @inlinable @inline(__always)
  func slot(_ column: Int32) -> UnsafePointer<UInt8>? {
    guard let base = unsafe state.pointee.base, let slots = unsafe state.pointee.slots else {
      return nil
    }
    let slot = unsafe Int(slots[Int(column)])
    guard slot != Int(UInt16.max), unsafe base[16 &+ slot >> 3] >> UInt8(slot & 7) & 1 == 0 else {
      return nil
    }
    return unsafe base + Int(state.pointee.slots_start) + slot * 8
  }

  /// A column's value as a number, or `nil` where it has none.
  @inlinable @inline(__always)
  func word(_ column: Int32) -> UInt64? {
    guard let slot = unsafe slot(column) else { return nil }
    return unsafe UInt64(littleEndian: UnsafeRawPointer(slot).loadUnaligned(as: UInt64.self))
  }

  /// A column's value as bytes in the record; `nil` where it has none or it lies elsewhere.
  @inlinable @inline(__always)
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let slot = unsafe slot(column), let base = unsafe state.pointee.base else { return nil }
    let word = unsafe UInt64(littleEndian: UnsafeRawPointer(slot).loadUnaligned(as: UInt64.self))
    // 0x80 to 0x87: in the slot itself; 0xFF: in chunks.
    if word >> 56 > 0x87 { return nil }
    if word >> 63 != 0 {
      return unsafe UnsafeRawBufferPointer(start: slot, count: Int(word >> 56 & 7))
    }
    let offset = Int(word & 0xffff_ffff)
    let count = Int(word >> 32)
    guard unsafe offset &+ count <= Int(state.pointee.length) else { return nil }
    return unsafe UnsafeRawBufferPointer(start: base + offset, count: count)
  }

  /// The object that knows the way to everything that is not a plain load.
  @usableFromInline
  var access: RowAccess {
    unsafe Unmanaged<RowAccess>.fromOpaque(state.pointee.access).takeUnretainedValue()
  }

  /// The value of a column that has no bytes in the record: a default, or one stored in chunks.
  @usableFromInline
  func distantValue(_ column: Int32) -> StoredValue { access.distantValue(column) }
}

@available(*, unavailable)
extension PersistedRow: Sendable {}
