import Foundation

/// Tells for whom a program waits, where another process is inside a write and does not end it.
package enum WriterNotice {
  /// How long a program waits in silence: most writes are over by then.
  private static let patience = 1.0

  /// Runs `body`; where that takes long because of another process, a line on standard error names it.
  ///
  /// - Parameters:
  ///   - program: The program's name.
  ///   - writer: Finds out which process is inside a write, on another thread; `nil` for none.
  ///   - body: What may have to wait.
  /// - Returns: What `body` returned.
  package static func whileWaiting<Result>(
    _ program: String, writer: @escaping @Sendable () -> Int32?, _ body: () throws -> Result
  ) rethrows -> Result {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while end.wait(timeout: .now() + patience) == .timedOut {
        guard let process = writer(), process != getpid() else { continue }
        StandardStreams.complain("\(program): waiting for process \(process), which is writing")
        return
      }
    }
    defer { end.signal() }
    return try body()
  }
}
