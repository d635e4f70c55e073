import Foundation
package import LeydenStorage

/// How far the log reaches, and when its commits were made; for diagnostics.
package struct LogEnds {
  /// The store's version.
  package let newest: UInt64
  /// The oldest commit that is kept; `nil` where none is.
  package let oldest: UInt64?
  /// The pages that the log takes.
  package let pages: UInt64
  private let table: PageTree?

  /// Looks at both ends.
  package init(_ snapshot: PageSnapshot) {
    table = snapshot.uncheckedTable(ChangeLog.table)
    newest = Self.version(table?.lastKey) ?? 0
    oldest = Self.version(table?.firstKey)
    pages = table?.pages ?? 0
  }

  /// For how long a version has not been the newest one; `nil` where the log does not tell.
  package func age(of version: UInt64) -> Duration? {
    if version >= newest { return .zero }
    var key = KeyEncoder()
    key.append(version + 1)
    key.append(UInt16(0))
    // The date stands after the checksum, the format, the flags and the number of parts.
    guard let value = table?.value(for: key.bytes), value.count >= 16 else { return nil }
    let bits = value[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    let seconds = Date().timeIntervalSince1970 - Double(Int64(bitPattern: bits)) / 1e6
    return seconds.isFinite ? .seconds(max(seconds, 0)) : nil
  }

  private static func version(_ key: [UInt8]?) -> UInt64? {
    guard let key, key.count == 10 else { return nil }
    return key.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
