import Foundation
import Leyden
import TestSupport
import XCTest

/// Lists, sets and linking objects that are asked as results are.
final class CollectionResultsTests: TrunkTestCase {
  private func depot(_ ranks: [Int]) throws -> (Store, Depot) {
    let store = try store()
    let depot = Depot()
    depot.identifier = "depot"
    for (number, rank) in ranks.enumerated() {
      depot.trunks.append(Trunk("c\(number)", rank: rank))
    }
    return (store, try store.write { try store.add(depot) })
  }

  private func ranks(_ results: Results<Trunk>) -> [Int] { results.map(\.rank) }

  func testResultsOfAListKeepItsOrderAndItsDuplicates() throws {
    let (store, depot) = try depot([5, 1, 3])
    try store.write { depot.trunks.append(depot.trunks[0]) }
    let few = depot.trunks.where { $0.rank > 1 }
    XCTAssertEqual(ranks(few), [5, 3, 5])
    XCTAssertEqual(few.count, 3)
    XCTAssertEqual(few.first?.rank, 5)
    XCTAssertEqual(ranks(depot.trunks.sorted(by: \.rank)), [1, 3, 5, 5])
    XCTAssertEqual(ranks(depot.trunks.sorted(by: \.isOpen, ascending: false)), [5, 1, 3, 5])
    XCTAssertEqual(ranks(depot.trunks.sorted(by: \.rank).where { $0.rank < 5 }.limit(1)), [1])
    XCTAssertEqual(ranks(depot.trunks.distinct(by: \.rank)), [5, 1, 3])
    try store.write {
      depot.trunks.move(from: 2, to: 0)
      XCTAssertEqual(ranks(few), [3, 5, 5])
      depot.trunks[1].rank = 0
    }
    XCTAssertEqual(ranks(few), [3])
    XCTAssertEqual(
      depot.trunks.where { $0.rank == 0 }.index(matching: { $0.identifier == "c0" }), 0)
  }

  func testResultsOfAListFollowOthersWrites() throws {
    let (store, depot) = try depot([1, 2])
    let other = try anotherStore()
    let large = depot.trunks.where { $0.rank > 1 }.sorted(by: \.rank)
    XCTAssertEqual(ranks(large), [2])
    try other.write {
      try XCTUnwrap(other.objects(Depot.self).first).trunks.append(Trunk("new", rank: 9))
    }
    XCTAssertEqual(ranks(large), [2, 9])
    try other.write { try other.delete(try XCTUnwrap(other.objects(Trunk.self).last)) }
    XCTAssertEqual(ranks(large), [2])
    try store.write { try store.delete(depot) }
    XCTAssertEqual(ranks(large), [])
    XCTAssertEqual(large.count, 0)
    XCTAssertEqual(store.objects(Trunk.self).count, 2)
  }

  func testSetsAndLinkingObjectsAreAskedToo() throws {
    let (store, depot) = try depot([5, 1, 3])
    let porter = Porter("Ann")
    try store.write {
      depot.chosen.insert(contentsOf: [depot.trunks[2], depot.trunks[0]])
      for trunk in depot.trunks { trunk.owner = porter }
    }
    XCTAssertEqual(ranks(depot.chosen.where { $0.rank > 0 }), [5, 3])
    XCTAssertEqual(ranks(depot.chosen.sorted(by: \.rank)), [3, 5])
    XCTAssertEqual(depot.chosen.min(of: \.rank), 3)
    XCTAssertEqual(ranks(porter.trunks.where { $0.rank != 1 }), [5, 3])
    XCTAssertEqual(ranks(porter.trunks.sorted(by: \.rank)), [1, 3, 5])
    XCTAssertEqual(
      ranks(try porter.trunks.sorted(byKeyPath: "rank", ascending: false)), [5, 3, 1])
    XCTAssertEqual(porter.trunks.average(of: \.rank), 3)
  }

