import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import XCTest

/// Values of every length around the borders at which they are kept otherwise.
final class LargeValueTests: XCTestCase {
  private final class Blob: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var bytes: Data
    @Persisted var text: String = ""
    @Persisted var more: Data?
    @Persisted(indexed: true) var indexed: String = ""
  }

  /// Lengths beside which something changes: in the slot, in the record, in one chunk, in several.
  private static let lengths: [Int] = {
    let chunk = LargeValues.chunkSize
    let borders =
      [0, RecordFormat.inlineCapacity, RecordFormat.smallestLargeValue, RecordFormat.inlineLimit]
      + [chunk, 2 * chunk, 3 * chunk, 20 * chunk, 4_096, 8_192, 65_536]
    let around = borders.flatMap { border in [-2, -1, 0, 1, 2].map { border + $0 } }
    // What else a record holds beside the value moves the border of the record.
    let inRecord = Array(stride(from: 1_720, to: 1_900, by: 3))
    return Set(around + inRecord + [1, 3, 20, 300, 200_000]).filter { $0 >= 0 }.sorted()
  }()

  private func bytes(_ count: Int, _ seed: UInt64) -> Data {
    var random = SeededGenerator(seed: seed)
    let start = (0..<min(count, 64)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    guard count > 64 else { return Data(start) }
    var data =
      Data(start) + Data(repeating: UInt8(truncatingIfNeeded: random.next()), count: count - 65)
    data.append(UInt8(truncatingIfNeeded: random.next()))
    return data
  }

  private func text(_ count: Int, _ letter: Character) -> String {
    count == 0 ? "" : String(repeating: letter, count: count - 1) + "!"
  }

  private func assertHeld(
    _ blob: Blob?, _ count: Int, _ seed: UInt64, line: UInt = #line
  ) throws {
    let blob = try XCTUnwrap(blob, "\(count)", line: line)
    XCTAssertTrue(blob.bytes == bytes(count, seed), "\(count)", line: line)
    XCTAssertTrue(blob.text == text(count, "x"), "\(count)", line: line)
    XCTAssertTrue(
      blob.more == (count % 2 == 0 ? nil : bytes(count, seed + 1)), "\(count)", line: line)
    XCTAssertTrue(blob.indexed == text(count, "i"), "\(count)", line: line)
  }

  private func set(_ blob: Blob, _ count: Int, _ seed: UInt64) {
    blob.bytes = bytes(count, seed)
    blob.text = text(count, "x")
    blob.more = count % 2 == 0 ? nil : bytes(count, seed + 1)
    blob.indexed = text(count, "i")
  }

  func testEveryLengthIsKeptAskedForChangedAndRemoved() throws {
    let directory = try TemporaryDirectory()
    var store = try directory.store(objectTypes: [Blob.self])
    try store.write {
      for length in Self.lengths {
        let blob = Blob()
        blob.number = length
        set(blob, length, 1)
        try store.add(blob)
        try assertHeld(blob, length, 1)
      }
    }
    store.close()
    store = try directory.store(objectTypes: [Blob.self])
    let blobs = store.objects(Blob.self)

    for length in Self.lengths {
      try assertHeld(store.object(ofType: Blob.self, forPrimaryKey: length), length, 1)
      let words = text(length, "i")
      XCTAssertEqual(blobs.where { $0.indexed == words }.map(\.number), [length])
      // Going through all large values takes long; which they are does not matter here.
      guard length < 20_000, length % 5 == 0 else { continue }
      let value = bytes(length, 1)
      XCTAssertEqual(blobs.where { $0.bytes == value }.map(\.number), [length])
    }
    XCTAssertEqual(blobs.sorted(by: \.indexed).first?.number, 0)

    // Each takes the length of another one; then a write is rolled back.
    let others = Array(Self.lengths.reversed())
    try store.write { for (blob, length) in zip(blobs, others) { set(blob, length, 5) } }
    try store.beginWrite()
    for blob in blobs { set(blob, blob.number, 9) }
    try store.cancelWrite()
    for (blob, length) in zip(blobs, others) { try assertHeld(blob, length, 5) }

    // What is as before in the end is no change, whatever it was meanwhile.
    let version = store.version
    try store.write {
      for blob in blobs { set(blob, 3, 9) }
      _ = blobs.where { $0.text == "" }.count
      for (blob, length) in zip(blobs, others) { set(blob, length, 5) }
    }
    XCTAssertEqual(store.version, version)
    for (blob, length) in zip(blobs, others) { try assertHeld(blob, length, 5) }

    try store.write { try store.deleteAll() }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
    XCTAssertNil(store.failure)
  }

  func testTwentyMillionBytes() throws {
    let directory = try TemporaryDirectory()
    let value = bytes(20_000_000, 4)
    do {
      let store = try directory.store(objectTypes: [Blob.self])
      let blob = Blob()
      blob.bytes = value
      blob.text = text(20_000_000, "x")
      try store.write { try store.add(blob) }
      XCTAssertTrue(blob.bytes == value)
      store.close()
    }
    let store = try directory.store(objectTypes: [Blob.self])
    let blob = try XCTUnwrap(store.objects(Blob.self).first)

    XCTAssertTrue(blob.bytes == value)
    XCTAssertTrue(blob.text == text(20_000_000, "x"))
    XCTAssertEqual(store.objects(Blob.self).where { $0.text.ends(with: "x!") }.count, 1)
    XCTAssertLessThan(blob.description.utf8.count, 10_000)
    try store.write { blob.bytes.append(1) }
    XCTAssertEqual(blob.bytes.count, 20_000_001)
    try store.write { try store.delete(blob) }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
  }
}
