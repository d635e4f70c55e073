import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What surrounds a process does not change what a store answers, nor what waiting costs.
final class SurroundingsTests: ProcessTestCase {
  func testOrderAndDaysDoNotDependOnLanguageAndTimeZone() throws {
    let store = try store()
    let titles = [
      "10", "9", "Pear", "pear", "Zinc", "éte", "ete", "Öl", "öl", "oil", "zoo", "-x", "_x", " x",
      "'x",
    ]
    let seconds = [1_710_050_400, 1_710_133_199.999, 1_710_133_200, 1_710_050_399]
    try store.write {
      for (position, title) in titles.enumerated() {
        let card = Card(String(UnicodeScalar(UInt8(97 + position))), title: title)
        if position < seconds.count { card.when = Date(timeIntervalSince1970: seconds[position]) }
        card.done = position == 0
        try store.add(card)
      }
    }

    var descriptions: Set<String> = []
    for (zone, language) in [
      ("UTC", "C"), ("America/Chicago", "sv_SE.UTF-8"), ("Asia/Kathmandu", "ar_EG.UTF-8"),
      ("Europe/Berlin", "de_DE.UTF-8"),
    ] {
      let other = try ChildProcess(
        "leyden-test-child", ["ordered", path()],
        environment: ["TZ": zone, "LC_ALL": language, "LANG": language])
      let context = "\(zone), \(language)"
      XCTAssertEqual(
        try other.requiredLine().components(separatedBy: "|"), titles.sorted(), context)
      XCTAssertEqual(try other.requiredLine(), "6", context)
      XCTAssertEqual(try other.requiredLine(), "ab", context)
      XCTAssertEqual(try other.requiredLine(), "abc", context)
      descriptions.insert(try other.requiredLine())
      XCTAssertEqual(try other.wait(), .exited(0), other.errorOutput)
    }
    XCTAssertEqual(descriptions.count, 1, "\(descriptions)")
    XCTAssertTrue(descriptions.first?.contains("2024-03-10T06:00:00Z") ?? false)
  }

  func testWaitingWithoutCommitsCostsNearlyNothing() throws {
    let store = try store()
    let waiter = try child("await", "2")
    XCTAssertEqual(try waiter.requiredLine(), "ready")
    for number in 1...2 {
      try store.write { try store.add(Card("\(number)")) }
      XCTAssertEqual(try waiter.requiredLine(), "\(number)")
    }

    XCTAssertEqual(try waiter.requiredLine(), "false")
    let cost = try XCTUnwrap(Int(waiter.requiredLine()))
    XCTAssertLessThan(cost, 100_000, "microseconds of the processor, in two seconds")
    XCTAssertEqual(try waiter.wait(), .exited(0))
  }

  func testTheDefaultStoreIsInTheUsersDataDirectory() throws {
    let directory = try temporaryDirectory().url.appendingPathComponent("data")
    for _ in 0..<2 {
      let program = try ChildProcess(
        "leyden-test-child", ["default", "-"], environment: ["XDG_DATA_HOME": directory.path])
      XCTAssertEqual(try program.requiredLine(), "1", program.errorOutput)
      XCTAssertEqual(try program.wait(), .exited(0))
    }

    let store = directory.appendingPathComponent("leyden-test-child/default.leyden")
    let configuration = Store.Configuration(fileURL: store, objectTypes: [Card.self])
    XCTAssertTrue(Store.fileExists(for: configuration))
    XCTAssertEqual(
      try Store(configuration: configuration).objects(Card.self).map(\.identifier), ["default"])
  }
}
