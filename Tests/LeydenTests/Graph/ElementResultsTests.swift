import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Lists, sets and maps of values that are asked as results are.
final class ElementResultsTests: BasketTestCase {
  private func filled() throws -> (Store, Basket) {
    let (store, basket) = try basket()
    try store.write {
      basket.ints.append(contentsOf: [5, 1, 3, 5, 2])
      basket.optionalInts.append(contentsOf: [4, nil, 2, nil])
      basket.texts.append(contentsOf: ["pear", "Apple", "fig", "apple"])
      basket.numbers.insert(contentsOf: [30, 10, 20])
      basket.counts["a"] = 3
      basket.counts["b"] = .some(nil)
      basket.counts["c"] = 1
    }
    return (store, basket)
  }

  func testConditionsOnValues() throws {
    let (_, basket) = try filled()
    XCTAssertEqual(Array(basket.ints.where { $0 > 2 }), [5, 3, 5])
    XCTAssertEqual(Array(basket.ints.where { $0 == 5 || $0 == 1 }), [5, 1, 5])
    XCTAssertEqual(Array(basket.ints.where { !$0.contains(2...3) }), [5, 1, 5])
    XCTAssertEqual(Array(basket.ints.where { $0.in([1, 2, 9]) }), [1, 2])
    XCTAssertEqual(Array(basket.optionalInts.where { $0 == nil }), [nil, nil])
    XCTAssertEqual(Array(basket.optionalInts.where { $0 > 2 }), [4])
    XCTAssertEqual(
      Array(basket.texts.where { $0.starts(with: "a", options: .caseInsensitive) }),
      ["Apple", "apple"])
    XCTAssertEqual(
      Array(basket.texts.where { $0.contains("p") && $0 != "pear" }), ["Apple", "apple"])
    XCTAssertEqual(Array(basket.numbers.where { $0 >= 20 }), [20, 30])
    XCTAssertEqual(Array(basket.counts.where { $0 > 0 }), [3, 1])
    XCTAssertEqual(Array(basket.counts.where { $0 == nil }), [nil])
  }

  func testOrdersOfValues() throws {
    let (store, basket) = try filled()
    XCTAssertEqual(Array(basket.ints.sorted(ascending: true)), [1, 2, 3, 5, 5])
    XCTAssertEqual(Array(basket.ints.sorted(by: \.self, ascending: false)), [5, 5, 3, 2, 1])
    XCTAssertEqual(Array(try basket.ints.sorted(byKeyPath: "self")), [1, 2, 3, 5, 5])
    XCTAssertEqual(Array(basket.optionalInts.sorted(by: \.self)), [nil, nil, 2, 4])
    XCTAssertEqual(
      Array(basket.optionalInts.sorted(by: \.self, ascending: false)), [4, 2, nil, nil])
    XCTAssertEqual(Array(basket.numbers.sorted(ascending: false)), [30, 20, 10])
    XCTAssertEqual(Array(basket.counts.sorted(by: \.self)), [nil, 1, 3])
    XCTAssertThrowsError(try basket.ints.sorted(byKeyPath: "size")) { error in
      guard case StoreError.invalidQuery = error else { return XCTFail("\(error)") }
    }
    try store.write {
      basket.reals.insert(contentsOf: [2, -.infinity, .nan, -1])
      basket.flavours.append(contentsOf: [.bitter, .sweet])
      basket.decimals.append(contentsOf: [Decimal(string: "10.5"), 9, -3].compactMap(\.self))
      basket.anything.append(contentsOf: [.string("x"), .int(2), .double(1.5), .none, .bool(true)])
    }
    XCTAssertEqual(Array(basket.reals.sorted(ascending: true)).dropLast(), [-.infinity, -1, 2])
    XCTAssertEqual(Array(basket.flavours.sorted(by: \.self)), [.sweet, .bitter])
    XCTAssertEqual(
      Array(basket.decimals.sorted(by: \.self)).map(\.description), ["-3", "9", "10.5"])
    XCTAssertEqual(
      Array(basket.anything.sorted(by: \.self)),
      [.none, .bool(true), .double(1.5), .int(2), .string("x")])
  }

  func testTextsAreSortedAsSwiftSortsThem() throws {
    let (store, basket) = try basket()
    let texts = [
      "10", "9", "Pear", "pear", "Zinc", "éte", "ete", "Öl", "öl", "oil", "zoo", "-x", "_x", " x",
      "'x",
    ]
    try store.write { basket.texts.append(contentsOf: texts) }
    XCTAssertEqual(Array(basket.texts.sorted(ascending: true)), texts.sorted())
    XCTAssertEqual(
      Array(basket.texts.sorted(ascending: false)), Array(texts.sorted().reversed()))
    XCTAssertEqual(basket.texts.where { $0 >= "oil" }.count, texts.count { $0 >= "oil" })
  }

