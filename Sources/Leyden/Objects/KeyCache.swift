import Foundation
import LeydenStorage

/// Remembers the rows of primary keys that were asked for lately, within one session.
///
/// An entry is a hint: whoever takes it reads the row's record and looks whether it has the key. As a
/// row never changes its key and a row number is never given twice, a record that has it is the right
/// one in every version, and nothing ever has to be taken out.
///
/// A direct-mapped table: each hash has one place, and the key that was asked for last has it.
final class KeyCache {
  /// The fewest and the most entries, of eight bytes each.
  private static let bounds = 1 << 10...1 << 18
  private static let rowBits: UInt64 = 48

  /// Sixteen bits of a hash and the row number; 0 where there is none.
  private var entries: [UInt64] = []
  /// After so many more the size is looked at again.
  private var putsLeft = 0

  /// The row that a key of this hash had when it was last asked for.
  func row(_ hash: UInt64) -> UInt64? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[place(of: hash)]
    guard entry != 0, entry >> Self.rowBits == hash & 0xffff else { return nil }
    return entry & (1 << Self.rowBits - 1)
  }

  /// Remembers the row of a key.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - hash: The key's hash.
  ///   - count: Gives the number of all keys; there is room for twice as many.
  /// - Throws: What `count` throws.
  func put(
    _ row: UInt64, _ hash: UInt64, of count: () throws(StorageError) -> Int
  ) throws(StorageError) {
    guard row != 0, row >> Self.rowBits == 0 else { return }
    if putsLeft == 0 {
      let wanted = min(max(2 * (try count()), Self.bounds.lowerBound), Self.bounds.upperBound)
      if wanted > entries.count {
        entries = Array(repeating: 0, count: 1 << (Int.bitWidth - (wanted - 1).leadingZeroBitCount))
      }
      putsLeft = entries.count
    }
    putsLeft -= 1
    entries[place(of: hash)] = (hash & 0xffff) << Self.rowBits | row
  }

  private func place(of hash: UInt64) -> Int {
    Int(truncatingIfNeeded: hash >> 16) & (entries.count - 1)
  }

  /// A hash of a key, or `nil` for a type that no primary key has.
  static func hash(of key: StoredValue) -> UInt64? {
    switch key {
    case .string(var text):
      text.withUTF8 { unsafe mixed(UInt64(checksum(of: UnsafeRawBufferPointer($0)))) }
    case .int(let number): mixed(UInt64(bitPattern: number))
    case .uuid(let identifier):
      unsafe withUnsafeBytes(of: identifier.uuid) { unsafe mixed(UInt64(checksum(of: $0))) }
    case .objectId(let identifier): mixed(identifier.high ^ UInt64(identifier.low) << 32)
    default: nil
    }
  }

  /// The finalizer of splitmix64: every bit of the number decides over every bit of the hash.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var hash = number
    hash = (hash ^ hash >> 30) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ hash >> 27) &* 0x94d0_49bb_1331_11eb
    return hash ^ hash >> 31
  }
}
