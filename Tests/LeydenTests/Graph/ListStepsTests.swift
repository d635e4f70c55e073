import Foundation
import Leyden
import XCTest

/// Steps on the results of lists and sets apply in the order of their calls, and their changes are exact.
final class ListStepsTests: TrunkTestCase {
  /// Four trunks, made in another order than they have in the list.
  private func filled() throws -> (store: Store, depot: Depot) {
    let store = try store()
    let values = [("c1", "red", 10), ("c2", "red", 30), ("c3", "blue", 10), ("c4", "red", 20)]
    let depot = Depot()
    depot.identifier = "depot"
    try store.write {
      try store.add(depot)
      for (name, note, rank) in values.reversed() {
        let trunk = Trunk(name, rank: rank)
        trunk.note = note
        trunk.owner = Porter("porter of \(name)", age: rank, town: note)
        depot.trunks.insert(try store.add(trunk), at: 0)
      }
    }
    return (store, depot)
  }

  private func names(_ results: Results<Trunk>) -> [String] { results.map(\.identifier) }

  func testStepsApplyInTheOrderOfTheirCalls() throws {
    let (_, depot) = try filled()
    let list = depot.trunks
    let sorted = list.sorted(by: \.rank, ascending: false)
    XCTAssertEqual(names(sorted), ["c2", "c4", "c1", "c3"])
    XCTAssertEqual(names(sorted.distinct(by: \.note)), ["c2", "c3"])
    XCTAssertEqual(
      names(list.distinct(by: \.note).sorted(by: \.rank, ascending: false)), ["c1", "c3"])
    XCTAssertEqual(names(sorted.limit(1).distinct(by: \.note)), ["c2"])
    XCTAssertEqual(names(sorted.distinct(by: \.note).limit(1).offset(0)), ["c2"])
    let byOwner = list.sorted(by: \.owner?.age, ascending: false)
    XCTAssertEqual(names(byOwner), ["c2", "c4", "c1", "c3"])
    XCTAssertEqual(names(byOwner.distinct(by: \.owner?.town)), ["c2", "c3"])
    XCTAssertEqual(
      names(list.distinct(by: \.owner?.town).sorted(by: \.owner?.age, ascending: false)),
      ["c1", "c3"])
  }

  func testTheOldestOfAGroupGivesItsPlaceToAnotherOne() throws {
    let (store, depot) = try filled()
    let list = depot.trunks
    let watched = [
      Watched(list.sorted(by: \.rank, ascending: false).distinct(by: \.note)),
      Watched(list.sorted(by: \.owner?.age, ascending: false).distinct(by: \.owner?.town)),
    ]
    try store.write {
      (list[1].rank, list[3].rank) = (list[3].rank, list[1].rank)
      list[1].owner?.age = 20
      list[3].owner?.age = 30
    }
    for one in watched {
      XCTAssertEqual(one.changes, ["-[0] +[0] ~[]"])
      XCTAssertEqual(one.ranks, [30, 10])
    }
    XCTAssertEqual(
      names(list.sorted(by: \.rank, ascending: false).distinct(by: \.note)), ["c4", "c3"])
  }

  func testAKeptConditionFollowsEveryChange() throws {
    // given: results that are asked again after every commit
    let (store, depot) = try filled()
    let kept = [
      depot.trunks.where { $0.note == "red" }, depot.trunks.where { $0.owner.town == "red" },
      store.objects(Trunk.self).where { $0.owner.town == "red" },
    ]
    XCTAssertEqual(kept.map(\.count), [3, 3, 3])
    let porters = store.objects(Porter.self)
    for round in 0..<100 {
      // when: one comes, one changes there and back, one goes
      try store.write {
        let trunk = Trunk("new \(round)", owner: Porter("new \(round)", town: "red"))
        trunk.note = "red"
        depot.trunks.append(trunk)
      }
      XCTAssertEqual(kept.map(\.count), [4, 4, 4])
      let (trunk, owner) = (depot.trunks[4], try XCTUnwrap(porters.last))
      try store.write {
        trunk.note = "blue"
        owner.town = "blue"
      }
      XCTAssertEqual(kept.map(\.count), [3, 3, 3])
      try store.write {
        trunk.note = "red"
        owner.town = "red"
      }
      XCTAssertEqual(kept.map { $0.last?.identifier }, kept.map { _ in "new \(round)" })
      try store.write {
        if round % 2 == 0 { trunk.note = nil }
        if round % 3 == 0 { try store.delete(trunk) } else { try store.delete(owner) }
        if !trunk.isInvalidated { try store.delete(trunk) }
      }
      XCTAssertEqual(kept.map { Set($0.map(\.identifier)) }, kept.map { _ in ["c1", "c2", "c4"] })
    }
  }

  func testOneOfManyObjectsIsWhatComparingWithEachGives() throws {
    let (store, depot) = try filled()
    let many = (0..<500).map { Porter("p\($0)") }
    try store.write {
      try store.add(many)
      for (number, trunk) in depot.trunks.enumerated() {
        trunk.items.append(contentsOf: [many[number * 100], many[number]])
        trunk.numbers.append(contentsOf: [number, 100 * number])
      }
    }
    for asked in [[], Array(many[1..<2]), Array(many[100...]), many] {
      let expected = depot.trunks.filter { trunk in asked.contains { trunk.items.contains($0) } }
      XCTAssertEqual(
        names(depot.trunks.where { $0.items.containsAny(in: asked) }), expected.map(\.identifier))
      XCTAssertEqual(
        Set(names(store.objects(Trunk.self).where { $0.items.containsAny(in: asked) })),
        Set(expected.map(\.identifier)))
    }
    let ages = Array(0..<5_000)
    XCTAssertEqual(names(depot.trunks.where { $0.owner.age.in(ages) }), ["c1", "c2", "c3", "c4"])
    XCTAssertEqual(
      names(depot.trunks.where { $0.numbers.containsAny(in: ages[150..<250]) }), ["c3"])
  }
}
