import Foundation
import Leyden
import XCTest

/// What sets and maps do, managed and unmanaged alike.
final class SetAndMapInterfaceTests: BasketTestCase {
  func testSetAlgebra() throws {
    let (store, managed) = try basket()
    for basket in [managed, Basket()] {
      for count in [4, 300] {
        let all = Set((0..<count).map { $0 * 2 })
        let other = [-1, 0, 2, 5, 0]
        func set(_ change: (MutableSet<Int>) -> Void) throws -> Set<Int> {
          try store.write {
            basket.numbers.removeAll()
            basket.numbers.insert(contentsOf: all)
            change(basket.numbers)
          }
          return Set(basket.numbers)
        }
        XCTAssertEqual(try set { $0.formUnion(other) }, all.union(other))
        XCTAssertEqual(try set { $0.formIntersection(other) }, all.intersection(other))
        XCTAssertEqual(try set { $0.subtract(other) }, all.subtracting(other))
        XCTAssertEqual(
          try set { $0.formSymmetricDifference(other) }, all.symmetricDifference(other))
        XCTAssertEqual(try set { $0.subtract($0) }, [])
        XCTAssertEqual(try set { $0.formUnion($0) }, all)
        XCTAssertTrue(basket.numbers.isSubset(of: Array(all) + [7]))
        XCTAssertFalse(basket.numbers.isSubset(of: [0, 2]))
        XCTAssertTrue(basket.numbers.isSuperset(of: [0, 2]))
        XCTAssertTrue(basket.numbers.intersects(other))
        XCTAssertTrue(basket.numbers.isDisjoint(with: [1, 3]))
        XCTAssertEqual(basket.numbers.union(other), all.union(other))
        XCTAssertEqual(basket.numbers.intersection(other), all.intersection(other))
        XCTAssertEqual(basket.numbers.subtracting(other), all.subtracting(other))
        XCTAssertEqual(basket.numbers.min(), 0)
      }
    }
  }

  func testElementsAreTheSameAsInQueries() throws {
    let (store, managed) = try basket()
    for basket in [managed, Basket()] {
      try store.write {
        basket.words.insert(contentsOf: ["é", "e\u{301}", "E", ""])
        basket.reals.insert(contentsOf: [0, -0.0, .nan, .nan, 1])
        basket.optionalWords.insert(contentsOf: [nil, "a", nil])
      }
      XCTAssertEqual(Set(basket.words), ["é", "E", ""])
      XCTAssertTrue(basket.words.contains("e\u{301}"))
      XCTAssertEqual(basket.reals.count, 3)
      XCTAssertTrue(basket.reals.contains(.nan))
      XCTAssertEqual(basket.reals.min(), 0)
      XCTAssertEqual(basket.reals.max(), 1)
      XCTAssertEqual(basket.optionalWords.count, 2)
      XCTAssertTrue(basket.optionalWords.contains(nil))
      try store.write {
        basket.words.remove("e\u{301}")
        basket.reals.remove(-0.0)
        basket.optionalWords.remove(nil)
      }
      XCTAssertEqual(Set(basket.words), ["E", ""])
      XCTAssertEqual(basket.reals.count, 2)
      XCTAssertEqual(Array(basket.optionalWords), ["a"])
    }
  }

  func testLongElementsAndKeysThatBeginAlike() throws {
    let (store, basket) = try basket()
    let start = String(repeating: "the same beginning ", count: 100)
    let texts = (0..<40).map { start + "\($0)" }
    try store.write {
      basket.words.insert(contentsOf: texts + texts)
      for (number, text) in texts.enumerated() { basket.counts[text] = number }
    }
    XCTAssertEqual(Set(basket.words), Set(texts))
    XCTAssertEqual(Set(basket.counts.keys), Set(texts))
    for (number, text) in texts.enumerated() {
      XCTAssertTrue(basket.words.contains(text))
      XCTAssertEqual(basket.counts[text], number)
    }
    try store.write {
      for text in texts.dropLast() {
        basket.words.remove(text)
        basket.counts[text] = nil
      }
    }
    XCTAssertEqual(Array(basket.words), [texts[39]])
    XCTAssertEqual(basket.counts.keys, [texts[39]])
    try store.verify()
    try store.write {
      basket.words.removeAll()
      basket.counts.removeAll()
    }
    XCTAssertEqual(try store.rowsOfLargeValues(), 0)
  }

