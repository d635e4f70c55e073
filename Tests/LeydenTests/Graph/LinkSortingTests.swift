import Foundation
import Leyden
import TestSupport
import XCTest

/// Orders and aggregates over what links and embedded objects lead to.
final class LinkSortingTests: TrunkTestCase {
  /// Five trunks; the owners of four are 6, 7, 9 and 9 years old, hannah's has none.
  private func filledStore() throws -> Store {
    let store = try store()
    try store.write {
      for (name, age) in [
        ("diane", 7), ("mark", 6), ("hannah", nil), ("don", 9), ("diane_sr", 9),
      ] as [(String, Int?)] {
        let trunk = Trunk(name, rank: name.count)
        trunk.note = name
        if let age {
          trunk.owner = Porter("\(name)'s", age: age)
          trunk.address = Spot(name, age)
        }
        try store.add(trunk)
      }
    }
    return store
  }

  private func names(_ results: Results<Trunk>) -> [String] { results.map(\.identifier) }

  func testNilIsFirstAscendingAndLastDescending() throws {
    let trunks = try filledStore().objects(Trunk.self)
    let ascending = ["hannah", "mark", "diane", "don", "diane_sr"]
    let descending = ["don", "diane_sr", "diane", "mark", "hannah"]
    XCTAssertEqual(names(trunks.sorted(by: \.owner?.age)), ascending)
    XCTAssertEqual(names(trunks.sorted(by: \.owner?.age, ascending: false)), descending)
    XCTAssertEqual(names(try trunks.sorted(byKeyPath: "owner.age")), ascending)
    XCTAssertEqual(names(try trunks.sorted(byKeyPath: "owner.age", ascending: false)), descending)
    XCTAssertEqual(names(try trunks.sorted(by: [SortDescriptor(\.owner?.age)])), ascending)
    XCTAssertEqual(names(trunks.sorted(by: \.address?.number)), ascending)
    XCTAssertEqual(names(try trunks.sorted(byKeyPath: "address.number")), ascending)
    XCTAssertEqual(
      trunks.sorted(by: \.owner?.age).explain(), "all 5 rows of Trunk; sort by owner.age")
  }

  func testSeveralTermsApplyOneAfterTheOther() throws {
    let trunks = try filledStore().objects(Trunk.self)
    let expected = ["hannah", "mark", "diane", "diane_sr", "don"]
    XCTAssertEqual(
      names(
        try trunks.sorted(by: [SortDescriptor(\.owner?.age), SortDescriptor(\.identifier)])),
      expected)
    XCTAssertEqual(names(trunks.sorted(by: \.identifier).sorted(by: \.owner?.age)), expected)
    XCTAssertEqual(
      names(trunks.limit(5).sorted(by: \.identifier).sorted(by: \.owner?.age)), expected)
  }

  func testDistinctAndAggregatesFollowLinks() throws {
    let trunks = try filledStore().objects(Trunk.self)
    XCTAssertEqual(
      names(trunks.distinct(by: \.owner?.age)), ["diane", "mark", "hannah", "don"])
    XCTAssertEqual(trunks.min(of: \.owner?.age), 6)
    XCTAssertEqual(trunks.max(of: \.owner?.age), 9)
    XCTAssertEqual(trunks.sum(of: \.owner?.age), 31)
    XCTAssertEqual(trunks.average(of: \.owner?.age), 7.75)
    XCTAssertEqual(trunks.where { $0.rank > 100 }.sum(of: \.owner?.age), 0)
    XCTAssertEqual(trunks.sum(of: \.address?.number), 31)
  }

  func testARowMovesWhenWhatItIsSortedByChanges() throws {
    let store = try filledStore()
    let watched = Watched(store.objects(Trunk.self).sorted(by: \.owner?.age))
    XCTAssertEqual(watched.ranks, [6, 4, 5, 3, 8])
    let porters = store.objects(Porter.self)
    try store.write { porters[1].age = 8 }
    XCTAssertEqual(watched.changes, ["-[1] +[2] ~[]"])
    try store.write { porters[1].town = "Leiden" }
    try store.write { try store.add(Porter("alone", age: 3)) }
    XCTAssertEqual(watched.changes.count, 1)
    try store.write { try store.delete(porters[1]) }
    // The trunk lost its owner, which is a change of its own.
    XCTAssertEqual(watched.changes.last, "-[2] +[0] ~[]")
    XCTAssertEqual(watched.ranks, [4, 6, 5, 3, 8])
  }

  func testARowComesAndGoesWhenWhatItLeadsToChanges() throws {
    let store = try filledStore()
    let other = try anotherStore()
    let watched = Watched(store.objects(Trunk.self).where { $0.owner.best.age > 50 })
    XCTAssertEqual(watched.ranks, [])
    try store.write {
      let porters = store.objects(Porter.self)
      porters[0].best = porters[3]
      porters[3].age = 60
    }
    XCTAssertEqual(watched.changes, ["-[] +[0] ~[]"])
    try other.write { other.objects(Porter.self)[3].age = 61 }
    store.refresh()
    XCTAssertEqual(watched.changes.count, 1)
    try other.write { other.objects(Porter.self)[3].age = 1 }
    try other.write { other.objects(Porter.self)[2].best = other.objects(Porter.self)[1] }
    store.refresh()
    XCTAssertEqual(watched.changes.last, "-[0] +[] ~[]")
    XCTAssertEqual(watched.changes.count, 2)
  }

  func testRowsOfALongWayBackAreFoundByEvaluatingAgain() throws {
    let store = try store()
    let porter = Porter("Ann", age: 1)
    try store.write {
      for number in 0..<20_040 {
        try store.add(Trunk("\(number)", rank: number % 3, owner: number % 2 == 0 ? porter : nil))
      }
    }
    let watched = Watched(
      store.objects(Trunk.self).where { $0.owner.age > 10 || $0.rank == 0 })
    XCTAssertEqual(watched.ranks.count, 6_680)
    try store.write { porter.age = 11 }
    XCTAssertEqual(watched.changes.count, 1)
    XCTAssertEqual(watched.ranks.count, 13_360)
    try store.write { porter.age = 12 }
    XCTAssertEqual(watched.changes.count, 1)
    try store.write { porter.age = 2 }
    XCTAssertEqual(watched.ranks.count, 6_680)
  }
}
