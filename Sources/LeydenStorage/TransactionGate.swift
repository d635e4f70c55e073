import CLeyden
import Synchronization

/// Lets many read, and one move the map while nobody does.
///
/// Each reader has a cell of its own, so that readers do not share a cache line; who moves the map
/// closes the gate and looks at all cells. Only the holder of the writer lock may close it, so
/// that there is one at most, and no write transaction is open.
///
/// State and its guard:
/// - `isClosed`: written inside `monitor`; read by every reader after it has marked its cell.
/// - `cells`: `cellMonitor`; its own, because cells are added without waiting for the gate.
final class TransactionGate: @unchecked Sendable {
  // SAFETY: See above.
  /// One reader's mark.
  final class Cell: Sendable {
    fileprivate let isInside = Atomic(false)
    /// The thread that went in last.
    fileprivate let thread = Atomic<UInt>(0)
  }

  private let isClosed = Atomic(false)
  private let monitor = Monitor()
  private var cells: [ObjectIdentifier: Cell] = [:]
  private let cellMonitor = Monitor()

  /// Makes a cell that counts until `remove`.
  func addCell() -> Cell {
    let cell = Cell()
    cellMonitor.withLock { cells[ObjectIdentifier(cell)] = cell }
    return cell
  }

  /// Forgets a cell whose reader is outside.
  func remove(_ cell: Cell) {
    cellMonitor.withLock { cells[ObjectIdentifier(cell)] = nil }
  }

  /// Whether nobody has a cell, and so nobody is inside or about to go in.
  var hasNoCells: Bool { cellMonitor.withLock { cells.isEmpty } }

  /// Goes in; waits while the gate is closed.
  func enter(_ cell: Cell) {
    cell.thread.store(ThreadIdentity.current, ordering: .relaxed)
    while true {
      // Marked first and looked second; who closes does both the other way round.
      cell.isInside.store(true, ordering: .sequentiallyConsistent)
      guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
      leave(cell)
      monitor.withLock {
        while isClosed.load(ordering: .sequentiallyConsistent) { monitor.wait() }
      }
    }
  }

  /// Goes out.
  func leave(_ cell: Cell) {
    cell.isInside.store(false, ordering: .sequentiallyConsistent)
    guard isClosed.load(ordering: .sequentiallyConsistent) else { return }
    monitor.withLock { monitor.broadcast() }
  }

  /// Runs `body` while nobody is inside and nobody gets in.
  ///
  /// Waits until `deadline` for those inside.
  ///
  /// - Returns: What `body` does; nil without running it when the time is over, or at once when
  ///   this thread is among those inside and would wait for itself.
  func whileClosed<Result>(until deadline: ContinuousClock.Instant, _ body: () -> Result) -> Result?
  {
    let isEmpty = monitor.withLock {
      isClosed.store(true, ordering: .sequentiallyConsistent)
      while true {
        let inside = cellMonitor.withLock {
          cells.values.filter { $0.isInside.load(ordering: .sequentiallyConsistent) }
            .map { $0.thread.load(ordering: .relaxed) }
        }
        if inside.isEmpty { return true }
        if inside.contains(ThreadIdentity.current) || !monitor.wait(until: deadline) {
          return false
        }
      }
    }
    defer {
      monitor.withLock {
        isClosed.store(false, ordering: .sequentiallyConsistent)
        monitor.broadcast()
      }
    }
    return isEmpty ? body() : nil
  }
}

/// Tells threads apart.
enum ThreadIdentity {
  /// Differs from that of every other living thread, and is never 0.
  static var current: UInt { unsafe UInt(bitPattern: leyden_thread_state()) }
}
