package import Foundation
package import LeydenStorage

/// The bytes of one commit's entry in the log.
///
///     u8       format, 1
///     u8       flags: 1 the catalog changed, 2 truncated, everything may have changed
///     u16      number of parts, little-endian
///     i64      date, microseconds since 1970, little-endian
///     u32      origin, 0 for this store itself, little-endian
///     varint   length of the author's name, then its UTF-8
///     varint   number of types, then for each
///       varint   type id
///       u8       flags, reserved
///       varint   number of insertions, then rows ascending, each as the difference to the last
///       varint   number of deletions, then rows likewise
///       varint   number of modifications, then for each row (likewise) its properties
///       varint   bytes of operations, reserved, 0
///
/// A property set is a varint: bit 0 clear and the ordinals' bits above it where all are below 56;
/// otherwise bit 0 set, the number of ordinals above it, and the ordinals as differences. 0 stands
/// for all properties. Behind it stands, for each ordinal, the fingerprint of the value before,
/// ``ValueFingerprint``, in 8 bytes, little-endian: 0 where it is not known.
package enum ChangeLogEntry {
  private static let format: UInt8 = 1
  private static let catalogFlag: UInt8 = 1
  private static let truncatedFlag: UInt8 = 2
  private static let bitmapLimit = 56
  /// More changed rows than this are not listed: reading the list would cost observers as much as
  /// asking again, and the log would hold it for thousands of commits.
  static let rowLimit = 100_000
  /// Lists longer than this are not kept either: many properties of many rows.
  static let sizeLimit = 8 << 20

  /// The bytes of an entry, which fill parts of `partSize`.
  package static func encode(
    _ changes: ObjectChangeSet, date: Date, author: String?, partSize: Int
  ) -> [UInt8] {
    var body: [UInt8] = []
    let name = Array((author ?? "").utf8)
    Varint.append(UInt64(name.count), to: &body)
    body += name
    let lists = lists(of: changes)
    let isTruncated = lists == nil
    body += lists ?? [0]
    let headerSize = 16
    let parts = (headerSize + body.count + partSize - 1) / partSize
    let micros = Int64((date.timeIntervalSince1970 * 1e6).rounded())
    var entry: [UInt8] = [
      format, (changes.changesCatalog ? catalogFlag : 0) | (isTruncated ? truncatedFlag : 0),
    ]
    unsafe withUnsafeBytes(of: UInt16(clamping: parts).littleEndian) { unsafe entry += $0 }
    unsafe withUnsafeBytes(of: micros.littleEndian) { unsafe entry += $0 }
    unsafe withUnsafeBytes(of: UInt32(0)) { unsafe entry += $0 }
    return entry + body
  }

  /// The types with their rows; `nil` where that is more than the log holds.
  private static func lists(of changes: ObjectChangeSet) -> [UInt8]? {
    guard changes.types.values.reduce(0, { $0 + $1.count }) <= rowLimit else { return nil }
    let types = changes.types.filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
    var bytes: [UInt8] = []
    Varint.append(UInt64(types.count), to: &bytes)
    for (type, rows) in types { append(type, rows, to: &bytes) }
    return bytes.count <= sizeLimit ? bytes : nil
  }

  private static func append(
    _ type: UInt32, _ rows: [UInt64: ObjectChangeSet.Change], to body: inout [UInt8]
  ) {
    var inserted: [UInt64] = []
    var deleted: [UInt64] = []
    var modified: [(row: UInt64, properties: ObjectChangeSet.Properties)] = []
    for (row, change) in rows {
      switch change {
      case .inserted: inserted.append(row)
      case .deleted: deleted.append(row)
      case .modified(let properties): modified.append((row, properties))
      }
    }
    Varint.append(UInt64(type), to: &body)
    body.append(0)
    for var group in [inserted, deleted] {
      group.sort()
      Varint.append(UInt64(group.count), to: &body)
      var last: UInt64 = 0
      for row in group {
        Varint.append(row - last, to: &body)
        last = row
      }
    }
    modified.sort { $0.row < $1.row }
    Varint.append(UInt64(modified.count), to: &body)
    var last: UInt64 = 0
    // Of a list that is too long, the rest is not needed.
    for (row, properties) in modified where body.count <= sizeLimit {
      let ordinals = properties.ordinals
      Varint.append(row - last, to: &body)
      append(ordinals, to: &body)
      last = row
      for ordinal in ordinals {
        let before = properties.before.first { $0.ordinal == ordinal }?.value ?? 0
        unsafe withUnsafeBytes(of: before.littleEndian) { unsafe body += $0 }
      }
    }
    Varint.append(0, to: &body)
  }

  private static func append(_ ordinals: [Int], to body: inout [UInt8]) {
    guard let highest = ordinals.last, highest >= bitmapLimit else {
      return Varint.append(ordinals.reduce(0) { $0 | 2 << UInt64($1) }, to: &body)
    }
    Varint.append(UInt64(ordinals.count) << 1 | 1, to: &body)
    var last = 0
    for ordinal in ordinals {
      Varint.append(UInt64(ordinal - last), to: &body)
      last = ordinal
    }
  }

  /// Reads an entry.
  ///
  /// - Returns: The changes, or `nil` where the entry says that it does not list them.
  /// - Throws: ``StorageError/corrupted(_:)`` where the bytes end early or contradict themselves.
  package static func decode(
    _ bytes: [UInt8], version: UInt64
  ) throws(StorageError) -> ObjectChangeSet? {
    var input = Input(bytes: bytes[...], version: version)
    guard try input.byte() == format else {
      throw .corrupted("the log of version \(version) has an unknown format")
    }
    let flags = try input.byte()
    try input.skip(14)
    try input.skip(try input.count())
    if flags & truncatedFlag != 0 { return nil }
    var changes = ObjectChangeSet()
    changes.changesCatalog = flags & catalogFlag != 0
    for _ in 0..<(try input.count()) {
      let type = UInt32(truncatingIfNeeded: try input.varint())
      try input.skip(1)
      var rows: [UInt64: ObjectChangeSet.Change] = [:]
      for change in [ObjectChangeSet.Change.inserted, .deleted] {
        var row: UInt64 = 0
        for _ in 0..<(try input.count()) {
          row &+= try input.varint()
          rows[row] = change
        }
      }
      var row: UInt64 = 0
      for _ in 0..<(try input.count()) {
        row &+= try input.varint()
        rows[row] = .modified(try input.properties())
      }
      try input.skip(try input.count())
      changes.types[type] = rows
    }
    return changes
  }

  private struct Input {
    var bytes: ArraySlice<UInt8>
    let version: UInt64

    mutating func byte() throws(StorageError) -> UInt8 {
      guard let byte = bytes.popFirst() else {
        throw .corrupted("the log of version \(version) ends early")
      }
      return byte
    }

    mutating func varint() throws(StorageError) -> UInt64 {
      var value: UInt64 = 0
      var shift: UInt64 = 0
      while true {
        let byte = try byte()
        value |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return value }
        shift += 7
        guard shift < 64 else {
          throw .corrupted("the log of version \(version) holds a number that is too long")
        }
      }
    }

    /// A number of things of at least one byte each: never more than there are bytes.
    mutating func count() throws(StorageError) -> Int {
      let count = try varint()
      guard count <= UInt64(bytes.count) else {
        throw .corrupted("the log of version \(version) counts more than it holds")
      }
      return Int(count)
    }

    mutating func skip(_ count: Int) throws(StorageError) {
      guard count <= bytes.count else {
        throw .corrupted("the log of version \(version) ends early")
      }
      bytes.removeFirst(count)
    }

    mutating func properties() throws(StorageError) -> ObjectChangeSet.Properties {
      var properties = ObjectChangeSet.Properties()
      let first = try varint()
      if first == 0 { return .all }
      var ordinals: [Int] = []
      if first & 1 == 0 {
        ordinals = (0..<63).filter { first >> UInt64($0 + 1) & 1 != 0 }
      } else {
        var ordinal: UInt64 = 0
        for _ in 0..<(first >> 1) {
          ordinal &+= try varint()
          ordinals.append(Int(clamping: ordinal))
        }
      }
      for ordinal in ordinals { properties.insert(ordinal, before: try number()) }
      return properties
    }

    /// A number of 8 bytes, little-endian.
    private mutating func number() throws(StorageError) -> UInt64 {
      guard bytes.count >= 8 else {
        throw .corrupted("the log of version \(version) ends early")
      }
      defer { bytes.removeFirst(8) }
      return bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}
