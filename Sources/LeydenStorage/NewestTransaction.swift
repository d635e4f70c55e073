import CLMDB

/// The number of LMDB's last transaction, for whoever may outlive the environment.
@safe
final class NewestTransaction: @unchecked Sendable {
  // SAFETY: `environment` is guarded by `monitor` and set to nil before LMDB closes it.
  private let monitor = Monitor()
  private var environment: OpaquePointer?
  private var pausesEnded: UInt = 0

  init(environment: OpaquePointer) { unsafe self.environment = environment }

  /// What changes with each transaction and with each `endPauses()`.
  ///
  /// A hint: it may change a little before the transaction can be read.
  var ticket: UInt32 {
    monitor.withLock {
      guard let environment = unsafe environment else { return .max }
      var information = unsafe MDB_envinfo()
      unsafe mdb_env_info(environment, &information)
      return unsafe UInt32(truncatingIfNeeded: UInt(information.me_last_txnid) &+ pausesEnded)
    }
  }

  /// Lets go of the environment, which is about to be closed.
  func close() {
    monitor.withLock {
      unsafe environment = nil
      monitor.broadcast()
    }
  }

  /// Blocks for `duration`, or until `endPauses()`.
  func pause(_ duration: Duration) {
    let deadline = ContinuousClock.now + duration
    monitor.withLock { _ = monitor.wait(until: deadline) }
  }

  /// Ends every pause.
  func endPauses() {
    monitor.withLock {
      pausesEnded &+= 1
      monitor.broadcast()
    }
  }
}
