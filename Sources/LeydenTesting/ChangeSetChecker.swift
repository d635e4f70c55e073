/// Tells whether a change that an observer got is true, exact and as small as it can be.
///
/// A test keeps the elements before the change as plain values, reads those after it, and asks:
///
///     let checker = ChangeSetChecker(
///       deletions: deletions, insertions: insertions, modifications: modifications)
///     try checker.check(old: titlesBefore, new: titlesNow)
///
/// Elements are values with the contents that matter to the observer: all properties of the object,
/// or those of its key paths. The checker does not depend on a test framework; it throws a
/// ``ChangeSetViolation`` that says in words what is wrong.
public struct ChangeSetChecker: Sendable, Hashable {
  /// One element's way from a position before to a position after.
  public struct Move: Sendable, Hashable {
    /// The position before the change.
    public var from: Int
    /// The position after the change.
    public var to: Int

    /// Makes a move.
    public init(from: Int, to: Int) {
      self.from = from
      self.to = to
    }
  }

  /// Positions before the change of what is gone from there.
  public var deletions: [Int]
  /// Positions after the change of what is new there.
  public var insertions: [Int]
  /// Positions before the change of what has other contents and did not move.
  public var modifications: [Int]
  /// The same elements' positions after the change, where the form of the change has them.
  public var newModifications: [Int]?
  /// Which deletions and insertions are the same element, where the form of the change has them.
  public var moves: [Move]?

  /// Makes a checker for one change.
  public init(
    deletions: [Int], insertions: [Int], modifications: [Int] = [],
    newModifications: [Int]? = nil, moves: [Move]? = nil
  ) {
    self.deletions = deletions
    self.insertions = insertions
    self.modifications = modifications
    self.newModifications = newModifications
    self.moves = moves
  }

  /// Returns `old` with the change made to it.
  ///
  /// Deletions are made from the last one to the first, insertions from the first to the last with
  /// the elements that `new` has there, and modified elements take the contents that `new` has at
  /// the place where they come to stand.
  ///
  /// - Throws: ``ChangeSetViolation`` where positions do not rise, lie outside, or contradict each
  ///   other.
  /// - Complexity: O(*n*) for *n* elements before and after.
  public func apply<Element>(
    to old: [Element], reading new: [Element]
  ) throws(ChangeSetViolation) -> [Element] {
    try checkPositions(oldCount: old.count, newCount: new.count)
    let survivors = try pairs(oldCount: old.count, newCount: new.count)
    let modified = Set(modifications)
    var result = new
    for pair in survivors where !modified.contains(pair.old) { result[pair.new] = old[pair.old] }
    return result
  }

  /// Checks that the change leads from `old` to `new` and mentions nothing that is the same.
  ///
  /// For collections in which an element may stand more than once, such as lists; ``checkList(old:new:identity:)``
  /// checks in addition that nothing needless is said of these.
  ///
  /// - Throws: The first ``ChangeSetViolation`` found.
  public func check<Element: Equatable>(
    old: [Element], new: [Element]
  ) throws(ChangeSetViolation) {
    let applied = try apply(to: old, reading: new)
    for position in new.indices where applied[position] != new[position] {
      throw .unmentioned(newPosition: position, "\(applied[position])", "\(new[position])")
    }
    let modified = Set(modifications)
    var after: [Int] = []
    for pair in try pairs(oldCount: old.count, newCount: new.count)
    where modified.contains(pair.old) {
      if old[pair.old] == new[pair.new] {
        throw .unchanged(oldPosition: pair.old, "\(old[pair.old])")
      }
      after.append(pair.new)
    }
    if let newModifications, newModifications != after {
      throw .wrongNewModifications(newModifications, expected: after)
    }
    for move in moves ?? [] {
      guard deletions.contains(move.from), insertions.contains(move.to) else {
        throw .moveWithoutDeletionAndInsertion(move)
      }
    }
  }

  /// Checks in addition that each element is what it is said to be, and that the fewest move.
  ///
  /// For collections in which an element stands once, such as results, whose order follows from
  /// the elements' contents: only a changed element can move.
  ///
  /// - Parameters:
  ///   - old: The elements before the change.
  ///   - new: The elements after it.
  ///   - identity: What makes an element the same before and after.
  /// - Throws: The first ``ChangeSetViolation`` found.
  /// - Complexity: O(*n* log *n*) for *n* elements before and after.
  public func check<Element: Equatable, Identity: Hashable>(
    old: [Element], new: [Element], identity: (Element) -> Identity
  ) throws(ChangeSetViolation) {
    try check(old: old, new: new)
    let oldIdentities = old.map(identity)
    let newIdentities = new.map(identity)
    _ = try Self.places(of: oldIdentities)
    let newPlaces = try Self.places(of: newIdentities)

    for pair in try pairs(oldCount: old.count, newCount: new.count)
    where oldIdentities[pair.old] != newIdentities[pair.new] {
      throw .replaced(oldPosition: pair.old, newPosition: pair.new)
    }
    var moved: [Move] = []
    for position in deletions {
      guard let place = newPlaces[oldIdentities[position]] else { continue }
      if old[position] == new[place] { throw .unchanged(oldPosition: position, "\(old[position])") }
      moved.append(Move(from: position, to: place))
    }
    if let moves, Set(moves) != Set(moved) || moves.count != moved.count {
      throw .wrongMoves(moves, expected: moved)
    }

    // Elements that are there before and after, in the old order: where they stand now.
    let survivors = oldIdentities.indices.compactMap { position in
      newPlaces[oldIdentities[position]].map { Move(from: position, to: $0) }
    }
    let isFixed = survivors.map { old[$0.from] == new[$0.to] }
    let fewest = survivors.count - Self.mostThatStay(survivors.map(\.to), isFixed: isFixed)
    if moved.count > fewest { throw .tooManyMoves(moved.count, fewest: fewest) }
  }
}

