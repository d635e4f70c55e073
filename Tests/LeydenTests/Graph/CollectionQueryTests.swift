import Foundation
import Leyden
import XCTest

/// Conditions on what lists, sets, maps and linking objects hold.
final class CollectionQueryTests: TrunkTestCase {
  private var ann = Porter("Ann", age: 40)
  private var bob = Porter("Bob", age: 20)

  /// a holds much, b something, c nothing.
  private func filledStore() throws -> Store {
    let store = try store()
    (ann, bob) = (Porter("Ann", age: 40), Porter("Bob", age: 20))
    let (a, b, c) = (Trunk("a", rank: 2, owner: ann), Trunk("b", rank: 7), Trunk("c"))
    try store.write { try store.add([a, b, c]) }
    try store.write {
      a.items.append(contentsOf: [ann, bob, ann])
      b.items.append(bob)
      a.porters.insert(ann)
      a.numbers.append(contentsOf: [1, 2, 6])
      b.numbers.append(7)
      a.weights.append(contentsOf: [1.5, nil, 2.5])
      a.words.append(contentsOf: ["jar", "Glass"])
      a.tags.insert(contentsOf: ["red", "blue"])
      b.tags.insert("green")
      a.counts["x"] = 3
      a.counts["y"] = 5
      b.counts["x"] = 4
      a.marks["best"] = ann
      b.marks["best"] = .some(nil)
      a.spots.append(Spot("Leiden", 1, bob))
      a.spots.append(Spot("Delft", 2))
      (b.inside, c.inside) = (a, b)
    }
    return store
  }

