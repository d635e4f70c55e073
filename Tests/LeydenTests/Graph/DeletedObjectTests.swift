import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Objects that another store deleted: what is read of them, and what comes of changing them.
final class DeletedObjectTests: EmbeddedTestCase {
  /// A folder that holds something in every property, another one that leads to nothing, and a person.
  private struct World {
    let store: Store
    let folder: Folder
    let kept: Folder
    let ann: Person
  }

  private func world() throws -> World {
    let ann = Person("Ann", age: 30)
    let (store, folder) = try folder {
      $0.title = "x"
      $0.place = place("one", ann)
      $0.earlier.append(place("two", ann))
      $0.byName["k"] = place("three", ann)
      $0.next = $0
      $0.people.append(contentsOf: [ann, ann])
      $0.answer = .object(ann)
      $0.answers.append(contentsOf: [.object(ann), .int(1)])
      $0.answersByName["k"] = .object(ann)
    }
    let kept = Folder("kept")
    kept.place = Place("kept")
    kept.people.append(Person("Bob"))
    try store.write {
      folder.answerSet.insert(contentsOf: [.object(ann), .int(2)])
      try store.add(kept)
      try store.add(Sheet("s")).owner = ann
    }
    return World(store: store, folder: folder, kept: kept, ann: ann)
  }

  private func place(_ street: String, _ host: Person) -> Place {
    let place = Place(street)
    place.number = 3
    place.host = host
    place.guests.append(host)
    place.visits.append(1)
    place.room = Room("hall", size: 5)
    return place
  }

  private func deleteElsewhere(_ body: (Store) throws -> Void) throws {
    let other = try anotherStore()
    try other.write { try body(other) }
    other.close()
  }

  // MARK: Reading

  func testEveryPropertyIsEmptyAndEachClassIsSaidOnce() throws {
    // given: all that somebody may hold of it
    let world = try world()
    let folder = world.folder
    let identifier = folder.persistentIdentifier
    let places = [
      try XCTUnwrap(folder.place), folder.earlier[0], try XCTUnwrap(folder.byName["k"] ?? nil),
    ]
    let room = try XCTUnwrap(places[0].room)
    let guests = places.map(\.guests)
    let values = AnyValue.object(folder)

    // when
    try deleteElsewhere { store in
      try store.delete(try XCTUnwrap(store.object(ofType: Folder.self, forPrimaryKey: "a")))
    }

    // then
    let messages = LogMessages()
    for _ in 0..<2 {
      XCTAssertEqual(folder.title, "")
      XCTAssertEqual(folder.name, "")
      XCTAssertNil(folder.place)
      XCTAssertNil(folder.next)
      XCTAssertEqual(folder.answer, .none)
      XCTAssertEqual(folder.earlier.count, 0)
      XCTAssertEqual(folder.people.map(\.name), [])
      XCTAssertEqual(Array(folder.answers), [])
      XCTAssertEqual(Array(folder.answerSet), [])
      XCTAssertEqual(folder.byName.keys, [])
      XCTAssertNil(folder.byName["k"] ?? nil)
      XCTAssertNil(folder.answersByName["k"])
      for collection in [folder.people.isInvalidated, folder.answerSet.isInvalidated] {
        XCTAssertTrue(collection)
      }
    }
    XCTAssertEqual(messages.all.count, 1, "\(messages.all)")
    for property in folder.objectSchema.properties { _ = folder[property.name] }
    XCTAssertLessThan(folder.description.utf8.count, 2_000)
    XCTAssertTrue(folder.description.hasPrefix("Folder { name = \"\""), folder.description)
    XCTAssertTrue("\(values)".contains("Folder"), "\(values)")
    XCTAssertTrue("\(folder.people) \(folder.answerSet) \(folder.byName)".contains("of 0"))
    XCTAssertTrue(folder.isInvalidated)
    XCTAssertEqual(folder, folder)
    XCTAssertEqual(folder.persistentIdentifier, identifier)
    XCTAssertNil(world.store.object(for: identifier, as: Folder.self))
    XCTAssertEqual(messages.all.count, 1, "\(messages.all)")
    for place in places {
      XCTAssertTrue(place.isInvalidated)
      XCTAssertEqual(place.street, "")
      XCTAssertEqual(place.city, "", "the empty value, not the default")
      XCTAssertNil(place.number)
      XCTAssertNil(place.host)
      XCTAssertNil(place.room)
      XCTAssertEqual(Array(place.visits), [])
      XCTAssertTrue(place.description.hasPrefix("Place {"))
    }
    XCTAssertEqual(room.size, 0)
    XCTAssertEqual(guests.map(\.count), [0, 0, 0])
    XCTAssertEqual(messages.all.count, 3, "\(messages.all)")
    XCTAssertNil(world.store.failure)
  }

