import Foundation
import Leyden
import LeydenTesting
import XCTest

final class CreateGraphTests: GraphTestCase {
  private final class Node: Object {
    @Persisted var value: Int = 10
    @Persisted var next: Node?
    @Persisted var all: List<Node>
  }

  func testNestedDictionariesMakeWhatIsLedTo() throws {
    let store = try store()
    let sheet = try store.write {
      try store.create(
        Sheet.self,
        value: [
          "identifier": "s", "owner": ["name": "Ann", "age": 3], "numbers": [3, 1, 2],
          "words": ["a", nil] as [String?], "labels": [["name": "red"], ["blue", "dark"]],
          "tags": ["x", "y", "x"],
          "marks": ["one": ["name": "red"], "two": NSNull()] as [String: Any],
          "counts": ["k": 1],
        ] as [String: Any], update: .modified)
    }
    XCTAssertEqual(sheet.owner?.age, 3)
    XCTAssertEqual(Array(sheet.numbers), [3, 1, 2])
    XCTAssertEqual(Array(sheet.words), ["a", nil])
    XCTAssertEqual(sheet.labels.map(\.name), ["red", "blue"])
    XCTAssertEqual(sheet.labels[1].color, "dark")
    XCTAssertEqual(Array(sheet.tags), ["x", "y"])
    XCTAssertEqual(sheet.marks.keys, ["one", "two"])
    XCTAssertEqual(sheet.marks["one"] ?? nil, sheet.labels[0])
    XCTAssertEqual(sheet.counts["k"], 1)
    XCTAssertEqual(store.objects(Label.self).count, 2)
    try store.verify()
  }

  func testMissingKeysAreUntouchedAndListsAreReplaced() throws {
    let store = try store()
    let sheet = try store.write {
      try store.create(
        Sheet.self, value: ["identifier": "s", "numbers": [1, 2], "owner": ["name": "Ann"]])
    }
    try store.write {
      try store.create(
        Sheet.self, value: ["identifier": "s", "title": "t"], update: .modified)
    }
    XCTAssertEqual(Array(sheet.numbers), [1, 2])
    XCTAssertEqual(sheet.owner?.name, "Ann")
    try store.write {
      try store.create(
        Sheet.self,
        value: ["identifier": "s", "numbers": [7], "owner": NSNull()] as [String: Any],
        update: .modified)
    }
    XCTAssertEqual(Array(sheet.numbers), [7])
    XCTAssertNil(sheet.owner)
    try store.write {
      try store.create(
        Sheet.self, value: ["identifier": "s", "numbers": NSNull()] as [String: Any],
        update: .modified)
    }
    XCTAssertEqual(sheet.numbers.count, 0)
  }

  func testAnObjectWithAKeyIsOneObjectAndOneWithoutIsMadeEachTime() throws {
    let store = try temporaryDirectory().store(objectTypes: [Sheet.self, Person.self, Node.self])
    try store.write {
      for age in [1, 2] {
        try store.create(
          Sheet.self,
          value: ["identifier": "s", "owner": ["name": "Ann", "age": age]] as [String: Any],
          update: .modified)
      }
    }
    XCTAssertEqual(store.objects(Person.self).map(\.age), [2])
    try store.write {
      let next = ["value": 1]
      try store.create(Node.self, value: ["next": next, "all": [next, next]] as [String: Any])
    }
    XCTAssertEqual(store.objects(Node.self).count, 4)
  }

  func testTheLastOfEqualKeysInOnePayloadWins() throws {
    let store = try store()
    try store.write {
      try store.create(
        Sheet.self,
        value: [
          "identifier": "s",
          "labels": [["name": "red", "color": "dark"], ["name": "red", "color": "light"]],
        ], update: .modified)
    }
    XCTAssertEqual(store.objects(Label.self).map(\.color), ["light"])
    XCTAssertEqual(store.objects(Sheet.self).first?.labels.map(\.name), ["red", "red"])
  }

  func testARefusedPayloadLeavesTheStoreAsItWas() throws {
    let store = try store()
    try store.write { try store.add(Label("red")) }
    try store.write {
      assertThrows(.duplicatePrimaryKey(type: "Label", key: "\"red\"")) {
        try store.create(
          Sheet.self,
          value: ["identifier": "s", "labels": [["name": "blue"], ["name": "red"]]])
      }
      XCTAssertThrowsError(
        try store.create(
          Sheet.self,
          value: ["identifier": "s", "labels": [["name": "blue"], ["name": 5]]] as [String: Any]))
      XCTAssertThrowsError(
        try store.create(
          Sheet.self, value: ["identifier": "s", "labels": [NSNull()]] as [String: Any]))
      XCTAssertThrowsError(
        try store.create(Sheet.self, value: ["identifier": "s", "numbers": "12"]))
      XCTAssertThrowsError(
        try store.create(
          Sheet.self, value: ["identifier": "s", "owner": ["age": 5]] as [String: Any]))
    }
    XCTAssertEqual(store.objects(Label.self).map(\.name), ["red"])
    XCTAssertEqual(store.objects(Sheet.self).count, 0)
    XCTAssertEqual(store.objects(Person.self).count, 0)
  }

