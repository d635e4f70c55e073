/// Where the next new objects get their row numbers from, as far as processes tell each other.
package struct RowMark: Sendable, Hashable {
  /// The next row number to give out.
  package var next: UInt64
  /// The end of the block that the store had reserved when the mark was set.
  package var block: UInt64
  /// The store's incarnation, and its version: of another file the mark says nothing.
  package var incarnation: UInt64 = 0
  package var version: UInt64 = 0

  /// Makes a mark.
  package init(next: UInt64, block: UInt64, incarnation: UInt64 = 0, version: UInt64 = 0) {
    self.next = next
    self.block = block
    self.incarnation = incarnation
    self.version = version
  }
}

/// The bell of a store: tells every process that has it open about commits.
///
///     let ticket = signal.ticket
///     if nothingNew(in: store) { signal.wait(since: ticket, timeout: .seconds(1)) }
///
/// No ring is lost between taking the ticket and waiting. A ring says only that there may be
/// something new; whoever is killed between commit and ring does not ring, so look now and then.
package final class CommitSignal: Sendable {
  /// How often a process without the shared page looks at the store instead.
  static let pollingInterval = Duration.milliseconds(100)

  let page: SignalPage?
  private let newestTransaction: NewestTransaction

  init(page: SignalPage?, newestTransaction: NewestTransaction) {
    self.page = page
    self.newestTransaction = newestTransaction
  }

  /// Whether the bell wakes at once; otherwise the store is looked at ten times a second.
  package var isShared: Bool { page != nil }

  /// What to wait from; to be taken before looking at the store.
  package var ticket: UInt32 { page?.word ?? newestTransaction.ticket }

  /// Blocks the thread until the bell rings; true if it has rung since `ticket` was taken.
  ///
  /// Returns at once if it has. False when `timeout` is over.
  package func wait(since ticket: UInt32, timeout: Duration) -> Bool {
    let deadline = ContinuousClock.now + timeout
    while self.ticket == ticket {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return false }
      if let page {
        page.sleep(while: ticket, atMost: left)
      } else {
        newestTransaction.pause(min(left, Self.pollingInterval))
      }
    }
    return true
  }

  /// Announces a version, after its commit has returned, to every waiter in every process.
  package func ring(version: UInt64) {
    page?.raiseNewestVersion(to: version)
    wake()
  }

  /// Wakes every waiter without news: they look, and find nothing.
  ///
  /// For stopping one.
  package func wake() {
    if let page { page.ring() } else { newestTransaction.endPauses() }
  }

  /// The highest version that was announced; 0 if none was.
  ///
  /// May be ahead or behind.
  package var newestVersionHint: UInt64 { page?.newestVersion ?? 0 }

  /// The row mark; nil if none was set since the machine started, or none can be.
  package var rowMark: RowMark? { page?.rowMark }

  /// Sets the row mark; for holders of the write lock.
  package func setRowMark(_ mark: RowMark) { page?.setRowMark(mark) }
}
