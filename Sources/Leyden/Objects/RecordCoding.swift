import Foundation
import LeydenStorage

extension RecordView {
  /// A slot's value; `transaction` is the one that the record was read in, for values in chunks.
  func value(
    _ slot: Int, _ type: PropertyType, in transaction: Transaction
  ) throws(StorageError) -> StoredValue {
    guard !isNull(slot) else { return .null }
    guard type.isStoredAsBytes else { return StoredValue(type, word: word(slot)) }
    guard let reference = largeReference(slot) else {
      return unsafe StoredValue(type, bytes: bytes(slot))
    }
    guard let table = try transaction.table(named: LargeValues.table) else {
      throw .corrupted("a record refers to a large value, but there is no table of them")
    }
    let value = try LargeValues.read(reference, in: table, transaction: transaction)
    return unsafe value.withUnsafeBytes { unsafe StoredValue(type, bytes: $0) }
  }

  /// Whether two slots hold the same bytes.
  ///
  /// Large values that differ in length or checksum are not read.
  func holdsSame(
    _ slot: Int, as other: RecordView, _ otherSlot: Int, _ type: PropertyType,
    in transaction: Transaction
  ) throws(StorageError) -> Bool {
    guard isNull(slot) == other.isNull(otherSlot) else { return false }
    if isNull(slot) { return true }
    guard type.isStoredAsBytes else { return word(slot) == other.word(otherSlot) }
    switch (largeReference(slot), other.largeReference(otherSlot)) {
    case (nil, nil): return unsafe bytes(slot).elementsEqual(other.bytes(otherSlot))
    case (let a?, let b?):
      if a == b { return true }
      guard a.total == b.total, a.checksum == b.checksum else { return false }
    case (let large?, nil): guard unsafe large.matches(other.bytes(otherSlot)) else { return false }
    case (nil, let large?): guard unsafe large.matches(bytes(slot)) else { return false }
    }
    // A checksum that is equal is a reason to look, and not a proof.
    return try value(slot, type, in: transaction)
      .isIdentical(to: other.value(otherSlot, type, in: transaction))
  }
}

extension LargeReference {
  /// Whether the value in chunks may have these bytes, by length and checksum.
  func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    unsafe total == UInt64(bytes.count) && LeydenStorage.checksum(of: bytes) == checksum
  }
}
