/// The way from one sequence to another, in which an element may be more than once: what stays, what goes, what
/// comes.
///
/// As many elements stay as can: the fewest go, come, or move. Only where two long sequences with repeated
/// elements have little in common more may go than need to; the change is exact then, too.
struct SequenceDiff {
  /// An element that stays.
  struct Pair: Hashable {
    /// Its position before.
    let old: Int
    /// Its position after.
    let new: Int
  }

  /// Steps that a comparison of sequences with repeated elements may take.
  private static let stepLimit = 4_000_000

  private let old: [Int]
  private let new: [Int]
  /// How many elements at the beginning are the same.
  private let start: Int
  /// How many elements at the end are the same.
  private let end: Int
  /// The elements between that stay, in order.
  private let kept: [Pair]

  /// Compares two sequences of numbers; equal numbers are the same element.
  ///
  /// - Complexity: O(*n*) for *n* elements where one place changed; else O(*n* log *n*) where no element is
  ///   repeated, and O(*nd*) up to a limit for *d* differences where some are.
  init(from old: [Int], to new: [Int]) {
    self.old = old
    self.new = new
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, old[start] == new[start] { start += 1 }
    var end = 0
    while end < shorter - start, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    self.start = start
    self.end = end
    kept = Self.kept(
      old[start..<old.count - end], new[start..<new.count - end], stepLimit: Self.stepLimit)
  }

  /// The change, by position.
  ///
  /// - Parameters:
  ///   - replaces: Whether an element between two that stay is modified where another one comes in its place: as
  ///     many come there as go, and neither of the two moved.
  ///   - hasChanged: Whether an element that stays is modified; `nil` where none is.
  /// - Returns: The positions.
  func changes(
    replaces: Bool, hasChanged: ((Pair) -> Bool)? = nil
  ) -> PositionChanges {
    var changes = PositionChanges()
    func stay(_ pair: Pair) {
      if let hasChanged, hasChanged(pair) { changes.modify(pair) }
    }
    func stay(from first: Pair, _ count: Int) {
      guard hasChanged != nil else { return }
      for offset in 0..<count { stay(Pair(old: first.old + offset, new: first.new + offset)) }
    }
    stay(from: Pair(old: 0, new: 0), start)
    let gaps = gaps
    let moved = replaces ? moved(gaps) : []
    for (number, gap) in gaps.enumerated() {
      if replaces, gap.old.count == gap.new.count {
        for pair in zip(gap.old, gap.new).map(Pair.init) {
          if old[pair.old] == new[pair.new] {
            stay(pair)
          } else if moved.contains(old[pair.old]) || moved.contains(new[pair.new]) {
            changes.replace(pair)
          } else {
            changes.modify(pair)
          }
        }
      } else {
        changes.deletions += gap.old
        changes.insertions += gap.new
      }
      if number < kept.count { stay(kept[number]) }
    }
    stay(from: Pair(old: old.count - end, new: new.count - end), end)
    changes.moves = moves(changes)
    return changes
  }

  /// What goes and what comes before each element that stays, and behind the last one.
  private var gaps: [(old: Range<Int>, new: Range<Int>)] {
    var gaps: [(old: Range<Int>, new: Range<Int>)] = []
    gaps.reserveCapacity(kept.count + 1)
    var next = Pair(old: start, new: start)
    for pair in kept {
      gaps.append((next.old..<pair.old, next.new..<pair.new))
      next = Pair(old: pair.old + 1, new: pair.new + 1)
    }
    gaps.append((next.old..<old.count - end, next.new..<new.count - end))
    return gaps
  }

  /// Elements that go from one place and come to another.
  private func moved(_ gaps: [(old: Range<Int>, new: Range<Int>)]) -> Set<Int> {
    var gone: Set<Int> = []
    for gap in gaps { for position in gap.old { gone.insert(old[position]) } }
    var moved: Set<Int> = []
    if gone.isEmpty { return moved }
    for gap in gaps {
      for position in gap.new where gone.contains(new[position]) { moved.insert(new[position]) }
    }
    return moved
  }

  /// Elements that are both among deletions and insertions.
  private func moves(_ changes: PositionChanges) -> [PositionChanges.Move] {
    guard !changes.deletions.isEmpty, !changes.insertions.isEmpty else { return [] }
    var places: [Int: [Int]] = [:]
    for position in changes.insertions.reversed() {
      places[new[position], default: []].append(position)
    }
    return changes.deletions.compactMap { position in
      places[old[position]]?.popLast().map { .init(from: position, to: $0) }
    }
  }

  // MARK: What stays

