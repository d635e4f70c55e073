import Foundation
import LeydenStorage

/// Waits for commits of any process on behalf of tasks, on one thread per environment.
///
/// The thread exists while somebody waits, and a second longer. The bell is a hint: whoever is woken
/// looks at the store's version. Once a second the thread looks whether there is a transaction that a
/// waiter has not seen, in case that a writer died between its commit and the bell; where nothing
/// happens it alone wakes up.
package final class CommitWatcher: Sendable {
  /// What there was before somebody looked at the store.
  package struct Ticket: Sendable, Equatable {
    let rings: UInt32
    /// `nil` where it cannot be told: whoever waits looks once a second then.
    let transaction: UInt64?
    /// How often everybody was woken without a ring.
    let wakes: UInt64
  }

  private struct Waiter {
    let transaction: UInt64?
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var waiters: [UInt64: Waiter] = [:]
    var next: UInt64 = 0
    var wakes: UInt64 = 0
    var isRunning = false
  }

  private let signal: CommitSignal
  private weak let environment: Environment?
  private let state = Locked(State())

  init(_ environment: Environment) {
    signal = environment.signal
    self.environment = environment
  }

  /// What there is now; read it before looking at the store.
  package var ticket: Ticket {
    let wakes = state.withLock { $0.wakes }
    return Ticket(rings: signal.ticket, transaction: newestTransaction, wakes: wakes)
  }

  /// The transaction that a look at the store would see.
  private var newestTransaction: UInt64? {
    guard let transaction = try? environment?.beginRead() else { return nil }
    defer { transaction.end() }
    return transaction.number
  }

  /// Suspends until the bell was rung since `ticket`, there is another transaction, or the task is
  /// cancelled; may return early.
  package func wait(since ticket: Ticket, isolation: isolated (any Actor)?) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (mustStart, wakes) = state.withLock { state in
          state.waiters[number] = Waiter(
            transaction: ticket.transaction, continuation: continuation)
          defer { state.isRunning = true }
          return (!state.isRunning, state.wakes)
        }
        if mustStart { start(since: ticket.rings) }
        // What happened between the caller's look and the lines above would be missed.
        if signal.ticket != ticket.rings || wakes != ticket.wakes || Task.isCancelled {
          resume(number)
        }
      }
    } onCancel: {
      resume(number)
    }
  }

  /// Wakes everybody, without a ring: a store was closed, and who reads it has to see that; or a write
  /// ended that changed nothing, and who looked within it saw nothing.
  func wake() {
    state.withLock { $0.wakes += 1 }
    wake { _ in true }
  }

  private func wake(where isDue: (Waiter) -> Bool) {
    let due = state.withLock { state in
      let due = state.waiters.filter { isDue($0.value) }
      for number in due.keys { state.waiters[number] = nil }
      return due
    }
    due.values.forEach { $0.continuation.resume() }
  }

  private func resume(_ number: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.continuation.resume()
  }

  private func start(since ticket: UInt32) {
    let thread = Thread { [self] in watch(since: ticket) }
    thread.name = "leyden.watcher"
    thread.start()
  }

  /// - Parameter first: The first waiter's ticket: a ring before this thread runs counts.
  private func watch(since first: UInt32) {
    var ticket = first
    while true {
      let wasRung = signal.wait(since: ticket, timeout: .seconds(1))
      // The bell before the store: what is committed after this look rings since.
      ticket = signal.ticket
      if wasRung { wake() } else { lookAround() }
      let isDone = state.withLock { state in
        let isDone = !wasRung && state.waiters.isEmpty
        if isDone { state.isRunning = false }
        return isDone
      }
      if isDone { return }
    }
  }

  /// Wakes those who have something to see that nobody rang for.
  private func lookAround() {
    // Who waits finds out what is wrong when it reads.
    let isWell = (try? environment?.takeCare()) != nil
    guard isWell, let newest = newestTransaction else { return wake() }
    wake { $0.transaction != newest }
  }
}
