public import CLeyden

/// The place that a managed object's properties are read from.
///
/// A property wrapper holds one; it is a borrowed pointer that the object owns. Reading is a check
/// that the row is current and one load. Only the library makes and uses these.
@frozen
public struct PersistedRow {
  @usableFromInline let state: UnsafeMutablePointer<leyden_row>

  @inlinable
  init(_ state: UnsafeMutablePointer<leyden_row>) { self.state = state }

  /// Whether the record may be read in place: it was located in the version that the store shows.
  @inlinable var isCurrent: Bool { state.pointee.generation == state.pointee.current.pointee }

  /// The address of a column's slot, or `nil` where the record has none or it is null.
  ///
  /// Meaningful only while ``isCurrent`` holds.
  @inlinable
  func slot(_ column: Int32) -> UnsafePointer<UInt8>? {
    guard let base = state.pointee.base, let slots = state.pointee.slots else { return nil }
    let slot = Int(slots[Int(column)])
    guard slot != Int(UInt16.max), base[16 &+ slot >> 3] >> UInt8(slot & 7) & 1 == 0 else {
      return nil
    }
    return base + Int(state.pointee.slots_start) + slot * 8
  }

  /// A column's value as a number, or `nil` where it has none.
  @inlinable
  func word(_ column: Int32) -> UInt64? {
    guard let slot = slot(column) else { return nil }
    return UInt64(littleEndian: UnsafeRawPointer(slot).loadUnaligned(as: UInt64.self))
  }

  /// A column's value as bytes in the record; `nil` where it has none or it lies elsewhere.
  @inlinable
  func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
    guard let slot = slot(column), let base = state.pointee.base else { return nil }
    let word = UInt64(littleEndian: UnsafeRawPointer(slot).loadUnaligned(as: UInt64.self))
    if word >> 63 != 0 { return UnsafeRawBufferPointer(start: slot, count: Int(word >> 56 & 7)) }
    let offset = Int(word & 0xffff_ffff)
    let count = Int(word >> 32)
    guard offset &+ count <= Int(state.pointee.length) else { return nil }
    return UnsafeRawBufferPointer(start: base + offset, count: count)
  }

  /// The object that knows the way to everything that is not a plain load.
  @usableFromInline
  var access: RowAccess {
    Unmanaged<RowAccess>.fromOpaque(state.pointee.access).takeUnretainedValue()
  }

  /// The value of a column that has no bytes in the record: a default, or one stored in chunks.
  @usableFromInline
  func distantValue(_ column: Int32) -> StoredValue { access.distantValue(column) }
}

@available(*, unavailable)
extension PersistedRow: Sendable {}
