import Foundation
import Leyden
import XCTest

/// What a list does, managed and unmanaged alike.
final class ListInterfaceTests: BasketTestCase {
  /// Runs the same steps on a managed list, an unmanaged one and an array.
  private func check<Element: Persistable & Equatable>(
    _ path: KeyPath<Basket, List<Element>>, _ values: [Element],
    file: StaticString = #filePath, line: UInt = #line
  ) throws {
    let (store, managed) = try basket("\(path)")
    let unmanaged = Basket("unmanaged")
    for count in [8, 700] {
      var mirror: [Element] = []
      func step(
        _ name: String, _ change: (List<Element>) -> Void, _ same: (inout [Element]) -> Void
      )
        throws
      {
        try store.write { change(managed[keyPath: path]) }
        change(unmanaged[keyPath: path])
        same(&mirror)
        XCTAssertEqual(Array(managed[keyPath: path]), mirror, name, file: file, line: line)
        XCTAssertEqual(Array(unmanaged[keyPath: path]), mirror, name, file: file, line: line)
      }
      let many = (0..<count).map { values[$0 % values.count] }
      try step("append many", { $0.append(contentsOf: many) }, { $0 += many })
      try step("append", { $0.append(values[0]) }, { $0.append(values[0]) })
      try step("insert", { $0.insert(values[1], at: 2) }, { $0.insert(values[1], at: 2) })
      try step(
        "insert many", { $0.insert(contentsOf: values, at: 1) },
        { $0.insert(contentsOf: values, at: 1) })
      try step("remove", { $0.remove(at: 3) }, { $0.remove(at: 3) })
      try step("swap", { $0.swapAt(0, 4) }, { $0.swapAt(0, 4) })
      try step("move", { $0.move(from: 4, to: 1) }, { $0.insert($0.remove(at: 4), at: 1) })
      try step("move down", { $0.move(from: 0, to: 4) }, { $0.insert($0.remove(at: 0), at: 4) })
      try step("set", { $0[2] = values[0] }, { $0[2] = values[0] })
      try step(
        "replace", { $0.replace(index: 1, object: values[1]) }, { $0[1] = values[1] })
      try step(
        "replace some", { $0.replaceSubrange(1..<3, with: values) },
        { $0.replaceSubrange(1..<3, with: values) })
      try step("remove last", { $0.removeLast() }, { $0.removeLast() })
      try step("remove first", { $0.removeFirst() }, { $0.removeFirst() })
      try step("remove two", { $0.removeFirst(2) }, { $0.removeFirst(2) })
      try step("remove the last two", { $0.removeLast(2) }, { $0.removeLast(2) })
      try step(
        "remove some", { $0.removeSubrange(...1) }, { $0.removeSubrange(...1) })
      let mirrorCount = mirror.count
      XCTAssertEqual(managed[keyPath: path].count, mirrorCount, file: file, line: line)
      XCTAssertEqual(managed[keyPath: path].first, mirror.first, file: file, line: line)
      XCTAssertEqual(managed[keyPath: path].last, mirror.last, file: file, line: line)
      for value in values {
        for list in [managed[keyPath: path], unmanaged[keyPath: path]] {
          let expected = mirror.firstIndex(of: value)
          XCTAssertEqual(list.index(of: value), expected, file: file, line: line)
          XCTAssertEqual(list.contains(value), expected != nil, file: file, line: line)
        }
      }
      try step("remove all", { $0.removeAll() }, { $0.removeAll() })
    }
    try store.verify()
  }

  func testEveryTypeOfElement() throws {
    try check(\.ints, [1, .min, .max, 0])
    try check(\.tiny, [1, .min, .max])
    try check(\.unsigned, [1, .min, .max])
    try check(\.truths, [true, false])
    try check(\.floats, [1.5, -0.25, .infinity])
    try check(\.doubles, [1.5, -0.25, .greatestFiniteMagnitude])
    try check(\.texts, ["a", "", "é", String(repeating: "long ", count: 90)])
    try check(\.bytes, [Data([1, 2]), Data(), Data(repeating: 7, count: 300)])
    try check(\.dates, [Date(timeIntervalSinceReferenceDate: 0.5), .distantPast, .distantFuture])
    try check(\.uuids, [UUID(), UUID()])
    try check(\.decimals, [Decimal(string: "1.10") ?? 0, -3, 0])
    try check(\.identifiers, [.generate(), .generate()])
    try check(\.flavours, [.bitter, .sweet])
    try check(\.lengths, [Length(metres: 1), Length(metres: -2)])
    try check(
      \.anything, [.int(1), .string("a"), .bool(true), .double(0.5), .uuid(UUID()), .none])
    try check(\.optionalInts, [1, nil, -1])
    try check(\.optionalTexts, ["a", nil, "", String(repeating: "long ", count: 90)])
    try check(\.optionalFlavours, [.sour, nil])
  }

  func testOffsets() throws {
    let (store, managed) = try basket()
    let unmanaged = Basket()
    for count in [12, 500] {
      for list in [managed.ints, unmanaged.ints] {
        try store.write {
          list.removeAll()
          list.append(contentsOf: 0..<count)
          list.remove(atOffsets: [0, 2, 3, 11])
          list.move(fromOffsets: [1, 2, 6], toOffset: 5)
          list.move(fromOffsets: [0], toOffset: list.count)
          list.removeAll { $0 % 5 == 0 }
          list.remove(atOffsets: [])
        }
        // 1 4 5 6 7 8 9 10 12 …  →  1 6 7 4 5 10 8 9 … (positions 1, 2, 6 before position 5)
        var mirror = Array(0..<count).filter { ![0, 2, 3, 11].contains($0) }
        let moved = [mirror[1], mirror[2], mirror[6]]
        mirror.removeAll { moved.contains($0) }
        mirror.insert(contentsOf: moved, at: 3)
        mirror.append(mirror.removeFirst())
        mirror.removeAll { $0 % 5 == 0 }
        XCTAssertEqual(Array(list), mirror)
        XCTAssertEqual(list.objects(at: [1, 3]), [mirror[1], mirror[3]])
      }
    }
  }

