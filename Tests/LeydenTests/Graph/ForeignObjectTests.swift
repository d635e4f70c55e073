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

  func testACopyIsOfOneVersionWhoeverWritesMeanwhile() throws {
    let configuration = try temporaryDirectory().configuration(
      named: "Origin", objectTypes: [Beacon.self])
    let origin = try Store(configuration: configuration)
    let target = try temporaryDirectory().store(named: "Target", objectTypes: [Beacon.self])
    let first = Beacon("a")
    first.next = Beacon("b")
    try origin.write { try origin.add(first) }

    // when: each time that a copy is made, what is copied leads elsewhere, and what it led to is gone
    var rounds = 0
    func changeOrigin() {
      unsafe Beacon.whenMade = nil
      defer { unsafe Beacon.whenMade = changeOrigin }
      rounds += 1
      let (round, isDone) = (rounds, DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        do {
          let writer = try Store(configuration: configuration)
          try writer.write {
            let live = try XCTUnwrap(writer.object(ofType: Beacon.self, forPrimaryKey: "a"))
            if let next = live.next { try writer.delete(next) }
            live.next = Beacon("c\(round)")
            live.others.append(Beacon("d\(round)"))
          }
        } catch { XCTFail("\(error)") }
        isDone.signal()
      }
      isDone.wait()
    }
    unsafe Beacon.whenMade = changeOrigin
    defer { unsafe Beacon.whenMade = nil }
    let copy = try target.write { try target.add(first) }
    unsafe Beacon.whenMade = nil

    XCTAssertEqual(copy.next?.name, "b")
    XCTAssertEqual(copy.others.count, 0)
    XCTAssertEqual(target.objects(Beacon.self).count, 2)
    XCTAssertEqual(first.next?.name, "c\(rounds)")
    XCTAssertGreaterThan(rounds, 1)
    try target.verify()
    try origin.verify()
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

/// An object whose making tells.
private final class Beacon: Object {
  // SAFETY: The thread that makes objects waits for the other one, which finds nil here.
  nonisolated(unsafe) static var whenMade: (() -> Void)?

  @Persisted(primaryKey: true) var name: String
  @Persisted var next: Beacon?
  @Persisted var others: List<Beacon>

  required init() {
    super.init()
    unsafe Self.whenMade?()
  }

  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}
