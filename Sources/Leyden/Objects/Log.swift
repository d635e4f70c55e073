import Foundation

/// The library's own messages: what cannot be thrown.
package enum Log {
  private static let handler = Locked<(@Sendable (String) -> Void)?>(nil)

  /// Replaces what receives messages; `nil` writes them to the standard error.
  package static func setHandler(_ new: (@Sendable (String) -> Void)?) {
    handler.withLock { $0 = new }
  }

  /// Notes something that the caller could not be told by a thrown error.
  package static func note(_ message: String) {
    if let handler = handler.withLock({ $0 }) { return handler(message) }
    try? FileHandle.standardError.write(contentsOf: Data("leyden: \(message)\n".utf8))
  }
}
