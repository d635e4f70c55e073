import Leyden
import LeydenTesting
import XCTest

final class EmbeddedObjectTests: EmbeddedTestCase {
  func testEmbeddedObjectIsReadAndSetInItsOwner() throws {
    let (store, folder) = try folder()
    XCTAssertNil(folder.place)
    try store.write { folder.place = Place("Rapenburg") }
    XCTAssertEqual(folder.place?.street, "Rapenburg")
    XCTAssertEqual(folder.place?.city, "Leiden")
    try store.write { folder.place?.city = "Delft" }
    XCTAssertEqual(folder.place?.city, "Delft")
    XCTAssertEqual(try folderElsewhere().place?.city, "Delft")
    try store.write { folder.place = nil }
    XCTAssertNil(folder.place)
    XCTAssertNil(try folderElsewhere().place)
  }

  func testUnmanagedObjectIsLiveInItsPlace() throws {
    let place = Place("one")
    place.room = Room("hall", size: 3)
    place.visits.append(contentsOf: [1, 2])
    let listed = Place("two")
    let mapped = Place("three")
    let (store, folder) = try folder {
      $0.place = place
      $0.earlier.append(listed)
      $0.byName["x"] = mapped
    }
    let room = try XCTUnwrap(place.room)
    try store.write {
      place.street = "1"
      listed.street = "2"
      mapped.street = "3"
      room.size = 4
      place.visits.append(3)
    }
    let appended = Place("four")
    try store.write {
      folder.earlier.append(appended)
      appended.street = "4"
    }
    let other = try folderElsewhere()
    XCTAssertEqual(other.place?.street, "1")
    XCTAssertEqual(other.place?.room?.size, 4)
    XCTAssertEqual(other.place.map { Array($0.visits) }, [1, 2, 3])
    XCTAssertEqual(other.earlier.map(\.street), ["2", "4"])
    XCTAssertEqual(other.byName["x"]??.street, "3")
  }

  func testListElementsStayTheSameWhenTheyMove() throws {
    let (store, folder) = try folder {
      $0.earlier.append(contentsOf: [Place("same"), Place("same"), Place("other")])
    }
    let (first, second) = (folder.earlier[0], folder.earlier[1])
    try store.write {
      first.number = 1
      second.number = 2
      folder.earlier.move(from: 0, to: 2)
    }
    XCTAssertEqual(folder.earlier.map(\.number), [2, nil, 1])
    XCTAssertEqual([first.number, second.number], [1, 2])
    try store.write {
      folder.earlier.swapAt(0, 2)
      folder.earlier.insert(Place("new"), at: 0)
      first.city = "first"
      second.city = "second"
    }
    XCTAssertEqual(folder.earlier.map(\.city), ["Leiden", "first", "Leiden", "second"])
  }

  func testLongListsOfLargeObjects() throws {
    let (store, folder) = try folder()
    let long = String(repeating: "street ", count: 700)
    try store.write {
      for number in 0..<60 { folder.earlier.append(Place(number % 9 == 0 ? long : "\(number)")) }
    }
    try store.write {
      for (number, place) in folder.earlier.enumerated() { place.number = number }
      folder.earlier.remove(at: 0)
      folder.earlier[30].visits.append(contentsOf: 0..<400)
    }
    XCTAssertEqual(folder.earlier.map(\.number), Array(1..<60))
    let other = try folderElsewhere()
    XCTAssertEqual(Array(other.earlier[30].visits), Array(0..<400))
    XCTAssertEqual(other.earlier[8].street, long)
    try store.write { folder.earlier[8].street = "short" }
    XCTAssertEqual(other.earlier[8].street, "short")
    XCTAssertNoThrow(try store.verify())
  }

  func testCollectionsInsideAreLive() throws {
    let (store, folder) = try folder { $0.place = Place("x") }
    let place = try XCTUnwrap(folder.place)
    let many = (0..<100).map { "word \($0)" }
    try store.write {
      place.visits.append(contentsOf: 0..<50)
      place.visits.remove(at: 10)
      place.visits[0] = -1
      place.visits.move(from: 1, to: 48)
      place.words.insert(contentsOf: many)
      place.words.remove("word 3")
      for word in many { place.counts[word] = word.count }
      place.counts["word 5"] = nil
    }
    var visits = Array(0..<50)
    visits.remove(at: 10)
    visits[0] = -1
    visits.insert(visits.remove(at: 1), at: 48)
    for place in [place, try XCTUnwrap(try folderElsewhere().place)] {
      XCTAssertEqual(Array(place.visits), visits)
      XCTAssertEqual(place.visits[7], visits[7])
      XCTAssertEqual(place.words.count, 99)
      XCTAssertTrue(place.words.contains("word 99"))
      XCTAssertFalse(place.words.contains("word 3"))
      XCTAssertEqual(place.counts.count, 99)
      XCTAssertEqual(place.counts["word 77"], 7)
      XCTAssertNil(place.counts["word 5"])
    }
    try store.write {
      place.visits.removeAll()
      place.words.removeAll()
      place.counts.removeAll()
    }
    XCTAssertEqual(place.visits.count + place.words.count + place.counts.count, 0)
  }

