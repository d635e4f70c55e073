import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Each embedded object is one, and stays itself, however a collection gets it.
final class EmbeddedIdentityTests: EmbeddedTestCase {
  func testAnObjectThatIsGivenWithValuesStaysItself() throws {
    let (store, folder) = try folder {
      $0.earlier.append(contentsOf: [Place("0"), Place("1"), Place("2")])
      $0.byName["a"] = Place("a")
      $0.byName["b"] = Place("b")
    }
    func update(_ key: String, _ value: Any) throws {
      try store.write {
        try store.create(Folder.self, value: ["name": "a", key: value], update: .modified)
      }
      try store.verify()
    }
    let second = folder.earlier[1]
    for (given, expected) in [
      ([second, ["street": "new"]] as [Any], ["1", "new"]),
      ([["street": "newer"], ["street": "x"], second], ["newer", "x", "1"]),
      ([second, second, Place("p")], ["1", "1", "p"]),
      ([Place("q"), second], ["q", "1"]),
    ] {
      try update("earlier", given)
      XCTAssertEqual(folder.earlier.map(\.street), expected)
      XCTAssertFalse(second.isInvalidated)
      try store.write {
        for (number, place) in folder.earlier.enumerated() { place.number = number }
      }
      XCTAssertEqual(folder.earlier.map(\.number), Array(0..<expected.count))
      try store.write { folder.earlier.swapAt(0, 1) }
      XCTAssertEqual(second.street, "1")
    }
    let b = try XCTUnwrap(folder.byName["b"] ?? nil)
    try update("byName", ["a": b, "b": ["street": "new"]] as [String: Any])
    try store.write { (folder.byName["b"] ?? nil)?.city = "Delft" }
    XCTAssertEqual(["a", "b"].map { folder.byName[$0]??.street }, ["b", "new"])
    XCTAssertEqual(["a", "b"].map { folder.byName[$0]??.city }, ["Leiden", "Delft"])
    XCTAssertEqual(b.street, "b")
  }

  func testNestedValuesThatUpdateOthersLeaveItItself() throws {
    let (store, folder) = try folder {
      $0.earlier.append(contentsOf: [Place("0"), Place("1")])
    }
    try store.write { try store.add(Person("Ann")) }
    let second = folder.earlier[1]
    try store.write {
      try store.create(
        Folder.self,
        value: [
          "name": "a",
          "earlier": [["street": "new", "host": ["name": "Ann", "age": 7]], second] as [Any],
        ] as [String: Any], update: .modified)
    }
    XCTAssertEqual(folder.earlier.map(\.street), ["new", "1"])
    XCTAssertEqual(folder.earlier[0].host?.age, 7)
    XCTAssertFalse(second.isInvalidated)
    try store.verify()
  }

  /// Gives a list live objects, unmanaged ones and values, in all ways.
  func testListsOfWhateverIsGivenAreWhatArraysAre() throws {
    try forEachSeed(20) { seed in
      let (store, folder) = (try temporaryStore(seed), Folder("a"))
      try store.write { try store.add(folder) }
      var random = SeededGenerator(seed: seed)
      var model: [Int?] = []
      for _ in 0..<12 {
        try store.write {
          var given: [Any] = []
          var new: [Int?] = []
          for _ in 0..<Int.random(in: 0..<25, using: &random) {
            let number = Int.random(in: 0..<1_000, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
              guard let position = model.indices.randomElement(using: &random) else { break }
              given.append(folder.earlier[position])
              new.append(model[position])
            case 2:
              given.append(["number": number])
              new.append(number)
            default:
              let place = Place()
              place.number = number
              given.append(place)
              new.append(number)
            }
          }
          switch Int.random(in: 0..<3, using: &random) {
          case 0:
            try store.create(
              Folder.self, value: ["name": "a", "earlier": given] as [String: Any],
              update: .modified)
          case 1: folder["earlier"] = given
          default: try store.objects(Folder.self).setValue(given, forKey: "earlier")
          }
          XCTAssertEqual(folder.earlier.map(\.number), new, "seed \(seed)")
          model = new
          for (position, place) in folder.earlier.enumerated() {
            place.number = position
            model[position] = position
          }
        }
        // Each is an object of its own.
        XCTAssertEqual(folder.earlier.map(\.number), model, "seed \(seed)")
      }
      try store.verify()
    }
  }

  private func temporaryStore(_ seed: UInt64) throws -> Store {
    try temporaryDirectory().store(named: "\(seed)", objectTypes: [Folder.self])
  }
}
