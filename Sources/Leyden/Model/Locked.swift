import Foundation

/// A value behind a lock, for values that are not `Sendable` themselves.
///
/// `Mutex` asks that what goes in and comes out is `Sendable`; key paths and metatypes are not
/// marked so, though they never change.
// SAFETY: every access holds the lock.
package final class Locked<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  /// Puts a value behind a lock of its own.
  package init(_ value: Value) { self.value = value }

  /// Runs `body` while nobody else has the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value)
  }
}
