/// A return code of LMDB or of the system underneath it.
package struct LMDBError: Error, Hashable, Sendable {
  /// LMDB's code (negative) or `errno` (positive).
  package let code: Int32

  /// Wraps a code as LMDB returned it.
  package init(code: Int32) { self.code = code }
}
