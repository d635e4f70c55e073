import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ManyWritersTests: ProcessTestCase {
  func testTenProcessesTakeTurns() throws {
    let store = try store()
    let counter = try store.write { () -> Item in
      let counter = try store.add(Item(0))
      counter.name = "counter"
      return counter
    }
    let recorder = ChangeRecorder(
      store.objects(Item.self).where { $0.name == "item" }.sorted(by: \.value)
    ) { $0.value }

    let children = try (0..<10).map { _ in try child("turns") }
    try wait(for: store) { counter.value == 100 }
    XCTAssertNoThrow(try store.verify())
    for child in children { XCTAssertEqual(try child.wait(), .exited(0), child.errorOutput) }
    store.refresh()

    XCTAssertEqual(counter.value, 100)
    XCTAssertEqual(recorder.values, (51...100).flatMap { [$0, $0] })
    XCTAssertEqual(recorder.violations, [])
    XCTAssertNoThrow(try store.verify())
  }

  func testAStoreIsVerifiedWhileOthersWrite() throws {
    let store = try store()
    try store.write { try store.add(Item(0)) }
    let writers = try (0..<2).map { try child("write", "\(500 + $0)", "100000") }
    for writer in writers { _ = try writer.requiredLine() }

    var versions: Set<StoreVersion> = []
    for _ in 0..<15 {
      let report = try store.verificationReport()
      XCTAssertTrue(report.isClean, report.description)
      versions.insert(report.version)
    }

    XCTAssertGreaterThan(versions.count, 1)
    for writer in writers {
      writer.signal(SIGKILL)
      try writer.wait()
    }
    XCTAssertNoThrow(try store.verify())
  }

  func testManyProcessesMakeOneStore() throws {
    for _ in 0..<5 {
      let path = try temporaryDirectory().url.appendingPathComponent("\(UUID()).leyden").path
      let children = try (0..<6).map { _ in try ChildProcess("leyden-test-child", ["edit", path]) }
      for child in children { XCTAssertEqual(try child.requiredLine(), "ready", child.errorOutput) }
      children[0].send("add")
      XCTAssertEqual(try children[0].requiredLine(), "add")

      let counts = try (0..<2).map { _ in try ChildProcess("leyden-test-child", ["count", path]) }
      for child in counts { XCTAssertEqual(try child.requiredLine(), "1", child.errorOutput) }
      for child in children { XCTAssertEqual(try child.wait(), .exited(0), child.errorOutput) }
    }
  }
}