  func testStepsApplyInTheirOrder() throws {
    let (_, basket) = try filled()
    let sorted = basket.ints.sorted(ascending: false)
    XCTAssertEqual(Array(sorted.limit(2)), [5, 5])
    XCTAssertEqual(Array(sorted.distinct(by: \.self).limit(2)), [5, 3])
    XCTAssertEqual(Array(sorted.limit(2).distinct(by: \.self)), [5])
    XCTAssertEqual(Array(sorted.offset(1).where { $0 < 5 }), [3, 2, 1])
    XCTAssertEqual(Array(basket.ints.where { $0 < 5 }.sorted(ascending: true).offset(1)), [2, 3])
    XCTAssertEqual(Array(sorted.prefix(2)), [5, 5])
    XCTAssertEqual(Array(sorted.reversed()), [1, 2, 3, 5, 5])
    XCTAssertEqual(sorted[1...2].map { $0 }, [5, 3])
    XCTAssertEqual(sorted.first, 5)
    XCTAssertEqual(sorted.last, 1)
    XCTAssertFalse(sorted.isEmpty)
    XCTAssertTrue(basket.ints.where { $0 > 9 }.isEmpty)
    XCTAssertEqual(sorted.explain(), "5 elements of one collection, in steps")
  }

  func testNumbersOfResultsComeToOne() throws {
    let (_, basket) = try filled()
    let few = basket.ints.where { $0 > 1 }
    XCTAssertEqual(few.min(of: \.self), 2)
    XCTAssertEqual(few.max(of: \.self), 5)
    XCTAssertEqual(few.sum(of: \.self), 15)
    XCTAssertEqual(few.average(of: \.self), 3.75)
    XCTAssertNil(basket.ints.where { $0 > 9 }.average(of: \.self))
    XCTAssertEqual([few.min(), few.max(), few.sum()], [2, 5, 15])
    XCTAssertEqual(few.average(), 3.75)
    let some = basket.optionalInts.where { $0 != 4 }
    XCTAssertEqual([some.min(), some.max(), some.sum()], [2, 2, 2])
    XCTAssertEqual([basket.counts.min(), basket.counts.max(), basket.counts.sum()], [1, 3, 4])
    XCTAssertEqual(basket.counts.average(), 2)
    XCTAssertNil(basket.tastes.results?.sorted(by: \.self).first)
    let unmanaged = Basket("u")
    unmanaged.prices["a"] = 3
    unmanaged.prices["b"] = 1
    XCTAssertEqual([unmanaged.prices.min(), unmanaged.prices.max()], [1, 3])
    XCTAssertEqual(unmanaged.prices.sum(), 4)
    XCTAssertNil(unmanaged.prices.results)
  }

  func testPositions() throws {
    let (_, basket) = try filled()
    let few = basket.ints.where { $0 > 1 }.sorted(ascending: true)
    XCTAssertEqual(few.index(of: 3), 1)
    XCTAssertNil(few.index(of: 1))
    XCTAssertEqual(few.index(matching: { $0 > 3 }), 2)
    XCTAssertNil(few.index(matching: { $0 > 30 }))
    XCTAssertEqual(basket.optionalInts.results?.index(of: nil), 1)
  }

  func testResultsFollowWritesOfAllAndEndWithTheirOwner() throws {
    let (store, basket) = try filled()
    let other = try anotherStore()
    let large = basket.ints.where { $0 > 2 }.sorted(ascending: true)
    XCTAssertEqual(Array(large), [3, 5, 5])
    try other.write { try XCTUnwrap(other.objects(Basket.self).first).ints.append(4) }
    XCTAssertEqual(large.endIndex, 3)
    XCTAssertEqual(large.count, 4)
    XCTAssertEqual(Array(large), [3, 4, 5, 5])
    try store.write {
      basket.ints.remove(at: 0)
      XCTAssertEqual(Array(large), [3, 4, 5])
      basket.ints[0] = 9
      XCTAssertEqual(Array(large), [3, 4, 5, 9])
    }
    for number in large { try store.write { basket.ints.append(number) } }
    XCTAssertEqual(large.count, 8)
    try store.write { try store.delete(basket) }
    XCTAssertEqual(large[7], 9)
    XCTAssertEqual(large.count, 0)
    XCTAssertNil(large.first)
    XCTAssertFalse(large.isInvalidated)
    store.close()
    XCTAssertTrue(large.isInvalidated)
    XCTAssertEqual(Array(large), [])
  }

  func testGenericCodeFindsOutHowManyThereAreByOneLook() throws {
    func known(_ elements: some Sequence) -> Int { elements.underestimatedCount }
    let (store, basket) = try filled()
    XCTAssertEqual(known(basket.ints), 0)
    XCTAssertEqual(known(basket.numbers), 0)
    XCTAssertEqual(known(basket.ints.where { $0 > 1 }), 0)
    XCTAssertEqual(known(store.objects(Basket.self)), 0)
    XCTAssertEqual(Set(basket.numbers.map { $0 }), [10, 20, 30])
  }

