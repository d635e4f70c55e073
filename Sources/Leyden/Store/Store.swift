import Foundation
import LeydenStorage

/// An object database in a directory, as one part of a program uses it.
///
///     let store = try Store(configuration: .init(fileURL: url, objectTypes: [StoredNote.self]))
///     try store.write { try store.add(note) }
///     for note in store.objects(StoredNote.self).sorted(by: \.title) { … }
///
/// A store is cheap; open as many as there are places that use one. Several stores of one directory
/// share its file, in one process and in many. A store, its objects and its results stay in one
/// isolation domain: none of them is `Sendable`.
///
/// It follows the newest commit, of any process, at each call, and holds no version in between.
/// ``read(_:)`` keeps one version for a block. Observers are told at the end of each of the store's
/// own writes, in ``refresh()`` and in ``waitForChanges(timeout:)``.
public final class Store {
  package let session: Session
  var notifier: Notifier { Notifier.of(session) }

  /// Opens the store of ``Configuration/defaultConfiguration``.
  ///
  /// - Throws: As ``init(configuration:)``.
  public convenience init() throws(StoreError) {
    try self.init(configuration: .defaultConfiguration)
  }

  /// Opens a store, and makes it where there is none and the configuration allows it.
  ///
  /// New types and properties of the models are added to the file; types and properties that the
  /// models do not name stay as they are.
  ///
  /// - Throws: ``StoreError/noObjectTypes``, ``StoreError/fileNotFound(_:)``,
  ///   ``StoreError/notAStore(_:found:)``, ``StoreError/newerFormat(_:found:)``,
  ///   ``StoreError/schemaMismatch(_:)``, ``StoreError/schemaVersionTooOld(stored:asked:)``,
  ///   ``StoreError/alreadyOpenDifferently(_:)``, ``StoreError/permissionDenied(_:)``,
  ///   ``StoreError/unsupported(_:)`` for an encryption key, and what the system reports. Nothing is changed then.
  public init(configuration: Configuration) throws(StoreError) {
    guard !configuration.objectTypes.isEmpty else { throw .noObjectTypes }
    let models = ModelType.reached(from: configuration.objectTypes)
    for model in models {
      if let problem = model.problems.first ?? model.originProblem { throw .unsupported(problem) }
      if let other = models.first(where: { $0 !== model && $0.name == model.name }) {
        throw .unsupported(
          "two models named \(other.name) in one store: \(other.objectType) and \(model.objectType)"
        )
      }
    }
    let opened = try configuration.openCore()
    session = try withExtendedLifetime(opened.environment) { () throws(StoreError) in
      try Session(
        core: opened.core, models: models, author: configuration.author,
        isReadOnly: configuration.options.readOnly, schemaVersion: configuration.schemaVersion,
        mostActiveVersions: configuration.maximumNumberOfActiveVersions)
    }
    session.makeDynamicModel = { ModelType(dynamic: $0, in: $1) }
    try Notifier.begin(session)
  }

  /// The store of a live object.
  init(session: Session) { self.session = session }

  /// Ends the use of the store.
  ///
  /// Its objects and results are invalidated, its observers hear nothing more, and every later call
  /// throws ``StoreError/closed``. A running write is rolled back.
  public func close() { session.close() }

  /// The first read that failed where it could not be thrown: of a property, or of results.
  ///
  /// Every later call that can throw throws it.
  public var failure: StoreError? { session.failure }

  /// The version that a read sees now.
  public var version: StoreVersion {
    do { return StoreVersion(number: try session.version()) } catch {
      if error != .closed { session.fail(error) }
      return StoreVersion(number: 0)
    }
  }

  // MARK: Reading one version

  /// Keeps one version for the whole of `body`, so that all reads in it agree.
  ///
  /// Reading properties of live objects is fastest here. A write inside moves the block on to the
  /// version that the write makes.
  ///
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, or ``failure`` where one of its reads failed.
  @discardableResult
  public func read<Result>(_ body: () throws -> Result) throws -> Result {
    try session.pin()
    defer { session.unpin() }
    let result = try body()
    try session.check()
    try session.checkUnchanged()
    return result
  }

  /// Delivers what others committed to this store's observers, on the calling thread.
  ///
  /// - Returns: Whether anything is newer than what was delivered before. Within a write, and within
  ///   an observer's call, nothing happens and the answer is false.
  @discardableResult
  public func refresh() -> Bool { notifier.deliver() }

  /// Waits until somebody, in any process, has committed something that this store has not
  /// delivered yet, then delivers it.
  ///
  /// For console programs: the thread is blocked, without polling. Returns at once where there is
  /// something already, where the store is closed, and within a write or an observer's call.
  ///
  /// - Parameter timeout: How long to wait; `nil` waits for ever.
  /// - Returns: Whether something was delivered; false after the time-out.
  @discardableResult
  public func waitForChanges(timeout: Duration? = nil) -> Bool {
    let deadline = timeout.map { ContinuousClock.now + $0 }
    if notifier.isDelivering || session.keepsVersion { return false }
    guard let signal = session.core.openEnvironment?.signal else { return false }
    while session.writer == nil, !session.isClosed, session.failure == nil {
      // The bell before the version: a commit between the two is not missed.
      let ticket = signal.ticket
      if notifier.deliver() { return true }
      var rest = Duration.seconds(1)
      if let deadline {
        rest = min(rest, ContinuousClock.now.duration(to: deadline))
        if rest <= .zero { return false }
      }
      // At least once a second, in case that a writer died between its commit and the bell.
      guard !signal.wait(since: ticket, timeout: rest) else { continue }
      do throws(StorageError) { try session.core.openEnvironment?.takeCare() } catch {
        session.fail(StoreError(error, at: session.core.url))
      }
    }
    return false
  }
}

@available(*, unavailable)
extension Store: Sendable {}

extension ObjectMembers {
  /// The store that the object belongs to, or `nil` while it is unmanaged.
  public var store: Store? { (access as? LiveRow).map { Store(session: $0.session) } }
}