  func testObjectsInsideEmbeddedObjectsAreLive() throws {
    let (store, folder) = try folder { $0.earlier.append(Place("x")) }
    try store.write {
      let place = folder.earlier[0]
      place.room = Room("hall")
      place.room?.inner = Room("cupboard")
      place.rooms.append(contentsOf: [Room("a"), Room("b")])
      place.roomsByName["k"] = Room("kitchen")
      place.rooms[1].inner = Room("shelf", size: 1)
    }
    let room = try XCTUnwrap(folder.earlier[0].rooms[1].inner)
    try store.write {
      room.size = 7
      folder.earlier[0].rooms.swapAt(0, 1)
      folder.earlier[0].room?.inner?.size = 8
      folder.earlier[0].roomsByName["k"]??.size = 9
    }
    XCTAssertEqual(room.size, 7)
    let other = try folderElsewhere().earlier[0]
    XCTAssertEqual(other.rooms.map(\.name), ["b", "a"])
    XCTAssertEqual(other.rooms[0].inner?.size, 7)
    XCTAssertEqual(other.room?.inner?.size, 8)
    XCTAssertEqual(other.roomsByName["k"]??.size, 9)
  }

  func testReplacedAndRemovedObjectsAreInvalidated() throws {
    let (store, folder) = try folder {
      $0.place = Place("one")
      $0.earlier.append(Place("two"))
      $0.byName["x"] = Place("three")
    }
    let places = [
      try XCTUnwrap(folder.place), folder.earlier[0], try XCTUnwrap(folder.byName["x"] ?? nil),
    ]
    XCTAssertEqual(places.map(\.isInvalidated), [false, false, false])
    try store.write {
      folder.place = Place("new")
      folder.earlier.remove(at: 0)
      folder.byName["x"] = nil
    }
    for place in places {
      XCTAssertTrue(place.isInvalidated)
      XCTAssertEqual(place.street, "")
      XCTAssertEqual(place.visits.count, 0)
      XCTAssertNil(place.room)
      assertThrows(.invalidatedObject("Place.street")) {
        try store.write {
          folder.title = "lost"
          place.street = "x"
        }
      }
      assertThrows(.invalidatedObject("Place.visits")) {
        try store.write { place.visits.append(1) }
      }
      assertThrows(.invalidatedObject("Place")) { try store.write { folder.place = place } }
    }
    XCTAssertEqual(folder.title, "")
    XCTAssertEqual(folder.place?.street, "new")
  }

  func testDeletedOwnerTakesItsObjectsAlong() throws {
    let (store, folder) = try folder {
      $0.place = Place("one")
      $0.place?.room = Room("hall")
    }
    let place = try XCTUnwrap(folder.place)
    let room = try XCTUnwrap(place.room)
    try store.write { try store.delete(folder) }
    XCTAssertTrue(place.isInvalidated)
    XCTAssertTrue(room.isInvalidated)
    XCTAssertEqual(room.name, "")
    XCTAssertNil(folder.place)
    XCTAssertEqual(folder.earlier.count, 0)
    assertThrows(.invalidatedObject("Room.name")) { try store.write { room.name = "x" } }
  }

  func testRolledBackObjectsAreInvalidated() throws {
    let (store, folder) = try folder { $0.place = Place("old") }
    let old = try XCTUnwrap(folder.place)
    let new = Place("new")
    XCTAssertThrowsError(
      try store.write {
        folder.place = new
        XCTAssertTrue(old.isInvalidated)
        throw StoreError.readOnly
      })
    XCTAssertTrue(new.isInvalidated)
    XCTAssertEqual(old.street, "old")
  }

  func testTheSameObjectAgainIsNoChange() throws {
    let (store, folder) = try folder {
      $0.place = Place("one")
      $0.earlier.append(contentsOf: [Place("two"), Place("three")])
      $0.byName["x"] = Place("four")
    }
    let (place, listed) = (try XCTUnwrap(folder.place), folder.earlier[1])
    let version = store.version
    try store.write {
      folder.place = place
      folder.earlier[1] = listed
      folder.earlier = folder.earlier
      folder.byName["x"] = folder.byName["x"]
      folder.byName = folder.byName
      place.street = "one"
    }
    XCTAssertEqual(store.version, version)
    XCTAssertFalse(place.isInvalidated || listed.isInvalidated)
  }

