/// Changes as an asynchronous sequence.
///
///     for await change in notes.changes { … }
///
/// Each iterator begins with the collection as it is, and then gives one merged change for all
/// commits since its last element: a slow reader misses nothing and makes nothing grow. The change
/// is computed when it is asked for, on the reader's isolation. The sequence ends when its task is
/// cancelled or the store is closed.
public struct AsyncChanges<Element>: AsyncSequence {
  /// It does not fail; a store that cannot be read ends it.
  public typealias Failure = Never

  let makeReader: () -> ChangeReader<Element>

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

/// What an iterator of changes reads from: a step that may have nothing to give yet, and the bell.
final class ChangeReader<Element> {
  private let watcher: CommitWatcher
  /// The next element if there is one; throws where there will be none any more.
  private let step: () throws(StoreError) -> Element?

  init(_ watcher: CommitWatcher, _ step: @escaping () throws(StoreError) -> Element?) {
    self.watcher = watcher
    self.step = step
  }

  func next(isolation: isolated (any Actor)?) async -> Element? {
    while !Task.isCancelled {
      // The bell before the store: a commit between the two is not missed.
      let ticket = watcher.ticket
      do throws(StoreError) {
        if let element = try step() { return element }
      } catch { return nil }
      await watcher.wait(since: ticket, isolation: isolation)
    }
    return nil
  }
}
