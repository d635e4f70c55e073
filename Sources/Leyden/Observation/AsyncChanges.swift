package import LeydenStorage

/// Changes as an asynchronous sequence.
///
///     for await change in notes.changes { … }
///
/// Each iterator of a collection's changes begins with the collection as it is. Then, as for objects
/// and stores from the start, one merged element stands for all commits since the last one: a slow
/// reader misses nothing and makes nothing grow. The element is computed when it is asked for, on
/// the reader's isolation. The sequence ends when its task is cancelled or the store is closed.
///
/// It is `Sendable` where its elements are: then it reads in a session of its own, and any task of
/// any actor may iterate it.
public struct AsyncChanges<Element>: AsyncSequence {
  /// It does not fail; a store that cannot be read ends it.
  public typealias Failure = Never

  let makeReader: () -> ChangeReader<Element>

  /// Makes a sequence that stays in its store's isolation domain.
  init(_ makeReader: @escaping () -> ChangeReader<Element>) { self.makeReader = makeReader }

  /// Makes a sequence for any isolation domain.
  init(
    sendable makeReader: @escaping @Sendable () -> ChangeReader<Element>
  ) where Element: Sendable { self.makeReader = makeReader }

  /// Reads one change after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let reader: ChangeReader<Element>

    /// Waits for the next change.
    public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
      await reader.next(isolation: actor)
    }

    /// Waits for the next change.
    public mutating func next() async -> Element? { await next(isolation: nil) }
  }

  /// Begins with the collection as it is.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader: makeReader()) }
}

// SAFETY: a sequence of `Sendable` elements is made from a `Sendable` closure: all that the library
// makes without are of live things.
extension AsyncChanges: @unchecked Sendable where Element: Sendable {}

/// What an iterator of changes reads from: a step that may have nothing to give yet, and the bell.
final class ChangeReader<Element> {
  private let watcher: CommitWatcher?
  /// The next element if there is one; throws where there will be none any more.
  private let step: () throws(StoreError) -> Element?

  /// Waits with `watcher` for more; without one the step gives an element or throws.
  init(_ watcher: CommitWatcher?, _ step: @escaping () throws(StoreError) -> Element?) {
    self.watcher = watcher
    self.step = step
  }

  func next(isolation: isolated (any Actor)?) async -> Element? {
    while !Task.isCancelled {
      // The bell before the store: a commit between the two is not missed.
      let ticket = watcher?.ticket
      do throws(StoreError) {
        if let element = try step() { return element }
      } catch { return nil }
      if let ticket { await watcher?.wait(since: ticket, isolation: isolation) }
    }
    return nil
  }
}

extension Session {
  /// Works out a step up to the version that a read sees now.
  ///
  /// - Returns: `nil` within a write, where nothing is told: the reader looks again when it is over.
  package func step<Step>(
    _ advance: (
      _ version: UInt64, Transaction, _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
    ) throws(StorageError) -> Step?
  ) throws(StoreError) -> Step? {
    guard writer == nil else { return nil }
    return try withTransaction { (transaction) throws(StorageError) in
      let version = try ChangeLog.newestVersion(in: transaction)
      try refreshCatalog(in: transaction)
      return try advance(version, transaction) { (old) throws(StorageError) in
        try changes(after: old, through: version, in: transaction)
      }
    }
  }
}