  func testWhatLedToADeletedObjectLetsGo() throws {
    let world = try world()
    let (folder, ann) = (world.folder, world.ann)
    let sheets = ann.sheets
    XCTAssertEqual(sheets.count, 1)
    try deleteElsewhere { try $0.deleteAll(Person.self) }
    XCTAssertEqual(ann.age, 0)
    XCTAssertEqual(sheets.count, 0)
    XCTAssertTrue(sheets.isInvalidated)
    XCTAssertEqual(Array(sheets), [])
    XCTAssertTrue("\(sheets)".contains("Sheet"), "\(sheets)")
    XCTAssertNil(folder.place?.host)
    XCTAssertEqual(folder.place?.guests.count, 0)
    XCTAssertEqual(folder.people.count, 0)
    XCTAssertEqual(folder.answer, .none)
    XCTAssertEqual(Array(folder.answers), [.int(1)])
    XCTAssertEqual(Array(folder.answerSet), [.int(2)])
    XCTAssertEqual(folder.answersByName["k"], AnyValue.none)
    XCTAssertEqual(folder.answersByName.keys, ["k"])
    XCTAssertNil(world.store.objects(Sheet.self).first?.owner)
  }

  func testADeletedObjectIsInNothing() throws {
    let world = try world()
    let (store, kept, ann) = (world.store, world.kept, world.ann)
    try deleteElsewhere { store in
      try store.deleteAll(Person.self)
      try store.delete(store.objects(Folder.self).where { $0.name == "a" })
    }
    XCTAssertEqual(store.objects(Folder.self).where { $0.next == world.folder }.count, 0)
    XCTAssertEqual(store.objects(Folder.self).where { $0.people.contains(ann) }.count, 0)
    XCTAssertEqual(store.objects(Folder.self).where { $0.place.host == ann }.count, 0)
    XCTAssertNil(store.objects(Person.self).index(of: ann))
    XCTAssertNil(kept.people.index(of: ann))
    XCTAssertFalse(kept.people.contains(ann))
    XCTAssertFalse(kept.answerSet.contains(.object(ann)))
    XCTAssertFalse(kept.answers.contains(.object(ann)))
  }

  // MARK: Changing

  /// Makes each change in a write of its own after others, and checks that the write fails and leaves nothing.
  private func checkAllFail(
    _ store: Store, _ kept: Folder, after begin: () throws -> Void = {},
    _ changes: [String: () throws -> Void]
  ) throws {
    let version = store.version
    for (name, change) in changes.sorted(by: { $0.key < $1.key }) {
      XCTAssertThrowsError(
        try store.write {
          try begin()
          kept.title = "lost"
          kept.place?.street = "lost"
          kept.people.append(Person("lost"))
          kept.answersByName["lost"] = .int(1)
          try store.add(Label("lost"))
          try change()
        }, name
      ) { error in
        guard case StoreError.invalidatedObject = error else { return XCTFail("\(name): \(error)") }
      }
    }
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(kept.title, "")
    XCTAssertEqual(kept.place?.street, "kept")
    XCTAssertEqual(kept.people.map(\.name), ["Bob"])
    XCTAssertEqual(kept.answersByName.count, 0)
    XCTAssertEqual(store.objects(Label.self).count, 0)
    try store.verify()
  }

