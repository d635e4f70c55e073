import Foundation
import Leyden
import LeydenTesting
import XCTest

/// What cannot be stored is refused before anything is written, whichever way it is given.
final class RefusedGraphTests: EmbeddedTestCase {
  func testAnObjectInAValueOfAnyTypeIsNoOtherValue() throws {
    let (store, folder) = try folder { $0.people.append(Person("Ann")) }
    let sheet = try store.write { try store.add(Sheet("s")) }
    for (object, kind) in [(folder.people[0], "managed"), (Person("new"), "unmanaged")] {
      let any = AnyValue.object(object)
      let version = store.version
      let payloads: [(String, Any)] = [
        ("title", any), ("rank", any), ("numbers", [any]), ("words", [any]), ("tags", [any]),
        ("counts", ["k": any]), ("labels", [any]), ("marks", ["k": any]),
      ]
      for (key, value) in payloads {
        let name = "\(kind), \(key)"
        XCTAssertThrowsError(
          try store.write {
            try store.create(Sheet.self, value: ["identifier": "s", key: value], update: .modified)
          }, name)
        XCTAssertThrowsError(try store.write { sheet[key] = value }, name)
        XCTAssertThrowsError(
          try store.write { try store.objects(Sheet.self).setValue(value, forKey: key) }, name)
      }
      XCTAssertThrowsError(
        try store.write { try store.create(Sheet.self, value: ["identifier": any]) }, kind)
      for (key, value) in [("place", any as Any), ("earlier", [any]), ("byName", ["k": any])] {
        XCTAssertThrowsError(try store.write { folder[key] = value }, "\(kind), \(key)")
        XCTAssertThrowsError(
          try store.write { try store.create(Folder.self, value: ["name": "b", key: value]) },
          "\(kind), \(key)")
      }
      XCTAssertEqual(store.version, version)
      // Where objects belong it is taken for one.
      let unmanaged = Sheet("u")
      unmanaged["owner"] = any
      XCTAssertEqual(unmanaged.owner, object)
      try store.write {
        sheet["owner"] = any
        folder["people"] = [any]
        folder["answer"] = any
      }
      XCTAssertEqual(sheet.owner?.name, folder.people[0].name)
      XCTAssertEqual(folder.answer, .object(folder.people[0]))
      try store.verify()
    }
  }

  func testAnEmbeddedObjectThatIsGoneIsRefusedBeforeAnythingIsWritten() throws {
    let (store, folder) = try folder { $0.place = Place("x") }
    let gone = try XCTUnwrap(folder.place)
    try store.write { folder.place = nil }
    let fills: [(String, (Folder) -> Void)] = [
      ("one", { $0.place = gone }), ("list", { $0.earlier.append(gone) }),
      ("map", { $0.byName["k"] = gone }),
    ]
    for (name, fill) in fills {
      for policy in [UpdatePolicy.error, .modified] {
        let new = Folder("new")
        new.next = Folder("next")
        new.people.append(contentsOf: [Person("p1"), Person("p2")])
        new.answer = .object(Person("p3"))
        new.answersByName["x"] = .object(Person("p4"))
        fill(new)
        let first = Folder("first")
        first.next = new
        try store.write {
          assertThrows(.invalidatedObject("Place")) { try store.add(first, update: policy) }
          assertThrows(.invalidatedObject("Place")) {
            try store.create(
              Folder.self,
              value: ["name": "v", "people": [["name": "a"]], "next": new] as [String: Any],
              update: policy)
          }
          assertThrows(.invalidatedObject("Place")) {
            try store.create(
              Folder.self,
              value: [
                "name": "v", "people": [["name": "a"]], "next": ["name": "w"], "place": gone,
              ] as [String: Any], update: policy)
          }
        }
        XCTAssertEqual(store.objects(Person.self).count, 0, name)
        XCTAssertEqual(store.objects(Folder.self).count, 1, name)
        try store.verify()
      }
    }
  }

  func testNothingIsMadeOfAnObjectThatIsGone() throws {
    let store = try store()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Chest.self])
    let person = try store.write { try store.add(Person("Ann", age: 5)) }
    let other = try foreign.write { try foreign.add(Person("Bob", age: 5)) }
    try store.write { try store.delete(person) }
    foreign.close()
    try store.write {
      for gone in [person, other] {
        assertThrows(.invalidatedObject("Person")) {
          try store.create(Person.self, value: gone)
        }
        assertThrows(.invalidatedObject("Person")) {
          try store.create(Person.self, value: gone, update: .modified)
        }
        assertThrows(.invalidatedObject("Person")) {
          try store.create(
            Sheet.self, value: ["identifier": "s", "owner": gone] as [String: Any])
        }
      }
    }
    XCTAssertEqual(store.objects(Person.self).count + store.objects(Sheet.self).count, 0)
  }

  func testValuesForEmbeddedObjectsLieInEachOtherToTheSameDepth() throws {
    let (store, folder) = try folder { $0.place = Place("x") }
    func rooms(_ count: Int) -> [String: Any] {
      (1..<count).reduce(["name": "0"]) { ["name": "\($1)", "inner": $0] }
    }
    func depth() -> Int {
      var depth = 0
      var room = folder.place?.room
      while let next = room {
        depth += 1
        room = next.inner
      }
      return depth
    }
    try store.write {
      XCTAssertThrowsError(
        try store.create(
          Folder.self, value: ["name": "b", "place": ["room": rooms(100)]] as [String: Any]))
    }
    XCTAssertThrowsError(try store.write { folder["place"] = ["room": rooms(100)] })
    XCTAssertThrowsError(try store.write { folder.place?["room"] = rooms(100) })
    XCTAssertEqual(store.objects(Folder.self).count, 1)
    XCTAssertEqual(depth(), 0)
    try store.write { folder["place"] = ["room": rooms(99)] }
    XCTAssertEqual(depth(), 99)
    try store.write { folder.place?["room"] = rooms(98) }
    XCTAssertEqual(depth(), 98)
    // Beside each other there may be any number of them.
    try store.write { folder["earlier"] = (0..<150).map { ["street": "\($0)"] } }
    XCTAssertEqual(folder.earlier.count, 150)
    try store.verify()
  }

  func testBytesAreNoList() throws {
    let store = try store()
    let sheet = try store.write { try store.add(Sheet("s")) }
    let bytes = Data([1, 2])
    XCTAssertThrowsError(
      try store.write {
        try store.create(Sheet.self, value: ["identifier": "t", "numbers": bytes] as [String: Any])
      })
    XCTAssertThrowsError(try store.write { sheet["numbers"] = bytes })
    XCTAssertEqual(sheet.numbers.count, 0)
  }
}
