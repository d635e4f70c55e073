import LeydenTesting
import XCTest

@testable import Leyden

/// The change between two sequences: exact, and with the fewest elements that go.
final class SequenceDiffTests: XCTestCase {
  private func changes(
    _ old: [Int], _ new: [Int], replaces: Bool = false
  ) -> PositionChanges {
    SequenceDiff(from: old, to: new).changes(replaces: replaces)
  }

  private func assertFewest(_ old: [Int], _ new: [Int], _ context: String = "") {
    let changes = changes(old, new)
    let checker = ChangeSetChecker(
      deletions: changes.deletions, insertions: changes.insertions,
      modifications: changes.modifications, newModifications: changes.newModifications,
      moves: changes.moves.map { .init(from: $0.from, to: $0.to) })
    XCTAssertNoThrow(try checker.checkList(old: old, new: new) { $0 }, context)
    let replacing = self.changes(old, new, replaces: true)
    let other = ChangeSetChecker(
      deletions: replacing.deletions, insertions: replacing.insertions,
      modifications: replacing.modifications, newModifications: replacing.newModifications,
      moves: replacing.moves.map { .init(from: $0.from, to: $0.to) })
    XCTAssertNoThrow(try other.checkList(old: old, new: new) { $0 }, context)
    XCTAssertEqual(
      changes.deletions.count - replacing.deletions.count, replacing.modifications.count, context)
  }

  func testOrdersOfThree() {
    XCTAssertEqual(changes([1, 2, 3], [1, 2, 3]), PositionChanges())
    for (new, moved) in [
      ([1, 3, 2], 1), ([2, 1, 3], 1), ([2, 3, 1], 1), ([3, 1, 2], 1), ([3, 2, 1], 2),
    ] {
      let changes = changes([1, 2, 3], new)
      XCTAssertEqual(changes.deletions.count, moved)
      XCTAssertEqual(changes.insertions.count, moved)
      XCTAssertEqual(changes.moves.count, moved)
      assertFewest([1, 2, 3], new)
    }
  }

  func testRepeatedElements() {
    let changes = changes([1, 1, 2, 2, 3, 3], [1, 2, 3, 1, 2, 3])
    XCTAssertEqual(changes.deletions.count, 2)
    XCTAssertEqual(changes.insertions.count, 2)
    XCTAssertEqual(changes.moves.count, 2)
    let shorter = self.changes([1, 1, 1, 1, 2, 3], [1, 2, 3, 1])
    XCTAssertEqual(shorter.deletions.count, 3)
    XCTAssertEqual(shorter.insertions, [3])
    let longer = self.changes([1, 2, 3, 1], [1, 1, 1, 1, 2, 3])
    XCTAssertEqual(longer.deletions, [3])
    XCTAssertEqual(longer.insertions.count, 3)
  }

  func testElementsThatGoAtBothEnds() {
    XCTAssertEqual(changes([7, 1, 2, 3, 8], [1, 2, 3]).deletions, [0, 4])
    XCTAssertEqual(changes([1, 2, 3], [7, 1, 2, 3, 8]).insertions, [0, 4])
    XCTAssertEqual(changes([], [1, 2]).insertions, [0, 1])
    XCTAssertEqual(changes([1, 2], []).deletions, [0, 1])
  }

  func testAsManyOthersInOnePlaceAreModifications() {
    XCTAssertEqual(changes([1, 2, 3], [1, 9, 3], replaces: true).modifications, [1])
    XCTAssertEqual(changes([1, 2, 3], [7, 8, 9], replaces: true).modifications, [0, 1, 2])
    let more = changes([1, 2, 3], [9], replaces: true)
    XCTAssertEqual(more.deletions, [0, 1, 2])
    XCTAssertEqual(more.insertions, [0])
    let shifted = changes([0, 1, 2, 3], [5, 0, 9, 2, 3], replaces: true)
    XCTAssertEqual(shifted.modifications, [1])
    XCTAssertEqual(shifted.newModifications, [2])
    XCTAssertEqual(shifted.insertions, [0])
  }

