/// What changed in an ordered list, by position.
package struct PositionChanges: Sendable, Hashable {
  /// A row that changed its place relative to those that did not change.
  package struct Move: Sendable, Hashable {
    /// Its position before.
    package let from: Int
    /// Its position after.
    package let to: Int
  }

  /// Positions before, of rows that left or moved; ascending.
  package var deletions: [Int] = []
  /// Positions after, of rows that came or moved; ascending.
  package var insertions: [Int] = []
  /// Positions before, of rows that stayed and whose values changed; ascending.
  package var modifications: [Int] = []
  /// The same rows' positions after, ascending.
  package var newModifications: [Int] = []
  /// The rows that are in both ``deletions`` and ``insertions``, by position before.
  package var moves: [Move] = []

  /// Whether nothing changed.
  package var isEmpty: Bool {
    deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
  }
}

/// The length of the longest strictly ascending subsequence, and its members.
///
/// - Parameter values: Numbers, each at most once.
/// - Returns: The positions of the members in `values`, ascending.
/// - Complexity: O(*n* log *n*): patience sorting (Fredman 1975).
package func longestAscendingSubsequence(_ values: [Int]) -> [Int] {
  var tails: [Int] = []
  var previous = [Int](repeating: -1, count: values.count)
  for (position, value) in values.enumerated() {
    var low = 0
    var high = tails.count
    while low < high {
      let middle = (low + high) / 2
      if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
    }
    if low > 0 { previous[position] = tails[low - 1] }
    if low == tails.count { tails.append(position) } else { tails[low] = position }
  }
  var members: [Int] = []
  var position = tails.last ?? -1
  while position >= 0 {
    members.append(position)
    position = previous[position]
  }
  return members.reversed()
}
