import Foundation
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

final class KeyDecoderTests: XCTestCase {
  /// Runs `body` with a decoder over what `build` encodes.
  private func decode<Result>(
    _ build: (inout KeyEncoder) -> Void,
    _ body: (inout KeyDecoder) throws -> Result
  ) rethrows -> Result {
    var encoder = KeyEncoder()
    build(&encoder)
    return try unsafe encoder.bytes.withUnsafeBytes { bytes in
      var decoder = unsafe KeyDecoder(bytes)
      return try unsafe body(&decoder)
    }
  }

  func testWhatIsEncodedIsDecoded() throws {
    let seed: UInt64 = 41
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<testScale(2_000) {
      let number = Int64(bitPattern: generator.next())
      let fraction = Double.random(in: -1e9...1e9, using: &generator)
      let data = randomBytes(0...9, using: &generator)
      let flag = Bool.random(using: &generator)
      let row = generator.next()
      let isDescending = Bool.random(using: &generator)
      let identifier = UUID()

      try unsafe decode { encoder in
        encoder.appendPresence(true)
        encoder.append(number)
        encoder.append(fraction)
        encoder.append(array: data)
        encoder.append(flag)
        encoder.append(identifier)
        encoder.append(UInt32(7))
        encoder.append(UInt16(9))
        if isDescending { encoder.complement(from: 0) }
        encoder.appendRow(row)
      } _: { decoder in
        unsafe decoder.isComplemented = isDescending
        XCTAssertTrue(try unsafe decoder.readPresence(), "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readInt64(), number, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readDouble(), fraction, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readVariable().bytes, data, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readBool(), flag, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readUUID(), identifier, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readUInt32(), 7, "seed \(seed)")
        XCTAssertEqual(try unsafe decoder.readUInt16(), 9, "seed \(seed)")
        unsafe decoder.isComplemented = false
        XCTAssertEqual(try unsafe decoder.readUInt64(), row, "seed \(seed)")
        XCTAssertEqual(unsafe decoder.remaining, 0, "seed \(seed)")
      }
    }
  }

  func testTheRowIsTheLastEightBytes() {
    var encoder = KeyEncoder()
    encoder.append(string: "jar", terminated: true)
    encoder.appendRow(0x0102_0304_0506_0708)

    let found = unsafe encoder.bytes.withUnsafeBytes { unsafe row(atEndOf: $0) }
    let none = unsafe [UInt8](repeating: 1, count: 7).withUnsafeBytes { unsafe row(atEndOf: $0) }

    XCTAssertEqual(found, 0x0102_0304_0506_0708)
    XCTAssertNil(none)
  }

  func testAKeyThatEndsTooEarlyIsReported() throws {
    try unsafe decode {
      $0.append(UInt32(1))
    } _: { decoder in
      XCTAssertThrowsError(try unsafe decoder.readInt64()) { XCTAssertTrue($0 is StorageError) }
    }
    try unsafe decode {
      $0.append(array: [1, 2, 3], terminated: false)
    } _: { decoder in
      XCTAssertThrowsError(try unsafe decoder.readVariable()) { XCTAssertTrue($0 is StorageError) }
    }
  }

  func testBytesThatNoEncoderWritesAreReported() throws {
    try unsafe decode {
      $0.append(UInt8(2))
    } _: { decoder in
      XCTAssertThrowsError(try unsafe decoder.readPresence()) { XCTAssertTrue($0 is StorageError) }
    }
    try unsafe decode {
      $0.append(UInt8(0))
      $0.append(UInt8(3))
    } _: { decoder in
      XCTAssertThrowsError(try unsafe decoder.readVariable()) { XCTAssertTrue($0 is StorageError) }
    }
  }
}