  func testNumbersOfAListComeToOne() throws {
    let (store, depot) = try depot([5, 1, 3])
    func check(_ trunks: List<Trunk>) {
      XCTAssertEqual(trunks.min(of: \.rank), 1)
      XCTAssertEqual(trunks.max(of: \.rank), 5)
      XCTAssertEqual(trunks.sum(of: \.rank), 9)
      XCTAssertEqual(trunks.average(of: \.rank), 3)
      XCTAssertEqual(trunks.sum(of: \.owner?.age), 0)
    }
    check(depot.trunks)
    let unmanaged = List<Trunk>()
    unmanaged.append(contentsOf: [5, 1, 3].map { Trunk("", rank: $0) })
    check(unmanaged)
    XCTAssertNil(List<Trunk>().min(of: \.rank))
    XCTAssertEqual(List<Trunk>().sum(of: \.rank), 0)
    try store.write { depot.trunks.append(depot.trunks[0]) }
    XCTAssertEqual(depot.trunks.sum(of: \.rank), 14)
  }

  func testPathsThatAreNoValueAreRefused() throws {
    let (_, depot) = try depot([1])
    for path in ["nothing", "owner", "items", "items.age", "owner.trunks.rank", "", "owner."] {
      XCTAssertThrowsError(try depot.trunks.sorted(byKeyPath: path)) { error in
        guard case StoreError.invalidQuery = error else { return XCTFail("\(path): \(error)") }
      }
    }
    XCTAssertNoThrow(try depot.trunks.sorted(byKeyPath: "inside.owner.age"))
    XCTAssertThrowsError(try depot.trunks.sorted(by: [SortDescriptor(\Trunk.rank.hashValue)]))
  }

  func testAValueThatIsMadeOfAListIsMadeAgainWhenTheListChanges() throws {
    let (store, depot) = try depot([5, 1, 3])
    var counts: [Int] = []
    let small = depot.trunks.where { $0.rank < 5 }
    let porters = store.objects(Trunk.self).where { $0.owner.age > 10 }
    let token = store.observe(value: { _ in small.count * 10 + porters.count }) { result in
      if case .success(let count) = result { counts.append(count) }
    }
    try store.write { depot.trunks.removeLast() }
    let porter = Porter("Ann")
    try store.write { depot.trunks[0].owner = porter }
    try store.write { porter.age = 11 }
    XCTAssertEqual(counts, [20, 10, 11])
    token.invalidate()
  }

  func testThePlanIsToldInWords() throws {
    let (_, depot) = try depot([5, 1, 3])
    XCTAssertEqual(
      depot.trunks.where { $0.rank < 5 }.sorted(by: \.owner?.age).limit(2).explain(),
      "3 rows of one collection, each tested; sort by owner.age; then limit 2")
  }

  // MARK: Observing a condition on a list

  /// Ten trunks of the ranks 0 to 9 in a list, of which those from 1 to 4 are observed.
  private func observed() throws -> (Store, Depot, Watched) {
    let (store, depot) = try depot(Array(0..<10))
    return (store, depot, Watched(depot.trunks.where { $0.rank > 0 && $0.rank < 5 }))
  }

  func testWhatIsAppendedIsToldWhereItFulfilsTheCondition() throws {
    let (store, depot, watched) = try observed()
    try store.write { depot.trunks.append(Trunk("new", rank: 5)) }
    XCTAssertEqual(watched.changes, [])
    try store.write { depot.trunks.append(Trunk("newer", rank: 3)) }
    XCTAssertEqual(watched.changes, ["-[] +[4] ~[]"])
  }

  func testWhatIsRemovedIsToldWhereItWasAmongThem() throws {
    let (store, depot, watched) = try observed()
    try store.write { depot.trunks.remove(at: 0) }
    XCTAssertEqual(watched.changes, [])
    try store.write { depot.trunks.remove(at: 0) }
    XCTAssertEqual(watched.changes, ["-[0] +[] ~[]"])
  }

  func testARowThatComesIntoTheConditionIsToldAtItsPlaceInTheList() throws {
    let (store, depot, watched) = try observed()
    try store.write {
      depot.trunks[9].rank = 3
      try store.delete(depot.trunks[2])
    }
    XCTAssertEqual(watched.changes, ["-[1] +[3] ~[]"])
  }

