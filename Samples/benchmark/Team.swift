import Foundation
import Synchronization

/// Threads that begin together: some that read, and one that writes until they are done.
final class Team: Sendable {
  /// Opens what a thread reads, on that thread, and returns what it then does once.
  typealias Reader = @Sendable () throws -> () throws -> Void
  /// Opens what a thread writes to, and returns what it then does with 0, 1, 2 and so on.
  typealias Writer = @Sendable () throws -> (Int) throws -> Void

  private let ready = DispatchSemaphore(value: 0)
  private let start = DispatchSemaphore(value: 0)
  private let done = DispatchSemaphore(value: 0)
  private let isOver = Atomic(false)
  private let hasFailed = Atomic(false)

  /// How long the readers take, in nanoseconds.
  static func time(readers: [Reader], writer: @escaping Writer) throws -> Double {
    let team = Team()
    for reader in readers { team.run { try reader() } }
    team.run {
      let commit = try writer()
      return {
        var number = 0
        while !team.isOver.load(ordering: .relaxed) {
          try commit(number)
          number += 1
        }
      }
    }
    for _ in 0...readers.count { team.ready.wait() }
    let time = nanoseconds {
      for _ in 0...readers.count { team.start.signal() }
      for _ in readers { team.done.wait() }
    }
    team.isOver.store(true, ordering: .relaxed)
    team.done.wait()
    if team.hasFailed.load(ordering: .relaxed) { throw Missing() }
    return time
  }

  private func run(_ open: @escaping Reader) {
    Thread.detachNewThread { [self] in
      defer { done.signal() }
      do {
        let work = try open()
        ready.signal()
        start.wait()
        try work()
      } catch {
        print("A thread failed: \(error)")
        hasFailed.store(true, ordering: .relaxed)
        ready.signal()
      }
    }
  }
}
