import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class PositionChangesTests: XCTestCase {
  func testTheLongestAscendingSubsequenceIsAsLongAsAnyOther() throws {
    var generator = SeededGenerator(seed: 51)
    for round in 0..<testScale(3_000) {
      let count = round % 9
      let values = Array((0..<20).shuffled(using: &generator).prefix(count))

      let members = longestAscendingSubsequence(values)

      XCTAssertEqual(members, members.sorted(), "seed 51, round \(round)")
      let chosen = members.map { values[$0] }
      XCTAssertEqual(chosen, chosen.sorted(), "\(values)")
      XCTAssertEqual(Set(members).count, members.count)
      let longest = (0..<(1 << count)).map { choice -> Int in
        let some = values.indices.filter { choice >> $0 & 1 == 1 }.map { values[$0] }
        return some == some.sorted() ? some.count : 0
      }.max()
      XCTAssertEqual(members.count, longest, "\(values)")
    }
  }

  func testLongSequences() throws {
    XCTAssertEqual(longestAscendingSubsequence([]), [])
    XCTAssertEqual(longestAscendingSubsequence(Array(0..<10_000)).count, 10_000)
    XCTAssertEqual(longestAscendingSubsequence(Array((0..<10_000).reversed())).count, 1)
  }
}
