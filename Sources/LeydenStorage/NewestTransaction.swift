import CLMDB

/// The number of LMDB's last transaction, for whoever may outlive the environment.
final class NewestTransaction: @unchecked Sendable {
  // SAFETY: All state is guarded by `monitor`.
  private let monitor = Monitor()
  private var file: MappedFile?
  private var pausesEnded: UInt = 0

  init(of file: MappedFile) { self.file = file }

  /// What changes with each transaction and with each `endPauses()`.
  ///
  /// A hint: it may change a little before the transaction can be read.
  var ticket: UInt32 {
    monitor.withLock {
      guard let file else { return .max }
      let number = unsafe UInt(file.information.me_last_txnid)
      return UInt32(truncatingIfNeeded: number &+ pausesEnded)
    }
  }

  /// Follows another file of the environment, whose numbers have nothing to do with the old one's.
  func follow(_ file: MappedFile) {
    monitor.withLock {
      self.file = file
      pausesEnded &+= 1
      monitor.broadcast()
    }
  }

  /// Lets go of the file, which is about to be closed.
  func close() {
    monitor.withLock {
      file = nil
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