  func testElementsThatMoveAreNotModifications() {
    let swapped = changes([1, 2, 3], [3, 2, 1], replaces: true)
    XCTAssertEqual(swapped.deletions.count, 2)
    XCTAssertEqual(swapped.modifications, [])
    let moved = changes([1, 2, 3, 4], [9, 8, 3, 4, 1], replaces: true)
    XCTAssertEqual(moved.deletions, [0])
    XCTAssertEqual(moved.insertions, [0, 4])
    XCTAssertEqual(moved.modifications, [1])
    XCTAssertEqual(moved.moves, [.init(from: 0, to: 4)])
    // An element that is repeated, not moved.
    XCTAssertEqual(changes([1, 2, 3], [2, 2, 3], replaces: true).modifications, [0])
  }

  func testElementsThatStayMayBeModified() {
    let diff = SequenceDiff(from: [1, 2, 3, 4, 5], to: [1, 3, 4, 6, 5])
    let changes = diff.changes(replaces: true) { [1, 4, 5].contains([1, 2, 3, 4, 5][$0.old]) }
    XCTAssertEqual(changes.deletions, [1])
    XCTAssertEqual(changes.insertions, [3])
    XCTAssertEqual(changes.modifications, [0, 3, 4])
    XCTAssertEqual(changes.newModifications, [0, 2, 4])
  }

  func testRandomSequencesWithAndWithoutRepetitions() {
    forEachSeed(300) { seed in
      var generator = SeededGenerator(seed: seed)
      let range = Int.random(in: 1...30, using: &generator)
      var old = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
        Int.random(in: 0..<range, using: &generator)
      }
      if seed % 2 == 0 { old = Array(Set(old)).sorted().shuffled(using: &generator) }
      var new = old
      for _ in 0..<Int.random(in: 0...12, using: &generator) {
        let element = Int.random(in: 0..<range, using: &generator) + (seed % 2 == 0 ? 100 : 0)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0 where seed % 2 == 1 || !new.contains(element):
          new.insert(element, at: Int.random(in: 0...new.count, using: &generator))
        case 1 where !new.isEmpty: new.remove(at: Int.random(in: 0..<new.count, using: &generator))
        case 2 where !new.isEmpty:
          let element = new.remove(at: Int.random(in: 0..<new.count, using: &generator))
          new.insert(element, at: Int.random(in: 0...new.count, using: &generator))
        case 3: new.shuffle(using: &generator)
        default: break
        }
      }
      assertFewest(old, new, "seed \(seed): \(old) → \(new)")
    }
  }

  func testLongSequencesAreExactWhateverTheyAre() throws {
    var generator = SeededGenerator(seed: 7)
    let old = (0..<20_000).map { _ in Int.random(in: 0..<100, using: &generator) }
    for range in [100, 20_000] {
      var new = old.shuffled(using: &generator)
      for position in new.indices where position % 3 == 0 {
        new[position] = Int.random(in: 0..<range, using: &generator)
      }
      for replaces in [true, false] {
        let changes = changes(old, new, replaces: replaces)
        let checker = ChangeSetChecker(
          deletions: changes.deletions, insertions: changes.insertions,
          modifications: changes.modifications, newModifications: changes.newModifications)
        XCTAssertNoThrow(try checker.check(old: old, new: new))
      }
    }
    var moved = Array(0..<100_000)
    moved.append(moved.remove(at: 0))
    XCTAssertEqual(changes(Array(0..<100_000), moved).moves, [.init(from: 0, to: 99_999)])
  }

  func testALongSequenceWithRepetitionsAndFewDifferencesChangesAsLittleAsItCan() throws {
    let old = (0..<50_000).map { $0 % 50 }
    var new = old
    for position in stride(from: 100, to: 40_000, by: 1_000) { new.remove(at: position) }
    let changes = changes(old, new)
    XCTAssertEqual(changes.deletions.count, 40)
    XCTAssertEqual(changes.insertions, [])
  }
}
