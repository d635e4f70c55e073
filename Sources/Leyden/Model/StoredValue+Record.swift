import Foundation
import LeydenStorage

extension MutableRecord {
  /// Puts a value into a slot.
  ///
  /// - Throws: ``StorageError/valueTooLarge(bytes:)``.
  @inline(__always)
  func set(_ value: StoredValue, in slot: Int) throws(StorageError) {
    switch value {
    case .null: setNull(slot)
    case .bool(let value): set(value ? 1 : 0, in: slot)
    case .int(let value): set(UInt64(bitPattern: value), in: slot)
    case .float(let value): set(value.storedBits, in: slot)
    case .double(let value): set(value.bitPattern, in: slot)
    case .date(let value): set(value.timeIntervalSinceReferenceDate.bitPattern, in: slot)
    case .string(let value): try setBytes(value.utf8, in: slot)
    case .data(let value): try setBytes(value, in: slot)
    case .uuid(let value):
      var bytes = value.uuid
      unsafe try withTypedBytes(of: &bytes) { (bytes) throws(StorageError) in
        unsafe try set(bytes, in: slot)
      }
    case .decimal(let value): try setBytes(StoredDecimal(value).bytes, in: slot)
    case .objectId(let value): try setBytes(value.bytes, in: slot)
    case .object(let value): set(value.row, in: slot)
    case .structure(let value): try setBytes(value, in: slot)
    }
  }

  /// Puts a value into a slot of a type: values of any type have their type in front.
  ///
  /// - Throws: ``StorageError/valueTooLarge(bytes:)``.
  func set(
    _ value: StoredValue, as type: PropertyType, in slot: Int
  ) throws(StorageError) {
    guard type == .anyValue, value != .null else { return try set(value, in: slot) }
    try setBytes(AnyValueCoding.encode(value), in: slot)
  }

  private func setBytes(_ value: some Sequence<UInt8>, in slot: Int) throws(StorageError) {
    let done: Result<Void, StorageError>? = value.withContiguousStorageIfAvailable { bytes in
      do throws(StorageError) {
        return unsafe .success(try set(UnsafeRawBufferPointer(bytes), in: slot))
      } catch {
        return .failure(error)
      }
    }
    if let done { return try done.get() }
    unsafe try withBytes(of: Array(value)) { (bytes) throws(StorageError) in
      unsafe try set(bytes, in: slot)
    }
  }
}