  /// A longest sequence of elements that both have in the same order, or a long one where finding it would take
  /// too many steps.
  private static func kept(
    _ old: ArraySlice<Int>, _ new: ArraySlice<Int>, stepLimit: Int
  ) -> [Pair] {
    guard !old.isEmpty, !new.isEmpty else { return [] }
    // How often each element is there before and after.
    var counts: [Int: (old: Int, new: Int)] = [:]
    counts.reserveCapacity(old.count)
    for element in old { counts[element, default: (0, 0)].old += 1 }
    for element in new { if counts[element] != nil { counts[element]?.new += 1 } }
    // What is there on one side only does not stay.
    let before = old.indices.filter { counts[old[$0]]?.new ?? 0 > 0 }
    let after = new.indices.filter { counts[new[$0]] != nil }
    func isUnique(_ element: Int) -> Bool { counts[element].map { $0 == (1, 1) } ?? false }
    if before.allSatisfy({ isUnique(old[$0]) }), after.allSatisfy({ isUnique(new[$0]) }) {
      return keptOfUnique(before, after, old, new)
    }
    if let pairs = shortestWay(
      before.map { old[$0] }, after.map { new[$0] }, stepLimit: stepLimit)
    {
      return pairs.map { Pair(old: before[$0.old], new: after[$0.new]) }
    }
    let anchors = keptOfUnique(
      before.filter { isUnique(old[$0]) }, after.filter { isUnique(new[$0]) }, old, new)
    guard !anchors.isEmpty else { return greedy(before, after, old, new) }
    var pairs: [Pair] = []
    var next = (old: old.startIndex, new: new.startIndex)
    for anchor in anchors {
      pairs += kept(
        old[next.old..<anchor.old], new[next.new..<anchor.new], stepLimit: stepLimit / 4)
      pairs.append(anchor)
      next = (anchor.old + 1, anchor.new + 1)
    }
    return pairs + kept(old[next.old...], new[next.new...], stepLimit: stepLimit / 4)
  }

  /// A longest common sequence where each element is once on both sides.
  private static func keptOfUnique(
    _ before: [Int], _ after: [Int], _ old: ArraySlice<Int>, _ new: ArraySlice<Int>
  ) -> [Pair] {
    let places = Dictionary(uniqueKeysWithValues: after.map { (new[$0], $0) })
    let targets = before.compactMap { places[old[$0]] }
    return longestAscendingSubsequence(targets).map { Pair(old: before[$0], new: targets[$0]) }
  }

  /// The longest common sequence: the shortest way through the grid of both (Myers 1986); `nil` where that takes
  /// too many steps.
  private static func shortestWay(_ old: [Int], _ new: [Int], stepLimit: Int) -> [Pair]? {
    // Each round keeps the points that it began with: memory for the square of their number.
    let rounds = min(old.count + new.count, 1_000)
    let middle = rounds + 1
    var furthest = [Int](repeating: 0, count: 2 * middle + 1)
    var trace: [[Int]] = []
    var steps = 0
    for round in 0...rounds {
      trace.append(Array(furthest[(middle - round - 1)...(middle + round + 1)]))
      for diagonal in stride(from: -round, through: round, by: 2) {
        let from = trace[round].entry(to: diagonal, round: round)
        var x = from.x
        while x < old.count, x - diagonal < new.count, old[x] == new[x - diagonal] { x += 1 }
        furthest[middle + diagonal] = x
        if x >= old.count, x - diagonal >= new.count {
          return way(back: trace, Pair(old: old.count, new: new.count))
        }
        steps += x - from.x + 1
      }
      if steps > stepLimit { return nil }
    }
    return nil
  }

  /// The common elements on the way that ended at a point.
  private static func way(back trace: [[Int]], _ end: Pair) -> [Pair] {
    var pairs: [Pair] = []
    var (x, y) = (end.old, end.new)
    for (round, furthest) in trace.enumerated().reversed() {
      let from = furthest.entry(to: x - y, round: round)
      while x > from.x {
        x -= 1
        y -= 1
        pairs.append(Pair(old: x, new: y))
      }
      if from.isDeletion { x -= 1 } else { y -= 1 }
    }
    return pairs.reversed()
  }

  /// A common sequence that takes each element as soon as it can.
  private static func greedy(
    _ before: [Int], _ after: [Int], _ old: ArraySlice<Int>, _ new: ArraySlice<Int>
  ) -> [Pair] {
    var places: [Int: [Int]] = [:]
    for position in after.reversed() { places[new[position], default: []].append(position) }
    var pairs: [Pair] = []
    var next = new.startIndex
    for position in before {
      while let place = places[old[position]]?.last, place < next {
        places[old[position]]?.removeLast()
      }
      guard let place = places[old[position]]?.popLast() else { continue }
      pairs.append(Pair(old: position, new: place))
      next = place + 1
    }
    return pairs
  }
}

extension [Int] {
  /// Where a round comes to a diagonal, from the furthest points of the round before: by taking an element away,
  /// or by adding one.
  fileprivate func entry(to diagonal: Int, round: Int) -> (x: Int, isDeletion: Bool) {
    if round == 0 { return (0, false) }
    let middle = round + 1
    let (below, above) = (self[middle + diagonal - 1], self[middle + diagonal + 1])
    let isDeletion = diagonal == round || (diagonal > -round && below >= above)
    return isDeletion ? (below + 1, true) : (above, false)
  }
}

extension PositionChanges {
  fileprivate mutating func modify(_ pair: SequenceDiff.Pair) {
    modifications.append(pair.old)
    newModifications.append(pair.new)
  }

  fileprivate mutating func replace(_ pair: SequenceDiff.Pair) {
    deletions.append(pair.old)
    insertions.append(pair.new)
  }
}
