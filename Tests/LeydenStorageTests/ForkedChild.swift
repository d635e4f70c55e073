import Foundation
import XCTest

/// A copy of this process, made by `fork`, that runs a closure and exits.
///
/// The only way to another process that needs no other program. In the child, only this thread
/// lives: the closure starts none and waits for none.
enum ForkedChild {
  private typealias Fork = @convention(c) () -> pid_t

  /// Runs `body` in a child and returns its result, which is from 0 to 255; nil if it was killed.
  static func run(_ body: () throws -> UInt8) throws -> UInt8? {
    try runTogether(count: 1, body)[0]
  }

  /// Runs `body` in several children at once and returns their results.
  static func runTogether(count: Int, _ body: () throws -> UInt8) throws -> [UInt8?] {
    // Swift has no `fork`, for reasons that do not hold for a child that exits at once.
    let symbol = unsafe try XCTUnwrap(dlsym(nil, "fork"))
    let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
    let children = (0..<count).map { _ in
      let child = fork()
      // Without the handlers of `exit`, which belong to the parent.
      if child == 0 { _exit(Int32((try? body()) ?? 255)) }
      return child
    }
    return children.map { child in
      var status: Int32 = 0
      while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? UInt8(truncatingIfNeeded: status >> 8) : nil
    }
  }
}
