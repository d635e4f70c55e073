import LeydenStorage

/// Gives row numbers within one write: each to one row of the store, for ever.
///
/// One counter serves all types. The file keeps an upper bound, raised by ``blockSize`` with the
/// commit that needs it; the shared `signal` page keeps the next number, so that a write that was
/// rolled back uses its numbers up for other processes too. A page from before a restart of the
/// machine is not believed, nor what one says of a number below the bound where it was set for another
/// file or version: then the file's bound is the next number.
struct RowNumbers {
  /// How many numbers one change of the bound reserves.
  static let blockSize: UInt64 = 4_096

  /// No store comes to so many numbers; beyond them, they would end.
  private static let end: UInt64 = 1 << 62

  private let signal: CommitSignal
  private let incarnation: UInt64
  private let version: UInt64
  private let bound: UInt64
  private var next: UInt64
  /// Up to here the shared page has the numbers as used up.
  private var reserved: UInt64
  private var reservation: UInt64 = 1

  /// Continues where the last write stopped; the caller holds the writer's lock.
  ///
  /// The version is the one from which the write starts.
  init(
    _ signal: CommitSignal, version: UInt64, meta: Table, _ transaction: WriteTransaction
  ) throws(StorageError) {
    self.signal = signal
    self.version = version
    incarnation = try MetaEntry.number(MetaEntry.incarnation, in: meta, transaction)
    bound = max(try MetaEntry.number(MetaEntry.rows, in: meta, transaction), 1)
    guard bound < Self.end else { throw .corrupted("\(bound) numbers of rows were given") }
    let mark = signal.rowMark.flatMap { $0.next < Self.end ? $0 : nil }
    if let mark, mark.block == bound, mark.incarnation == incarnation, mark.version == version {
      next = max(mark.next, 1)
    } else {
      next = max(bound, mark?.next ?? 0)
    }
    reserved = next
  }

  /// The next number; used up from now on, whatever becomes of the write.
  mutating func take() -> UInt64 {
    if next == reserved {
      // More at a time where many are taken; what is left over is given back by the commit.
      reserved = next + reservation
      reservation = min(reservation * 2, Self.blockSize)
      setMark(next: reserved, block: bound, version)
    }
    let row = next
    next += 1
    return row
  }

  /// Goes on behind the file's bound, where a number turned out to be taken.
  mutating func skipBlock() {
    next = max(next, bound)
    reserved = next
  }

  /// Writes the new bound where numbers beyond the old one were given, and tells other processes the
  /// next number.
  ///
  /// While the lock is held: after the commit the mark is the next writer's. Where the commit fails,
  /// the mark is of another version, and the next number is the greater one of bound and mark.
  mutating func save(in meta: Table, _ transaction: WriteTransaction) throws(StorageError) {
    var block = bound
    if next > bound {
      block = (next + Self.blockSize - 1) / Self.blockSize * Self.blockSize
      try MetaEntry.set(MetaEntry.rows, to: block, in: meta, transaction)
    }
    setMark(next: next, block: block, version + 1)
    // Whoever saves for a copy goes on taking numbers.
    reserved = next
  }

  private func setMark(next: UInt64, block: UInt64, _ version: UInt64) {
    signal.setRowMark(
      RowMark(next: next, block: block, incarnation: incarnation, version: version))
  }
}
