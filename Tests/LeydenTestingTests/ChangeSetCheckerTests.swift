import LeydenTesting
import XCTest

/// A row as an observer sees it: who it is, what it is sorted by, what else it holds.
private struct Row: Hashable, CustomStringConvertible {
  var id: Int
  var rank: Int
  var note = 0

  var description: String { "\(id):\(rank):\(note)" }
}

final class ChangeSetCheckerTests: XCTestCase {
  private func violation(
    _ checker: ChangeSetChecker, old: [Row], new: [Row]
  ) -> ChangeSetViolation? {
    do {
      try checker.check(old: old, new: new, identity: \.id)
      return nil
    } catch {
      return error
    }
  }

  private let three = [Row(id: 1, rank: 1), Row(id: 2, rank: 2), Row(id: 3, rank: 3)]

  func testTheEmptyChangeFitsAnUnchangedCollectionOnly() {
    let nothing = ChangeSetChecker(deletions: [], insertions: [])

    XCTAssertNil(violation(nothing, old: three, new: three))
    XCTAssertEqual(
      violation(nothing, old: three, new: Array(three.dropLast())),
      .wrongCount(3, expected: 2))
    var changed = three
    changed[1].note = 5
    XCTAssertEqual(
      violation(nothing, old: three, new: changed),
      .unmentioned(newPosition: 1, "2:2:0", "2:2:5"))
  }

  func testDeletionsAreOldPositionsAndInsertionsNewOnes() throws {
    let new = [Row(id: 9, rank: 0), three[0], three[2]]
    let checker = ChangeSetChecker(deletions: [1], insertions: [0])

    XCTAssertNil(violation(checker, old: three, new: new))
    XCTAssertEqual(
      try checker.apply(to: ["a", "b", "c"], reading: ["x", "?", "?"]), ["x", "a", "c"])
  }

  func testAModificationMustBeOne() {
    var new = three
    new[2].note = 1

    let right = ChangeSetChecker(
      deletions: [], insertions: [], modifications: [2], newModifications: [2], moves: [])
    let wrong = ChangeSetChecker(deletions: [], insertions: [], modifications: [1, 2])
    let elsewhere = ChangeSetChecker(
      deletions: [], insertions: [], modifications: [2], newModifications: [1])

    XCTAssertNil(violation(right, old: three, new: new))
    XCTAssertEqual(violation(wrong, old: three, new: new), .unchanged(oldPosition: 1, "2:2:0"))
    XCTAssertEqual(
      violation(elsewhere, old: three, new: new), .wrongNewModifications([1], expected: [2]))
  }

  func testAnUnchangedElementMayNotMove() {
    var new = three
    new[0].rank = 4
    new.append(new.removeFirst())

    let right = ChangeSetChecker(
      deletions: [0], insertions: [2], moves: [.init(from: 0, to: 2)])
    let wrong = ChangeSetChecker(
      deletions: [1, 2], insertions: [0, 1], modifications: [0], newModifications: [2],
      moves: [.init(from: 1, to: 0), .init(from: 2, to: 1)])

    XCTAssertNil(violation(right, old: three, new: new))
    XCTAssertEqual(violation(wrong, old: three, new: new), .unchanged(oldPosition: 1, "2:2:0"))
  }

  func testTheFewestElementsMove() {
    // All three changed and the first went behind the others: one move is enough.
    let new = [Row(id: 2, rank: 20), Row(id: 3, rank: 30), Row(id: 1, rank: 40)]

    let right = ChangeSetChecker(deletions: [0], insertions: [2], modifications: [1, 2])
    let wrong = ChangeSetChecker(deletions: [1, 2], insertions: [0, 1], modifications: [0])

    XCTAssertNil(violation(right, old: three, new: new))
    XCTAssertEqual(violation(wrong, old: three, new: new), .tooManyMoves(2, fewest: 1))
  }

  func testMovesAreThoseWhoAreDeletedAndInserted() {
    var new = three
    new[0].rank = 4
    new.append(new.removeFirst())

    let none = ChangeSetChecker(deletions: [0], insertions: [2], moves: [])
    let other = ChangeSetChecker(deletions: [0], insertions: [2], moves: [.init(from: 1, to: 2)])

    XCTAssertEqual(
      violation(none, old: three, new: new), .wrongMoves([], expected: [.init(from: 0, to: 2)]))
    XCTAssertEqual(
      violation(other, old: three, new: new),
      .moveWithoutDeletionAndInsertion(.init(from: 1, to: 2)))
  }

  func testAnElementThatTakesAnothersPlaceIsNoModification() {
    let new = [three[0], Row(id: 8, rank: 2), three[2]]

    let wrong = ChangeSetChecker(deletions: [], insertions: [], modifications: [1])

    XCTAssertEqual(
      violation(wrong, old: three, new: new), .replaced(oldPosition: 1, newPosition: 1))
    XCTAssertNoThrow(try wrong.check(old: three, new: new), "in a list it is one")
  }