  func testNumbersOfLists() throws {
    let (store, managed) = try basket()
    let unmanaged = Basket()
    for basket in [managed, unmanaged] {
      XCTAssertNil(basket.ints.min())
      XCTAssertNil(basket.ints.average())
      XCTAssertEqual(basket.ints.sum(), 0)
      try store.write {
        basket.ints.append(contentsOf: [3, -1, 7])
        basket.optionalInts.append(contentsOf: [nil, 4, nil, 6])
        basket.doubles.append(contentsOf: [.nan, 1.5, 2.5])
        basket.decimals.append(contentsOf: [1, 2, Decimal(string: "0.1") ?? 0])
        basket.tiny.append(contentsOf: [100, 100])
        basket.dates.append(contentsOf: [.distantFuture, .distantPast])
        basket.numbers.insert(contentsOf: [5, 6])
      }
      XCTAssertEqual(basket.ints.min(), -1)
      XCTAssertEqual(basket.ints.max(), 7)
      XCTAssertEqual(basket.ints.sum(), 9)
      XCTAssertEqual(basket.ints.average(), 3)
      XCTAssertEqual(basket.optionalInts.min(), 4)
      XCTAssertEqual(basket.optionalInts.sum(), 10)
      XCTAssertEqual(basket.optionalInts.average(), 5)
      XCTAssertEqual(basket.doubles.min(), 1.5)
      XCTAssertEqual(basket.doubles.max(), 2.5)
      XCTAssertEqual(basket.decimals.sum(), Decimal(string: "3.1"))
      XCTAssertEqual(basket.tiny.sum(), .max)
      XCTAssertEqual(basket.dates.min(), .distantPast)
      XCTAssertEqual(basket.numbers.sum(), 11)
      XCTAssertEqual(basket.numbers.max(), 6)
    }
  }

  func testLoopsRunOverTheElementsAtTheirBeginning() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.fruits.append(contentsOf: (0..<40).map { Fruit("\($0)") })
      basket.ints.append(contentsOf: 0..<100)
    }
    var turns = 0
    try store.write {
      for fruit in basket.fruits {
        turns += 1
        try store.delete(fruit)
      }
      for (position, number) in basket.ints.enumerated() {
        XCTAssertEqual(position, number)
        basket.ints.removeFirst()
      }
    }
    XCTAssertEqual(turns, 40)
    XCTAssertTrue(basket.fruits.isEmpty)
    XCTAssertTrue(basket.ints.isEmpty)
  }

  func testPartsOwnTheirElements() throws {
    let (store, basket) = try basket()
    try store.write { basket.ints.append(contentsOf: 0..<30) }
    let parts: [Slice<FixedElements<Int>>] = [
      basket.ints.prefix(3), basket.ints.suffix(3), basket.ints.dropFirst(27), basket.ints[4..<6],
    ]
    let reversed = basket.ints.reversed()
    try store.write { basket.ints.removeAll() }
    XCTAssertEqual(parts.map { Array($0) }, [[0, 1, 2], [27, 28, 29], [27, 28, 29], [4, 5]])
    XCTAssertEqual(reversed.first, 29)
    XCTAssertEqual(basket.ints.map { $0 }, [])
  }

  func testListsAreCoded() throws {
    let (store, basket) = try basket()
    let box = Box()
    box.numbers = [1, 2]
    box.words = ["a", nil]
    box.tags = ["x", "y"]
    box.counts = ["one": 1, "none": nil]
    box.fruits.append(Fruit("jar"))
    let data = try JSONEncoder().encode(box)
    let copy = try JSONDecoder().decode(Box.self, from: data)
    XCTAssertEqual(Array(copy.numbers), [1, 2])
    XCTAssertEqual(Array(copy.words), ["a", nil])
    XCTAssertEqual(Set(copy.tags), ["x", "y"])
    XCTAssertEqual(copy.counts["one"], 1)
    XCTAssertEqual(copy.counts.keys, ["none", "one"])
    XCTAssertEqual(copy.fruits.map(\.title), ["jar"])
    try store.write { basket.ints = [4, 5] }
    XCTAssertEqual(try JSONEncoder().encode(basket.ints), Data("[4,5]".utf8))
  }

  func testDescriptionsAreShort() throws {
    let (store, basket) = try basket()
    try store.write {
      basket.ints.append(contentsOf: 0..<100_000)
      basket.texts.append(String(repeating: "long", count: 10_000))
      basket.fruits.append(Fruit("jar"))
      basket.counts = ["a": 1, "b": nil]
    }
    XCTAssertTrue(basket.ints.description.hasPrefix("List<Int> of 100000 [0, 1, 2, "))
    for text in ["\(basket.ints)", "\(basket.texts)", "\(basket)"] {
      XCTAssertLessThan(text.utf8.count, 10_000)
    }
    XCTAssertTrue("\(basket.fruits)".contains("title = \"jar\""), "\(basket.fruits)")
    XCTAssertTrue("\(basket.counts)".contains("\"a\": 1, \"b\": nil"), "\(basket.counts)")
    XCTAssertEqual("\(Basket().ints)", "List<Int> of 0")
  }
}

/// An object that is coded with its collections.
private final class Box: Object, Codable {
  @Persisted var numbers: List<Int>
  @Persisted var words: List<String?>
  @Persisted var tags: MutableSet<String>
  @Persisted var counts: Map<String, Int?>
  @Persisted var fruits: List<Fruit>
}
