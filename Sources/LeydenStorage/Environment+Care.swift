import CLeyden
import Synchronization

extension Environment {
  /// After so many seconds the slots of killed readers are freed again.
  private static let readerCheckInterval: UInt64 = 30

  /// Looks after what nobody tells of: files that were moved or removed, and readers that were
  /// killed, which keep pages from being used again.
  ///
  /// Does so once a second at the most, however often it is called: by each write, and by whoever
  /// waits for commits. From the moment on that the files are found to be others, it and every
  /// transaction throw `.storeReplaced`.
  ///
  /// - Parameter second: The second that it is, of `leyden_uptime()`.
  /// - Throws: `.storeReplaced`, `.usedAfterFork`.
  package func takeCare(second: UInt64 = leyden_uptime()) throws(StorageError) {
    try requireSameProcess()
    let last = lastCare.load(ordering: .relaxed)
    if second > last,
      lastCare.compareExchange(expected: last, desired: second, ordering: .relaxed).exchanged
    {
      look(since: last, until: second)
    }
    guard !isReplaced.load(ordering: .relaxed) else { throw .storeReplaced(path: path) }
  }

  private func look(since last: UInt64, until second: UInt64) {
    if !isNameless {
      do throws(StorageError) { try checkNotReplaced() } catch {
        // What could not be looked at need not be another file.
        if case .storeReplaced = error { isReplaced.store(true, ordering: .relaxed) }
      }
    }
    if second / Self.readerCheckInterval > last / Self.readerCheckInterval { _ = checkReaders() }
  }
}
