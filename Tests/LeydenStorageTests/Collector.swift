import Synchronization

/// Values that several threads add.
final class Collector<Value: Sendable>: Sendable {
  private let collected = Mutex<[Value]>([])

  /// What was added so far.
  var values: [Value] { collected.withLock { $0 } }

  /// Adds a value.
  func add(_ value: Value) { collected.withLock { $0.append(value) } }
}
