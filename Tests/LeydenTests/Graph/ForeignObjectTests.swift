import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Objects that another store shows: one of the same file at an older version, and one of a copy.
final class ForeignObjectTests: EmbeddedTestCase {
  /// Every way to let a folder lead to a person.
  private let ways: [(name: String, lead: (Folder, Person) -> Void)] = [
    ("list", { $0.people.append($1) }),
    ("value", { $0.answer = .object($1) }),
    ("list of values", { $0.answers.append(.object($1)) }),
    ("set of values", { $0.answerSet.insert(.object($1)) }),
    ("map of values", { $0.answersByName["k"] = .object($1) }),
    ("embedded object", { $0.place?.host = $1 }),
    ("list in an embedded object", { $0.place?.guests.append($1) }),
    ("by name", { $0["people"] = [$1] }),
  ]

  func testNothingLeadsToAnObjectThatOnlyAnOlderVersionHas() throws {
    let (store, folder) = try folder { $0.place = Place("x") }
    let other = try anotherStore()
    for way in ways {
      let person = try other.write { try other.add(Person(way.name)) }
      try other.read {
        try store.write { try store.delete(store.objects(Person.self)) }
        XCTAssertFalse(person.isInvalidated)
        assertThrows(.invalidatedObject("Person")) {
          try store.write { way.lead(folder, person) }
        }
        let new = Folder("new")
        new.place = Place("y")
        way.lead(new, person)
        try store.write {
          assertThrows(.invalidatedObject("Person")) { try store.add(person) }
          assertThrows(.invalidatedObject("Person")) { try store.add(new) }
          assertThrows(.invalidatedObject("Person")) {
            try store.create(
              Folder.self, value: ["name": "b", "people": [person]] as [String: Any])
          }
        }
      }
      XCTAssertEqual(store.objects(Folder.self).count, 1, way.name)
      try store.verify()
    }
  }

  func testAnObjectOfACopyIsOneOfAnotherStore() throws {
    // given: a copy of two people, of whom the store loses one, and to which one comes
    let (store, folder) = try folder {
      $0.place = Place("x")
      $0.people.append(contentsOf: [Person("Ann", age: 5), Person("Bob")])
    }
    let url = try temporaryDirectory().url.appendingPathComponent("Copy.leyden")
    try store.writeCopy(to: url)
    let copy = try temporaryDirectory().store(
      named: "Copy", objectTypes: [Folder.self, Sheet.self, Chest.self])
    let ann = try XCTUnwrap(copy.object(ofType: Person.self, forPrimaryKey: "Ann"))
    let bob = try XCTUnwrap(copy.object(ofType: Person.self, forPrimaryKey: "Bob"))
    let bobsRow = folder.people[1]
    try store.write { try store.delete(folder.people[0]) }

    // then: what was lost can be got back, what is there is found by its key, and nothing else is touched
    let restored = try store.write { try store.add(ann) }
    XCTAssertEqual([restored.name, "\(restored.age)"], ["Ann", "5"])
    try store.write {
      assertThrows(.wrongStore) { try store.delete(bob) }
      assertThrows(.wrongStore) { try store.delete([bob]) }
      assertThrows(.duplicatePrimaryKey(type: "Person", key: "\"Bob\"")) { try store.add(bob) }
      XCTAssertEqual(try store.add(bob, update: .modified), bobsRow)
    }
    for (number, way) in ways.enumerated() {
      let new = try copy.write { try copy.add(Person("p\(number)")) }
      try store.write { way.lead(folder, new) }
      XCTAssertEqual(
        store.object(ofType: Person.self, forPrimaryKey: "p\(number)")?.isInvalidated, false)
      try store.verify()
    }
    XCTAssertEqual(store.objects(Person.self).count, 2 + ways.count)
    XCTAssertEqual(copy.objects(Person.self).count, 2 + ways.count)
    XCTAssertEqual(folder.place?.guests.map(\.name), ["p6"])
    try copy.verify()
  }

  func testObjectsOfTwoCopiesAreTwoObjects() throws {
    let (store, _) = try folder { $0.answers.append(.object(Person("Ann"))) }
    let directory = try temporaryDirectory()
    let copies = try ["A", "B"].map { (name) in
      try store.writeCopy(to: directory.url.appendingPathComponent("\(name).leyden"))
      let copy = try directory.store(named: name, objectTypes: [Folder.self])
      try copy.write { try copy.add(Person(name)) }
      return copy
    }
    let people = try zip(copies, ["A", "B"]).map {
      try XCTUnwrap($0.object(ofType: Person.self, forPrimaryKey: $1))
    }
    let new = Folder("new")
    new.people.append(contentsOf: people)
    try store.write { try store.add(new) }
    XCTAssertEqual(new.people.map(\.name), ["A", "B"])
    try store.verify()
  }
}
