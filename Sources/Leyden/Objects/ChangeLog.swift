import Foundation
import LeydenStorage

/// The table `log`: what each commit changed, written in the same transaction.
///
/// The newest key is the store's version; the version of a store without an entry is 0. An entry
/// longer than ``partSize`` continues in further parts. Docs/FileFormat.md draws the bytes;
/// ``ChangeLogEntry`` writes and reads them.
enum ChangeLog {
  static let table = "log"
  /// Bytes of an entry in one part, so that two parts share a page of 4,096 bytes.
  static let partSize = 1_896
  /// How many commits the log reaches back, at least; observers that are further behind evaluate
  /// their query again.
  static let retainedCommits: UInt64 = 10_000
  /// How large the log may become before older entries go, whatever their number.
  static let retainedBytes = 64 << 20

  /// No store comes to so many commits.
  private static let highestVersion: UInt64 = 1 << 62

  /// The version that a transaction sees.
  static func newestVersion(in transaction: Transaction) throws(StorageError) -> UInt64 {
    guard let table = try transaction.table(named: table) else { return 0 }
    var cursor = try transaction.cursor(in: table)
    guard try cursor.last() else { return 0 }
    let version = unsafe version(of: cursor.key)
    // Versions are counted on from it.
    guard version < highestVersion else { throw .corrupted("the log ends with version \(version)") }
    return version
  }

  /// Appends an entry as the next version.
  ///
  /// Trims at least twice as many old parts as it adds, so that the log does not grow for ever and
  /// no commit pays for many others.
  static func append(
    _ changes: ObjectChangeSet, version: UInt64, date: Date, author: String?,
    in transaction: WriteTransaction
  ) throws(StorageError) {
    let table = try transaction.makeTable(named: table)
    let payload = ChangeLogEntry.encode(changes, date: date, author: author, partSize: partSize)
    var part: UInt16 = 0
    for start in stride(from: 0, to: payload.count, by: partSize) {
      let bytes = payload[start..<min(start + partSize, payload.count)]
      unsafe try withBytes(of: key(version, part)) { (key) throws(StorageError) in
        let sum = unsafe bytes.withUnsafeBytes {
          unsafe checksum(of: $0, type: UInt32(part), row: version)
        }
        let value = unsafe withUnsafeBytes(of: sum.littleEndian) { unsafe Array($0) } + bytes
        unsafe try withBytes(of: value) { (value) throws(StorageError) in
          unsafe try transaction.append(value, for: key, in: table)
        }
      }
      part += 1
    }
    try trim(table, newest: version, atMost: max(4, Int(part) * 2), in: transaction)
  }

  /// What changed after `old`, up to the version that the transaction sees.
  ///
  /// - Returns: The merged changes, or `nil` where the log does not reach back to `old`.
  static func changes(
    after old: UInt64, through new: UInt64, in transaction: Transaction
  ) throws(StorageError) -> ObjectChangeSet? {
    var merged = ObjectChangeSet()
    guard old < new else { return merged }
    guard let table = try transaction.table(named: table) else { return nil }
    var cursor = try transaction.cursor(in: table)
    var found = unsafe try withBytes(of: key(old + 1, 0)) { (key) throws(StorageError) in
      unsafe try cursor.seek(key)
    }
    var expected = old + 1
    while found, expected <= new {
      // Trimming may have taken the entry, or its first parts.
      guard unsafe version(of: cursor.key) == expected, unsafe part(of: cursor.key) == 0 else {
        return nil
      }
      var payload: [UInt8] = []
      repeat {
        unsafe payload.append(contentsOf: try part(cursor, version: expected))
        found = try cursor.next()
      } while unsafe found && version(of: cursor.key) == expected
      guard let changes = try ChangeLogEntry.decode(payload, version: expected) else { return nil }
      merged.merge(changes)
      expected += 1
    }
    return expected == new + 1 ? merged : nil
  }

  private static func part(
    _ cursor: borrowing Cursor, version: UInt64
  ) throws(StorageError) -> UnsafeRawBufferPointer {
    let value = unsafe cursor.value
    let number = unsafe UInt32(part(of: cursor.key))
    guard value.count > 4 else { throw .corrupted("the log of version \(version) is cut off") }
    let bytes = unsafe UnsafeRawBufferPointer(rebasing: value[4...])
    guard
      unsafe checksum(of: bytes, type: number, row: version)
        == UInt32(littleEndian: value.loadUnaligned(as: UInt32.self))
    else { throw .corrupted("the log of version \(version) does not match its checksum") }
    return unsafe bytes
  }

  private static func trim(
    _ table: Table, newest: UInt64, atMost limit: Int, in transaction: WriteTransaction
  ) throws(StorageError) {
    let bytes = try transaction.pages(of: table) * transaction.environment.pageSize
    let floor =
      bytes > retainedBytes ? newest : newest > retainedCommits ? newest - retainedCommits : 0
    var old: [[UInt8]] = []
    do {
      var cursor = try transaction.cursor(in: table)
      var found = try cursor.first()
      while found, old.count < limit, unsafe version(of: cursor.key) < floor {
        unsafe old.append(Array(cursor.key))
        found = try cursor.next()
      }
    }
    for key in old {
      unsafe try withBytes(of: key) { (key) throws(StorageError) in
        _ = unsafe try transaction.delete(key, in: table)
      }
    }
  }

  private static func key(_ version: UInt64, _ part: UInt16) -> [UInt8] {
    var key = KeyEncoder()
    key.append(version)
    key.append(part)
    return key.bytes
  }

  private static func part(of key: UnsafeRawBufferPointer) -> UInt16 {
    unsafe key.suffix(2).reduce(0) { $0 << 8 | UInt16($1) }
  }

  private static func version(of key: UnsafeRawBufferPointer) -> UInt64 {
    unsafe key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