  func testAnElementThatIsThereTwiceIsModifiedTwice() throws {
    let (store, depot, watched) = try observed()
    try store.write { depot.trunks.append(depot.trunks[2]) }
    try store.write { depot.trunks[2].note = "changed" }
    try store.write { depot.trunks.move(from: 1, to: 4) }
    try store.write { try store.delete(depot.trunks[1]) }
    XCTAssertEqual(
      watched.changes, ["-[] +[4] ~[]", "-[] +[] ~[1, 4]", "-[0] +[3] ~[]", "-[0, 4] +[] ~[]"])
    XCTAssertEqual(watched.ranks, [3, 4, 1])
  }

  func testChangesElsewhereAreNotTold() throws {
    let (store, depot, watched) = try observed()
    try store.write {
      let other = Depot()
      other.identifier = "other"
      other.trunks.append(depot.trunks[1])
      try store.add(other)
      depot.chosen.insert(depot.trunks[1])
      try store.add(Trunk("alone", rank: 2))
    }
    XCTAssertEqual(watched.changes, [])
    try store.write { try store.delete(depot) }
    XCTAssertEqual(watched.changes, ["-[0, 1, 2, 3] +[] ~[]"])
  }

  func testARowOfASortedListMovesWhenWhatItIsSortedByChanges() throws {
    let (store, depot) = try depot([5, 1, 3])
    let porters = (1...3).map { Porter("\($0)", age: $0) }
    try store.write { for number in 0..<3 { depot.trunks[number].owner = porters[number] } }
    let watched = Watched(depot.trunks.sorted(by: \.owner?.age))
    try store.write { porters[0].age = 9 }
    XCTAssertEqual(watched.changes, ["-[0] +[2] ~[]"])
    try store.write { porters[0].age = 0 }
    XCTAssertEqual(watched.changes.last, "-[2] +[0] ~[]")
    try store.write { porters[1].age = 9 }
    XCTAssertEqual(watched.changes.last, "-[1] +[2] ~[]")
    try store.write { depot.trunks.move(from: 0, to: 2) }
    XCTAssertEqual(watched.changes.count, 3)
    XCTAssertEqual(watched.ranks, [5, 3, 1])
  }

  func testDistinctSortedAndLimitedResultsAreExact() throws {
    let (store, depot) = try depot((0..<8).map { ($0 + 2) % 4 })
    let watched = Watched(
      depot.trunks.distinct(by: \.rank).sorted(by: \.rank, ascending: false).limit(2))
    XCTAssertEqual(watched.ranks, [3, 2])
    try store.write { depot.trunks.append(Trunk("new", rank: 5)) }
    XCTAssertEqual(watched.changes, ["-[1] +[0] ~[]"])
    try store.write { try store.add(Trunk("alone", rank: 9)) }
    XCTAssertEqual(watched.changes.count, 1)
    let sorted = depot.trunks.where { $0.rank < 5 }.sorted(by: \.rank)
    for (limit, expected) in [
      (0, []), (1, [2]), (2, [2, 6]), (8, [2, 6, 3, 7, 0, 4, 1, 5]),
      (100, [2, 6, 3, 7, 0, 4, 1, 5]),
    ] {
      XCTAssertEqual(sorted.limit(limit).map(\.identifier), expected.map { "c\($0)" })
    }
  }
}

/// Writes down what an observer of trunks is told.
final class Watched {
  private(set) var changes: [String] = []
  private(set) var ranks: [Int] = []
  private var token: NotificationToken?

  init(_ results: Results<Trunk>) {
    token = results.observe { [weak self] change in
      guard let self else { return }
      switch change {
      case .initial(let results): ranks = results.map(\.rank)
      case .update(let results, let deletions, let insertions, let modifications):
        changes.append("-\(deletions) +\(insertions) ~\(modifications)")
        ranks = results.map(\.rank)
      case .error(let error): changes.append("\(error)")
      }
    }
  }
}
