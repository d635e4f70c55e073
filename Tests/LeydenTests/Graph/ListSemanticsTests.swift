import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Lists whose owner, store or write is not what it was.
final class ListSemanticsTests: BasketTestCase {
  func testACollectionOfADeletedOwnerIsEmptyAndFailsTheWrite() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.ints = [1, 2]
      basket.words = ["a"]
      basket.counts = ["k": 1]
    }
    try store.write { try store.delete(basket) }
    XCTAssertTrue(basket.ints.isInvalidated)
    XCTAssertEqual(Array(basket.ints), [])
    XCTAssertNil(basket.ints.first)
    XCTAssertEqual(basket.words.count, 0)
    XCTAssertTrue(basket.counts["k"] == nil)
    let changes: [(Basket) -> Void] = [
      { $0.ints.append(1) }, { $0.ints.remove(at: 0) }, { $0.ints[0] = 1 },
      { $0.ints.removeLast() },
      { $0.ints.removeAll() }, { $0.ints.move(from: 0, to: 1) }, { $0.ints = [1] },
      { $0.words.insert("b") }, { $0.words.remove("a") }, { $0.words.removeAll() },
      { $0.counts["k"] = 2 }, { $0.counts["k"] = nil }, { $0.counts.removeAll() },
    ]
    for (number, change) in changes.enumerated() {
      XCTAssertThrowsError(try store.write { change(basket) }, "\(number)") { error in
        guard case StoreError.invalidatedObject(let name) = error else {
          return XCTFail("\(number): \(error)")
        }
        XCTAssertTrue(name.hasPrefix("Basket."), name)
      }
    }
  }

  func testARolledBackWriteLeavesTheOldContents() throws {
    let (store, basket) = try basket()
    for count in [5, 1_000] {
      let mirror = Array(0..<count)
      try store.write {
        basket.ints = []
        basket.ints.append(contentsOf: mirror)
        basket.words = ["a"]
      }
      try store.beginWrite()
      basket.ints.insert(-1, at: 2)
      basket.ints.remove(at: 0)
      basket.words.insert("b")
      basket.counts["k"] = 1
      XCTAssertEqual(basket.ints[1], -1)
      try store.cancelWrite()
      XCTAssertEqual(basket.ints[1], 1)
      XCTAssertEqual(Array(basket.ints), mirror)
      XCTAssertEqual(Array(basket.words), ["a"])
      XCTAssertTrue(basket.counts.isEmpty)
    }
  }

  func testAssigningReplacesTheContents() throws {
    let (store, basket) = try basket()
    let other = try store.write { try store.add(Basket("other")) }
    try store.write {
      basket.fruits.append(contentsOf: [Fruit("a"), Fruit("b")])
      other.fruits.append(Fruit("c"))
      other.fruits = basket.fruits
      basket.fruits = basket.fruits
      basket.readers.insert(contentsOf: basket.fruits)
      basket.readers = basket.readers
      other.readers = basket.readers
      basket.favourites["x"] = basket.fruits[0]
      basket.favourites = basket.favourites
      other.favourites = basket.favourites
    }
    XCTAssertEqual(other.fruits.map(\.title), ["a", "b"])
    XCTAssertEqual(basket.fruits.map(\.title), ["a", "b"])
    XCTAssertEqual(basket.readers.count, 2)
    XCTAssertEqual(other.readers.count, 2)
    XCTAssertEqual(other.favourites["x"]??.title, "a")
    let before = store.version
    try store.write {
      basket.fruits = other.fruits
      basket.readers = other.readers
      basket.favourites = other.favourites
    }
    XCTAssertEqual(store.version, before)
    try store.verify()
  }

  func testElementsOfAnotherStoreAreCopied() throws {
    let (store, basket) = try basket()
    let elsewhere = try temporaryDirectory().store(
      named: "Elsewhere", objectTypes: [Basket.self, Fruit.self])
    let foreign = try elsewhere.write { try elsewhere.add(Basket("f")) }
    try elsewhere.write { foreign.fruits.append(contentsOf: [Fruit("x"), Fruit("y")]) }
    try store.write {
      basket.fruits.append(foreign.fruits[0])
      basket.fruits.append(contentsOf: foreign.fruits.dropFirst())
    }
    XCTAssertEqual(basket.fruits.map(\.title), ["x", "y"])
    XCTAssertEqual(store.objects(Fruit.self).count, 2)
    XCTAssertFalse(basket.fruits.contains(foreign.fruits[0]))
    XCTAssertEqual(elsewhere.objects(Fruit.self).count, 2)
  }

  func testAnObjectWithAKeyThatIsThereFailsTheWrite() throws {
    let (store, basket) = try basket()
    try store.write { basket.fruits.append(Fruit("a")) }
    for change: (Basket) -> Void in [
      { $0.fruits.append(Fruit("a")) }, { $0.fruits[0] = Fruit("a") },
      { $0.readers.insert(Fruit("a")) },
      { $0.favourites["k"] = Fruit("a") },
    ] {
      assertThrows(.duplicatePrimaryKey(type: "Fruit", key: "\"a\"")) {
        try store.write { change(basket) }
      }
    }
    XCTAssertEqual(basket.fruits.count, 1)
    XCTAssertEqual(basket.readers.count, 0)
  }

  func testPositionsThatWerePromisedStayValidWhileOthersShortenTheList() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.ints.append(contentsOf: 1...500)
      basket.fruits.append(Fruit("a"))
    }
    XCTAssertEqual(basket.ints.count, 500)
    XCTAssertEqual(basket.fruits.count, 1)
    let other = try anotherStore()
    try other.write {
      let same = try XCTUnwrap(other.objects(Basket.self).first)
      same.ints.removeLast(400)
      try other.deleteAll(Fruit.self)
    }
    XCTAssertEqual(basket.ints[99], 100)
    XCTAssertEqual(basket.ints[499], 0)
    XCTAssertTrue(basket.fruits[0].isInvalidated)
    XCTAssertThrowsError(try store.write { basket.ints.remove(at: 499) }) { error in
      guard case StoreError.invalidValue = error else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(basket.ints.last, 100)
  }

  func testAnotherStoresChangesOfALongListAreSeen() throws {
    let (store, basket) = try basket()
    let other = try anotherStore()
    var mirror = Array(0..<2_000)
    try store.write { basket.ints.append(contentsOf: mirror) }
    let same = try XCTUnwrap(other.objects(Basket.self).first)
    for step in 0..<30 {
      let position = step * 641 % mirror.count
      XCTAssertEqual(basket.ints[position], mirror[position])
      XCTAssertEqual(same.ints[position], mirror[position])
      let (writer, list) = step % 2 == 0 ? (store, basket.ints) : (other, same.ints)
      try writer.write {
        list.insert(contentsOf: [-step, -step], at: position)
        list.remove(at: 0)
      }
      mirror.insert(contentsOf: [-step, -step], at: position)
      mirror.remove(at: 0)
    }
    XCTAssertEqual(Array(basket.ints), mirror)
    XCTAssertEqual(Array(same.ints), mirror)
  }

  func testAListThatComesToNothingIsStillReadRightByOthers() throws {
    let (store, basket) = try basket()
    let long = String(repeating: "a long text ", count: 60)
    try store.write {
      basket.ints.append(contentsOf: 0..<2_000)
      basket.texts.append(contentsOf: (0..<60).map { "\($0) \(long)" })
    }
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Basket.self).first)
    XCTAssertEqual(same.ints[1_999], 1_999)
    XCTAssertEqual(same.texts[59], "59 \(long)")
    // The parts are cut otherwise, and put together again; something else changes the version.
    try store.write {
      basket.ints.insert(contentsOf: 10_000..<11_000, at: 1_000)
      basket.ints.removeSubrange(1_000..<2_000)
      basket.texts.insert(contentsOf: (0..<200).map { "more \($0)" }, at: 30)
      basket.texts.removeSubrange(30..<230)
      let text = basket.texts[10]
      basket.texts.remove(at: 10)
      basket.texts.insert(text, at: 10)
      try store.add(Fruit("a"))
    }
    for position in stride(from: 0, to: 2_000, by: 37) {
      XCTAssertEqual(same.ints[position], position)
    }
    XCTAssertEqual(Array(same.texts), (0..<60).map { "\($0) \(long)" })
    XCTAssertEqual(Array(basket.ints), Array(0..<2_000))
    try store.write { basket.texts.removeAll() }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
    try store.verify()
  }

  func testAWriteThatPutsEverythingBackCommitsNothing() throws {
    let (store, basket) = try basket()
    let long = String(repeating: "x", count: 2_000)
    try store.write {
      basket.ints.append(contentsOf: repeatElement(0, count: 3_000))
      basket.texts.append(contentsOf: [long, "b"])
      basket.words.insert(contentsOf: (0..<100).map { "\($0)" } + [long])
      basket.counts["k"] = 1
    }
    let before = store.version
    try store.write {
      basket.ints.removeFirst()
      basket.ints.append(0)
      basket.texts.remove(at: 0)
      basket.texts.insert(long, at: 0)
      basket.words.remove(long)
      basket.words.remove("17")
      basket.words.insert("17")
      basket.words.insert(long)
      basket.counts["k"] = nil
      basket.counts["k"] = 1
    }
    XCTAssertEqual(store.version, before)
    try store.write {
      basket.ints.removeFirst()
      basket.ints.append(0)
      basket.ints[1_500] = 1
    }
    XCTAssertNotEqual(store.version, before)
    XCTAssertEqual(basket.ints.sum(), 1)
    try store.write { basket.texts = [] }
    XCTAssertEqual(Array(basket.words).count, 101)
    try store.verify()
  }

  func testAListThatGrowsAtOnePlaceKeepsItsOrder() throws {
    let (store, basket) = try basket()
    var mirror: [Int] = []
    try store.write {
      basket.ints.append(contentsOf: 0..<1_000)
      for step in 0..<12_000 { basket.ints.insert(-step, at: 500) }
      for step in 0..<2_000 { basket.ints.insert(step, at: 0) }
    }
    mirror = Array(0..<1_000)
    mirror.insert(contentsOf: (0..<12_000).map { -$0 }.reversed(), at: 500)
    mirror.insert(contentsOf: (0..<2_000).reversed(), at: 0)
    XCTAssertEqual(Array(basket.ints), mirror)
    let reopened = try XCTUnwrap(try anotherStore().objects(Basket.self).first)
    XCTAssertEqual(Array(reopened.ints), mirror)
    XCTAssertEqual(reopened.ints[7_777], mirror[7_777])
    try store.verify()
  }

  func testCollectionsOfAReadOnlyStore() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.ints.append(contentsOf: 0..<300)
      basket.readers.insert(Fruit("a"))
      basket.counts["k"] = .some(nil)
    }
    store.close()
    var configuration = try temporaryDirectory().configuration(
      objectTypes: [Basket.self, Fruit.self])
    configuration.readOnly = true
    let reader = try Store(configuration: configuration)
    let same = try XCTUnwrap(reader.objects(Basket.self).first)
    XCTAssertEqual(Array(same.ints), Array(0..<300))
    XCTAssertEqual(same.ints[299], 299)
    XCTAssertEqual(same.readers.map(\.title), ["a"])
    XCTAssertEqual(same.counts["k"], .some(nil))
    XCTAssertTrue(same.texts.isEmpty)
    assertThrows(.readOnly) { try reader.write { same.ints.append(1) } }
  }

  func testElementsThatCannotBeStoredAreRefused() throws {
    let wrong: [(Object.Type, String)] = [
      (ListOfLists.self, "collections do not hold collections"),
      (ListOfOptionalObjects.self, "not optional"),
      (MapOfObjects.self, "as optionals"),
      (MapByNumber.self, "cannot be stored"),
      (ListOfDoubleOptionals.self, "cannot be stored"),
    ]
    for (type, part) in wrong {
      XCTAssertThrowsError(
        try temporaryDirectory().store(named: "\(type)", objectTypes: [type]), "\(type)"
      ) { error in
        guard case StoreError.unsupported(let text) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(text.contains(part) && text.contains("\(type).wrong"), text)
      }
    }
  }
}

private final class ListOfLists: Object { @Persisted var wrong: List<List<Int>> }
private final class ListOfOptionalObjects: Object { @Persisted var wrong: List<Fruit?> }
private final class MapOfObjects: Object { @Persisted var wrong: Map<String, Fruit> }
private final class MapByNumber: Object { @Persisted var wrong: Map<Int, String> }
private final class ListOfDoubleOptionals: Object { @Persisted var wrong: List<Int??> }
