/// What is wrong with a change that an observer got.
public enum ChangeSetViolation: Error, Hashable, Sendable {
  /// One of the lists of positions of a change.
  public enum Group: String, Sendable, Hashable {
    /// Positions before the change of what is gone.
    case deletions
    /// Positions after the change of what is new.
    case insertions
    /// Positions before the change of what is modified.
    case modifications
    /// Positions after the change of what is modified.
    case newModifications
  }

  /// Positions are not in rising order, or one stands twice.
  case notRising(Group, [Int])
  /// A position that the collection does not have.
  case outside(Group, Int, count: Int)
  /// One element is both deleted and modified.
  case deletedAndModified(oldPosition: Int)
  /// The change leads to another number of elements.
  case wrongCount(Int, expected: Int)
  /// An element differs from the one that the change leads to, and the change does not say so.
  case unmentioned(newPosition: Int, String, String)
  /// An element is mentioned and the same as before.
  case unchanged(oldPosition: Int, String)
  /// One element stands where the change leaves another one.
  case replaced(oldPosition: Int, newPosition: Int)
  /// The positions of modified elements after the change are others.
  case wrongNewModifications([Int], expected: [Int])
  /// A move whose positions are not among deletions and insertions.
  case moveWithoutDeletionAndInsertion(ChangeSetChecker.Move)
  /// The moves are not the elements that are both deleted and inserted.
  case wrongMoves([ChangeSetChecker.Move], expected: [ChangeSetChecker.Move])
  /// Fewer moves lead to the same order.
  case tooManyMoves(Int, fewest: Int)
  /// More elements could have stayed.
  case tooFewStay(Int, most: Int)
  /// The collection holds one element at two positions.
  case standsTwice(Int, Int)
}

extension ChangeSetViolation: CustomStringConvertible {
  /// What is wrong, in a sentence.
  public var description: String {
    switch self {
    case .notRising(let group, let positions):
      "The \(group.rawValue) \(positions) do not rise."
    case .outside(let group, let position, let count):
      "Position \(position) of the \(group.rawValue) is outside a collection of \(count)."
    case .deletedAndModified(let position):
      "The element at \(position) before is both deleted and modified."
    case .wrongCount(let count, let expected):
      "The change leads to \(count) elements; there are \(expected)."
    case .unmentioned(let position, let applied, let actual):
      "At \(position) the change leads to \(applied); \(actual) is there."
    case .unchanged(let position, let element):
      "The element at \(position) before, \(element), is mentioned and did not change."
    case .replaced(let old, let new):
      "The change leaves the element of \(old) at \(new); another one is there."
    case .wrongNewModifications(let positions, let expected):
      "Modified elements are now at \(expected), not at \(positions)."
    case .moveWithoutDeletionAndInsertion(let move):
      "The move from \(move.from) to \(move.to) is not among deletions and insertions."
    case .wrongMoves(let moves, let expected):
      "\(Self.list(expected)) moved, not \(Self.list(moves))."
    case .tooManyMoves(let count, let fewest):
      "\(count) elements moved; the same order takes \(fewest)."
    case .tooFewStay(let count, let most):
      "\(count) elements stay; \(most) could."
    case .standsTwice(let first, let second):
      "The same element is at \(first) and at \(second)."
    }
  }

  private static func list(_ moves: [ChangeSetChecker.Move]) -> String {
    moves.isEmpty ? "nothing" : moves.map { "\($0.from)→\($0.to)" }.joined(separator: ", ")
  }
}
