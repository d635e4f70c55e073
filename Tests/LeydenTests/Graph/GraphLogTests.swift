import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// What the log says of links and collections: what differs, at all who see it, and nothing else.
final class GraphLogTests: StoreTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: Ship.types)
  }

  private let long = String(repeating: "long ", count: 200)

  /// A store with two ships and three ports.
  private func fill() throws -> (store: Store, ships: [Ship], ports: [Harbor]) {
    let store = try store()
    let ships = [Ship(1), Ship(2)]
    let ports = [Harbor(11), Harbor(12), Harbor(13)]
    try store.write {
      try store.add(ships)
      try store.add(ports)
      for ship in ships {
        ship.words.append(contentsOf: ["a", nil, long])
        ship.numbers.append(contentsOf: 0..<300)
        ship.marks.insert(contentsOf: [long, "b", nil])
        ship.tags.insert(contentsOf: (0..<40).map { "\($0)" })
        ship.texts["a"] = long
        ship.texts["b"] = "b"
        for number in 0..<30 { ship.counts["\(number)"] = number }
        ship.notes.append(contentsOf: [.string(long), .int(1)])
        ship.route.append(contentsOf: [ports[0], ports[1], ports[0]])
        ship.home = ports[0]
      }
    }
    return (store, ships, ports)
  }

  /// What the log says of a write: the names of the properties that changed, by the objects' numbers.
  private func changes(
    _ store: Store, _ body: () throws -> Void
  ) throws -> [String: Set<String>] {
    let version = store.version
    let rows = rows(in: store)
    try store.write(body)
    let all = rows.merging(self.rows(in: store)) { old, _ in old }
    let newest = store.version
    let changes = try store.session.withTransaction { (transaction) throws(StorageError) in
      try store.session.changes(after: version.number, through: newest.number, in: transaction)
    }
    var found: [String: Set<String>] = [:]
    for (id, rows) in try XCTUnwrap(changes).types {
      let type = try XCTUnwrap(store.session.core.catalog.types[id])
      for (row, change) in rows {
        let name = all[row] ?? "?"
        switch change {
        case .inserted: found[name] = ["inserted"]
        case .deleted: found[name] = ["deleted"]
        case .modified(let properties):
          found[name] = Set(
            properties.ordinals.compactMap { ordinal in
              type.properties.first { $0.ordinal == ordinal }?.name
            })
        }
      }
    }
    return found
  }

  private func rows(in store: Store) -> [UInt64: String] {
    var rows: [UInt64: String] = [:]
    for ship in store.objects(Ship.self) {
      rows[ship.access?.identity?.row ?? 0] = "\(ship.number)"
    }
    for port in store.objects(Harbor.self) {
      rows[port.access?.identity?.row ?? 0] = "\(port.number)"
    }
    for crate in store.objects(Crate.self) {
      rows[crate.access?.identity?.row ?? 0] = "\(crate.number)"
    }
    return rows
  }

  func testALinkIsNotedAtItsSourceAndBothTargets() throws {
    let (store, ships, ports) = try fill()
    XCTAssertEqual(
      try changes(store) { ships[0].home = ports[2] },
      ["1": ["home"], "11": ["ships"], "13": ["ships"]])
    XCTAssertEqual(
      try changes(store) { ships[0].home = nil }, ["1": ["home"], "13": ["ships"]])
    XCTAssertEqual(
      try changes(store) { ships[0].route.append(ports[2]) },
      ["1": ["route"], "13": ["visitors"]])
    // Once more: the inverse holds each source once.
    XCTAssertEqual(try changes(store) { ships[0].route.append(ports[2]) }, ["1": ["route"]])
    XCTAssertEqual(
      try changes(store) { ships[0].berths["x"] = ports[1] }, ["1": ["berths"], "12": ["guests"]])
    XCTAssertEqual(
      try changes(store) { ships[0].berths["x"] = .some(nil) },
      ["1": ["berths"], "12": ["guests"]])
    XCTAssertEqual(
      try changes(store) { ships[0].friends.insert(ships[1]) },
      ["1": ["friends"], "2": ["friendOf"]])
    // A target without linking objects that follow the link is not noted.
    XCTAssertEqual(try changes(store) { ships[0].flag = .object(ports[0]) }, ["1": ["flag"]])
  }

  func testAddingAndDeletingASourceIsNotedAtItsTargets() throws {
    let (store, ships, ports) = try fill()
    let ship = Ship(3)
    ship.home = ports[2]
    ship.sister = ships[0]
    ship.crates.append(Crate(21))
    XCTAssertEqual(
      try changes(store) { try store.add(ship) },
      ["3": ["inserted"], "21": ["inserted"], "13": ["ships"], "1": ["sisters"]])
    XCTAssertEqual(
      try changes(store) { try store.delete(ship) },
      ["3": ["deleted"], "21": ["deleted"], "13": ["ships"], "1": ["sisters"]])
  }

  func testWhatADeletionDoesIsNotedAtItsSources() throws {
    let (store, ships, ports) = try fill()
    try store.write {
      ships[0].berths["a"] = ports[0]
      ships[0].flag = .object(ports[0])
      ships[1].notes.append(.object(ports[0]))
    }
    XCTAssertEqual(
      try changes(store) { try store.delete(ports[0]) },
      [
        "11": ["deleted"], "1": ["home", "route", "berths", "flag"],
        "2": ["home", "route", "notes"],
      ])
  }

  func testWhatComesToNothingIsNoCommit() throws {
    let (store, ships, ports) = try fill()
    let (ship, version) = (ships[0], store.version)
    let changes: [(String, () -> Void)] = [
      (
        "append and remove",
        {
          ship.numbers.append(7); ship.numbers.removeLast()
        }
      ),
      (
        "remove and insert",
        {
          ship.numbers.remove(at: 100); ship.numbers.insert(100, at: 100)
        }
      ),
      (
        "many",
        {
          for _ in 0..<300 { ship.numbers.insert(-1, at: 150) }
          ship.numbers.removeSubrange(150..<450)
        }
      ),
      (
        "all",
        {
          ship.numbers.removeAll(); ship.numbers.append(contentsOf: 0..<300)
        }
      ),
      (
        "moved there and back",
        {
          ship.numbers.move(from: 3, to: 290); ship.numbers.move(from: 290, to: 3)
        }
      ),
      (
        "swapped twice",
        {
          ship.words.swapAt(0, 2); ship.words.swapAt(0, 2)
        }
      ),
      ("an equal text", { ship.words[0] = "a" }),
      (
        "a long text again",
        {
          ship.words[2] = "x"; ship.words[2] = self.long
        }
      ),
      (
        "all texts again",
        {
          ship.words.removeAll(); ship.words.append(contentsOf: ["a", nil, self.long])
        }
      ),
      (
        "into the table and back",
        {
          for _ in 0..<30 { ship.words.append("word") }
          ship.words.removeSubrange(3..<33)
        }
      ),
      (
        "a long any-value again",
        {
          ship.notes.remove(at: 0); ship.notes.insert(.string(self.long), at: 0)
        }
      ),
      (
        "a set's element",
        {
          ship.tags.insert("x"); ship.tags.remove("x")
        }
      ),
      (
        "a set's element again",
        {
          ship.tags.remove("7"); ship.tags.insert("7")
        }
      ),
      (
        "a set's long element again",
        {
          ship.marks.remove(self.long); ship.marks.insert(self.long)
        }
      ),
      (
        "a map's long value again",
        {
          ship.texts["a"] = "x"; ship.texts["a"] = self.long
        }
      ),
      (
        "a map's key",
        {
          ship.counts["7"] = 8; ship.counts["7"] = 7
        }
      ),
      (
        "a map's key again",
        {
          ship.counts.removeObject(for: "7"); ship.counts["7"] = 7
        }
      ),
      (
        "a map that was long for a while",
        {
          for number in 0..<9 { ship.texts["long \(number)"] = String(repeating: "x", count: 100) }
          for number in 0..<9 { ship.texts.removeObject(for: "long \(number)") }
        }
      ),
      (
        "a map's value that was long for a while",
        {
          ship.texts["b"] = String(repeating: "x", count: 250)
          ship.texts["b"] = "b"
        }
      ),
      (
        "a link there and back",
        {
          ship.home = ports[1]; ship.home = ports[0]
        }
      ),
      (
        "a link's elements",
        {
          ship.route.append(ports[2]); ship.route.removeLast()
        }
      ),
      ("a link's order", { ship.route.swapAt(0, 2) }),
    ]
    for (name, change) in changes {
      try store.write(change)
      XCTAssertEqual(store.version, version, name)
      try store.write {
        change()
        _ = store.objects(Ship.self).where { $0.title == "x" }.count
        change()
      }
      XCTAssertEqual(store.version, version, name)
      XCTAssertEqual(try store.verificationReport().findings.map(\.description), [], name)
    }
  }

  func testWhatComesToNothingBesideAChangeLeavesAWholeStore() throws {
    let (store, ships, _) = try fill()
    XCTAssertEqual(
      try changes(store) {
        ships[1].title = "changed"
        for ship in ships {
          ship.words[2] = "x"
          ship.words[2] = long
          ship.marks.remove(long)
          ship.marks.insert(long)
          ship.texts["a"] = .some(nil)
          ship.texts["a"] = long
        }
      }, ["2": ["title"]])
    XCTAssertEqual(ships.map { $0.words[2] }, [long, long])
    XCTAssertEqual(ships.map { $0.texts["a"] ?? nil }, [long, long])
    XCTAssertEqual(try store.verificationReport().findings.map(\.description), [])
    try store.write { try store.deleteAll() }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
    XCTAssertEqual(try store.verificationReport().findings.map(\.description), [])
  }

  func testAListWithManyNilsCanBeRead() throws {
    let (store, ships, _) = try fill()
    for count in 1...20 {
      try store.write {
        ships[0].words.removeAll()
        ships[0].words.append(contentsOf: Array(repeating: nil, count: count))
      }
      XCTAssertEqual(Array(ships[0].words), Array(repeating: nil, count: count))
      XCTAssertEqual(try store.verificationReport().findings.map(\.description), [])
    }
  }
}
