import LeydenTesting
import TestSupport
import XCTest

/// Random programs on objects that lead to each other, against values.
final class RandomGraphTests: XCTestCase {
  func testProgramsLeaveWhatTheirValuesSay() throws {
    var (commits, denials, refusals, losses, objects) = (0, 0, 0, 0, 0)
    forEachSeed(500) { seed in
      do {
        let program = try GraphProgram(seed: seed)
        try program.run()
        commits += program.figures.commits
        denials += program.figures.denials
        refusals += program.figures.refusals
        losses += program.figures.losses
        objects = max(objects, program.figures.objects)
      } catch { XCTFail("seed \(seed): \(error)") }
    }
    XCTAssertGreaterThan(commits, testScale(2_000))
    XCTAssertGreaterThan(denials, 0)
    XCTAssertGreaterThan(refusals, testScale(20))
    XCTAssertGreaterThan(losses, testScale(50))
    XCTAssertGreaterThan(objects, 7)
  }
}
