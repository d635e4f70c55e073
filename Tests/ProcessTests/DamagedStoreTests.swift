import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Stores whose bytes were changed behind the library's back.
///
/// LMDB trusts its pages and may end the process, so that another one reads. What it reads must be
/// right: a record that is not what was written is never taken for one.
final class DamagedStoreTests: ProcessTestCase {
  func testNoChangedByteIsReadAsAValue() throws {
    var generator = SeededGenerator(seed: 41)
    var known: Set<String> = []
    do {
      let store = try store()
      var commits = RandomCommits(seed: 41)
      var cards = CardList()
      for _ in 0..<60 {
        let operations = commits.next(for: cards)
        try store.write { for operation in operations { try operation.apply(to: store) } }
        cards.apply(operations)
      }
      known = Set(cards.values.map { "\(CardList([$0]).digest)" })
      store.close()
    }
    let data = URL(fileURLWithPath: try path()).appendingPathComponent("data.mdb")
    let whole = try Data(contentsOf: data)
    var outcomes: [String: Int] = [:]

    for round in 0..<testScale(120) {
      var bytes = whole
      for _ in 0..<(round % 3 + 1) {
        // The first two pages are LMDB's own; they are tested where they are read.
        let position = Int.random(in: 8_192..<bytes.count, using: &generator)
        bytes[position] ^= UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
      }
      try bytes.write(to: data)
      let reader = try child("digests")
      let lines = try reader.remainingLines()
      switch try reader.wait() {
      case .exited(0): outcomes[lines.count == known.count ? "whole" : "less", default: 0] += 1
      case .exited: outcomes["error", default: 0] += 1
      case .killed: outcomes["crash", default: 0] += 1
      }
      for line in lines { XCTAssertTrue(known.contains(line), "seed 41, round \(round): \(line)") }
    }

    XCTAssertGreaterThan(outcomes["error", default: 0], 0, "\(outcomes)")
  }

  func testAFullDiskLosesNothing() throws {
    let store = try store()
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.identifier }

    let filler = try child("fill")
    let lines = try filler.remainingLines()

    XCTAssertEqual(try filler.wait(), .exited(0), filler.errorOutput)
    XCTAssertEqual(lines.dropLast(), ["full", "full", "full"])
    let kept = try XCTUnwrap(lines.last).split(separator: " ").map(String.init)
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), kept)
    for card in store.objects(Card.self) {
      let number = try XCTUnwrap(Int(card.identifier))
      XCTAssertTrue(card.picture == Data(repeating: UInt8(number & 0xff), count: 100_000))
    }
    store.refresh()
    XCTAssertEqual(recorder.values, kept)
    XCTAssertEqual(recorder.violations, [])
    try store.write { try store.add(Card("room")) }
  }
}
