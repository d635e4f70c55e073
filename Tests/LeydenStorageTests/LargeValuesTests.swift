import LeydenStorage
import LeydenTesting
import XCTest

final class LargeValuesTests: StorageTestCase {
  private func bytes(_ count: Int) -> [UInt8] {
    // A block whose length is no divisor of a chunk's, so that no two chunks are the same.
    let block = (0..<4_099).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ count) >> 2) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + block.count)
    while bytes.count < count { bytes += block }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  func testValuesOfEveryLengthAreReadAndRemoved() throws {
    let environment = try open(mapSize: 256 << 20)
    let size = LargeValues.chunkSize
    let counts = [0, 1, 65, size - 1, size, size + 1, size * 3, 1_000_000, 20_000_000]
    var references: [LargeReference] = []
    try write(to: environment) { write in
      let table = try write.makeTable(named: LargeValues.table)
      for (number, count) in counts.enumerated() {
        let value = bytes(count)
        references.append(
          unsafe try value.withUnsafeBytes {
            unsafe try LargeValues.write(
              $0, identifier: UInt64(number) << 32, in: table, transaction: write)
          })
      }
    }

    let read = try environment.beginRead()
    let table = try XCTUnwrap(read.table(named: LargeValues.table))
    for (reference, count) in zip(references, counts) {
      XCTAssertEqual(reference.total, UInt64(count))
      XCTAssertTrue(
        try LargeValues.read(reference, in: table, transaction: read) == bytes(count), "\(count)")
    }
    read.end()
    try write(to: environment) { write in
      for reference in references.dropFirst(4).dropLast() {
        try LargeValues.delete(reference, in: table, transaction: write)
      }
      XCTAssertThrowsError(
        try LargeValues.read(references[5], in: table, transaction: write))
      let last = try LargeValues.read(references[8], in: table, transaction: write)
      XCTAssertEqual(last.count, 20_000_000)
      for reference in references {
        try LargeValues.delete(reference, in: table, transaction: write)
      }
      XCTAssertEqual(try write.count(of: table), 0)
    }
  }

  func testADamagedOrMisplacedChunkIsNoticed() throws {
    let environment = try open()
    try write(to: environment) { write in
      let table = try write.makeTable(named: LargeValues.table)
      let value = bytes(10_000)
      let first = unsafe try value.withUnsafeBytes {
        unsafe try LargeValues.write($0, identifier: 1, in: table, transaction: write)
      }
      var key: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]
      var chunk = unsafe try key.withUnsafeBytes { key in
        unsafe Array(try XCTUnwrap(write.value(for: key, in: table)))
      }
      func put(_ chunk: [UInt8]) throws {
        unsafe try key.withUnsafeBytes { key in
          unsafe try chunk.withUnsafeBytes { unsafe try write.put($0, for: key, in: table) }
        }
      }

      chunk[100] ^= 1
      try put(chunk)
      XCTAssertThrowsError(try LargeValues.read(first, in: table, transaction: write))
      chunk[100] ^= 1
      try put(chunk)
      XCTAssertTrue(try LargeValues.read(first, in: table, transaction: write) == value)
      key[11] = 0
      try put(chunk)
      XCTAssertThrowsError(try LargeValues.read(first, in: table, transaction: write))
    }
  }
}
