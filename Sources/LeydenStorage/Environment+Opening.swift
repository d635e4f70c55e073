import CLMDB
import CLeyden
import Foundation

extension Environment {
  /// How to open a store.
  package struct Options: Sendable, Hashable {
    /// Whether to refuse writes.
    ///
    /// Creates nothing, and joins an environment that is open for writing.
    package var readOnly: Bool
    /// Whether nobody writes to the medium, so that no locks are needed: a reader that makes and
    /// changes nothing at all.
    package let isImmutable: Bool
    /// What a commit survives.
    package var durability = Durability.full
    /// Whether a missing store is made: its directory, not that one's parents, and its files.
    package var mayCreate = true
    /// The size of the map in bytes, for tests; nil for as much as there is reason for.
    package var mapSize: Int?
    /// The bytes that the file is going to have at least.
    var expectedSize = 0
    /// Whether nobody else can know of the store yet: it needs neither locks nor a bell.
    var isPrivate = false
    /// Whether whatever this process has open will do: for a look, after which it is let go.
    package var joinsAny = false
    /// Whether the store has a bell; without one, somebody else's is used.
    var hasSignal = true

    /// Makes options; what is immutable is opened for reading only.
    package init(
      readOnly: Bool = false, isImmutable: Bool = false, durability: Durability = .full,
      mayCreate: Bool = true, mapSize: Int? = nil
    ) {
      self.readOnly = readOnly || isImmutable
      self.isImmutable = isImmutable
      self.durability = durability
      self.mayCreate = mayCreate
      self.mapSize = mapSize
    }
  }

  /// Opens the store in the directory at `path`, or returns it where it is open in this process.
  ///
  /// 1. Open the directory, made if it may be; its inode is the key in the registry.
  /// 2. Keep out other processes that open it.
  /// 3. Look at `data.mdb`: LMDB does not survive every file.
  /// 4. Map the bell.
  /// 5. Let LMDB open the file, with the largest map that there is room for.
  /// 6. Free the slots of dead readers and open the tables.
  ///
  /// Where it is opened anew, `prepare` is called before anybody else in this process gets it.
  ///
  /// - Throws: `.fileNotFound` (with the parent's path if that is missing), `.notAStore`,
  ///   `.newerFormat`, `.corrupted` for a damaged file, `.permissionDenied`, `.diskFull`,
  ///   `.alreadyOpenDifferently` where it is open with other options, `.storeReplaced` where what is
  ///   open is not what the path leads to, `.unsupported` for a network file system.
  package static func open(
    at path: String, options: Options = Options(), prepare: (Environment) -> Void = { _ in }
  ) throws(StorageError) -> Environment {
    try requireLibrary()
    // From here on a fork is noticed.
    _ = Monitor.ofProcess
    unsafe leyden_when_writer_ends(endAbandonedWrite)
    let mayCreate = options.mayCreate && !options.readOnly
    let directory = try StoreDirectory(at: path, mayCreate: mayCreate)
    let key = EnvironmentRegistry.Key(
      directory: directory.identity, process: leyden_fork_generation())
    let (environment, isNew) = try EnvironmentRegistry.environment(for: key) {
      (entry) throws(StorageError) in
      let opened = try OpenedFile(in: directory, options: options)
      let environment = Environment(opened, entry: entry, options: options)
      _ = environment.checkReaders()
      try environment.checkShownVersion()
      try environment.openNewTables()
      prepare(environment)
      return environment
    }
    guard !isNew else { return environment }
    let isSame = options.durability == environment.durability && !environment.isReadOnly
    // Who may have to do with writers does not go by another one's word that there are none.
    let isTrusting = options.isImmutable || !environment.options.isImmutable
    guard options.joinsAny || options.readOnly && isTrusting || isSame else {
      throw .alreadyOpenDifferently(path: path)
    }
    try environment.checkNotReplaced()
    return environment
  }

  /// Throws `.storeReplaced` where the lock file, which other processes have in use, belongs to another
  /// `data.mdb`: one that was put in its place while they had the old one open.
  ///
  /// LMDB goes by the lock file's number of the newest transaction, and would read, and write over,
  /// the wrong pages. A commit may be in the file and not be shown yet, but no more than one.
  private func checkShownVersion() throws(StorageError) {
    let before = unsafe file.information.me_last_txnid
    let slot = try beginSlot()
    let shown = unsafe mdb_txn_id(slot.transaction)
    readers.end(slot)
    let after = unsafe file.information.me_last_txnid
    guard before - 1 <= shown, shown <= after else { throw .storeReplaced(path: path) }
  }

  private static func requireLibrary() throws(StorageError) {
    var major: Int32 = 0
    var minor: Int32 = 0
    var patch: Int32 = 0
    _ = unsafe mdb_version(&major, &minor, &patch)
    // Before 0.9.22 known faults, from 1.0 on another file format.
    guard major == 0, minor == 9, patch >= 22 else {
      throw .unsupported("LMDB \(major).\(minor).\(patch); 0.9.22 or a later 0.9 is needed")
    }
  }
}
