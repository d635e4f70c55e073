import CLMDB
import Foundation
import Synchronization

extension Environment {
  /// Whether the map should be larger.
  enum Growth: UInt8, AtomicRepresentable {
    case none
    /// At the next moment in which nobody reads.
    case wanted
    /// Before the next write: the last one did not fit.
    case required
  }

  /// How long a write that needs a larger map waits for the readers of this process.
  private static let patience = Duration.seconds(5)
  /// How long one that would like a larger map waits: for readers that are about to end.
  private static let courtesy = Duration.milliseconds(5)

  /// Notes that the last write did not fit.
  func requireGrowth() { growth.store(.required, ordering: .relaxed) }

  /// Wants growth once the map is used to three quarters.
  func notePagesUsed() {
    guard usedBytes > mapSize / 100 * MapReserve.comfortable else { return }
    _ = growth.compareExchange(expected: .none, desired: .wanted, ordering: .relaxed)
  }

  /// Grows if that is wanted and possible without waiting for anybody.
  func growIfWanted() {
    guard growth.load(ordering: .relaxed) != .none, writer.tryLock() else { return }
    defer { writer.unlock() }
    growAsWriter(until: .now)
  }

  /// Grows if that is wanted; waits for readers a moment, and longer if it is required.
  ///
  /// For the owner of `writer`.
  func makeRoom() {
    let isRequired = growth.load(ordering: .relaxed) == .required
    growAsWriter(until: .now + (isRequired ? Self.patience : Self.courtesy))
  }

  /// Grows if that is wanted and the readers are gone by `deadline`.
  ///
  /// For the owner of `writer`.
  func growAsWriter(until deadline: ContinuousClock.Instant) {
    guard growth.load(ordering: .relaxed) != .none else { return }
    let code = gate.whileClosed(until: deadline) {
      let sizes = MapReserve.growth(from: mapSize)
      return sizes.first(where: MapReserve.isAvailable).map { moveMap(to: $0) } ?? ENOMEM
    }
    if code == MDB_SUCCESS { growth.store(.none, ordering: .relaxed) }
  }

  /// Takes over the size of the map from a process that has let the file grow beyond ours.
  ///
  /// LMDB: `MDB_MAP_RESIZED`.
  func adoptSize() throws(StorageError) {
    let deadline = ContinuousClock.now + Self.patience
    if writer.isMine { return try adoptSizeAsWriter(until: deadline) }
    guard writer.tryLock() else {
      // Whoever has the lock has adopted the size, or is about to: the caller looks again.
      return writer.waitForChange(until: .now + .milliseconds(1))
    }
    defer { writer.unlock() }
    try adoptSizeAsWriter(until: deadline)
  }

  private func adoptSizeAsWriter(until deadline: ContinuousClock.Instant) throws(StorageError) {
    let code = gate.whileClosed(until: deadline) { moveMap(to: 0) }
    guard let code else { throw .mapFull }
    guard code == MDB_SUCCESS else { throw failure(code, operation: "map") }
  }

  /// Gives the map another size, 0 for the one in the file.
  ///
  /// For the owner of `writer`, behind the gate.
  private func moveMap(to size: Int) -> Int32 {
    let code = unsafe mdb_env_set_mapsize(handle, size)
    // The old map is given up first; of what can go wrong before that, only a write in progress.
    if code != MDB_SUCCESS, code != EINVAL {
      hasLostMap.store(true, ordering: .relaxed)
      newestTransaction.close()
    }
    return code
  }
}
