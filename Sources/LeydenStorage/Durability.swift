/// What a commit survives.
package enum Durability: Sendable, Hashable {
  /// A commit that returned survives a power cut.
  case full
  /// A power cut may take the last commit, and never leaves a broken file.
  ///
  /// LMDB: `MDB_NOMETASYNC`.
  case relaxed
  /// A power cut may break the file; a killed process takes nothing. For caches and tests.
  ///
  /// LMDB: `MDB_NOSYNC`.
  case unsafe
}
