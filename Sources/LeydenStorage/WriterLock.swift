import Synchronization

/// The lock of the one writer within the process.
///
/// Knows its owner; first come, first served.
///
/// Taken before LMDB's lock, which knows neither, and given back after it.
@safe
final class WriterLock: @unchecked Sendable {
  // SAFETY: `nextTicket` and `served` are guarded by `monitor`.
  private let monitor = Monitor()
  private var nextTicket: UInt64 = 0
  private var served: UInt64 = 0
  private let owner = Atomic<UInt>(0)

  /// Whether this thread has the lock.
  var isMine: Bool { owner.load(ordering: .relaxed) == ThreadIdentity.current }

  /// Takes the lock; waits for those who came before.
  func lock() {
    monitor.withLock {
      let ticket = nextTicket
      nextTicket += 1
      while served != ticket { monitor.wait() }
      owner.store(ThreadIdentity.current, ordering: .relaxed)
    }
  }

  /// Takes the lock if nobody has it or waits for it.
  func tryLock() -> Bool {
    monitor.withLock {
      guard served == nextTicket else { return false }
      nextTicket += 1
      owner.store(ThreadIdentity.current, ordering: .relaxed)
      return true
    }
  }

  /// Blocks until the lock is given back once, or `deadline` has passed; does not take it.
  func waitForChange(until deadline: ContinuousClock.Instant) {
    monitor.withLock {
      if served != nextTicket { _ = monitor.wait(until: deadline) }
    }
  }

  /// Gives the lock back; for its owner.
  func unlock() {
    precondition(isMine, "A write ends on the thread on which it began.")
    monitor.withLock {
      owner.store(0, ordering: .relaxed)
      served += 1
      monitor.broadcast()
    }
  }
}