extension ChangeSetChecker {
  /// Checks in addition that as many elements stay as can, and that those that moved are told as moves.
  ///
  /// For lists, in which an element may stand more than once, be anywhere, and be replaced in its place by
  /// another one, which is a modification.
  ///
  /// - Parameters:
  ///   - old: The elements before the change.
  ///   - new: The elements after it.
  ///   - identity: What makes an element the same before and after.
  /// - Throws: The first ``ChangeSetViolation`` found.
  /// - Complexity: O(*n m*) for *n* elements before and *m* after.
  public func checkList<Element: Equatable, Identity: Hashable>(
    old: [Element], new: [Element], identity: (Element) -> Identity
  ) throws(ChangeSetViolation) {
    try check(old: old, new: new)
    let oldIdentities = old.map(identity)
    let newIdentities = new.map(identity)
    var staying = 0
    for pair in try pairs(oldCount: old.count, newCount: new.count)
    where oldIdentities[pair.old] == newIdentities[pair.new] {
      staying += 1
    }
    let most = Self.lengthOfLongestCommonSequence(oldIdentities, newIdentities)
    if staying < most { throw .tooFewStay(staying, most: most) }
    guard let moves else { return }
    var gone: [Identity: [Int]] = [:]
    for position in deletions.reversed() {
      gone[oldIdentities[position], default: []].append(position)
    }
    let expected = insertions.compactMap { position in
      gone[newIdentities[position]]?.popLast().map { Move(from: $0, to: position) }
    }
    let areRight = moves.allSatisfy { oldIdentities[$0.from] == newIdentities[$0.to] }
    let areSingle =
      Set(moves.map(\.from)).count == moves.count && Set(moves.map(\.to)).count == moves.count
    if !areRight || !areSingle || moves.count != expected.count {
      throw .wrongMoves(moves, expected: expected)
    }
  }

  private static func lengthOfLongestCommonSequence<Identity: Hashable>(
    _ old: [Identity], _ new: [Identity]
  ) -> Int {
    var lengths = [Int](repeating: 0, count: new.count + 1)
    for element in old {
      var diagonal = 0
      for (position, other) in new.enumerated() {
        let above = lengths[position + 1]
        lengths[position + 1] =
          element == other ? diagonal + 1 : max(above, lengths[position])
        diagonal = above
      }
    }
    return lengths[new.count]
  }

  private func checkPositions(oldCount: Int, newCount: Int) throws(ChangeSetViolation) {
    let groups: [(ChangeSetViolation.Group, [Int], Int)] = [
      (.deletions, deletions, oldCount), (.insertions, insertions, newCount),
      (.modifications, modifications, oldCount),
      (.newModifications, newModifications ?? [], newCount),
    ]
    for (group, positions, count) in groups {
      for (position, next) in zip(positions, positions.dropFirst()) where position >= next {
        throw .notRising(group, positions)
      }
      if let outside = positions.first(where: { $0 < 0 || $0 >= count }) {
        throw .outside(group, outside, count: count)
      }
    }
    if let both = Set(deletions).intersection(modifications).min() {
      throw .deletedAndModified(oldPosition: both)
    }
    guard oldCount - deletions.count + insertions.count == newCount else {
      throw .wrongCount(oldCount - deletions.count + insertions.count, expected: newCount)
    }
  }

  /// The positions of what was neither deleted nor inserted, before and after, in order.
  ///
  /// Called after the counts were found to fit.
  private func pairs(
    oldCount: Int, newCount: Int
  ) throws(ChangeSetViolation) -> [(old: Int, new: Int)] {
    let deleted = Set(deletions)
    let inserted = Set(insertions)
    let before = (0..<oldCount).filter { !deleted.contains($0) }
    let after = (0..<newCount).filter { !inserted.contains($0) }
    return zip(before, after).map { (old: $0, new: $1) }
  }

  private static func places<Identity: Hashable>(
    of identities: [Identity]
  ) throws(ChangeSetViolation) -> [Identity: Int] {
    var places: [Identity: Int] = [:]
    for (position, identity) in identities.enumerated() {
      if let first = places.updateValue(position, forKey: identity) {
        throw .standsTwice(first, position)
      }
    }
    return places
  }

  /// The largest number of elements that can keep their place while all fixed ones do.
  ///
  /// - Parameters:
  ///   - places: The new places, in the old order; each once.
  ///   - isFixed: Which of them must stay; their places rise.
  /// - Returns: The number of those that stay, the fixed ones among them.
  private static func mostThatStay(_ places: [Int], isFixed: [Bool]) -> Int {
    // What would cross a fixed element has to move in any case. Among the rest, every rising
    // sequence can take in all the fixed ones.
    var upper = [Int](repeating: .max, count: places.count)
    var bound = Int.max
    for index in places.indices.reversed() {
      upper[index] = bound
      if isFixed[index] { bound = places[index] }
    }
    var lower = -1
    var tails: [Int] = []
    for (index, place) in places.enumerated() where lower < place && place < upper[index] {
      if isFixed[index] { lower = place }
      // The longest rising subsequence: `tails[k]` is the lowest end of those of length k + 1.
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if tails[middle] < place { low = middle + 1 } else { high = middle }
      }
      if low == tails.count { tails.append(place) } else { tails[low] = place }
    }
    return tails.count
  }
}