  func testPositionsRiseAndLieInside() {
    XCTAssertEqual(
      violation(ChangeSetChecker(deletions: [1, 0], insertions: []), old: three, new: []),
      .notRising(.deletions, [1, 0]))
    XCTAssertEqual(
      violation(ChangeSetChecker(deletions: [], insertions: [3]), old: three, new: three),
      .outside(.insertions, 3, count: 3))
    XCTAssertEqual(
      violation(
        ChangeSetChecker(deletions: [0], insertions: [0], modifications: [0]), old: three,
        new: three),
      .deletedAndModified(oldPosition: 0))
  }

  func testReplacingEverythingIsAChangeThatFitsAnyTwoLists() {
    let seed: UInt64 = 61
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let lists = (0..<2).map { _ in
        (0..<Int.random(in: 0...6, using: &generator)).map { _ in
          Int.random(in: 0...3, using: &generator)
        }
      }
      let everything = ChangeSetChecker(
        deletions: Array(lists[0].indices), insertions: Array(lists[1].indices))

      XCTAssertNoThrow(try everything.check(old: lists[0], new: lists[1]), "seed \(seed)")
      XCTAssertEqual(
        try everything.apply(to: lists[0], reading: lists[1]), lists[1], "seed \(seed)")
    }
  }

  func testTheFewestMovesAreThoseThatTryingAllWaysFinds() {
    let seed: UInt64 = 62
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<1_500 {
      let old = (0..<Int.random(in: 1...6, using: &generator)).map { Row(id: $0, rank: $0) }
      var new = old
      for position in new.indices where Bool.random(using: &generator) {
        new[position].rank = Int.random(in: 0...6, using: &generator) * 10
      }
      let rankOf = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0.rank) })
      new.sort { ($0.rank, $0.id) < ($1.rank, $1.id) }

      // Every set of changed rows to move; the right ones are those that the checker lets pass.
      let changed = old.indices.filter { rankOf[old[$0].id] != old[$0].rank }
      var sizesThatPass: Set<Int> = []
      var sizesThatFit: Set<Int> = []
      for choice in 0..<(1 << changed.count) {
        let moved = changed.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
        let targets = moved.compactMap { from in
          new.firstIndex { $0.id == old[from].id }
        }
        let checker = ChangeSetChecker(
          deletions: moved, insertions: targets.sorted(),
          modifications: changed.filter { !moved.contains($0) },
          moves: zip(moved, targets).map { .init(from: $0, to: $1) })
        switch violation(checker, old: old, new: new) {
        case nil:
          sizesThatPass.insert(moved.count)
          sizesThatFit.insert(moved.count)
        case .tooManyMoves: sizesThatFit.insert(moved.count)
        default: continue
        }
      }

      XCTAssertEqual(sizesThatPass.count, 1, "seed \(seed): \(old), \(new)")
      XCTAssertEqual(sizesThatPass.min(), sizesThatFit.min(), "seed \(seed): \(old), \(new)")
    }
  }

  func testInAListAsManyElementsStayAsCan() {
    func violation(_ checker: ChangeSetChecker, _ old: [Int], _ new: [Int]) -> ChangeSetViolation? {
      do {
        try checker.checkList(old: old, new: new) { $0 }
        return nil
      } catch {
        return error
      }
    }
    let old = [1, 1, 2, 3]
    XCTAssertNil(violation(ChangeSetChecker(deletions: [0], insertions: []), old, [1, 2, 3]))
    XCTAssertNil(violation(ChangeSetChecker(deletions: [1], insertions: []), old, [1, 2, 3]))
    XCTAssertEqual(
      violation(ChangeSetChecker(deletions: [0, 1, 2], insertions: [0, 1]), old, [1, 2, 3]),
      .tooFewStay(1, most: 3))
    // Another element in the place of one.
    XCTAssertNil(
      violation(
        ChangeSetChecker(deletions: [], insertions: [], modifications: [1]), old, [1, 9, 2, 3]))
    XCTAssertEqual(
      violation(ChangeSetChecker(deletions: [], insertions: []), old, [1, 9, 2, 3]),
      .unmentioned(newPosition: 1, "1", "9"))
    let move = ChangeSetChecker.Move(from: 3, to: 0)
    XCTAssertNil(
      violation(
        ChangeSetChecker(deletions: [3], insertions: [0], moves: [move]), old, [3, 1, 1, 2]))
    XCTAssertEqual(
      violation(ChangeSetChecker(deletions: [3], insertions: [0], moves: []), old, [3, 1, 1, 2]),
      .wrongMoves([], expected: [move]))
  }

  func testAViolationReadsAsASentence() {
    XCTAssertEqual(
      ChangeSetViolation.tooManyMoves(2, fewest: 1).description,
      "2 elements moved; the same order takes 1.")
    XCTAssertEqual(
      ChangeSetViolation.wrongMoves([], expected: [.init(from: 0, to: 2)]).description,
      "0→2 moved, not nothing.")
    XCTAssertEqual(
      ChangeSetViolation.tooFewStay(1, most: 3).description, "1 elements stay; 3 could.")
  }
}
