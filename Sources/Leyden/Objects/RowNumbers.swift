import LeydenStorage

/// Gives row numbers within one write: each to one row of the store, for ever.
///
/// One counter serves all types. The file keeps an upper bound, raised by ``blockSize`` with the
/// commit that needs it; the shared `signal` page keeps the next number, so that a write that was
/// rolled back uses its numbers up for other processes too. A page from before a restart of the
/// machine, or of another file, is not believed: then the file's bound is the next number.
struct RowNumbers {
  /// How many numbers one change of the bound reserves.
  static let blockSize: UInt64 = 4_096

  private let signal: CommitSignal
  private let bound: UInt64
  private var next: UInt64

  /// Continues where the last write stopped; the caller holds the writer's lock.
  init(_ signal: CommitSignal, meta: Table, _ transaction: WriteTransaction) throws(StorageError) {
    self.signal = signal
    bound = max(try MetaEntry.number(MetaEntry.rows, in: meta, transaction), 1)
    let mark = signal.rowMark
    if let mark, mark.block == bound {
      next = max(mark.next, 1)
    } else {
      next = max(bound, mark?.next ?? 0)
    }
  }

  /// The next number; used up from now on, whatever becomes of the write.
  mutating func take() -> UInt64 {
    let row = next
    next += 1
    signal.setRowMark(RowMark(next: next, block: bound))
    return row
  }

  /// Goes on behind the file's bound, where a number turned out to be taken.
  mutating func skipBlock() { next = max(next, bound) }

  /// Writes the new bound where numbers beyond the old one were given.
  ///
  /// - Returns: The bound that is in force after the commit.
  func save(in meta: Table, _ transaction: WriteTransaction) throws(StorageError) -> UInt64 {
    guard next > bound else { return bound }
    let blocks = (next + Self.blockSize - 1) / Self.blockSize
    try MetaEntry.set(MetaEntry.rows, to: blocks * Self.blockSize, in: meta, transaction)
    return blocks * Self.blockSize
  }

  /// Tells other processes the bound that the commit brings, before it releases the lock.
  ///
  /// Where the commit fails the bound is not the file's, and the next number is taken from the mark
  /// all the same: it is above the file's bound.
  func announce(_ bound: UInt64) { signal.setRowMark(RowMark(next: next, block: bound)) }
}
