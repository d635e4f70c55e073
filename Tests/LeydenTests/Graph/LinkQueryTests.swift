import Leyden
import XCTest

/// Conditions on what links and embedded objects lead to.
final class LinkQueryTests: TrunkTestCase {
  private var ann = Porter("Ann", age: 40, town: "Leiden")
  private var bob = Porter("Bob", age: 20)

  /// a belongs to Ann, b to Bob, whose best friend is Ann, c to nobody; b and c are inside a.
  private func filledStore() throws -> Store {
    let store = try store()
    ann = Porter("Ann", age: 40, town: "Leiden")
    bob = Porter("Bob", age: 20, best: ann)
    let (a, b, c) = (Trunk("a", rank: 40, owner: ann), Trunk("b", owner: bob), Trunk("c"))
    (b.inside, c.inside) = (a, a)
    a.isOpen = true
    a.address = Spot("Leiden", 3, bob)
    b.address = Spot("Delft", 1)
    try store.write { try store.add([a, b, c]) }
    return store
  }

  func testALinkIsFollowedByNames() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.owner.name == "Ann" }, "a")
    XCTAssertEqual(trunks(store) { $0.owner.age < 40 }, "b")
    XCTAssertEqual(trunks(store) { $0.owner.age.in([20, 40]) }, "a b")
    XCTAssertEqual(trunks(store) { $0.owner.age.contains(20..<40) }, "b")
    XCTAssertEqual(trunks(store) { $0.owner.age.contains(20...40) }, "a b")
    XCTAssertEqual(trunks(store) { $0.owner.best.name == "Ann" }, "b")
    XCTAssertEqual(trunks(store) { $0.inside.owner.name.starts(with: "A") }, "b c")
    XCTAssertEqual(trunks(store) { $0.owner.name.contains("N", options: .caseInsensitive) }, "a")
    XCTAssertEqual(trunks(store) { $0.owner.name.like("?o*") }, "b")
    XCTAssertEqual(trunks(store) { $0.inside.isOpen }, "b c")
  }

  func testWhatALinkToNothingLeadsToIsNil() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.owner.name != "Ann" }, "b c")
    XCTAssertEqual(trunks(store) { !($0.owner.name == "Ann") }, "b c")
    XCTAssertEqual(trunks(store) { $0.owner.name.notEquals("Ann") }, "b c")
    XCTAssertEqual(trunks(store) { $0.owner.age < 100 || $0.owner.age >= 100 }, "a b")
    XCTAssertEqual(trunks(store) { $0.inside.note == nil }, "a b c")
    XCTAssertEqual(trunks(store) { $0.owner.best == nil }, "a c")
    XCTAssertEqual(trunks(store) { $0.owner.best.best == nil }, "a b c")
    XCTAssertEqual(trunks(store) { !$0.inside.isOpen }, "a")
    XCTAssertEqual(trunks(store) { $0.inside.isOpen == false }, "")
  }

  func testALinkIsComparedWithAnObject() throws {
    let store = try filledStore()
    let other = try XCTUnwrap(
      anotherStore().object(ofType: Porter.self, forPrimaryKey: "Ann"))
    XCTAssertEqual(trunks(store) { $0.owner == self.ann }, "a")
    XCTAssertEqual(trunks(store) { $0.owner == other }, "a")
    XCTAssertEqual(trunks(store) { $0.owner != self.ann }, "b c")
    XCTAssertEqual(trunks(store) { $0.owner == nil }, "c")
    XCTAssertEqual(trunks(store) { $0.owner != nil }, "a b")
    XCTAssertEqual(trunks(store) { $0.owner.in([self.ann, nil]) }, "a c")
    XCTAssertEqual(trunks(store) { $0.owner.in([self.ann, self.bob]) }, "a b")
    XCTAssertEqual(trunks(store) { $0.owner.best == self.ann }, "b")
    XCTAssertEqual(trunks(store) { $0.owner == $0.inside.owner }, "")
  }

  func testAnObjectOfNoStoreOrOfAnotherOneIsInNoLink() throws {
    let store = try filledStore()
    let elsewhere = try Store(
      configuration: .init(inMemoryIdentifier: "elsewhere", objectTypes: [Depot.self]))
    let stranger = Porter("Ann")
    XCTAssertEqual(trunks(store) { $0.owner == stranger }, "")
    XCTAssertEqual(trunks(store) { $0.owner != stranger }, "a b c")
    try elsewhere.write { try elsewhere.add(stranger) }
    XCTAssertEqual(trunks(store) { $0.owner == stranger }, "")
    XCTAssertEqual(trunks(store) { $0.owner.in([stranger, self.bob]) }, "b")
  }

  func testTheObjectItselfIsCompared() throws {
    let store = try filledStore()
    let found = try XCTUnwrap(store.object(ofType: Trunk.self, forPrimaryKey: "b"))
    XCTAssertEqual(trunks(store) { $0 == found }, "b")
    XCTAssertEqual(trunks(store) { $0 != found }, "a c")
    XCTAssertEqual(trunks(store) { $0.in([found]) && $0.rank == 0 }, "b")
    XCTAssertEqual(store.objects(Trunk.self).index(matching: { $0 == found }), 1)
  }

  func testEmbeddedObjectsAreFollowed() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.address.city == "Leiden" }, "a")
    XCTAssertEqual(trunks(store) { $0.address.number <= 3 }, "a b")
    XCTAssertEqual(trunks(store) { $0.address.city != "Delft" }, "a c")
    XCTAssertEqual(trunks(store) { $0.address == nil }, "c")
    XCTAssertEqual(trunks(store) { $0.address != nil }, "a b")
    XCTAssertEqual(trunks(store) { $0.address.porter.age == 20 }, "a")
    XCTAssertEqual(trunks(store) { $0.address.porter == self.bob }, "a")
    XCTAssertEqual(trunks(store) { $0.inside.address.city == "Leiden" }, "b c")
  }

  func testTwoPropertiesAreCompared() throws {
    let store = try filledStore()
    XCTAssertEqual(trunks(store) { $0.owner.age == $0.rank }, "a")
    XCTAssertEqual(trunks(store) { $0.rank == $0.owner.age }, "a")
    XCTAssertEqual(trunks(store) { $0.owner.town == $0.address.city }, "a c")
    XCTAssertEqual(trunks(store) { $0.owner.name != $0.owner.best.name }, "a b")
    XCTAssertEqual(trunks(store) { $0.address.city == $0.inside.address.city }, "")
    XCTAssertEqual(trunks(store) { ($0.owner.age > 30) == $0.isOpen }, "a b c")
  }

  func testAPathOfSeveralStepsIsOneKeyPath() throws {
    let store = try filledStore()
    let path = \Trunk.owner?.best?.name
    XCTAssertEqual(trunks(store) { $0[dynamicMember: path] == "Ann" }, "b")
    XCTAssertEqual(
      ModelType.of(Trunk.self).path(for: path)?.columns.map(\.name), ["owner", "best", "name"])
    XCTAssertEqual(
      ModelType.of(Trunk.self).path(for: \Trunk.address?.porter)?.name, "address.porter")
    XCTAssertEqual(ModelType.of(Trunk.self).path(for: \Trunk.items)?.name, "items")
    XCTAssertNil(ModelType.of(Trunk.self).path(for: \Trunk.items.count))
    XCTAssertNil(ModelType.of(Trunk.self).path(for: \Trunk.owner?.name.count))
  }

  func testAnyValuesAreComparedByTheirValue() throws {
    let store = try filledStore()
    try store.write {
      for trunk in store.objects(Trunk.self) {
        switch trunk.identifier {
        case "a": trunk.anything = .int(3)
        case "b": trunk.anything = .double(3)
        default: trunk.anything = .object(ann)
        }
      }
    }
    XCTAssertEqual(trunks(store) { $0.anything == .int(3) }, "a b")
    XCTAssertEqual(trunks(store) { $0.anything == .object(self.ann) }, "c")
    XCTAssertEqual(trunks(store) { $0.anything != .object(self.ann) }, "a b")
    XCTAssertEqual(trunks(store) { $0.anything.in([.double(3), .object(self.ann)]) }, "a b c")
    XCTAssertEqual(trunks(store) { $0.anything == AnyValue.none }, "")
  }

  func testAnIndexOfTheTargetOrTheObjectItselfSavesTheScan() throws {
    let store = try store()
    try store.write {
      let porters = (0..<400).map { Porter("k\($0)", age: $0 % 7, town: "t\($0 % 100)") }
      for (number, porter) in porters.enumerated() {
        let trunk = Trunk("c\(number)", rank: number, owner: porter)
        trunk.items.append(porters[(number + 1) % 400])
        try store.add(trunk)
      }
    }
    let trunks = store.objects(Trunk.self)
    let porter = try XCTUnwrap(store.object(ofType: Porter.self, forPrimaryKey: "k7"))
    let questions: [(Results<Trunk>, [String], String)] = [
      (trunks.where { $0.owner.name == "k7" }, ["c7"], "owner leads to name = \"k7\""),
      (
        trunks.where { $0.owner.town == "t8" && $0.rank > 50 }, ["c108", "c208", "c308"],
        "owner leads to town = \"t8\""
      ),
      (trunks.where { $0.owner == porter }, ["c7"], "owner leads to one of 1 objects"),
      (trunks.where { $0.items.contains(porter) }, ["c6"], "items leads to one of 1 objects"),
      (trunks.where { $0.items.name == "k7" }, ["c6"], "items leads to name = \"k7\""),
      (trunks.where { $0.owner.listed.identifier == "c7" }, ["c8"], "owner leads to listed"),
    ]
    for (results, expected, plan) in questions {
      XCTAssertEqual(results.map(\.identifier), expected)
      XCTAssertTrue(results.explain().contains(plan), results.explain())
    }
    XCTAssertTrue(
      trunks.where { $0.owner.age == 3 }.explain().contains("each tested"))
    XCTAssertEqual(trunks.where { $0.owner.age == 3 }.count, 57)
  }
}