  func testAMapOfObjectsIsAskedByTheirProperties() throws {
    let (store, basket) = try basket()
    try store.write {
      for (key, grams) in [("a", 30), ("b", 10), ("c", 20)] {
        let fruit = Fruit(key)
        fruit.grams = grams
        basket.favourites[key] = fruit
      }
      basket.favourites["d"] = .some(nil)
    }
    let heavy = basket.favourites.where { $0.grams > 10 }
    XCTAssertEqual(heavy.map { $0?.title }, ["a", "c"])
    XCTAssertEqual(basket.favourites.where { $0 == nil }.count, 1)
    let sorted = try basket.favourites.sorted(byKeyPath: "grams")
    XCTAssertEqual(sorted.map { $0?.title }, [nil, "b", "c", "a"])
    try store.write {
      try XCTUnwrap(store.object(ofType: Fruit.self, forPrimaryKey: "b")).grams = 99
    }
    XCTAssertEqual(heavy.map { $0?.title }, ["a", "b", "c"])
    XCTAssertEqual(sorted.map { $0?.title }, [nil, "c", "a", "b"])
    try store.write {
      try store.delete(try XCTUnwrap(store.object(ofType: Fruit.self, forPrimaryKey: "a")))
    }
    XCTAssertEqual(heavy.map { $0?.title }, ["b", "c"])
    XCTAssertEqual(sorted.map { $0?.title }, [nil, nil, "c", "b"])
  }

  func testWhatElementsLeadToIsReadAsTheWriteHasIt() throws {
    let (store, basket) = try basket()
    let fruit = Fruit("x")
    try store.write { basket.favourites["k"] = fruit }
    let heavy = basket.favourites.where { $0.grams > 100 }
    let all = try XCTUnwrap(basket.favourites.results)
    try store.beginWrite()
    fruit.grams = 200
    XCTAssertEqual(heavy.count, 1)
    XCTAssertEqual(all.max(of: \.?.grams), 200)
    XCTAssertEqual(all.index(matching: { $0.grams == 200 }), 0)
    try store.cancelWrite()
    XCTAssertEqual(heavy.count, 0)
    XCTAssertEqual(all.max(of: \.?.grams), 100)
  }

  func testTheObjectsOfAMapAreSortedAndAddedUpByKeyPaths() throws {
    let (store, basket) = try basket()
    try store.write {
      for (key, grams) in [("a", 30), ("b", 10), ("c", 30)] {
        let fruit = Fruit(key)
        fruit.grams = grams
        basket.favourites[key] = fruit
      }
      basket.favourites["d"] = .some(nil)
      basket.counts["k", default: 4] = 5
    }
    let all = try XCTUnwrap(basket.favourites.results)
    XCTAssertEqual(
      basket.favourites.sorted(by: \.?.grams).map { $0?.title }, [nil, "b", "a", "c"])
    XCTAssertEqual(
      all.sorted(by: \.?.title, ascending: false).map { $0?.title }, ["c", "b", "a", nil])
    XCTAssertEqual(all.distinct(by: \.?.grams).map { $0?.title }, ["a", "b", nil])
    XCTAssertEqual(all.where { $0 != nil }.max(of: \.?.grams), 30)
    XCTAssertEqual(all.sum(of: \.?.grams), 70)
    XCTAssertEqual(all.average(of: \.?.grams), 70 / 3.0)
    XCTAssertEqual(basket.counts["k", default: 4], 5)
    XCTAssertEqual(basket.counts["l", default: 4], 4)
  }

  func testValuesOfAnyTypeAreAskedByValueAndByObject() throws {
    let (store, basket) = try basket()
    let fruit = Fruit("x")
    try store.write {
      try store.add(fruit)
      basket.anything.append(contentsOf: [.int(1), .object(fruit), .string("s"), .double(1)])
    }
    XCTAssertEqual(Array(basket.anything.where { $0 == .object(fruit) }), [.object(fruit)])
    XCTAssertEqual(Array(basket.anything.where { $0 == .int(1) }), [.int(1), .double(1)])
    XCTAssertEqual(basket.anything.results?.index(of: .object(fruit)), 1)
  }

  func testAValueThatIsMadeOfResultsIsMadeAgain() throws {
    let (store, basket) = try filled()
    var counts: [Int] = []
    let token = store.observe(value: { _ in basket.ints.where { $0 > 2 }.count }) {
      if case .success(let count) = $0 { counts.append(count) }
    }
    try store.write { basket.ints.append(1) }
    try store.write { basket.ints.append(7) }
    XCTAssertEqual(counts, [3, 4])
    token.invalidate()
  }
}
