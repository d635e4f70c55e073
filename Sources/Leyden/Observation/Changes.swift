/// What an observer of a collection is told.
public enum ObservedChange<C> {
  /// The collection as it is now: the first call.
  case initial(C)
  /// What changed since the last call, by one or more commits.
  ///
  /// `deletions` and `modifications` are positions in the collection before, `insertions` in the
  /// collection after, all ascending. A row that moved is a deletion and an insertion.
  case update(C, deletions: [Int], insertions: [Int], modifications: [Int])
  /// The observation ended because of an error.
  case error(StoreError)
}

/// One element of `results.changes`: what changed since the last one.
public struct CollectionChange<C> {
  /// A row that moved.
  public struct Move: Sendable, Hashable {
    /// Its position before.
    public var from: Int
    /// Its position after.
    public var to: Int
  }

  /// The collection as it is now.
  public var collection: C
  /// Whether this is the first element: then nothing else is filled in.
  public var isInitial: Bool
  /// Positions before, of rows that left or moved; ascending.
  public var deletions: [Int]
  /// Positions after, of rows that came or moved; ascending.
  public var insertions: [Int]
  /// Positions before, of rows that stayed and whose values changed; ascending.
  public var modifications: [Int]
  /// Positions after, of the same rows; ascending.
  public var newModifications: [Int]
  /// The rows that are in both ``deletions`` and ``insertions``.
  public var moves: [Move]
  /// Whether the log did not reach back: only what is certain is reported, and filters by key path
  /// do not apply.
  public var isResync: Bool
  /// The version that the collection is of.
  public var version: StoreVersion
}

extension CollectionChange: Sendable where C: Sendable {}

extension CollectionChange {
  init(
    _ collection: C, _ changes: PositionChanges, isInitial: Bool, isResync: Bool, version: UInt64
  ) {
    self.init(
      collection: collection, isInitial: isInitial, deletions: changes.deletions,
      insertions: changes.insertions, modifications: changes.modifications,
      newModifications: changes.newModifications,
      moves: changes.moves.map { Move(from: $0.from, to: $0.to) }, isResync: isResync,
      version: StoreVersion(number: version))
  }
}
