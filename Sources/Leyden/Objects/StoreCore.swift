package import Foundation
package import LeydenStorage

/// What all stores of one environment share: the open file and its catalog.
package final class StoreCore: Sendable {
  /// The open file; `nil` when the last session that held it was closed.
  package weak let openEnvironment: Environment?
  /// The store's own identifier, made with it.
  package let uuid: UUID
  /// The store's directory.
  package let url: URL
  /// How fields of any length become keys of this store.
  let longKey: LongKey
  /// Wakes tasks when anybody commits.
  package let watcher: CommitWatcher
  /// Posts what was committed on the notification centre.
  package let announcer = CommitAnnouncer()
  private let known: Locked<Catalog>
  /// How many sessions have each model.
  private let uses = Locked<[ObjectIdentifier: (model: ModelType, count: Int)]>([:])

  private init(environment: Environment, uuid: UUID, catalog: Catalog) {
    openEnvironment = environment
    self.uuid = uuid
    url = URL(fileURLWithPath: environment.path)
    longKey = LongKey(fieldCount: 1, store: uuid)
    watcher = CommitWatcher(environment)
    known = Locked(catalog)
  }

  /// Opens a store, and makes it where nothing is there and the options allow it.
  ///
  /// - Parameters:
  ///   - url: The store's directory.
  ///   - options: How to open it.
  ///   - isWanted: Asked whether to compact a file of that size, which uses so much of it, where no
  ///     process has it open.
  /// - Returns: The core, and the environment that has to be held until a session of it has begun.
  /// - Throws: Every reason why what is there cannot be opened; nothing is changed then.
  package static func open(
    at url: URL, options: Environment.Options,
    compactingWhere isWanted: (@Sendable (Int, Int) -> Bool)? = nil
  ) throws(StoreError) -> (core: StoreCore, environment: Environment) {
    do {
      let environment = try Environment.open(at: url.path, options: options) { environment in
        if let isWanted { compact(environment, where: isWanted) }
      }
      return (try core(of: environment), environment)
    } catch { throw StoreError(error, at: url) }
  }

  /// Compacts a store that was just opened, if that is wanted; where it fails the store is as it was.
  private static func compact(
    _ environment: Environment, where isWanted: @Sendable (Int, Int) -> Bool
  ) {
    guard !environment.isReadOnly, (try? isMade(environment)) == true else { return }
    do throws(StorageError) {
      _ = try environment.compact(where: isWanted) { (copy) throws(StorageError) in
        try Incarnation.renew(in: copy)
      }
    } catch {
      let url = URL(fileURLWithPath: environment.path)
      Log.note("\(url.path) was not compacted: \(StoreError(error, at: url))")
    }
  }

  /// Opens the in-memory store of an identifier, which is new where no session of it is open.
  ///
  /// - Returns: The core, and the environment that has to be held until a session of it has begun.
  package static func open(
    inMemory identifier: String
  ) throws(StoreError) -> (core: StoreCore, environment: Environment) {
    do {
      let environment = try MemoryStores.environment(for: identifier)
      return (try core(of: environment), environment)
    } catch { throw StoreError(error, at: URL(fileURLWithPath: "/\(identifier)")) }
  }

  private static func core(of environment: Environment) throws(StorageError) -> StoreCore {
    try environment.companion { (environment) throws(StorageError) in try make(for: environment) }
  }

  private static func make(for environment: Environment) throws(StorageError) -> StoreCore {
    if try !isMade(environment) {
      guard !environment.isReadOnly else {
        throw .notAStore(path: environment.path, reason: "the file holds no tables of a store")
      }
      try makeTables(in: environment)
    }
    let transaction = try environment.beginRead()
    defer { transaction.end() }
    guard let meta = try transaction.table(named: MetaEntry.table) else {
      throw .notAStore(path: environment.path, reason: "the file holds no tables of a store")
    }
    let format = try MetaEntry.number(MetaEntry.format, in: meta, transaction)
    let minimum = UInt32(truncatingIfNeeded: format >> 32)
    guard minimum <= MetaEntry.formatVersion else {
      throw .newerFormat(path: environment.path, found: UInt32(truncatingIfNeeded: format))
    }
    guard format != 0, let bytes = try MetaEntry.bytes(MetaEntry.uuid, in: meta, transaction),
      bytes.count == 16
    else {
      throw .notAStore(path: environment.path, reason: "the file is LMDB's, but not a store")
    }
    let uuid = unsafe bytes.withUnsafeBytes { unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    try checkUnflushed(MetaEntry.bytes(MetaEntry.boot, in: meta, transaction), environment)
    let path = environment.path
    environment.whenOpenedAnew {
      Log.note("\(path) was opened anew, after LMDB could not go on with it; nothing was lost")
    }
    return StoreCore(
      environment: environment, uuid: uuid, catalog: try Catalog.read(in: transaction))
  }

  /// Verifies a store that was written without flushes before the machine was started again: what
  /// did not reach the disk may have left it with pages of several versions.
  ///
  /// - Complexity: O(1) for all other stores, and as for `Store.verify()` for these, until the next
  ///   write.
  private static func checkUnflushed(
    _ boot: [UInt8]?, _ environment: Environment
  ) throws(StorageError) {
    guard let boot, let current = BootIdentity.current?.bytes, boot != current else { return }
    let verifier = try Verifier(environment, limit: 10)
    try verifier.run()
    if let refusal = verifier.snapshot.refusal { throw refusal }
    guard verifier.report.isClean else {
      throw .corrupted(
        "\(environment.path) was written with the durability `unsafe` and the machine stopped before "
          + "all of it was on disk; restore a copy, or delete it. \(verifier.report.description)")
    }
  }

  private static func isMade(_ environment: Environment) throws(StorageError) -> Bool {
    let transaction = try environment.beginRead()
    defer { transaction.end() }
    if try transaction.table(named: MetaEntry.table) != nil { return true }
    // All tables are made by one commit: what has others and not this one is somebody else's.
    guard transaction.numberOfNames == 0 else {
      throw .notAStore(path: environment.path, reason: "the file is LMDB's, but not a store")
    }
    return false
  }

  /// Makes the tables of an empty store; another process may have done so meanwhile.
  private static func makeTables(in environment: Environment) throws(StorageError) {
    let transaction = try environment.beginWrite()
    guard try transaction.table(named: MetaEntry.table) == nil else { return transaction.abort() }
    let meta = try transaction.makeTable(named: MetaEntry.table)
    for name in [CatalogEntry.table, ChangeLog.table, LargeValues.table] {
      _ = try transaction.makeTable(named: name)
    }
    let version = UInt64(MetaEntry.formatVersion)
    try MetaEntry.set(MetaEntry.format, to: version << 32 | version, in: meta, transaction)
    let uuid = unsafe withUnsafeBytes(of: UUID().uuid) { unsafe Array($0) }
    try MetaEntry.set(MetaEntry.uuid, to: uuid, in: meta, transaction)
    try MetaEntry.set(
      MetaEntry.incarnation, to: .random(in: 1 ... .max), in: meta, transaction)
    try transaction.commit()
  }

  /// The open file.
  ///
  /// - Throws: ``StorageError/closed`` when the last session that held it was closed.
  package var environment: Environment {
    get throws(StorageError) {
      guard let environment = openEnvironment else { throw .closed }
      return environment
    }
  }

  /// The models of all sessions of this process.
  var models: [ModelType] { uses.withLock { $0.values.map(\.model) } }

  /// Counts the models of a session.
  func begin(using models: [ModelType]) {
    uses.withLock { uses in
      for model in models { uses[ObjectIdentifier(model), default: (model, 0)].count += 1 }
    }
  }

  /// Takes ``begin(using:)`` back.
  func end(using models: [ModelType]) {
    uses.withLock { uses in
      for model in models {
        let key = ObjectIdentifier(model)
        uses[key]?.count -= 1
        if uses[key]?.count == 0 { uses[key] = nil }
      }
    }
  }

  /// The catalog as this process last saw it.
  package var catalog: Catalog { known.withLock { $0 } }

  /// The catalog that a transaction sees; read again where another process has changed it.
  package func catalog(in transaction: Transaction) throws(StorageError) -> Catalog {
    guard let meta = try transaction.table(named: MetaEntry.table) else { return catalog }
    let generation = try MetaEntry.number(MetaEntry.generation, in: meta, transaction)
    let current = catalog
    if generation == current.generation { return current }
    return try Catalog.read(in: transaction)
  }

  /// Remembers a catalog that was read from a committed version.
  package func remember(_ catalog: Catalog) {
    known.withLock { if catalog.generation > $0.generation { $0 = catalog } }
  }
}
