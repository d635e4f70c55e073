import Foundation
import LeydenStorage

/// Waits for commits of any process on behalf of tasks, on one thread per environment.
///
/// The thread exists while somebody waits, and a second longer. The bell is a hint: whoever is woken
/// looks at the store's version. Once a second everybody is woken, in case that a writer died
/// between its commit and the bell.
package final class CommitWatcher: Sendable {
  private struct State {
    var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    var next: UInt64 = 0
    var isRunning = false
  }

  private let signal: CommitSignal
  private weak let environment: Environment?
  private let state = Locked(State())

  init(_ environment: Environment) {
    signal = environment.signal
    self.environment = environment
  }

  /// The bell's state now; read it before looking at the store.
  package var ticket: UInt32 { signal.ticket }

  /// Suspends until the bell was rung since `ticket`, a second has passed, or the task is cancelled.
  package func wait(since ticket: UInt32, isolation: isolated (any Actor)?) async {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustStart = state.withLock { state in
          state.waiters[number] = continuation
          defer { state.isRunning = true }
          return !state.isRunning
        }
        if mustStart { start(since: ticket) }
        // A ring, or a cancellation, between the caller's look and the line above would be missed.
        if signal.ticket != ticket || Task.isCancelled { resume(number) }
      }
    } onCancel: {
      resume(number)
    }
  }

  /// Wakes everybody, without news: a store was closed, and who reads it has to see that.
  func wake() {
    let waiters = state.withLock { state in
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    waiters.forEach { $0.resume() }
  }

  private func resume(_ number: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
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
      // Who waits finds out what is wrong when it reads.
      if !wasRung { try? environment?.takeCare() }
      ticket = signal.ticket
      let (waiters, isDone) = state.withLock { state in
        let waiters = state.waiters.values
        state.waiters = [:]
        let isDone = !wasRung && waiters.isEmpty
        if isDone { state.isRunning = false }
        return (Array(waiters), isDone)
      }
      waiters.forEach { $0.resume() }
      if isDone { return }
    }
  }
}
