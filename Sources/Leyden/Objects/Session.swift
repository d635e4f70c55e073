import LeydenStorage

/// One store as one isolation domain uses it: which version it shows, its running write, its live
/// objects' way to their records.
///
/// A session that is not bound to a queue or an actor follows the newest commit at each call and
/// holds no version in between. Within `pin()` … `unpin()` it keeps one; within a write it shows
/// the write.
///
/// State, all of it used by one thread at a time (the type is not `Sendable`):
/// - `pinned`, `pins` (Session+Versions): the version that is kept, and how often it was asked for;
/// - `passing`, `passes` (Session+LiveRows): a read transaction for one property access outside of those;
/// - `writer` (Session+Write): the running write, which belongs to the thread that began it;
/// - `catalog` (Session+Catalog), and the bindings of models to it (Session+Models);
/// - `generation`: rises whenever located records become stale.
package final class Session {
  /// What the session shares with others.
  package let core: StoreCore
  /// The models that it was opened with.
  package let models: [ModelType]
  /// Says that the models are in use, until the session is closed.
  private var use: ModelUse?
  /// Whose name the log notes with each commit.
  package let author: String?
  /// Whether it was opened for reading; others of the same file in this process may write.
  package let isReadOnly: Bool
  /// How many versions may be active when a write ends; `nil` for any number.
  let mostActiveVersions: Int?
  let generation = Generation()
  /// The parts of lists that were used last.
  let listDirectories = ListDirectories()
  /// What keeps the file open, until the session is closed.
  private var environment: Environment?
  /// The running write.
  package internal(set) var writer: Writer?
  /// The first read that failed; every later throwing call throws it.
  package private(set) var failure: StoreError?
  /// What the layer above keeps beside the session: its observers.
  package var companion: AnyObject?
  /// What has to stay for as long as the session does.
  package var belongings: [AnyObject] = []
  /// Whether the store was closed.
  package private(set) var isClosed = false
  /// The same for those who may not touch the session.
  package let ending: Ending
  private var isAnnounced = false
  /// The models of which a row was read that is gone: each is logged once.
  var missed: Set<ObjectIdentifier> = []
  /// The models of which something was read, while somebody wants to know.
  var noted: Set<ObjectIdentifier>?
  var pinned: ReadTransaction?
  var pins = 0
  var passing: ReadTransaction?
  var passes = 0
  /// The catalog as last seen.
  var catalog: Catalog
  /// Models beside the types in the catalog, by class.
  var bindings: [ObjectIdentifier: TypeBinding] = [:]
  /// The one that was asked for last: most calls ask for the same again.
  var latestBinding: TypeBinding?
  /// The same for types that are known from the catalog only, by number.
  var dynamicBindings: [UInt32: TypeBinding] = [:]
  /// Makes the model of a type from what the store knows of it.
  package var makeDynamicModel: ((Catalog.StoredType, Catalog) -> ModelType)?

  /// Begins a session, and brings the file's catalog up to the models.
  ///
  /// - Parameters:
  ///   - core: What is shared with other sessions of the file.
  ///   - models: The models.
  ///   - author: Whose name the log notes with each commit.
  ///   - isReadOnly: Whether writes are refused.
  ///   - schemaVersion: The application's number for its schema; `nil` for the store's own.
  ///   - mostActiveVersions: How many versions may be active when a write ends.
  /// - Throws: ``StoreError/schemaVersionTooOld(stored:asked:)``;
  ///   ``StoreError/schemaMismatch(_:)`` where a migration is needed; the write's errors;
  ///   ``StoreError/closed`` where no session of the file is open any more.
  package init(
    core: StoreCore, models: [ModelType], author: String?, isReadOnly: Bool,
    schemaVersion: UInt64? = nil, mostActiveVersions: Int? = nil
  ) throws(StoreError) {
    self.mostActiveVersions = mostActiveVersions
    self.core = core
    self.models = models
    self.author = author
    self.isReadOnly = isReadOnly
    // Before the catalog is read: what it has of them is not removed from now on.
    use = ModelUse(of: models, in: core)
    environment = core.openEnvironment
    ending = Ending(environment)
    catalog = core.catalog
    try readCatalog()
    try bringCatalogUp(schemaVersion)
    core.announcer.beginSession(core)
    isAnnounced = true
  }

  deinit {
    if let writer { writer.abort() }
    endAnnouncements()
  }

  private func endAnnouncements() {
    if isAnnounced { core.announcer.endSession() }
    isAnnounced = false
  }

  var openEnvironment: Environment {
    get throws(StorageError) {
      guard let environment else { throw .closed }
      return environment
    }
  }

  /// Throws what makes every call impossible: closed, or a read that failed.
  package func check() throws(StoreError) {
    if isClosed { throw .closed }
    if let failure { throw failure }
  }

  /// Ends the session; its objects are invalidated.
  ///
  /// A running write is rolled back.
  package func close() {
    if writer != nil { cancelWrite() }
    if pins > 0 {
      dropPin()
      pins = 0
    }
    endAnnouncements()
    isClosed = true
    environment = nil
    use = nil
    ending.end()
    core.watcher.wake()
    generation.advance()
  }

  /// Remembers the first read that failed without a way to throw.
  package func fail(_ error: StoreError) {
    guard failure == nil else { return }
    failure = error
    writer?.poison(error)
    Log.note(error.description)
  }
}

@available(*, unavailable)
extension Session: Sendable {}
