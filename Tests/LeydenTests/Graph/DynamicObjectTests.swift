import Foundation
import Leyden
import LeydenTesting
import XCTest

final class DynamicObjectTests: EmbeddedTestCase {
  /// What a program opens that knows nothing of folders.
  private final class Other: Object {
    @Persisted var value = 0
  }

  private func otherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Other.self])
  }

  private func fill() throws -> (Store, Folder) {
    try folder {
      $0.title = "t"
      $0.place = Place("x")
      $0.place?.visits.append(contentsOf: [1, 2])
      $0.earlier.append(Place("y"))
      $0.byName["k"] = Place("z")
      $0.people.append(contentsOf: [Person("Ann", age: 3), Person("Bob")])
      $0.people[0].best = $0.people[1]
      $0.answer = .object($0.people[1])
      $0.answersByName["n"] = .int(1)
      $0.answerSet.insert(.string("s"))
    }
  }

  func testReadsEveryKindOfProperty() throws {
    _ = try fill()
    let store = try otherStore()
    let folders = store.dynamicObjects("Folder")
    XCTAssertEqual(folders.count, 1)
    let folder = try XCTUnwrap(folders.first)
    XCTAssertEqual(folder["title"] as? String, "t")
    XCTAssertEqual(folder.title as? String, "t")
    let (text, isManaged) = (folder.description, folder.isManaged)
    XCTAssertTrue(text.hasPrefix("Folder { ") && isManaged)
    XCTAssertNil(folder["next"])
    let place = try XCTUnwrap(folder.place as? DynamicEmbeddedObject)
    XCTAssertEqual(place.street as? String, "x")
    XCTAssertEqual((place.visits as? List<Int>).map { Array($0) }, [1, 2])
    let earlier = try XCTUnwrap(folder["earlier"] as? List<DynamicEmbeddedObject>)
    XCTAssertEqual(earlier.map { $0["street"] as? String }, ["y"])
    let byName = try XCTUnwrap(folder["byName"] as? Map<String, DynamicEmbeddedObject?>)
    XCTAssertEqual(byName["k"]??.street as? String, "z")
    let people = try XCTUnwrap(folder["people"] as? List<DynamicObject>)
    XCTAssertEqual(people.map { $0["name"] as? String }, ["Ann", "Bob"])
    XCTAssertEqual(people[0].best as? DynamicObject, people[1])
    XCTAssertEqual(
      try people.sorted(byKeyPath: "name", ascending: false).map { $0.name as? String },
      ["Bob", "Ann"])
    XCTAssertEqual(try people.sorted(byKeyPath: "best.name").first, people[1])
    XCTAssertEqual(
      try earlier.sorted(byKeyPath: "street").map { $0.street as? String }, ["y"])
    XCTAssertEqual(
      (people[1].admirers as? Results<DynamicObject>).map { Array($0) }, [people[0]])
    XCTAssertEqual(folder["answer"] as? AnyValue, .object(people[1]))
    XCTAssertEqual((folder["answersByName"] as? Map<String, AnyValue>)?["n"], .int(1))
    XCTAssertEqual((folder["answerSet"] as? MutableSet<AnyValue>).map { Array($0) }, [.string("s")])
    XCTAssertEqual(folder.objectSchema.name, "Folder")
    XCTAssertTrue(folder.description.hasPrefix("Folder { name = \"a\""), folder.description)
    XCTAssertEqual(
      store.dynamicObjects("Person").filter { $0["age"] as? Int == 3 }.map { $0.name as? String },
      ["Ann"])
    XCTAssertEqual(store.dynamicObjects("Nothing").count, 0)
    XCTAssertNil(store.dynamicObjects("Nothing").first)
  }

  func testObjectsCollectionsAndResultsAreObserved() throws {
    let (known, folder) = try fill()
    let store = try otherStore()
    let folders = store.dynamicObjects("Folder")
    let dynamic = try XCTUnwrap(folders.first)
    let place = try XCTUnwrap(dynamic.place as? DynamicEmbeddedObject)
    var told: [String] = []
    func tell<C>(_ name: String, _ change: ObservedChange<C>) {
      switch change {
      case .initial: break
      case .update(_, let deletions, let insertions, let modifications):
        told.append("\(name) -\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): told.append("\(name) \(error)")
      }
    }
    let people = store.dynamicObjects("Person")
    var tokens = [
      folders.observe { tell("folders", $0) },
      try people.sorted(byKeyPath: "age").limit(2).observe(keyPaths: ["age"]) {
        tell("young", $0)
      },
      dynamic.observe { change in
        guard case .change(let folder, let properties) = change else { return told.append("gone") }
        XCTAssertEqual(folder, dynamic)
        told += properties.map {
          "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")"
        }
      },
    ]
    if let list = dynamic.people as? List<DynamicObject> {
      tokens.append(list.observe { tell("people", $0) })
    }
    if let visits = place.visits as? List<Int> {
      tokens.append(visits.where { $0 > 1 }.observe { tell("visits", $0) })
    }
    func afterwards(_ change: () throws -> Void) throws -> [String] {
      told = []
      try known.write(change)
      store.refresh()
      return told
    }
    XCTAssertEqual(
      try afterwards { folder.title = "u" }, ["folders -[] +[] ~[0]", "title t u"])
    XCTAssertEqual(
      try afterwards { folder.people[1].age = 9 }, ["young -[0] +[1] ~[]", "people -[] +[] ~[1]"])
    XCTAssertEqual(
      try afterwards { folder.place?.visits.append(contentsOf: [0, 5]) }.last,
      "visits -[] +[1] ~[]")
    XCTAssertEqual(
      try afterwards { folder.people.removeLast() },
      ["folders -[] +[] ~[0]", "people nil nil", "people -[1] +[] ~[]"])
    XCTAssertEqual(
      try afterwards { try known.delete(folder) },
      ["folders -[0] +[] ~[]", "gone", "people -[0] +[] ~[]", "visits -[0, 1] +[] ~[]"])
    XCTAssertEqual(tokens.count, 5)
    let unknown = store.dynamicObjects("Nothing").observe { tell("nothing", $0) }
    XCTAssertTrue(told.last?.hasPrefix("nothing ") ?? false, "\(told)")
    unknown.invalidate()
    let wrong = people.observe(keyPaths: ["agee"]) { tell("wrong", $0) }
    XCTAssertTrue(told.last?.hasPrefix("wrong ") ?? false, "\(told)")
    wrong.invalidate()
  }

  func testManyAreChangedByName() throws {
    _ = try fill()
    let store = try otherStore()
    let people = store.dynamicObjects("Person")
    try store.write {
      try people.setValue(5, forKey: "age")
      try people.update { $0.age = (($0.age as? Int) ?? 0) + 1 }
    }
    XCTAssertEqual(people.map { $0.age as? Int }, [6, 6])
    XCTAssertThrowsError(
      try store.write { try store.dynamicObjects("Nothing").setValue(1, forKey: "age") })
  }

  func testSortsByName() throws {
    let (known, _) = try fill()
    let store = try otherStore()
    let people = try store.dynamicObjects("Person").sorted(byKeyPath: "age")
    XCTAssertEqual(people.map { $0.name as? String }, ["Bob", "Ann"])
    XCTAssertEqual(people[1].name as? String, "Ann")
    try known.write { try known.add(Person("Cid", age: 1)) }
    XCTAssertEqual(people.map { $0.name as? String }, ["Bob", "Cid", "Ann"])
    for path in ["agee", "best"] {
      XCTAssertThrowsError(try store.dynamicObjects("Person").sorted(byKeyPath: path)) {
        guard case StoreError.invalidQuery? = $0 as? StoreError else { return XCTFail("\($0)") }
      }
    }
  }

  func testWritesEveryKindOfProperty() throws {
    let (_, known) = try fill()
    let store = try otherStore()
    let folder = try XCTUnwrap(store.dynamicObjects("Folder").first)
    let bob = try XCTUnwrap(store.dynamicObjects("Person").last)
    try store.write {
      folder.title = "new"
      folder["answer"] = 5
      folder["people"] = [bob]
      folder["answers"] = [1, "two", bob] as [Any]
      (folder.place as? DynamicEmbeddedObject)?.street = "changed"
      (folder["earlier"] as? List<DynamicEmbeddedObject>)?[0]["host"] = bob
      folder["byName"] = ["k": ["street": "dictionary", "visits": [7]] as [String: Any]]
      bob["best"] = bob
    }
    XCTAssertEqual(known.title, "new")
    XCTAssertEqual(known.answer, .int(5))
    XCTAssertEqual(known.people.map(\.name), ["Bob"])
    XCTAssertEqual(Array(known.answers), [.int(1), .string("two"), .object(known.people[0])])
    XCTAssertEqual(known.place?.street, "changed")
    XCTAssertEqual(known.earlier[0].host?.name, "Bob")
    XCTAssertEqual(known.byName["k"]??.street, "dictionary")
    XCTAssertEqual(known.byName["k"]??.city, "Leiden")
    XCTAssertEqual(known.byName["k"]??.visits.first, 7)
    XCTAssertEqual(known.people[0].best?.name, "Bob")
    XCTAssertThrowsError(try store.write { folder["people"] = 5 })
    XCTAssertThrowsError(try store.write { folder["nothing"] = 5 })
    try store.write { try store.delete(bob) }
    XCTAssertTrue(bob.isInvalidated)
    XCTAssertEqual(bob.name as? String, "")
    XCTAssertEqual(known.people.count, 0)
  }

  func testCreates() throws {
    let (_, known) = try fill()
    let store = try otherStore()
    try store.write {
      let eve = try store.dynamicCreate(
        "Person", value: ["name": "Eve", "best": ["name": "Fay", "age": 9]] as [String: Any])
      XCTAssertEqual((eve.best as? DynamicObject)?.age as? Int, 9)
      try store.dynamicCreate(
        "Folder",
        value: [
          "name": "b", "people": [eve], "place": ["street": "made"], "title": "made",
        ] as [String: Any])
      try store.dynamicCreate(
        "Folder", value: ["name": "a", "title": "updated"], update: .modified)
    }
    XCTAssertEqual(known.title, "updated")
    let made = try XCTUnwrap(known.store?.object(ofType: Folder.self, forPrimaryKey: "b"))
    XCTAssertEqual(made.people.first?.best?.name, "Fay")
    XCTAssertEqual(made.place?.street, "made")
    XCTAssertEqual(made.place?.city, "Leiden")
    for (type, value) in [("Nothing", [:]), ("Place", [:]), ("Person", [:])]
      as [(String, [String: Any])]
    {
      XCTAssertThrowsError(try store.write { try store.dynamicCreate(type, value: value) }) {
        guard case StoreError.invalidValue? = $0 as? StoreError else { return XCTFail("\($0)") }
      }
    }
    XCTAssertThrowsError(
      try store.write { try store.dynamicCreate("Person", value: ["name": "Ann"]) })
    XCTAssertNoThrow(try store.verify())
  }

  func testAValueOfAnyTypeLeadsToObjectsWithoutAClass() throws {
    _ = try fill()
    let store = try otherStore()
    let folder = try XCTUnwrap(store.dynamicObjects("Folder").first)
    let person = (folder["answer"] as? AnyValue)?.linked
    XCTAssertEqual(person?["name"] as? String, "Bob")
  }

  func testAnObjectOfAnotherStoreIsRefused() throws {
    let (known, folder) = try fill()
    let other = try Store(
      configuration: .init(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Folder.self, Sheet.self]))
    try other.write { try other.add(Person("Far")) }
    let far = try XCTUnwrap(other.dynamicObjects("Person").first)
    let near = try XCTUnwrap(known.dynamicObjects("Person").first)
    for change in [
      { folder["answer"] = far }, { folder["next"] = far }, { near["best"] = far },
      { near["best"] = DynamicObject() },
    ] {
      XCTAssertThrowsError(try known.write(change))
    }
    XCTAssertThrowsError(try known.write { try known.add(far) })
    XCTAssertEqual(far.detached().objectSchema.properties.count, 0)
    XCTAssertEqual(known.objects(Person.self).count, 2)
  }

  func testAValueMadeOfDynamicObjectsFollowsThem() throws {
    let (known, folder) = try fill()
    let store = try otherStore()
    var titles: [String] = []
    let token = store.observe(value: { store in
      store.dynamicObjects("Folder").compactMap { $0.title as? String }
    }) { result in
      if case .success(let found) = result { titles += found }
    }
    try known.write { folder.title = "later" }
    store.refresh()
    XCTAssertEqual(titles, ["t", "later"])
    token.invalidate()
  }

  func testPropertiesOfModelsByName() throws {
    let (store, folder) = try fill()
    for target in [folder, Folder("u")] {
      let change = {
        target["next"] = folder
        target["people"] = [Person("Zoe"), Person("Yan")]
        target["place"] = ["street": "dictionary", "room": ["name": "r"]] as [String: Any]
        target["earlier"] = [Place("p"), ["street": "q"]] as [Any]
        target["byName"] = ["n": Place("m")]
        target["answers"] = [1, "x", folder] as [Any]
        target["answerSet"] = nil
        target["answer"] = Date(timeIntervalSinceReferenceDate: 1)
      }
      if target.isManaged { try store.write(change) } else { change() }
      XCTAssertEqual(target["next"] as? Folder, folder)
      XCTAssertTrue(target["people"] as? List<Person> === target.people)
      XCTAssertEqual(target.people.map(\.name), ["Zoe", "Yan"])
      XCTAssertEqual(target.place?.street, "dictionary")
      XCTAssertEqual(target.place?.room?["name"] as? String, "r")
      XCTAssertEqual(target.earlier.map(\.street), ["p", "q"])
      XCTAssertEqual(target.byName["n"]??.street, "m")
      XCTAssertEqual(Array(target.answers), [.int(1), .string("x"), .object(folder)])
      XCTAssertEqual(target.answerSet.count, 0)
      XCTAssertEqual(target.answer, .date(Date(timeIntervalSinceReferenceDate: 1)))
    }
    let place = try XCTUnwrap(folder.place)
    try store.write { place["street"] = "by name" }
    XCTAssertEqual(folder.place?.street, "by name")
    for (key, value) in [("next", Person("x")), ("people", 5), ("sheets", nil)]
      as [(String, Any?)]
    {
      XCTAssertThrowsError(try store.write { folder[key] = value })
    }
    XCTAssertEqual(folder.next, folder)
  }
}

extension AnyValue {
  fileprivate var linked: Object? { if case .object(let object) = self { object } else { nil } }
}
