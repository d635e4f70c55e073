package import LeydenStorage

/// Whether a session has ended, for any thread, and what keeps its file open until then.
package final class Ending: Sendable {
  private let held: Locked<Environment?>

  init(_ environment: Environment?) { held = Locked(environment) }

  /// What keeps the file open for those who go on where the session is released; `nil` when it has
  /// ended.
  package var environment: Environment? { held.withLock { $0 } }

  func end() {
    // Released outside of the lock: closing a file takes locks of its own.
    _ = held.withLock { held in
      defer { held = nil }
      return held
    }
  }
}
