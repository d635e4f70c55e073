import Leyden
import XCTest

final class LinkTests: GraphTestCase {
  func testLinkLeadsToTheSameRow() throws {
    let store = try store()
    let sheet = Sheet("s")
    sheet.owner = Person("Ann", age: 40)
    try store.write { try store.add(sheet) }
    XCTAssertEqual(sheet.owner?.name, "Ann")
    XCTAssertEqual(store.object(ofType: Person.self, forPrimaryKey: "Ann"), sheet.owner)
    try store.write { sheet.owner = Person("Bob") }
    XCTAssertEqual(sheet.owner?.name, "Bob")
    XCTAssertEqual(store.objects(Person.self).map(\.name), ["Ann", "Bob"])
    try store.write { sheet.owner = nil }
    XCTAssertNil(sheet.owner)
  }

  func testInverseFollowsLinks() throws {
    let store = try store()
    let ann = try store.write { try store.add(Person("Ann")) }
    XCTAssertEqual(ann.sheets.count, 0)
    try store.write {
      for name in ["a", "b", "c"] { try store.add(Sheet(name)).owner = ann }
    }
    XCTAssertEqual(ann.sheets.map(\.identifier), ["a", "b", "c"])
    try store.write { store.object(ofType: Sheet.self, forPrimaryKey: "b")?.owner = nil }
    XCTAssertEqual(ann.sheets.map(\.identifier), ["a", "c"])
    try store.write { try store.delete(try XCTUnwrap(ann.sheets.first)) }
    XCTAssertEqual(ann.sheets.map(\.identifier), ["c"])
  }

  func testDeletedTargetLeavesNil() throws {
    let store = try store()
    let (ann, bob) = try store.write {
      (try store.add(Person("Ann")), try store.add(Person("Bob")))
    }
    try store.write {
      ann.best = bob
      bob.best = ann
    }
    XCTAssertEqual(ann.admirers.map(\.name), ["Bob"])
    try store.write { try store.delete(bob) }
    XCTAssertNil(ann.best)
    XCTAssertEqual(ann.admirers.count, 0)
  }

  func testCyclesAreAddedWhole() throws {
    let store = try store()
    let (ann, bob) = (Person("Ann"), Person("Bob"))
    ann.best = bob
    bob.best = ann
    try store.write { try store.add(ann) }
    XCTAssertEqual(store.objects(Person.self).count, 2)
    XCTAssertEqual(ann.best?.best, ann)
    XCTAssertTrue(bob.isManaged)
  }

  func testLongChainsAreAddedWhole() throws {
    let store = try store()
    let first = Person("0")
    var last = first
    for number in 1...20_000 {
      let next = Person("\(number)")
      last.best = next
      last = next
    }
    try store.write { try store.add(first) }
    XCTAssertEqual(store.objects(Person.self).count, 20_001)
    XCTAssertEqual(first.best?.best?.name, "2")
  }
}
