import LeydenTesting
import XCTest

final class SeededGeneratorTests: XCTestCase {
  func testTheSameSeedGivesTheSameNumbers() {
    var first = SeededGenerator(seed: 7)
    var second = SeededGenerator(seed: 7)
    var other = SeededGenerator(seed: 8)

    let numbers = (0..<100).map { _ in first.next() }

    XCTAssertEqual(numbers, (0..<100).map { _ in second.next() })
    XCTAssertNotEqual(numbers, (0..<100).map { _ in other.next() })
  }

  func testTheNumbersOfASeedNeverChange() {
    var generator = SeededGenerator(seed: 0)

    // From an independent implementation of the two published algorithms.
    XCTAssertEqual(
      (0..<4).map { _ in generator.next() },
      [
        0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0,
        0x6AA5_94F1_262D_2D2C,
      ])
  }

  func testEveryBitIsSetHalfOfTheTime() {
    var generator = SeededGenerator(seed: 3)
    var counts = [Int](repeating: 0, count: 64)
    for _ in 0..<4_096 {
      let number = generator.next()
      for bit in 0..<64 where number >> UInt64(bit) & 1 == 1 { counts[bit] += 1 }
    }

    for (bit, count) in counts.enumerated() {
      XCTAssertTrue((1_850...2_246).contains(count), "bit \(bit): \(count) of 4,096")
    }
  }

  func testTheSeedCanBeReadForAMessage() {
    XCTAssertEqual(SeededGenerator(seed: 41).seed, 41)
  }
}