  func testElementsThatReplaceThemselvesStayTheSame() throws {
    let (store, folder) = try folder {
      for text in ["c", String(repeating: "a", count: 70_000), "b"] {
        $0.earlier.append(Place(text))
        $0.earlier.last?.rooms.append(Room(text))
      }
    }
    let (version, places) = (store.version, Array(folder.earlier))
    try store.write {
      folder.earlier.replaceSubrange(0..<3, with: folder.earlier)
      folder.earlier.replaceSubrange(1..., with: Array(folder.earlier.suffix(2)))
      places[1].rooms.replaceSubrange(0..<1, with: places[1].rooms)
    }
    XCTAssertEqual(store.version, version, "equal values are no change")
    try store.write {
      folder.earlier.replaceSubrange(0..., with: folder.earlier.sorted { $0.street < $1.street })
    }
    XCTAssertEqual(folder.earlier.map(\.street.first), ["a", "b", "c"])
    XCTAssertFalse(places.contains(where: \.isInvalidated))
    XCTAssertEqual(folder.earlier.results?.index(of: places[0]), 2)
    try store.write {
      folder.earlier.replaceSubrange(1..<3, with: [places[0], places[0], places[1]])
    }
    XCTAssertEqual(folder.earlier.map(\.street.first), ["a", "c", "c", "a"])
    XCTAssertEqual(places.map(\.isInvalidated), [false, false, true])
    XCTAssertEqual(folder.earlier[3].rooms.first?.name.count, 70_000)
    try store.verify()
  }

  func testManyAreChangedTogether() throws {
    let (store, folder) = try folder {
      for number in 0..<3 { $0.earlier.append(Place("\(number)")) }
    }
    let all = try XCTUnwrap(folder.earlier.results)
    XCTAssertThrowsError(try all.setValue(1, forKey: "number"))
    try store.write {
      try all.where { $0.number == nil }.limit(2).setValue(3, forKey: "number")
      try all.where { $0.number == 3 }.update { $0.city = "Delft" }
      XCTAssertThrowsError(try all.setValue("x", forKey: "number"))
      XCTAssertThrowsError(try all.setValue(1, forKey: "numbers"))
    }
    XCTAssertEqual(all.map(\.number), [3, 3, nil])
    XCTAssertEqual(all.map(\.city), ["Delft", "Delft", "Leiden"])
  }

  func testGivingAnOwnedObjectAwayCopiesIt() throws {
    let (store, folder) = try folder {
      $0.place = Place("one")
      $0.place?.rooms.append(Room("hall", size: 3))
      $0.earlier.append(Place("two"))
    }
    let place = try XCTUnwrap(folder.place)
    let other = Folder("b")
    other.place = place
    try store.write {
      try store.add(other)
      folder.earlier.append(place)
      folder.earlier[0] = folder.earlier[1]
      folder.byName["x"] = place
      place.street = "changed"
      place.rooms[0].size = 4
    }
    XCTAssertEqual(other.place?.street, "one")
    XCTAssertEqual(folder.earlier.map(\.street), ["one", "one"])
    XCTAssertEqual(folder.byName["x"]??.rooms[0].size, 3)
    try store.write { folder.earlier[0].street = "first" }
    XCTAssertEqual(folder.earlier.map(\.street), ["first", "one"])
    XCTAssertEqual(place.street, "changed")
  }

  func testOneUnmanagedObjectInTwoPlacesBecomesTwo() throws {
    let place = Place("x")
    let (store, folder) = try folder {
      $0.place = place
      $0.earlier.append(contentsOf: [place, place])
    }
    try store.write { place.street = "y" }
    let streets = [folder.place?.street ?? ""] + folder.earlier.map(\.street)
    XCTAssertEqual(streets.sorted(), ["x", "x", "y"])
  }

  func testAnObjectThatLiesWithinItselfIsRefused() throws {
    let store = try store()
    let room = Room("x")
    room.inner = Room("y")
    room.inner?.inner = room
    let folder = Folder("a")
    folder.place = Place("p")
    folder.place?.room = room
    XCTAssertThrowsError(try store.write { try store.add(folder) }) {
      guard case StoreError.invalidValue? = $0 as? StoreError else { return XCTFail("\($0)") }
    }
    XCTAssertEqual(store.objects(Folder.self).count, 0)
    let other = try store.write { try store.add(Folder("b")) }
    XCTAssertThrowsError(
      try store.write {
        other.place = Place("p")
        other.place?.room = room
      })
    XCTAssertNil(other.place)
  }

