import CLMDB
import CLeyden
import Synchronization

extension Environment {
  /// What writes that may add something leave of the disk, in bytes, for a file of which so much is
  /// used.
  ///
  /// LMDB writes changed pages to other places, so that deleting takes room before it makes any. To
  /// delete a row touches some dozen pages; what is let go can be used by the next write but one.
  private static func reserve(of used: Int) -> Int { min(max(used / 8, 256 << 10), 4 << 20) }

  /// Whether there is room for a write that only deletes, and so others may go on.
  ///
  /// That is room behind the last page which the system has promised, or as many pages that the file
  /// has to spare. Anything else that can be had is for the writes that delete.
  ///
  /// For the owner of `writer`.
  func hasReserve() throws(StorageError) -> Bool {
    let used = usedBytes
    let reserve = Self.reserve(of: used)
    let isWithinLimit = UInt64(used + reserve) <= leyden_file_size_limit()
    if isWithinLimit && used + reserve <= reservedEnd.load(ordering: .relaxed) { return true }
    // More than is needed, so that most writes need not ask the system.
    for size in [2 * reserve, reserve] {
      guard leyden_reserve(file.descriptor, Int64(used), Int64(size)) == 0 else { continue }
      reservedEnd.store(used + size, ordering: .relaxed)
      return true
    }
    return try sparePages() * pageSize >= reserve
  }

  /// The number of pages that the newest version does not use.
  ///
  /// LMDB lists them in the table with the number 0: a count, and then the pages, for each
  /// transaction that let them go.
  private func sparePages() throws(StorageError) -> Int {
    let slot = try beginSlot()
    defer { readers.end(slot) }
    var cursor: OpaquePointer?
    guard unsafe mdb_cursor_open(slot.transaction, 0, &cursor) == MDB_SUCCESS else { return 0 }
    defer { unsafe mdb_cursor_close(cursor) }
    var pages = 0
    var key = unsafe MDB_val()
    var value = unsafe MDB_val()
    while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == MDB_SUCCESS {
      pages += unsafe value.mv_data.loadUnaligned(as: Int.self)
    }
    return pages
  }
}
