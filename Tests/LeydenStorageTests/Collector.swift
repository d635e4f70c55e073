import Foundation

/// Values that several threads add.
final class Collector<Value: Sendable>: @unchecked Sendable {
  // SAFETY: `collected` is guarded by `lock`, which the thread sanitizer knows.
  private let lock = NSLock()
  private var collected: [Value] = []

  /// What was added so far.
  var values: [Value] { lock.withLock { collected } }

  /// Adds a value.
  func add(_ value: Value) { lock.withLock { collected.append(value) } }
}