  func testObjectsLieInEachOtherToADepth() throws {
    func chain(_ depth: Int) -> Room {
      let first = Room("1")
      var last = first
      for number in 2...depth {
        let next = Room("\(number)")
        last.inner = next
        last = next
      }
      return first
    }
    let (store, folder) = try folder { $0.place = Place("p") }
    try store.write { folder.place?.room = chain(98) }
    var room = try XCTUnwrap(folder.place?.room)
    while let inner = room.inner { room = inner }
    XCTAssertEqual(room.name, "98")
    try store.write {
      room.size = 7
      room.inner = Room("99")
    }
    XCTAssertEqual(room.inner?.name, "99")
    for depth in [100, 5_000] {
      XCTAssertThrowsError(try store.write { folder.place?.room = chain(depth) }) {
        guard case StoreError.invalidValue? = $0 as? StoreError else { return XCTFail("\($0)") }
      }
    }
    XCTAssertThrowsError(try store.write { room.inner?.inner = Room("100") })
    XCTAssertThrowsError(try store.write { room.inner = chain(2) })
    XCTAssertEqual(room.size, 7)
  }

  func testUpdatingByValuesLeavesWhatTheyDoNotGive() throws {
    let (store, folder) = try folder {
      $0.place = Place("one", city: "Delft")
      $0.place?.room = Room("hall", size: 3)
      $0.earlier.append(Place("two", city: "Delft"))
    }
    let (place, room) = (try XCTUnwrap(folder.place), try XCTUnwrap(folder.place?.room))
    let version = store.version
    func update(_ street: String) throws {
      try store.write {
        try store.create(
          Folder.self,
          value: ["name": "a", "place": ["street": street, "room": ["name": "hall"]]]
            as [String: Any], update: .modified)
      }
    }
    try update("one")
    XCTAssertEqual(store.version, version)
    try update("new")
    XCTAssertEqual(place.street, "new")
    XCTAssertEqual(place.city, "Delft")
    XCTAssertEqual(room.size, 3)
    try store.write {
      try store.create(
        Folder.self, value: ["name": "a", "earlier": [["street": "three"]]] as [String: Any],
        update: .modified)
    }
    XCTAssertEqual(folder.earlier.map(\.city), ["Leiden"])
  }

  func testEmbeddedTypesHaveNoKeysAndIndexes() throws {
    for type in [BadKey.self, BadIndex.self, BadInverse.self] as [Object.Type] {
      XCTAssertThrowsError(try temporaryDirectory().store(objectTypes: [type])) {
        guard case StoreError.unsupported? = $0 as? StoreError else { return XCTFail("\($0)") }
      }
    }
  }

  private final class BadKey: Object {
    @Persisted var inner: Keyed?
  }

  private final class Keyed: EmbeddedObject {
    @Persisted(primaryKey: true) var name: String
  }

  private final class BadIndex: Object {
    @Persisted var inner: List<Indexed>
  }

  private final class Indexed: EmbeddedObject {
    @Persisted(indexed: true) var name: String
  }

  private final class BadInverse: Object {
    @Persisted var inner: Inverse?
  }

  private final class Inverse: EmbeddedObject {
    @Persisted(originProperty: "owner") var sheets: LinkingObjects<Sheet>
  }

  func testUpdatingWithEqualObjectsIsNoChange() throws {
    func filled(_ size: Int) -> Folder {
      let folder = Folder("a")
      folder.place = Place("one")
      folder.place?.rooms.append(Room("hall", size: size))
      folder.place?.room = Room("attic")
      folder.earlier.append(contentsOf: [Place("two"), Place("three")])
      folder.byName["x"] = Place("four")
      return folder
    }
    let store = try store()
    let folder = try store.write { try store.add(filled(1)) }
    let hall = try XCTUnwrap(folder.place?.rooms[0])
    let version = store.version
    try store.write { try store.add(filled(1), update: .modified) }
    XCTAssertEqual(store.version, version)
    try store.write { try store.add(filled(2), update: .modified) }
    XCTAssertEqual(hall.size, 2)
    XCTAssertNotEqual(store.version, version)
  }

  func testReadingWithinOneVersionAndAcrossWrites() throws {
    let (store, folder) = try folder { $0.place = Place("one") }
    let other = try anotherStore()
    try store.read {
      let place = try XCTUnwrap(folder.place)
      XCTAssertEqual(place.street, "one")
      try other.write { other.objects(Folder.self).first?.place?.street = "two" }
      XCTAssertEqual(place.street, "one")
      XCTAssertEqual(folder.place?.street, "one")
    }
    XCTAssertEqual(folder.place?.street, "two")
    let place = try XCTUnwrap(folder.place)
    other.close()
    store.close()
    XCTAssertTrue(place.isInvalidated)
    XCTAssertEqual(place.street, "")
  }
}
