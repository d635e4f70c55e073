import CLeyden
import Foundation
package import LeydenStorage

/// One store as one isolation domain uses it: which version it shows, its running write, its live
/// objects' way to their records.
///
/// A session that is not bound to a queue or an actor follows the newest commit at each call and
/// holds no version in between. Within `pin()` … `unpin()` it keeps one; within a write it shows
/// the write.
///
/// State, all of it used by one thread at a time (the type is not `Sendable`):
/// - `pinned`, `pins`: the version that is kept, and how often it was asked for;
/// - `passing`, `passes`: a read transaction for one property access outside of those;
/// - `writer`: the running write, which belongs to the thread that began it;
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
  package private(set) var writer: Writer?
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
  private var pins = 0
  var passing: ReadTransaction?
  var passes = 0
  private var bindings: [ObjectIdentifier: TypeBinding] = [:]
  private var dynamicBindings: [UInt32: TypeBinding] = [:]
  /// Makes the model of a type from what the store knows of it.
  package var makeDynamicModel: ((Catalog.StoredType, Catalog) -> ModelType)?
  /// The one that was asked for last: most calls ask for the same again.
  private var latestBinding: TypeBinding?
  private(set) var catalog: Catalog

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

  private func bringCatalogUp(_ schemaVersion: UInt64?) throws(StoreError) {
    try checkCatalog(schemaVersion)
    let version = schemaVersion ?? catalog.schemaVersion
    if isReadOnly { return }
    if CatalogWriter.covers(models, catalog), version == catalog.schemaVersion { return }
    try beginWrite()
    do {
      // Another process may have been faster.
      try checkCatalog(schemaVersion)
      try writer?.bringCatalogUp(to: models, schemaVersion: version)
    } catch {
      cancelWrite()
      throw error
    }
    _ = try commitWrite()
    try readCatalog()
  }

  private func checkCatalog(_ schemaVersion: UInt64?) throws(StoreError) {
    if let schemaVersion, schemaVersion < catalog.schemaVersion {
      throw .schemaVersionTooOld(stored: catalog.schemaVersion, asked: schemaVersion)
    }
    let differences = CatalogWriter.differences(between: models, and: catalog)
    guard differences.isEmpty else { throw .schemaMismatch(differences) }
  }

  var openEnvironment: Environment {
    get throws(StorageError) {
      guard let environment else { throw .closed }
      return environment
    }
  }

  private func readCatalog() throws(StoreError) {
    try storage { () throws(StorageError) in
      let transaction = try openEnvironment.beginRead()
      defer { transaction.end() }
      try refreshCatalog(in: transaction)
    }
  }

  // MARK: Which version

  /// Keeps the newest version until the matching ``unpin()``; nested calls keep the same one.
  package func pin() throws(StoreError) {
    try check()
    if pins == 0, writer == nil { try takePin() }
    pins += 1
  }

  /// Lets the version go that ``pin()`` took.
  package func unpin() {
    // Closing the store within the block let everything go already.
    guard pins > 0 else { return }
    pins -= 1
    if pins == 0 { dropPin() }
  }

  /// Whether a version is kept, so that newer ones are not seen.
  package var keepsVersion: Bool { pins > 0 }

  /// Runs `body` while the store shows a version that was kept, and then lets that go.
  ///
  /// A version that was kept before moves to the newest one.
  package func show(_ past: ReadTransaction, _ body: () -> Void) {
    if pins > 0 { dropPin() }
    pins += 1
    pinned = past
    generation.advance()
    body()
    // Closing the store within the block let everything go already.
    guard pins > 0 else { return }
    pins -= 1
    dropPin()
    guard pins > 0 else { return }
    do { try takePin() } catch { fail(error) }
  }

  private func takePin() throws(StoreError) {
    pinned = try storage { () throws(StorageError) in try openEnvironment.beginRead() }
    generation.advance()
  }

  private func dropPin() {
    pinned?.end()
    pinned = nil
    generation.advance()
  }

  /// Runs `body` in the transaction that a read sees now: the running write's, the kept version's,
  /// or one of its own on the newest version.
  package func withTransaction<Result>(
    _ body: (Transaction) throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    try check()
    return try storage { () throws(StorageError) in
      if let writer { return try body(writer.transaction) }
      if let pinned { return try unchanged(pinned, body) }
      let transaction = try openEnvironment.beginRead()
      defer { transaction.end() }
      return try unchanged(transaction, body)
    }
  }

  /// The newest version that a read sees now; within a write the version that it started from.
  package func version() throws(StoreError) -> UInt64 {
    try withTransaction { (transaction) throws(StorageError) in
      try ChangeLog.newestVersion(in: transaction)
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

  /// Runs a call of the storage layer, with its errors translated.
  package func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(error, at: core.url) }
  }

  /// Runs `body` and adds the models of which it read anything to `reads`.
  package func notingReads<Result>(
    in reads: inout Set<ObjectIdentifier>, _ body: () throws -> Result
  ) rethrows -> Result {
    let outer = noted
    noted = []
    // What was located before would be read without coming here.
    generation.advance()
    defer {
      reads.formUnion(noted ?? [])
      noted = outer?.union(reads)
    }
    return try body()
  }

  /// Notes that something of a type was read, for who wants to know.
  package func noteRead(ofType type: UInt32) {
    guard noted != nil, let name = catalog.types[type]?.name else { return }
    for model in models where model.name == name {
      noted?.insert(ObjectIdentifier(model.objectType))
    }
  }

  // MARK: Models

  /// The model class beside the type in the file.
  ///
  /// - Returns: `nil` for a class that is not among the session's models.
  package func binding(of type: PersistedObject.Type) -> TypeBinding? {
    let key = ObjectIdentifier(type)
    if noted != nil { noted?.insert(key) }
    if let latestBinding, latestBinding.model.objectType == type { return latestBinding }
    if let known = bindings[key] {
      latestBinding = known
      return known
    }
    guard let model = models.first(where: { $0.objectType == type }) else { return nil }
    let binding = TypeBinding(model: model, catalog: catalog, store: core.uuid)
    bindings[key] = binding
    return binding
  }

  /// The model class beside the type in the file; a class that is not among the session's models
  /// stops the program.
  package func requiredBinding(of type: PersistedObject.Type) -> TypeBinding {
    guard let binding = binding(of: type) else {
      preconditionFailure(
        "\(type) is not among the store's models; list it in `objectTypes` of its configuration")
    }
    return binding
  }

  /// The type of a model beside that in the file.
  ///
  /// - Throws: ``StoreError/wrongStore`` for a dynamic type that this store does not have.
  func binding(for model: ModelType) throws(StoreError) -> TypeBinding {
    guard model.isDynamic else { return requiredBinding(of: model.objectType) }
    guard let binding = catalog.type(named: model.name).flatMap({ dynamicBinding($0.id) }) else {
      throw .wrongStore
    }
    return binding
  }

  /// The way to a row.
  func row(_ row: UInt64, _ binding: TypeBinding) -> LiveRow {
    LiveRow(session: self, binding: binding, type: binding.stored?.id ?? 0, row: row)
  }

  /// The type of a number as the catalog has it, without a class; `nil` where there is none.
  package func dynamicBinding(_ id: UInt32) -> TypeBinding? {
    noted?.insert(ObjectIdentifier(DynamicObject.self))
    if let known = dynamicBindings[id] { return known }
    guard let type = catalog.types[id], let model = makeDynamicModel?(type, catalog) else {
      return nil
    }
    let binding = TypeBinding(model: model, catalog: catalog, store: core.uuid)
    dynamicBindings[id] = binding
    return binding
  }

  /// Reads the catalog again where a transaction sees a newer one.
  package func refreshCatalog(in transaction: Transaction) throws(StorageError) {
    let newer = try core.catalog(in: transaction)
    if newer.generation != catalog.generation { adopt(newer) }
  }

  private func adopt(_ newer: Catalog) {
    catalog = newer
    if writer == nil { core.remember(newer) }
    bindings = [:]
    dynamicBindings = [:]
    latestBinding = nil
    generation.advance()
  }

  /// Makes the live object of a row.
  package func object<Model: Object>(_ type: Model.Type, row: UInt64) -> Model {
    let binding = requiredBinding(of: type)
    return makeObject(
      type,
      access: LiveRow(session: self, binding: binding, type: binding.stored?.id ?? 0, row: row))
  }

  /// Makes an unmanaged object live.
  package func attach(_ object: Object, _ binding: TypeBinding, type: UInt32, row: UInt64) {
    binding.model.bind(
      object, to: LiveRow(session: self, binding: binding, type: type, row: row))
  }

  // MARK: Writing

  /// Begins a write on the newest version; waits for other writers.
  package func beginWrite() throws(StoreError) {
    try check()
    guard !isReadOnly else { throw .readOnly }
    letGoOfAbandonedWrite()
    guard writer == nil else { throw .nestedWrite }
    if pins > 0 { dropPin() }
    do throws(StorageError) {
      let transaction = try openEnvironment.beginWrite()
      do throws(StorageError) {
        try checkActiveVersions(before: transaction)
        try refreshCatalog(in: transaction)
        writer = try Writer(transaction, session: self, catalog: catalog)
      } catch {
        transaction.abort()
        throw error
      }
    } catch {
      if pins > 0 { try takePin() }
      throw StoreError(error, at: core.url)
    }
    generation.advance()
  }

  /// Ends the write: what it changed is the next version, on disk.
  ///
  /// - Parameter prepare: Called where something changed, with everything in place and before it
  ///   is final.
  /// - Returns: The new version, or `nil` where nothing changed and so nothing was committed.
  /// - Throws: What a setter could not throw, or the commit's errors; the write is rolled back.
  package func commitWrite(_ prepare: Writer.Preparation? = nil) throws(StoreError) -> UInt64? {
    letGoOfAbandonedWrite()
    guard let writer else { throw .notInWriteTransaction }
    var version: UInt64?
    defer { endWrite(isCommitted: version != nil) }
    do {
      version = try writer.commit(author: author, prepare)
      return version
    } catch {
      writer.abort()
      throw error
    }
  }

  /// Forgets the write of a thread that ended inside of it.
  private func letGoOfAbandonedWrite() {
    if writer?.transaction.isAbandoned ?? false { cancelWrite() }
  }

  /// Ends the write as if it had not been.
  package func cancelWrite() {
    writer?.abort()
    endWrite(isCommitted: false)
  }

  private func endWrite(isCommitted: Bool) {
    writer = nil
    // What others committed before it was not told to who asked meanwhile.
    if !isCommitted { core.watcher.wake() }
    generation.advance()
    // A catalog that the write changed, or one that it saw and that was rolled back with it.
    if catalog.generation != core.catalog.generation { adopt(core.catalog) }
    if pins > 0 {
      do { try takePin() } catch { fail(error) }
    }
  }
}

@available(*, unavailable)
extension Session: Sendable {}