  func testAnObjectOfAnotherStoreIsCopiedWithWhatItLeadsTo() throws {
    let other = try Store(
      configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: [Node.self]))
    let store = try temporaryDirectory().store(objectTypes: [Node.self])
    let root = Node()
    try other.write {
      let x = Node()
      root.all.append(contentsOf: [x, x])
      x.next = root
      try other.add(root)
    }
    let copy = try store.write { try store.add(root) }
    XCTAssertEqual(copy.all.count, 2)
    XCTAssertEqual(copy.all[0], copy.all[1])
    XCTAssertEqual(copy.all[0].next, copy)
    XCTAssertEqual(store.objects(Node.self).count, 2)
    XCTAssertEqual(other.objects(Node.self).count, 2)
    XCTAssertNotEqual(copy, root)
  }

  func testWhatAnotherStoresObjectLeadsToIsCopiedEachTimeUnlessItHasAKey() throws {
    let other = try Store(
      configuration: .init(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [Node.self, Sheet.self]))
    let store = try temporaryDirectory().store(objectTypes: [Node.self, Sheet.self])
    let (root, sheet) = (Node(), Sheet("s"))
    try other.write {
      let x = Node()
      x.next = root
      root.all.append(contentsOf: [x, x])
      try other.add(root)
      let y = Label("y")
      sheet.labels.append(contentsOf: [y, y])
      try other.add(sheet)
    }
    let (copy, copied) = try store.write {
      (try store.create(Node.self, value: root), try store.create(Sheet.self, value: sheet))
    }
    XCTAssertEqual(Set(copy.all).count, 2)
    XCTAssertEqual(copied.labels.map(\.name), ["y", "y"])
    XCTAssertEqual(store.objects(Label.self).count, 1)
    try store.verify()
  }

  func testARollbackGivesLinksAndCollectionsBack() throws {
    let store = try store()
    let sheet = try store.write {
      try store.create(
        Sheet.self,
        value: [
          "identifier": "s", "numbers": Array(0..<50), "owner": ["name": "Ann"],
          "tags": ["a"], "counts": ["k": 1], "labels": [["name": "red"]],
        ])
    }
    try store.beginWrite()
    sheet.numbers.removeAll()
    sheet.numbers.append(9)
    sheet.owner = Person("Bob")
    sheet.tags.insert("b")
    sheet.counts["k"] = 2
    try store.delete(sheet.labels)
    XCTAssertEqual(sheet.labels.count, 0)
    try store.cancelWrite()
    XCTAssertEqual(Array(sheet.numbers), Array(0..<50))
    XCTAssertEqual(sheet.owner?.name, "Ann")
    XCTAssertEqual(Array(sheet.tags), ["a"])
    XCTAssertEqual(sheet.counts["k"], 1)
    XCTAssertEqual(sheet.labels.map(\.name), ["red"])
    XCTAssertEqual(store.objects(Person.self).count, 1)
  }

  func testUpsertGoesThroughTheGraph() throws {
    let store = try store()
    try store.write { try store.add(Label("red", color: "old")) }
    func sheet(_ color: String) -> Sheet {
      let sheet = Sheet("s")
      sheet.labels.append(Label("red", color: color))
      sheet.owner = Person("Ann")
      return sheet
    }
    try store.write {
      assertThrows(.duplicatePrimaryKey(type: "Label", key: "\"red\"")) {
        try store.add(sheet("new"))
      }
    }
    XCTAssertEqual(store.objects(Sheet.self).count, 0)
    XCTAssertEqual(store.objects(Person.self).count, 0)
    try store.write { try store.add(sheet("new"), update: .modified) }
    let version = store.version
    XCTAssertEqual(store.objects(Label.self).map(\.color), ["new"])
    try store.write { try store.add(sheet("new"), update: .modified) }
    XCTAssertEqual(store.version, version, "equal values are no change")
    XCTAssertEqual(store.objects(Sheet.self).first?.labels.count, 1)
  }

  func testAChainOfNestedValuesIsMade() throws {
    let store = try temporaryDirectory().store(objectTypes: [Node.self])
    var value: [String: Any] = ["value": 0]
    for number in 1...200 { value = ["value": number, "next": value] }
    let first = try store.write { try store.create(Node.self, value: value) }
    XCTAssertEqual(store.objects(Node.self).count, 201)
    XCTAssertEqual(first.next?.next?.value, 198)
  }
}
