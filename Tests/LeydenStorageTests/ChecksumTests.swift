import LeydenStorage
import XCTest

final class ChecksumTests: XCTestCase {
  private let bytes = Array("a record".utf8)

  private func sum(_ bytes: [UInt8], type: UInt32, row: UInt64) -> UInt32 {
    unsafe bytes.withUnsafeBytes { unsafe checksum(of: $0, type: type, row: row) }
  }

  func testTheChecksumIsThatOfTypeRowAndBytesInALine() {
    let line: [UInt8] = [0x44, 0x33, 0x22, 0x11, 8, 7, 6, 5, 4, 3, 2, 1] + bytes

    let whole = unsafe line.withUnsafeBytes { unsafe checksum(of: $0) }

    XCTAssertEqual(sum(bytes, type: 0x1122_3344, row: 0x0102_0304_0506_0708), whole)
  }

  func testTheSameBytesAtAnotherPlaceHaveAnotherChecksum() {
    let here = sum(bytes, type: 1, row: 2)

    XCTAssertNotEqual(here, sum(bytes, type: 2, row: 2))
    XCTAssertNotEqual(here, sum(bytes, type: 1, row: 3))
    XCTAssertNotEqual(here, sum(bytes, type: 2, row: 1))
  }

  func testEveryFlippedBitChangesTheChecksum() {
    let right = sum(bytes, type: 1, row: 2)
    for bit in 0..<(bytes.count * 8) {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << (bit % 8)

      XCTAssertNotEqual(sum(damaged, type: 1, row: 2), right, "bit \(bit)")
    }
  }
}
