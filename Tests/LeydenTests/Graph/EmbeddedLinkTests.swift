import LeydenStorage
import XCTest

@testable import Leyden

final class EmbeddedLinkTests: EmbeddedTestCase {
  func testLinksInsideFollowTheirTargets() throws {
    let (store, folder) = try folder {
      $0.place = Place("x")
      $0.place?.host = Person("Ann")
    }
    let ann = try XCTUnwrap(folder.place?.host)
    try store.write {
      folder.place?.guests.append(contentsOf: [ann, Person("Bob"), ann])
      folder.earlier.append(Place("y"))
      folder.earlier[0].host = ann
      folder.earlier[0].room = Room("hall")
      folder.earlier[0].room?.owner = ann
      folder.byName["k"] = Place("z")
      folder.byName["k"]??.note = .object(ann)
    }
    XCTAssertEqual(folder.place?.guests.map(\.name), ["Ann", "Bob", "Ann"])
    let (place, listed) = (try XCTUnwrap(folder.place), folder.earlier[0])
    try store.write { try store.delete(ann) }
    XCTAssertNil(folder.place?.host)
    XCTAssertEqual(folder.place?.guests.map(\.name), ["Bob"])
    XCTAssertNil(folder.earlier[0].host)
    XCTAssertNil(folder.earlier[0].room?.owner)
    XCTAssertEqual(folder.byName["k"]??.note, AnyValue.none)
    XCTAssertFalse(place.isInvalidated || listed.isInvalidated)
    XCTAssertEqual(try folderElsewhere().place?.guests.count, 1)
  }

  func testLinksOfWhatWasRemovedAreForgotten() throws {
    let ann = Person("Ann")
    let (store, folder) = try folder {
      $0.place = Place("x")
      $0.place?.host = ann
      $0.place?.rooms.append(Room("hall"))
      $0.place?.rooms[0].owner = ann
    }
    XCTAssertEqual(try linkCount(to: ann, store), 2)
    try store.write { folder.place?.rooms.removeAll() }
    XCTAssertEqual(try linkCount(to: ann, store), 1)
    try store.write { folder.place?.guests.append(contentsOf: [ann, ann]) }
    XCTAssertEqual(try linkCount(to: ann, store), 2)
    try store.write { folder.place?.guests.remove(at: 0) }
    XCTAssertEqual(try linkCount(to: ann, store), 2)
    try store.write { folder.place = nil }
    XCTAssertEqual(try linkCount(to: ann, store), 0)
    try store.write { try store.delete(folder) }
    XCTAssertEqual(try linkCount(to: ann, store), 0)
  }

  func testDeleteRulesInside() throws {
    let store = try store()
    let chest = Chest()
    chest.name = "c"
    chest.drawer = Drawer()
    chest.drawer?.owned = Person("Ann")
    chest.drawers.append(Drawer())
    chest.drawers[0].owned = Person("Bob")
    chest.drawers[0].guarded = Label("red")
    try store.write { try store.add(chest) }
    XCTAssertThrowsError(try store.write { try store.delete(chest) }) {
      guard case StoreError.deleteDenied? = $0 as? StoreError else { return XCTFail("\($0)") }
    }
    XCTAssertEqual(store.objects(Person.self).count, 2)
    try store.write {
      chest.drawers[0].guarded = nil
      try store.delete(chest)
    }
    XCTAssertEqual(store.objects(Person.self).count, 0)
    XCTAssertEqual(store.objects(Label.self).count, 1)
  }

  func testChangesInsideAreChangesOfTheOwner() throws {
    let (store, folder) = try folder {
      $0.place = Place("x")
      $0.earlier.append(Place("y"))
    }
    let other = Folder("b")
    try store.write { try store.add(other) }
    var modified: [[Int]] = []
    let token = store.objects(Folder.self).observe { change in
      if case .update(_, _, _, let modifications) = change { modified.append(modifications) }
    }
    try store.write { folder.place?.street = "changed" }
    try store.write { folder.earlier[0].visits.append(1) }
    try store.write { folder.earlier[0].street = "y" }
    try store.write {
      folder.place?.street = "twice"
      folder.place?.street = "changed"
    }
    XCTAssertEqual(modified, [[0], [0]])
    token.invalidate()
  }

  private func linkCount(to person: Person, _ store: Store) throws -> Int {
    let identity = try XCTUnwrap(person.access?.identity)
    var count = 0
    try store.session.withTransaction { (transaction) throws(StorageError) in
      try InverseEntry.forEach(
        to: ObjectReference(type: identity.type, row: identity.row), in: transaction
      ) { _, _ in
        count += 1
        return true
      }
    }
    return count
  }
}