  /// Changes of a deleted folder and of what it held.
  private func changes(
    of folder: Folder, _ place: Place, _ listed: Place
  ) -> [String: () throws -> Void] {
    [
      "title": { folder.title = "back" }, "the same title": { folder.title = "" },
      "title by name": { folder["title"] = "back" }, "next": { folder.next = Folder("new") },
      "no next": { folder.next = nil }, "place": { folder.place = Place("new") },
      "no place": { folder.place = nil }, "answer": { folder.answer = .int(5) },
      "people": { folder.people.append(Person("new")) }, "people =": { folder.people = List() },
      "earlier": { folder.earlier.append(Place("new")) },
      "byName": { folder.byName["new"] = Place("new") },
      "answers": { folder.answers.append(.int(5)) },
      "answerSet": { folder.answerSet.insert(.int(5)) },
      "answersByName": { folder.answersByName["new"] = .int(5) },
      "street": { place.street = "back" }, "room": { place.room = Room("new") },
      "visits": { place.visits.append(5) }, "guests": { place.guests.append(Person("new")) },
      "listed": { listed.city = "Delft" },
    ]
  }

  func testAWriteThatChangesADeletedObjectFailsAsAWhole() throws {
    let world = try world()
    let place = try XCTUnwrap(world.folder.place)
    let listed = world.folder.earlier[0]
    try deleteElsewhere { store in
      try store.delete(store.objects(Folder.self).where { $0.name == "a" })
    }
    try checkAllFail(world.store, world.kept, changes(of: world.folder, place, listed))
  }

  func testAWriteThatChangesWhatItDeletedFailsAsAWhole() throws {
    let world = try world()
    let place = try XCTUnwrap(world.folder.place)
    let listed = world.folder.earlier[0]
    try checkAllFail(
      world.store, world.kept, after: { try world.store.delete(world.folder) },
      changes(of: world.folder, place, listed))
    XCTAssertEqual(world.folder.title, "x")
    XCTAssertEqual(place.street, "one")
    XCTAssertEqual(world.folder.people.count, 2)
  }

  func testNothingLeadsToADeletedObject() throws {
    let world = try world()
    let (store, kept, ann, folder) = (world.store, world.kept, world.ann, world.folder)
    let place = try XCTUnwrap(folder.place)
    try deleteElsewhere { store in
      try store.delete(store.objects(Folder.self).where { $0.name == "a" })
      try store.delete(store.objects(Person.self).where { $0.name == "Ann" })
    }
    let sheet = try XCTUnwrap(store.objects(Sheet.self).first)
    try checkAllFail(
      store, kept,
      [
        "link": { kept.next = folder }, "link by name": { kept["next"] = folder },
        "list": { kept.people.append(ann) }, "list []": { kept.people[0] = ann },
        "list insert": { kept.people.insert(ann, at: 0) },
        "list of many": { kept.people.append(contentsOf: [Person("new"), ann]) },
        "set": { kept.answerSet.insert(.object(ann)) }, "value": { kept.answer = .object(ann) },
        "list of values": { kept.answers.append(.object(ann)) },
        "map of values": { kept.answersByName["k"] = .object(ann) },
        "link inside": { kept.place?.host = ann },
        "list inside": { kept.place?.guests.append(ann) },
        "value inside": { kept.place?.note = .object(ann) },
        "embedded": { kept.place = place }, "embedded in a list": { kept.earlier.append(place) },
        "embedded in a map": { kept.byName["k"] = place },
        "new with a link": {
          let sheet = Sheet("new")
          sheet.owner = ann
          try store.add(sheet)
        },
        "new embedded with a link": {
          let place = Place("new")
          place.host = ann
          kept.place = place
        },
        "create": { try store.create(Sheet.self, value: ["identifier": "new", "owner": ann]) },
        "create with a list": {
          try store.create(Folder.self, value: ["name": "new", "people": [ann]])
        },
        "owner": { sheet.owner = ann }, "add": { try store.add(ann) },
        "delete": { try store.delete(ann) }, "delete many": { try store.delete([ann, ann]) },
      ])
  }
}
