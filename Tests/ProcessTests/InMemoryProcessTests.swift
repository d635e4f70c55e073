import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Stores in memory belong to their process alone, and are gone with it.
final class InMemoryProcessTests: ProcessTestCase {
  func testStoresOfOneNameInSeveralProcessesDoNotMeet() throws {
    let name = "\(#function) \(UUID())"
    let store = try Store(
      configuration: .init(inMemoryIdentifier: name, objectTypes: [Card.self, Item.self]))
    let recorder = ChangeRecorder(store.objects(Card.self)) { $0.identifier }

    let others = try (0..<3).map { _ in try child("memory", name) }
    for other in others { XCTAssertEqual(try other.requiredLine(), "1", other.errorOutput) }
    try store.write { try store.add([Card("a"), Card("b")]) }
    for other in others {
      other.send("more")
      XCTAssertEqual(try other.requiredLine(), "2")
    }

    XCTAssertFalse(store.refresh())
    XCTAssertEqual(recorder.changes, ["-[] +[0, 1] ~[]"])
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a", "b"])
    for other in others {
      other.closeInput()
      XCTAssertEqual(try other.wait(), .exited(0), other.errorOutput)
    }
  }

  func testAKilledProcessLeavesNoFileBehind() throws {
    let directory = try temporaryDirectory().url
    let places = ["/dev/shm", "/tmp", "/var/tmp", directory.path]
    /// Only those of one process: others that run meanwhile may have such stores too.
    func names(of holder: ChildProcess) -> [String] {
      places.flatMap { place in
        ((try? FileManager.default.contentsOfDirectory(atPath: place)) ?? [])
          .filter {
            $0.hasPrefix("leyden-memory-\(holder.identifier)-") || place == directory.path
          }
          .map { "\(place)/\($0)" }
      }
    }

    for temporary in ["", directory.path] {
      for round in 0..<5 {
        let holder = try ChildProcess(
          "leyden-test-child", ["memory", "killed", "-"],
          environment: temporary.isEmpty ? [:] : ["TMPDIR": temporary])
        for _ in 0...round {
          _ = try holder.requiredLine()
          XCTAssertEqual(names(of: holder), [], "while it is open")
          holder.send("more")
        }
        holder.signal(SIGKILL)
        XCTAssertEqual(try holder.wait(), .killed(SIGKILL))
        XCTAssertEqual(names(of: holder), [])
      }
    }
  }
}
