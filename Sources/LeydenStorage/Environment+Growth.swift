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
  static let patience = Duration.seconds(5)
  /// How long one that would like a larger map waits: for readers that are about to end.
  private static let courtesy = Duration.milliseconds(5)

  /// Notes that the last write did not fit.
  func requireGrowth() { growth.store(.required, ordering: .relaxed) }

  /// Wants growth once the map is used to three quarters.
  func notePagesUsed() {
    let file = file
    let information = unsafe file.information
    let used = unsafe (information.me_last_pgno + 1) * file.pageSize
    guard unsafe used > information.me_mapsize / 100 * MapReserve.comfortable else { return }
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
    let file = file
    guard growth.load(ordering: .relaxed) != .none else { return }
    let code = file.gate.whileClosed(until: deadline) {
      let sizes = MapReserve.growth(from: mapSize)
      return sizes.first(where: MapReserve.isAvailable).map { moveMap(of: file, to: $0) } ?? ENOMEM
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
    let file = file
    let code = file.gate.whileClosed(until: deadline) { moveMap(of: file, to: 0) }
    guard let code else { throw .mapFull }
    guard code == MDB_SUCCESS else { throw failure(code, operation: "map") }
  }

  private func moveMap(of file: MappedFile, to size: Int) -> Int32 {
    let code = file.moveMap(to: size)
    if file.hasLostMap { isGivenUp.store(true, ordering: .relaxed) }
    return code
  }
}
