public import Foundation

/// A copy of this process, made by `fork`, that runs a closure and exits.
///
/// The only way to another process that needs no other program. In the child, only this thread
/// lives: the closure starts none and waits for none. What another thread held when the child was
/// made, a lock of the language's runtime even, is never let go of there; a child that waits for such
/// a lock is killed after ``limit``.
public struct ForkedChild {
  private typealias Fork = @convention(c) () -> pid_t

  /// How long a child lives at the most, in seconds.
  public static let limit: UInt32 = 120

  /// The child's number.
  public let process: pid_t

  /// Starts a child that runs `body`; somebody has to wait for it.
  public init(_ body: () throws -> UInt8) throws {
    // Swift has no `fork`, for reasons that do not hold for a child that exits at once.
    guard let symbol = unsafe dlsym(nil, "fork") else {
      throw ChildProcess.Failure.notStarted("fork", code: ENOSYS)
    }
    let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
    process = fork()
    guard process == 0 else { return }
    alarm(Self.limit)
    // Without the handlers of `exit`, which belong to the parent.
    _exit(Int32((try? body()) ?? 255))
  }

  /// Waits for the child's end and returns its result; nil if it was killed, be it by ``limit``.
  public func wait() -> UInt8? {
    var status: Int32 = 0
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? UInt8(truncatingIfNeeded: status >> 8) : nil
  }

  /// Ends the child wherever it is, and waits for its end.
  public func kill() {
    _ = Foundation.kill(process, SIGKILL)
    _ = wait()
  }

  /// Runs `body` in a child and returns its result, which is from 0 to 255; nil if it was killed.
  public static func run(_ body: () throws -> UInt8) throws -> UInt8? {
    try runTogether(count: 1, body)[0]
  }

  /// Runs `body` in several children at once and returns their results.
  public static func runTogether(count: Int, _ body: () throws -> UInt8) throws -> [UInt8?] {
    let children = try (0..<count).map { _ in try ForkedChild(body) }
    return children.map { $0.wait() }
  }
}
