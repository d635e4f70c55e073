import CLeyden
import LeydenTesting
import TestSupport
import XCTest

/// The C functions of CLeydenHash.h.
final class HashTests: XCTestCase {
  func testTheChecksumOfThePublishedExampleIsThePublishedOne() {
    let digits = Array("123456789".utf8)

    XCTAssertEqual(unsafe leyden_crc32c(0, digits, digits.count), 0xE306_9283)
    XCTAssertEqual(unsafe leyden_crc32c_portable(0, digits, digits.count), 0xE306_9283)
    XCTAssertEqual(leyden_crc32c(0, nil, 0), 0)
  }

  /// RFC 3720, appendix B.4.
  func testTheChecksumsOfTheInternetStorageStandardAreMatched() {
    let zeros = [UInt8](repeating: 0, count: 32)
    let ones = [UInt8](repeating: 0xFF, count: 32)
    let rising = (0..<32).map { UInt8($0) }
    let falling = Array(rising.reversed())

    XCTAssertEqual(unsafe leyden_crc32c(0, zeros, 32), 0x8A91_36AA)
    XCTAssertEqual(unsafe leyden_crc32c(0, ones, 32), 0x62A8_AB43)
    XCTAssertEqual(unsafe leyden_crc32c(0, rising, 32), 0x46DD_794E)
    XCTAssertEqual(unsafe leyden_crc32c(0, falling, 32), 0x113F_DB5C)
  }

  func testTableInstructionAndChainAgreeOnRandomBytes() {
    let seed: UInt64 = 11
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(2_000) {
      let bytes = randomBytes(0...80, using: &generator)
      let cut = Int.random(in: 0...bytes.count, using: &generator)

      let whole = unsafe leyden_crc32c(0, bytes, bytes.count)
      let table = unsafe leyden_crc32c_portable(0, bytes, bytes.count)
      let head = unsafe leyden_crc32c(0, bytes, cut)
      let chained = unsafe bytes.withUnsafeBytes { all in
        unsafe leyden_crc32c(head, all.baseAddress.map { unsafe $0 + cut }, all.count - cut)
      }

      XCTAssertEqual(whole, table, "seed \(seed), bytes \(bytes)")
      XCTAssertEqual(whole, chained, "seed \(seed), bytes \(bytes), cut \(cut)")
    }
  }

  /// The vectors of the authors: key 00 01 … 0F, message 00 01 … of the given length.
  func testTheKeyedHashOfThePublishedMessagesIsThePublishedOne() {
    let vectors: [(Int, String)] = [
      (0, "a3817f04ba25a8e66df67214c7550293"), (1, "da87c1d86b99af44347659119b22fc45"),
      (7, "a1f1ebbed8dbc153c0b84aa61ff08239"), (8, "3b62a9ba6258f5610f83e264f31497b4"),
      (15, "5493e99933b0a8117e08ec0f97cfc3d9"), (16, "6ee2a4ca67b054bbfd3315bf85230577"),
      (63, "5150d1772f50834a503e069a973fbd7c"),
    ]
    let key = (0..<16).map { UInt8($0) }
    for (length, expected) in vectors {
      let message = (0..<length).map { UInt8($0) }

      var hash = [UInt8](repeating: 0, count: 16)
      unsafe leyden_siphash128(key, message, message.count, &hash)

      XCTAssertEqual(hash.map { hex($0) }.joined(), expected, "length \(length)")
    }
  }

  func testANeedleIsFoundAtItsFirstPlaceAndAnEmptyOneAtTheStart() {
    let bytes = Array("leyden jar, jar".utf8)

    func place(of needle: String) -> Int? {
      unsafe bytes.withUnsafeBytes { all in
        guard let start = all.baseAddress else { return nil }
        let needle = Array(needle.utf8) + [0]
        guard let hit = unsafe leyden_memmem(start, all.count, needle, needle.count - 1) else {
          return nil
        }
        return unsafe hit - start
      }
    }

    XCTAssertEqual(place(of: "jar"), 7)
    XCTAssertEqual(place(of: ""), 0)
    XCTAssertNil(place(of: "lightning"))
  }

  private func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
