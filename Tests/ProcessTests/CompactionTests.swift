import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Compacting and copying among processes, and in processes that are killed meanwhile.
final class CompactionTests: ProcessTestCase {
  private func fill(_ store: Store, count: Int = 400) throws {
    try store.write {
      for number in 0..<count {
        let card = Card("\(number)", title: "known", rank: number)
        card.thumbnail = Data(repeating: UInt8(number & 0xff), count: 5_000)
        try store.add(card)
      }
    }
    try store.write { try store.delete(store.objects(Card.self).where { $0.rank >= 200 }) }
  }

  func testNothingIsDoneWhereAnotherProcessHasTheStoreOpen() throws {
    let store = try store()
    try fill(store)
    let size = store.diagnostics.fileSize
    let other = try child("edit")
    XCTAssertEqual(try other.requiredLine(), "ready")

    XCTAssertFalse(try store.compact())
    XCTAssertEqual(store.diagnostics.fileSize, size)
    other.send("add")
    XCTAssertEqual(try other.requiredLine(), "add")
    XCTAssertNotNil(store.object(ofType: Card.self, forPrimaryKey: "edited"))

    XCTAssertEqual(try other.wait(), .exited(0))
    XCTAssertTrue(try store.compact())
    XCTAssertLessThan(store.diagnostics.fileSize, size)

    // Looking did not cost this process its own lock.
    let late = try child("compact-once")
    XCTAssertEqual(try late.requiredLine(), "false")
    let writer = try child("edit")
    XCTAssertEqual(try writer.requiredLine(), "ready")
    writer.send("edit")
    XCTAssertEqual(try writer.requiredLine(), "edit")
    XCTAssertEqual(store.object(ofType: Card.self, forPrimaryKey: "edited")?.rank, 8)
    XCTAssertNoThrow(try store.verify())
  }

  /// Looks at the store so often: a moment of a process that goes on by itself, and tells nothing of
  /// where it is, is only to be had by doing something else meanwhile.
  private func look(_ times: Int) throws {
    let data = try path() + "/data.mdb"
    for _ in 0..<times { _ = unsafe access(data, F_OK) }
  }

  func testAProcessThatIsKilledWhileItCompactsLeavesTheStoreWhole() throws {
    var generator = SeededGenerator(seed: 33)
    let store = try store()
    try fill(store)
    let values = store.values(of: Card.self)
    store.close()
    for round in 0..<testScale(50) {
      let context = "seed 33, round \(round)"
      let compacting = try child("compact")
      XCTAssertEqual(try compacting.requiredLine(), "ready")
      try look(.random(in: 0..<20_000, using: &generator))
      compacting.signal(SIGKILL)
      XCTAssertEqual(try compacting.wait(), .killed(SIGKILL), compacting.errorOutput)

      let store = try self.store()
      XCTAssertNoThrow(try store.verify(), context)
      XCTAssertTrue(store.values(of: Card.self) == values, context)
      let files = try FileManager.default.contentsOfDirectory(atPath: path())
      XCTAssertEqual(Set(files), ["data.mdb", "lock.mdb", "signal"], context)
      // What is written now is there for the next one.
      let number = round
      try store.write { try store.add(Item(number)) }
      let counted = try child("count")
      XCTAssertEqual(try counted.requiredLine(), "\(values.count)", context)
      XCTAssertEqual(store.objects(Item.self).count, round + 1, context)
      store.close()
    }
  }

  func testAProcessThatIsKilledWhileItCopiesLeavesACopyOrNone() throws {
    var generator = SeededGenerator(seed: 34)
    let store = try store()
    try fill(store)
    let values = store.values(of: Card.self)
    let target = try temporaryDirectory().url.appendingPathComponent("Copy.leyden")
    for round in 0..<testScale(20) {
      let context = "seed 34, round \(round)"
      let copying = try child("copy", target.path)
      XCTAssertEqual(try copying.requiredLine(), "ready")
      try look(.random(in: 0..<20_000, using: &generator))
      copying.signal(SIGKILL)
      XCTAssertEqual(try copying.wait(), .killed(SIGKILL), copying.errorOutput)

      let data = target.appendingPathComponent("data.mdb")
      // The child deletes its copies, and may be killed at that.
      if FileManager.default.fileExists(atPath: data.path) {
        let copy = try Store(configuration: .init(fileURL: target, objectTypes: [Card.self]))
        XCTAssertNoThrow(try copy.verify(), context)
        XCTAssertTrue(copy.values(of: Card.self) == values, context)
      }
      try? FileManager.default.removeItem(at: target)
    }
    XCTAssertNoThrow(try store.verify())

    // What was left beside it goes with the next copy, once it is old.
    let parent = try temporaryDirectory().url.path
    let rests = try FileManager.default.contentsOfDirectory(atPath: parent)
      .filter { $0.hasPrefix("Copy.leyden.new-") }
    for rest in rests {
      for path in ["\(parent)/\(rest)/data.mdb", "\(parent)/\(rest)"] {
        try? FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: path)
      }
    }
    try store.writeCopy(to: target)
    XCTAssertEqual(
      Set(try FileManager.default.contentsOfDirectory(atPath: parent)),
      ["Test.leyden", "Copy.leyden"])
  }

  func testACopyIsOneVersionWhileAnotherProcessWrites() throws {
    let store = try store()
    try fill(store)
    try store.write { for card in store.objects(Card.self) { card.rank = 0 } }
    let writer = try child("same-ranks")
    XCTAssertEqual(try writer.requiredLine(), "ready")
    for number in 0..<testScale(20) {
      let target = try temporaryDirectory().url.appendingPathComponent("\(number).leyden")
      try store.writeCopy(to: target)
      let copy = try Store(configuration: .init(fileURL: target, objectTypes: [Card.self]))
      XCTAssertEqual(Set(copy.objects(Card.self).map(\.rank)).count, 1)
      XCTAssertEqual(copy.objects(Card.self).count, 200)
      XCTAssertNoThrow(try copy.verify())
    }
    writer.signal(SIGKILL)
  }

  func testTheFirstOpeningDoesNotAskWhereAnotherProcessHasTheStoreOpen() throws {
    let other = try child("edit")
    XCTAssertEqual(try other.requiredLine(), "ready")
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.shouldCompactOnLaunch = { _, _ in
      XCTFail("asked")
      return true
    }
    XCTAssertEqual(try Store(configuration: configuration).objects(Card.self).count, 0)
    XCTAssertEqual(try other.wait(), .exited(0))
  }

  func testACounterThatIsWrittenAllTheTimeAndCompactedStaysSmall() throws {
    let store = try store()
    try store.write { for number in 0..<100 { try store.add(Card("\(number)")) } }
    let card = try XCTUnwrap(store.objects(Card.self).first)
    let first = store.objects(Card.self).where { $0.identifier == "0" }
    let recorder = ChangeRecorder(first) { $0.rank }
    for _ in 0..<1_000 { try store.write { card.rank += 1 } }
    let size = store.diagnostics.fileSize
    for turn in 1...testScale(2_000) {
      try store.write { card.rank += 1 }
      if turn % 500 == 0 { XCTAssertTrue(try store.compact()) }
    }
    XCTAssertLessThanOrEqual(store.diagnostics.fileSize, 2 * size)
    XCTAssertEqual(store.diagnostics.pinnedVersions, [])
    XCTAssertEqual(recorder.values, [card.rank])
    XCTAssertEqual(recorder.violations, [])
    XCTAssertEqual(card.rank, 7 + 1_000 + testScale(2_000))
    XCTAssertNoThrow(try store.verify())
  }
}
