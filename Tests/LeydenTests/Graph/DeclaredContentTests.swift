import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Collections and embedded objects that a model declares a property with.
final class DeclaredContentTests: StoreTestCase {
  final class Kit: Object {
    @Persisted(primaryKey: true) var number: Int
    @Persisted var numbers: List<Int> = [1, 2]
    @Persisted var words: MutableSet<String> = ["a"]
    @Persisted var counts: Map<String, Int> = ["k": 1]
    @Persisted var part: Part? = Part()
    @Persisted var parts: List<Part> = [Part()]
    @Persisted var value: AnyValue = .int(3)
    @Persisted var next: Kit?
  }

  final class Part: EmbeddedObject {
    @Persisted var size = 4
    @Persisted var numbers: List<Int> = [5]
    @Persisted var kit: Kit?
  }

  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Kit.self])
  }

  func testAnObjectThatIsMadeOfValuesHasThem() throws {
    let store = try store()
    let kits = try store.write {
      let added = Kit()
      added.number = 1
      return [
        try store.add(added),
        try store.create(Kit.self, value: ["number": 2]),
        try store.create(
          Kit.self, value: ["number": 3, "next": ["number": 4]] as [String: Any], update: .modified),
        try store.create(Kit.self, value: ["number": 5, "part": ["size": 4]] as [String: Any]),
        try store.create(Kit.self, value: ["number": 6, "parts": [["size": 4]]] as [String: Any]),
      ]
    }
    for kit in kits + [try XCTUnwrap(kits[2].next)] {
      let name = "\(kit.number)"
      XCTAssertEqual(Array(kit.numbers), [1, 2], name)
      XCTAssertEqual(Array(kit.words), ["a"], name)
      XCTAssertEqual(kit.counts["k"], 1, name)
      for part in [kit.part, kit.parts.first] {
        XCTAssertEqual(part?.size, 4, name)
        XCTAssertEqual(part.map { Array($0.numbers) }, [5], name)
      }
      XCTAssertEqual(kit.parts.count, 1, name)
      XCTAssertEqual(kit.value, .int(3), name)
    }
    try store.verify()
  }

  func testWhatIsGivenOrThereStays() throws {
    let store = try store()
    let given: [String: Any] = [
      "number": 1, "numbers": [Int](), "words": NSNull(), "counts": [String: Int](),
      "part": NSNull(), "parts": [Any](), "value": NSNull(),
    ]
    let kit = try store.write { try store.create(Kit.self, value: given) }
    func assertIsEmpty(line: UInt = #line) {
      XCTAssertEqual(kit.numbers.count + kit.words.count + kit.counts.count, 0, line: line)
      XCTAssertEqual(kit.parts.count, 0, line: line)
      XCTAssertNil(kit.part, line: line)
      XCTAssertEqual(kit.value, .none, line: line)
    }
    assertIsEmpty()
    let version = store.version
    try store.write { try store.create(Kit.self, value: ["number": 1], update: .modified) }
    XCTAssertEqual(store.version, version)
    try store.write {
      kit.part = Part()
      kit.part?.numbers.removeAll()
      try store.create(
        Kit.self, value: ["number": 1, "part": ["size": 9]] as [String: Any], update: .modified)
    }
    XCTAssertEqual(kit.part?.size, 9)
    XCTAssertEqual(kit.part?.numbers.count, 0)
    try store.verify()
  }

  func testObjectsThatEmbeddedOnesLeadToLieInNothing() throws {
    let store = try store()
    var value: [String: Any] = ["number": 0]
    for number in 1...120 { value = ["number": number, "part": ["kit": value]] }
    try store.write { try store.create(Kit.self, value: value) }
    XCTAssertEqual(store.objects(Kit.self).count, 121)
    try store.verify()
  }
}