  func testSetsOfObjectsGoByRow() throws {
    let (store, managed) = try basket()
    let fruit = Fruit("a")
    let unmanaged = Basket("u")
    unmanaged.readers.insert(contentsOf: [fruit, fruit])
    XCTAssertEqual(unmanaged.readers.count, 1)
    try store.write { try store.add(fruit) }
    let same = try XCTUnwrap(store.object(ofType: Fruit.self, forPrimaryKey: "a"))
    XCTAssertTrue(unmanaged.readers.contains(same))
    unmanaged.readers.insert(same)
    XCTAssertEqual(unmanaged.readers.count, 1)
    try store.write {
      managed.readers.insert(contentsOf: [same, fruit])
      XCTAssertFalse(managed.readers.contains(Fruit("a")))
    }
    XCTAssertEqual(managed.readers.count, 1)
    XCTAssertEqual(managed.readers.first, fruit)
    unmanaged.readers.remove(same)
    XCTAssertTrue(unmanaged.readers.isEmpty)
  }

  func testMapsAreChangedAsDictionariesAre() throws {
    let (store, managed) = try basket()
    for basket in [managed, Basket()] {
      try store.write {
        basket.counts = ["b": 2, "a": 1]
        XCTAssertEqual(basket.counts.updateValue(3, forKey: "b"), 2)
        XCTAssertTrue(basket.counts.updateValue(9, forKey: "") == nil)
        basket.counts["c"] = .some(nil)
        basket.counts["$d.e"] = 5
        basket.counts.merge(["a": 10, "z": 26]) { ($0 ?? 0) + ($1 ?? 0) }
        basket.counts.merge([("z", 4 as Int?), ("z", 5)]) { ($0 ?? 0) + ($1 ?? 0) }
        XCTAssertEqual(basket.counts.removeValue(forKey: "$d.e"), 5)
        XCTAssertTrue(basket.counts.removeValue(forKey: "nothing") == nil)
        basket.counts["gone"] = 1
        basket.counts["gone"] = nil
      }
      XCTAssertEqual(basket.counts.keys, ["", "a", "b", "c", "z"])
      XCTAssertEqual(basket.counts.values, [9, 11, 3, nil, 35])
      XCTAssertEqual(basket.counts["c"], .some(nil))
      XCTAssertTrue(basket.counts["gone"] == nil)
      XCTAssertEqual(basket.counts.count, 5)
      XCTAssertEqual(basket.counts.first?.key, "")
      XCTAssertEqual(basket.counts.filter { ($0.value ?? 0) ?? 0 > 10 }.map(\.key), ["a", "z"])
      XCTAssertEqual(basket.counts.mapValues { ($0 ?? 0) + 1 }["b"], 4)
      XCTAssertTrue(basket.counts.contains { $0.key == "z" })
      XCTAssertEqual(basket.counts.sorted { $0.key > $1.key }.first?.key, "z")
      try store.write { basket.counts.removeAll() }
      XCTAssertTrue(basket.counts.isEmpty)
    }
  }

  func testKeysAreTheSameAsTextsAre() throws {
    let (store, managed) = try basket()
    for basket in [managed, Basket()] {
      for count in [0, 100] {
        try store.write {
          for number in 0..<count { basket.counts["key \(number)"] = number }
          basket.counts["é"] = 1
          basket.counts["e\u{301}"] = 2
        }
        XCTAssertEqual(basket.counts["é"], 2)
        XCTAssertEqual(basket.counts.count, count + 1)
        XCTAssertEqual(basket.counts.keys.last.map { Array($0.utf8) }, Array("é".utf8))
        try store.write { basket.counts["e\u{301}"] = nil }
        XCTAssertEqual(basket.counts.count, count)
      }
    }
  }

  func testTheEntryOfAnObjectThatIsGoneIsNilAndKeepsItsKey() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.favourites["x"] = Fruit("a")
      basket.favourites["y"] = Fruit("b")
      basket.favourites["z"] = .some(nil)
    }
    XCTAssertEqual(basket.favourites["x"]??.title, "a")
    try store.write { try store.delete(try XCTUnwrap(basket.favourites["x"] ?? nil)) }
    XCTAssertTrue(basket.favourites["x"] == nil)
    XCTAssertTrue(basket.favourites["z"] == nil)
    XCTAssertEqual(basket.favourites.keys, ["x", "y", "z"])
    XCTAssertEqual(basket.favourites.map { $0.value != nil }, [false, true, false])
    XCTAssertEqual(basket.favourites.values.map { $0?.title }, [nil, "b", nil])
  }

  func testValuesOfOtherTypes() throws {
    let (store, managed) = try basket()
    for basket in [managed, Basket()] {
      try store.write {
        basket.prices["a"] = Decimal(string: "1.50")
        basket.tastes = ["x": .bitter, "y": .sweet]
      }
      XCTAssertEqual(basket.prices["a"], Decimal(string: "1.5"))
      XCTAssertEqual(basket.tastes["x"], .bitter)
      XCTAssertEqual(basket.tastes.values, [.bitter, .sweet])
    }
  }
}
