import Foundation
import LeydenStorage

/// The numbers of the whole store, as verification found them.
struct StoredMeta {
  var format: UInt32 = 0
  /// The oldest format whose readers may open the store.
  var oldestReader: UInt32 = 0
  var uuid: UUID?
  /// Every row number is below it; `nil` where it cannot be told.
  var rows: UInt64?
  /// Every id is below it; `nil` where it cannot be told.
  var ids: UInt64?
}

extension Verifier {
  /// Looks at `meta`; names that are not known are left alone.
  func checkMeta() {
    guard let table = snapshot.table(MetaEntry.table) else {
      return note(.table, "the table is missing", .init(table: MetaEntry.table))
    }
    func bytes(_ name: String, count: Int, isRequired: Bool) -> [UInt8]? {
      let place = VerificationFinding.Place(table: MetaEntry.table, key: Array(name.utf8))
      guard let value = table.value(for: Array(name.utf8)) else {
        if isRequired, table.isSound { note(.meta, "\(name) is missing", place) }
        return nil
      }
      if value.count == count { return value }
      note(.meta, "\(name) has \(value.count) bytes and not \(count)", place)
      return nil
    }
    func number(_ name: String, isRequired: Bool = false) -> UInt64? {
      bytes(name, count: 8, isRequired: isRequired)?
        .reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    let format = number(MetaEntry.format, isRequired: true) ?? 0
    meta.format = UInt32(truncatingIfNeeded: format)
    meta.oldestReader = UInt32(truncatingIfNeeded: format >> 32)
    if let uuid = bytes(MetaEntry.uuid, count: 16, isRequired: true) {
      meta.uuid = unsafe uuid.withUnsafeBytes {
        unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
      }
    }
    _ = number(MetaEntry.generation)
    _ = number(MetaEntry.schema)
    _ = bytes(MetaEntry.boot, count: 16, isRequired: false)
    if table.isSound {
      meta.rows = number(MetaEntry.rows) ?? 1
      meta.ids = number(MetaEntry.ids) ?? 1
    }
    checkNumbers(number)
  }

  private func checkNumbers(_ number: (String, Bool) -> UInt64?) {
    func complain(_ name: String, _ detail: String) {
      note(.meta, detail, .init(table: MetaEntry.table, key: Array(name.utf8)))
    }
    if meta.format < meta.oldestReader || meta.format == 0 {
      complain(
        MetaEntry.format, "format \(meta.format) is to be read from \(meta.oldestReader) on")
    }
    if number(MetaEntry.incarnation, false) == 0 {
      complain(MetaEntry.incarnation, "incarnation is 0")
    }
    let rows = meta.rows ?? 1
    if rows != 1, rows % RowNumbers.blockSize != 0 || rows > 1 << 63 {
      complain(MetaEntry.rows, "rows is \(rows), and rises in blocks of \(RowNumbers.blockSize)")
      meta.rows = nil
    }
    if let ids = meta.ids, ids > 1 << 32 { complain(MetaEntry.ids, "ids is \(ids)") }
  }
}
