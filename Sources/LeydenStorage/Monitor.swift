import CLeyden

/// A mutex with one condition.
///
/// Used where a thread has to wait for a state, or where the guarded code throws: `Mutex` has no
/// condition.
@safe
final class Monitor: @unchecked Sendable {
  // SAFETY: The C monitor lives at least from `init` to `deinit` and may be used by every thread.
  private let monitor: OpaquePointer
  private let isOwned: Bool

  /// The monitor that `fork` waits for: what it guards is whole in the child.
  static let ofProcess = unsafe Monitor(borrowing: leyden_process_monitor())

  init() {
    unsafe monitor = leyden_monitor_create()
    isOwned = true
  }

  private init(borrowing monitor: OpaquePointer) {
    unsafe self.monitor = monitor
    isOwned = false
  }

  deinit {
    if isOwned { unsafe leyden_monitor_destroy(monitor) }
  }

  /// Runs `body` while no other thread is inside.
  func withLock<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    unsafe leyden_monitor_lock(monitor)
    defer { unsafe leyden_monitor_unlock(monitor) }
    return try body()
  }

  /// Gives the lock up until `broadcast()`; for callers inside `withLock`.
  ///
  /// May return without a broadcast: the caller looks again.
  func wait() { _ = unsafe leyden_monitor_wait(monitor, -1) }

  /// Like `wait()`, until `deadline` at the latest; false once that has passed.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let left = ContinuousClock.now.duration(to: deadline)
    guard left > .zero else { return false }
    return unsafe leyden_monitor_wait(monitor, left.nanoseconds)
  }

  /// Wakes all who wait.
  func broadcast() { unsafe leyden_monitor_broadcast(monitor) }
}

extension Duration {
  /// The length in nanoseconds, cut to what 64 bits hold.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }
}
