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

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Brewery.self])
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
