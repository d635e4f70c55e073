import Leyden
import LeydenTesting
import XCTest

/// Observers of key paths into embedded objects hear of what they name, and of nothing else inside.
final class EmbeddedKeyPathTests: ShelfTestCase {
  private final class Cabinet: Object {
    @Persisted var folders: List<Folder>
    @Persisted var byName: Map<String, Folder?>
  }

  private let paths = [
    "place.street", "place.number", "earlier.street", "place.room.size", "place.host.age",
    "place.visits", "place",
  ]

  /// What observers of each path are told of: one folder, results, a list and a map with it.
  private func told(
    _ change: (Store, Folder) throws -> Void
  ) throws -> (paths: [String], objects: [String]) {
    let store = try temporaryDirectory().store(objectTypes: [Cabinet.self])
    defer { store.close() }
    let cabinet = Cabinet()
    let folder = Folder("f")
    folder.place = Place("x")
    folder.place?.host = Person("Ann", age: 3)
    folder.place?.room = Room()
    folder.earlier.append(Place("y"))
    cabinet.folders.append(contentsOf: [Folder("other"), folder])
    cabinet.byName["f"] = folder
    try store.write {
      try store.deleteAll()
      try store.add(cabinet)
    }
    let observed = paths.map { path in
      (
        path,
        [
          calls(store.objects(Folder.self), [path]), calls(cabinet.folders, [path]),
          calls(cabinet.byName, [path]),
          calls(cabinet.byName.where { $0.name == "f" }, [path]),
        ]
      )
    }
    var objects: [String] = []
    let tokens = paths.map { path in
      folder.observe(keyPaths: [path]) { change in
        guard case .change(_, let properties) = change else { return }
        objects.append("\(path): \(properties.map(\.name).joined(separator: " "))")
      }
    }
    try change(store, folder)
    XCTAssertEqual(tokens.count, paths.count)
    var named: [String] = []
    for (path, calls) in observed {
      let counts = calls.map(\.updates.count)
      XCTAssertEqual(Set(counts).count, 1, "\(path): \(counts)")
      if counts[0] > 0 {
        XCTAssertEqual(calls[0].updates.first, "-[] +[] ~[1]", path)
        XCTAssertEqual(calls[2].updates.first, "-[] +[] ~[\"f\"]", path)
        named.append(path)
      }
    }
    return (named, objects)
  }

  private func toldOfAWrite(_ change: (Folder) throws -> Void) throws -> [String] {
    let own = try told { store, folder in try store.write { try change(folder) } }
    XCTAssertEqual(own.objects.map { String($0.prefix { $0 != ":" }) }, own.paths)
    let merged = try told { store, _ in
      let other = try temporaryDirectory().store(objectTypes: [Cabinet.self])
      let folder = try XCTUnwrap(other.object(ofType: Folder.self, forPrimaryKey: "f"))
      try other.write { try change(folder) }
      try other.write { folder.title += "." }
      store.refresh()
      other.close()
    }
    XCTAssertEqual(merged.paths, own.paths)
    return own.paths
  }

  func testOnlyWhatAPathNamesIsTold() throws {
    XCTAssertEqual(try toldOfAWrite { $0.place?.city = "z" }, ["place"])
    XCTAssertEqual(try toldOfAWrite { $0.earlier[0].city = "z" }, [])
    XCTAssertEqual(try toldOfAWrite { $0.place?.street = "z" }, ["place.street", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.number = 4 }, ["place.number", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.earlier[0].street = "z" }, ["earlier.street"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.room?.size = 4 }, ["place.room.size", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.room?.name = "z" }, ["place"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.visits.append(1) }, ["place.visits", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.host?.age = 9 }, ["place.host.age"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.host?.best = Person("Bob") }, [])
    XCTAssertEqual(
      try toldOfAWrite { $0.place?.host = Person("Cid", age: 3) }, ["place.host.age", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.title = "z" }, [])
    XCTAssertEqual(
      try toldOfAWrite { $0.place = nil },
      ["place.street", "place.room.size", "place.host.age", "place"])
    XCTAssertEqual(try toldOfAWrite { $0.place?.street = "x" }, [])
  }

  func testALinkInAnotherEmbeddedObjectIsAnotherPath() throws {
    let told = try told { store, folder in
      try store.write { folder.earlier[0].host = Person("Bob", age: 1) }
      try store.write { folder.earlier[0].host?.age = 2 }
      try store.write {
        folder.byName["k"] = Place("k")
        (folder.byName["k"] ?? nil)?.host = folder.earlier[0].host
      }
      try store.write { folder.earlier[0].host?.age = 3 }
    }
    XCTAssertEqual(told.paths, [])
    XCTAssertEqual(told.objects, [])
  }

  func testRowsThatComeLaterAreKnownAsTheyCame() throws {
    let store = try temporaryDirectory().store(objectTypes: [Folder.self])
    let folders = store.objects(Folder.self).where { $0.title == "in" }
    let calls = calls(folders, ["place.street"])
    let folder = Folder("f")
    folder.place = Place("x")
    try store.write { try store.add(folder) }
    try store.write { folder.title = "in" }
    try store.write { folder.place?.city = "z" }
    try store.write { folder.place?.street = "z" }
    try store.write(withoutNotifying: [try XCTUnwrap(calls.token)]) { folder.place?.street = "w" }
    try store.write { folder.place?.city = "w" }
    XCTAssertEqual(calls.updates, ["-[] +[0] ~[]", "-[] +[] ~[0]"])
  }
}
