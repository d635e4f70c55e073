import CLMDB

/// A return code of LMDB or of the system underneath it.
@usableFromInline
package struct LMDBError: Error, Hashable, Sendable {
  /// LMDB's code (negative) or `errno` (positive).
  package let code: Int32

  /// Wraps a code as LMDB returned it.
  package init(code: Int32) { self.code = code }

  /// The key exists already.
  ///
  /// LMDB: `MDB_KEYEXIST`.
  package static let keyExists = LMDBError(code: MDB_KEYEXIST)
  /// There is no such key, or no more.
  ///
  /// LMDB: `MDB_NOTFOUND`.
  package static let notFound = LMDBError(code: MDB_NOTFOUND)
  /// A page that another page refers to is missing.
  ///
  /// LMDB: `MDB_PAGE_NOTFOUND`.
  package static let pageNotFound = LMDBError(code: MDB_PAGE_NOTFOUND)
  /// A page is of another kind than it should be.
  ///
  /// LMDB: `MDB_CORRUPTED`.
  package static let corrupted = LMDBError(code: MDB_CORRUPTED)
  /// An earlier failure left the environment unusable.
  ///
  /// LMDB: `MDB_PANIC`.
  package static let panic = LMDBError(code: MDB_PANIC)
  /// The file or the library is of another version.
  ///
  /// LMDB: `MDB_VERSION_MISMATCH`.
  package static let versionMismatch = LMDBError(code: MDB_VERSION_MISMATCH)
  /// The file is not one of LMDB's.
  ///
  /// LMDB: `MDB_INVALID`.
  package static let invalid = LMDBError(code: MDB_INVALID)
  /// The map is used up.
  ///
  /// LMDB: `MDB_MAP_FULL`.
  package static let mapFull = LMDBError(code: MDB_MAP_FULL)
  /// Too many tables are open.
  ///
  /// LMDB: `MDB_DBS_FULL`.
  package static let tablesFull = LMDBError(code: MDB_DBS_FULL)
  /// Every reader slot is taken.
  ///
  /// LMDB: `MDB_READERS_FULL`.
  package static let readersFull = LMDBError(code: MDB_READERS_FULL)
  /// Too many pages changed in one transaction.
  ///
  /// LMDB: `MDB_TXN_FULL`.
  package static let transactionFull = LMDBError(code: MDB_TXN_FULL)
  /// A cursor's stack is too deep: damage.
  ///
  /// LMDB: `MDB_CURSOR_FULL`.
  package static let cursorFull = LMDBError(code: MDB_CURSOR_FULL)
  /// A page has no room although it should: damage.
  ///
  /// LMDB: `MDB_PAGE_FULL`.
  package static let pageFull = LMDBError(code: MDB_PAGE_FULL)
  /// Another process let the file grow beyond this process's map.
  ///
  /// LMDB: `MDB_MAP_RESIZED`.
  package static let mapResized = LMDBError(code: MDB_MAP_RESIZED)
  /// The name belongs to something that is not a table.
  ///
  /// LMDB: `MDB_INCOMPATIBLE`.
  package static let incompatible = LMDBError(code: MDB_INCOMPATIBLE)
  /// A reader slot was used twice.
  ///
  /// LMDB: `MDB_BAD_RSLOT`.
  package static let badReaderSlot = LMDBError(code: MDB_BAD_RSLOT)
  /// An earlier call of the transaction failed, or it has a child.
  ///
  /// LMDB: `MDB_BAD_TXN`.
  package static let badTransaction = LMDBError(code: MDB_BAD_TXN)
  /// A key or value is empty or too long.
  ///
  /// LMDB: `MDB_BAD_VALSIZE`.
  package static let badSize = LMDBError(code: MDB_BAD_VALSIZE)
  /// The handle does not belong to a table any more.
  ///
  /// LMDB: `MDB_BAD_DBI`.
  package static let badTable = LMDBError(code: MDB_BAD_DBI)
}

extension LMDBError: CustomStringConvertible {
  /// The text of LMDB or of the system for this code.
  ///
  /// LMDB: `mdb_strerror`.
  @usableFromInline
  package var description: String { unsafe String(cString: mdb_strerror(code)) }
}