  func testAPropertyOfACollectionMeansAnyOfThem() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.items.name == "Bob" }, "a b")
    XCTAssertEqual(trunks(store) { $0.items.name != "Bob" }, "a")
    XCTAssertEqual(trunks(store) { !($0.items.name == "Bob") }, "c")
    XCTAssertEqual(trunks(store) { $0.items.age > 30 }, "a")
    XCTAssertEqual(trunks(store) { $0.items.age.contains(30...39) }, "")
    XCTAssertEqual(trunks(store) { $0.items.name.contains("nn") }, "a")
    XCTAssertEqual(trunks(store) { $0.items.name.notEquals("Ann") }, "a b")
    XCTAssertEqual(trunks(store) { $0.items.best == nil }, "a b")
    XCTAssertEqual(trunks(store) { $0.items.trunks.rank == 2 }, "a")
    XCTAssertEqual(trunks(store) { $0.porters.name == "Ann" }, "a")
    XCTAssertEqual(trunks(store) { $0.contents.identifier == "b" }, "a")
    XCTAssertEqual(trunks(store) { $0.owner.trunks.rank == 2 }, "a")
    XCTAssertEqual(trunks(store) { $0.contents.contents.identifier == "c" }, "a")
    XCTAssertEqual(trunks(store) { $0.items.name == $0.owner.name }, "a")
    XCTAssertEqual(trunks(store) { $0.items.age == $0.items.age }, "a b")
  }

  func testACollectionContainsValuesAndObjects() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.items.contains(self.ann) }, "a")
    XCTAssertEqual(trunks(store) { $0.items.containsAny(in: [self.ann, self.bob]) }, "a b")
    XCTAssertEqual(trunks(store) { $0.items.containsAny(in: [Porter]()) }, "")
    XCTAssertEqual(trunks(store) { $0.porters.contains(self.bob) }, "")
    XCTAssertEqual(trunks(store) { $0.porters.containsAny(in: Set([self.ann])) }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.contains(7) }, "b")
    XCTAssertEqual(trunks(store) { $0.numbers.contains(5..<7) }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.containsAny(in: 6...7) }, "a b")
    XCTAssertEqual(trunks(store) { $0.weights.contains(nil) }, "a")
    XCTAssertEqual(trunks(store) { $0.weights.contains(2.5) }, "a")
    XCTAssertEqual(trunks(store) { $0.words.contains("glass") }, "")
    XCTAssertEqual(trunks(store) { $0.words.contains("Glass") }, "a")
    XCTAssertEqual(trunks(store) { $0.tags.contains("green") }, "b")
    XCTAssertEqual(trunks(store) { $0.tags.containsAny(in: ["green", "red"]) }, "a b")
    let trunk = try XCTUnwrap(store.object(ofType: Trunk.self, forPrimaryKey: "c"))
    XCTAssertEqual(trunks(store) { $0.contents.contains(trunk) }, "b")
    XCTAssertEqual(trunks(store) { $0.contents.containsAny(in: [trunk]) }, "b")
    XCTAssertEqual(trunks(store) { $0.items.contains(Porter("Ann")) }, "")
  }

  func testElementsAreCounted() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.items.count == 3 }, "a")
    XCTAssertEqual(trunks(store) { $0.items.count.in([0, 1]) }, "b c")
    XCTAssertEqual(trunks(store) { $0.items.count < 2 }, "b c")
    XCTAssertEqual(trunks(store) { $0.items.isEmpty }, "c")
    XCTAssertEqual(trunks(store) { !$0.items.isEmpty }, "a b")
    XCTAssertEqual(trunks(store) { $0.contents.count == 1 }, "a b")
    XCTAssertEqual(trunks(store) { $0.owner.trunks.count == 1 }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.count.contains(1...3) }, "a b")
    XCTAssertEqual(trunks(store) { $0.tags.count == $0.rank }, "a c")
    XCTAssertEqual(trunks(store) { $0.counts.count == 1 }, "b")
    XCTAssertEqual(trunks(store) { $0.spots.count == $0.tags.count }, "a c")
    XCTAssertEqual(trunks(store) { $0.inside.items.count == 3 }, "b")
  }

  func testNumbersComeToOneNumber() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.numbers.sum == 9 }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.sum == 0 }, "c")
    XCTAssertEqual(trunks(store) { $0.numbers.min == 1 }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.max > 5 }, "a b")
    XCTAssertEqual(trunks(store) { $0.numbers.avg == 3 }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.min < 100 }, "a b")
    XCTAssertEqual(trunks(store) { $0.weights.sum == 4 }, "a")
    XCTAssertEqual(trunks(store) { $0.weights.sum < 1 }, "b c")
    XCTAssertEqual(trunks(store) { $0.weights.avg == 2 }, "a")
    XCTAssertEqual(trunks(store) { $0.weights.max == nil }, "b c")
    XCTAssertEqual(trunks(store) { $0.items.age.sum == 100 }, "a")
    XCTAssertEqual(trunks(store) { $0.items.age.min == 20 }, "a b")
    XCTAssertEqual(trunks(store) { $0.items.age.avg > 33 }, "a")
    XCTAssertEqual(trunks(store) { $0.counts.max == 5 }, "a")
    XCTAssertEqual(trunks(store) { $0.numbers.max == $0.rank }, "b")
    XCTAssertEqual(trunks(store) { $0.rank.max == 7 }, "b")
    XCTAssertEqual(trunks(store) { $0.owner.age.sum > 30 }, "a")
  }

  func testObjectsThatFulfilAConditionAreCounted() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { ($0.items.age > 30).count == 2 }, "a")
    XCTAssertEqual(trunks(store) { ($0.items.age > 30).count == 0 }, "b c")
    XCTAssertEqual(
      trunks(store) { ($0.items.age > 10 && $0.items.name == "Bob").count >= 1 }, "a b")
    XCTAssertEqual(trunks(store) { ($0.items.age > 30 && $0.items.name == "Bob").count >= 1 }, "")
    XCTAssertEqual(trunks(store) { (!($0.items.name == "Bob")).count == 2 }, "a")
    XCTAssertEqual(trunks(store) { ($0.items.age > 10 && $0.rank > 5).count == 1 }, "b")
    XCTAssertEqual(trunks(store) { ($0.items.age > 30 || $0.rank > 5).count == 1 }, "b")
    XCTAssertEqual(trunks(store) { ($0.items.contains(self.ann)).count == 2 }, "a")
    XCTAssertEqual(trunks(store) { ($0.rank > 5).count == 1 }, "b")
    XCTAssertEqual(trunks(store) { ($0.owner.trunks.rank == 2).count == 1 }, "a")
    XCTAssertEqual(trunks(store) { ($0.numbers.contains(2..<10)).count == 2 }, "a")
    XCTAssertEqual(trunks(store) { ($0.spots.city == "Delft").count == 1 }, "a")
    XCTAssertEqual(trunks(store) { ($0.items.name == $0.items.town).count == 0 }, "a b c")
    XCTAssertEqual(trunks(store) { ($0.counts.values > 3).count == $0.counts.count }, "b c")
  }

  func testMapsAreAskedByKeysAndValues() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.counts["x"] == 3 }, "a")
    XCTAssertEqual(trunks(store) { $0.counts["x"] >= 3 }, "a b")
    XCTAssertEqual(trunks(store) { $0.counts["x"] != 3 }, "b c")
    XCTAssertEqual(trunks(store) { $0.counts["nothing"] < 100 }, "")
    XCTAssertEqual(trunks(store) { $0.counts.keys == "y" }, "a")
    XCTAssertEqual(trunks(store) { $0.counts.keys.starts(with: "x") }, "a b")
    XCTAssertEqual(trunks(store) { $0.counts.values > 4 }, "a")
    XCTAssertEqual(trunks(store) { $0.counts.contains(4) }, "b")
    XCTAssertEqual(trunks(store) { $0.counts.containsAny(in: [3, 4]) }, "a b")
    XCTAssertEqual(trunks(store) { $0.marks["best"].name == "Ann" }, "a")
    XCTAssertEqual(trunks(store) { $0.marks["best"] == self.ann }, "a")
    XCTAssertEqual(trunks(store) { $0.marks["best"] == nil }, "b c")
    XCTAssertEqual(trunks(store) { $0.marks.keys == "best" }, "a b")
    XCTAssertEqual(trunks(store) { $0.marks.values == nil }, "b")
    XCTAssertEqual(trunks(store) { $0.marks.values.age == 40 }, "a")
    XCTAssertEqual(trunks(store) { $0.marks.isEmpty }, "c")
    XCTAssertEqual(trunks(store) { $0.inside.counts["x"] == 3 }, "b")
  }

  func testEmbeddedObjectsInListsAreAsked() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.spots.city == "Delft" }, "a")
    XCTAssertEqual(trunks(store) { $0.spots.number > 2 }, "")
    XCTAssertEqual(trunks(store) { $0.spots.porter == self.bob }, "a")
    XCTAssertEqual(trunks(store) { $0.spots.porter.age == 20 }, "a")
    XCTAssertEqual(trunks(store) { $0.spots.porter == nil }, "a")
    XCTAssertEqual(trunks(store) { $0.spots.number.sum == 3 }, "a")
  }

  func testLongCollectionsAreAskedAsShortOnes() throws {
    let store = try filledStore()
    let trunk = try XCTUnwrap(store.object(ofType: Trunk.self, forPrimaryKey: "c"))
    let porters = (0..<600).map { Porter("k\($0)", age: $0) }
    try store.write {
      trunk.items.append(contentsOf: porters)
      trunk.porters.insert(contentsOf: porters)
      trunk.numbers.append(contentsOf: 0..<1_000)
      trunk.tags.insert(contentsOf: (0..<300).map { "tag \($0)" })
      for number in 0..<300 { trunk.counts["key \(number)"] = number }
    }
    XCTAssertEqual(trunks(store) { $0.items.name == "k599" }, "c")
    XCTAssertEqual(trunks(store) { $0.items.contains(porters[300]) }, "c")
    XCTAssertEqual(trunks(store) { ($0.porters.age >= 500).count == 100 }, "c")
    XCTAssertEqual(trunks(store) { $0.numbers.sum == 499_500 }, "c")
    XCTAssertEqual(trunks(store) { $0.numbers.count == 1_000 }, "c")
    XCTAssertEqual(trunks(store) { $0.tags.contains("tag 299") }, "c")
    XCTAssertEqual(trunks(store) { $0.tags.count == 300 }, "c")
    XCTAssertEqual(trunks(store) { $0.counts["key 250"] == 250 }, "c")
    XCTAssertEqual(trunks(store) { $0.counts.values == 299 }, "c")
    XCTAssertEqual(trunks(store) { $0.counts.keys == "key 17" }, "c")
  }

  func testQuestionsSeeWhatTheWriteHasDone() throws {
    let store = try filledStore()
    let trunk = try XCTUnwrap(store.object(ofType: Trunk.self, forPrimaryKey: "c"))
    let old = store.objects(Trunk.self).where { $0.items.age >= 40 }
    XCTAssertEqual(old.count, 1)
    try store.write {
      trunk.items.append(ann)
      XCTAssertEqual(old.map(\.identifier), ["a", "c"])
      ann.age = 1
      XCTAssertEqual(old.count, 0)
      bob.age = 50
      XCTAssertEqual(old.map(\.identifier), ["a", "b"])
      try store.delete(bob)
      XCTAssertEqual(old.count, 0)
    }
    XCTAssertEqual(old.count, 0)
  }
}
