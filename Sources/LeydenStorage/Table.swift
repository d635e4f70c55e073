import CLMDB

/// One named tree of keys and values in an environment.
///
/// Good for every transaction of the environment that it comes from, also for those in which the
/// table does not exist yet: there it is empty. Where the environment has got another file since,
/// the table of its name is meant. One made by a write that was aborted is void.
package struct Table: Sendable, Hashable {
  /// The name in the file.
  package let name: String
  let handle: MDB_dbi
  /// A transaction that had the table; all later ones have it.
  let firstSeen: Int
  /// The handles among which it is one.
  let owner: TableHandles.Identity
}
