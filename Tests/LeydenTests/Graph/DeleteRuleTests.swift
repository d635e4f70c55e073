import Leyden
import LeydenTesting
import XCTest

final class DeleteRuleTests: StoreTestCase {
  private final class Beer: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(deleteRule: .cascade) var details: BeerDetails?
    @Persisted(deleteRule: .cascade) var steps: List<Step>
  }

  private final class BeerDetails: Object {
    @Persisted var note = ""
    @Persisted(originProperty: "details") var beers: LinkingObjects<Beer>
  }

  private final class Step: Object {
    @Persisted var number = 0
    @Persisted(deleteRule: .cascade) var next: Step?
  }

  private final class Brewery: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(deleteRule: .deny) var beers: List<Beer>
    @Persisted(deleteRule: .deny) var best: Beer?
  }

  private final class Cellar: Object {
    @Persisted(primaryKey: true) var name: String
    @Persisted(deleteRule: .cascade) var beers: MutableSet<Beer>
    @Persisted(deleteRule: .cascade) var byPlace: Map<String, Beer?>
    @Persisted(deleteRule: .deny) var reserved: MutableSet<Beer>
    @Persisted(deleteRule: .deny) var sealed: Map<String, Beer?>
  }

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Brewery.self, Cellar.self])
  }

  private func cellar(_ store: Store, _ fill: (Cellar) -> Void) throws -> Cellar {
    try store.write {
      let cellar = Cellar()
      cellar.name = "C"
      try store.add(cellar)
      fill(cellar)
      return cellar
    }
  }

  func testSetsAndMapsHaveRulesToo() throws {
    let store = try store()
    let shared = beer("shared")
    let cellar = try cellar(store) { cellar in
      for number in 0..<40 { cellar.beers.insert(beer("set \(number)")) }
      for number in 0..<40 { cellar.byPlace["\(number)"] = beer("map \(number)") }
      cellar.byPlace["nothing"] = .some(nil)
      cellar.beers.insert(shared)
      cellar.byPlace["shared"] = shared
    }
    XCTAssertEqual(store.objects(Beer.self).count, 81)
    try store.write { try store.delete(cellar) }
    XCTAssertTrue(shared.isInvalidated)
    XCTAssertEqual(store.objects(Beer.self).count + store.objects(BeerDetails.self).count, 0)
    try store.verify()
  }

  func testSetsAndMapsDenyToo() throws {
    let store = try store()
    let other = try anotherStore()
    let one = try store.write { try store.add(beer("one")) }
    let fills: [(Cellar) -> Void] = [
      { $0.reserved.insert(one) }, { $0.sealed["k"] = one },
      {
        $0.reserved.insert(one)
        $0.beers.insert(one)
        $0.sealed["k"] = self.beer("other")
      },
    ]
    for (number, fill) in fills.enumerated() {
      let cellar = try cellar(store, fill)
      let foreign = try XCTUnwrap(other.objects(Cellar.self).first)
      for body in [
        { try store.write { try store.delete(cellar) } },
        { try store.write { try store.deleteAll(Cellar.self) } },
        { try store.write { try store.delete(store.objects(Cellar.self)) } },
        { try other.write { try other.delete(foreign) } },
      ] {
        XCTAssertThrowsError(try body(), "\(number)") {
          guard case StoreError.deleteDenied = $0 else { return XCTFail("\($0)") }
        }
      }
      XCTAssertFalse(cellar.isInvalidated || one.isInvalidated)
      try store.write {
        cellar.reserved.removeAll()
        cellar.beers.removeAll()
        cellar.sealed["k"] = .some(nil)
        try store.delete(cellar)
      }
      XCTAssertFalse(one.isInvalidated)
    }
    try store.verify()
  }

  func testWhatIsDeniedIsNotDoneByACascadeEither() throws {
    // given: an object with a rule, that another one owns
    let store = try temporaryDirectory().store(named: "Chain", objectTypes: [Chain.self])
    let (chain, keeper) = (Chain(), Keeper())
    chain.keeper = keeper
    keeper.step = Step()
    try store.write { try store.add(chain) }

    // then: the rule holds for an object that is deleted with another one
    XCTAssertThrowsError(try store.write { try store.delete(chain) }) {
      guard case StoreError.deleteDenied = $0 else { return XCTFail("\($0)") }
    }
    XCTAssertFalse(chain.isInvalidated || keeper.isInvalidated)

    // and not against the deletion of what the owner leads to
    try store.write { try store.delete(try XCTUnwrap(keeper.step)) }
    XCTAssertNil(keeper.step)
    try store.write { try store.delete(chain) }
    XCTAssertTrue(keeper.isInvalidated)
    try store.verify()
  }

  private final class Chain: Object {
    @Persisted(deleteRule: .cascade) var keeper: Keeper?
  }

  private final class Keeper: Object {
    @Persisted(deleteRule: .deny) var step: Step?
  }

  func testRulesAreForWhatLeadsToObjects() throws {
    final class Counted: Object {
      @Persisted(deleteRule: .cascade) var count: Int
    }
    final class Listed: Object {
      @Persisted(deleteRule: .deny) var counts: List<Int>
    }
    final class Anything: Object {
      @Persisted(deleteRule: .cascade) var value: AnyValue
    }
    for type in [Counted.self, Listed.self, Anything.self] as [Object.Type] {
      XCTAssertThrowsError(
        try temporaryDirectory().store(named: "\(type)", objectTypes: [type])
      ) {
        guard case StoreError.unsupported = $0 else { return XCTFail("\($0)") }
      }
    }
  }

  private func beer(_ name: String) -> Beer {
    let beer = Beer()
    beer.name = name
    beer.details = BeerDetails()
    return beer
  }

  func testCascadeDeletesTargetsWithTheirOwner() throws {
    let store = try store()
    let beer = beer("Helles")
    beer.steps.append(contentsOf: [Step(), Step()])
    try store.write { try store.add(beer) }
    let details = try XCTUnwrap(beer.details)
    try store.write { try store.delete(beer) }
    XCTAssertTrue(details.isInvalidated)
    XCTAssertEqual(store.objects(BeerDetails.self).count, 0)
    XCTAssertEqual(store.objects(Step.self).count, 0)
    try store.verify()
  }

  func testCascadesEndInCycles() throws {
    let store = try store()
    let (first, second) = (Step(), Step())
    first.next = second
    second.next = first
    try store.write { try store.add(first) }
    try store.write { try store.delete(second) }
    XCTAssertEqual(store.objects(Step.self).count, 0)
    let alone = Step()
    alone.next = alone
    try store.write { try store.add(alone) }
    try store.write { try store.delete(alone) }
    XCTAssertEqual(store.objects(Step.self).count, 0)
  }

  func testLongCascades() throws {
    let store = try store()
    let first = Step()
    var last = first
    for _ in 0..<10_000 {
      last.next = Step()
      last = last.next ?? last
    }
    try store.write { try store.add(first) }
    try store.write { try store.delete(first) }
    XCTAssertEqual(store.objects(Step.self).count, 0)
  }

  func testATargetThatOthersShareGoesAndTheyLetGo() throws {
    let store = try store()
    let (one, two) = (beer("one"), beer("two"))
    two.details = one.details
    try store.write {
      try store.add(one)
      try store.add(two)
    }
    XCTAssertEqual(one.details?.beers.map(\.name), ["one", "two"])
    try store.write { try store.delete(one) }
    XCTAssertNil(two.details)
    try store.verify()
  }

  func testDenyKeepsTheOwnerWhileItHasTargets() throws {
    let store = try store()
    let brewery = Brewery()
    brewery.name = "B"
    brewery.beers.append(beer("one"))
    try store.write { try store.add(brewery) }
    try store.write {
      XCTAssertThrowsError(try store.delete(brewery)) {
        guard case StoreError.deleteDenied = $0 else { return XCTFail("\($0)") }
      }
    }
    XCTAssertEqual(store.objects(Brewery.self).count, 1)
    XCTAssertEqual(store.objects(Beer.self).count, 1)
    try store.write {
      brewery.beers.removeAll()
      try store.delete(brewery)
    }
    XCTAssertEqual(store.objects(Brewery.self).count, 0)
    XCTAssertEqual(store.objects(Beer.self).count, 1)
  }

  func testTargetsThatAreDeletedTogetherAreNotInTheWay() throws {
    let store = try store()
    let brewery = Brewery()
    brewery.name = "B"
    brewery.beers.append(beer("one"))
    brewery.best = brewery.beers[0]
    try store.write { try store.add(brewery) }
    try store.write { try store.deleteAll() }
    XCTAssertEqual(store.objects(Brewery.self).count, 0)
    XCTAssertEqual(store.objects(BeerDetails.self).count, 0)
  }

  func testARefusedDeletionDeletesNothingOfASequence() throws {
    let store = try store()
    let (empty, full) = (Brewery(), Brewery())
    empty.name = "empty"
    full.name = "full"
    full.best = beer("one")
    try store.write { try store.add([empty, full]) }
    try store.write {
      XCTAssertThrowsError(try store.delete(store.objects(Brewery.self)))
    }
    XCTAssertEqual(store.objects(Brewery.self).map(\.name), ["empty", "full"])
  }
}
