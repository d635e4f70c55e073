import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Random programs on lists, sets and maps against arrays, sets and dictionaries.
final class RandomCollectionTests: BasketTestCase {
  func testCollectionsAreWhatArraysSetsAndDictionariesAre() throws {
    let models: [Object.Type] = [Basket.self, Fruit.self]
    try forEachSeed(200) { seed in
      let directory = try TemporaryDirectory()
      var configuration = directory.configuration(objectTypes: models)
      configuration.durability = .unsafe
      var stores = [
        try Store(configuration: configuration), try Store(configuration: configuration),
      ]
      var program = CollectionProgram(seed: seed)
      try stores[0].write { try stores[0].add(Basket("s")) }
      for step in 0..<7 {
        let context = "seed \(seed), step \(step)"
        let store = stores[program.number(below: 2)]
        let before = program.mirror
        try store.beginWrite()
        let basket = try XCTUnwrap(store.objects(Basket.self).first)
        for _ in 0...program.number(below: 8) { try program.change(basket, in: store) }
        if program.number(below: 4) == 0 {
          program.mirror.compare(basket, "\(context), in the write")
        }
        if program.number(below: 6) == 0 {
          try store.cancelWrite()
          program.mirror = before
        } else {
          try store.commitWrite()
        }
        if program.number(below: 8) == 0 {
          let number = program.number(below: 2)
          stores[number].close()
          stores[number] = try Store(configuration: configuration)
        }
        let reader = stores[program.number(below: 2)]
        program.mirror.compare(try XCTUnwrap(reader.objects(Basket.self).first), context)
        XCTAssertNil(reader.failure, context)
      }
      XCTAssertNoThrow(try stores[0].verify(), "seed \(seed)")
    }
  }
}

/// What a basket holds.
private struct BasketMirror: Equatable {
  var ints: [Int] = []
  var texts: [String?] = []
  var fruits: [String] = []
  var numbers: Set<Int> = []
  var words: Set<String> = []
  var readers: Set<String> = []
  var counts: [String: Int?] = [:]
  var favourites: [String: String?] = [:]
  var titles: [String] = []

  func compare(_ basket: Basket, _ context: String) {
    XCTAssertEqual(Array(basket.ints), ints, context)
    XCTAssertEqual(basket.ints.count, ints.count, context)
    XCTAssertEqual(Array(basket.optionalTexts), texts, context)
    XCTAssertEqual(basket.fruits.map(\.title), fruits, context)
    XCTAssertEqual(Array(basket.numbers), numbers.sorted(), context)
    XCTAssertEqual(Set(basket.words), words, context)
    XCTAssertEqual(basket.words.count, words.count, context)
    XCTAssertEqual(Set(basket.readers.map(\.title)), readers, context)
    XCTAssertEqual(Set(basket.counts.keys), Set(counts.keys), context)
    for (key, value) in basket.counts { XCTAssertEqual(value, counts[key], context) }
    XCTAssertEqual(Set(basket.favourites.keys), Set(favourites.keys), context)
    for (key, value) in basket.favourites {
      XCTAssertEqual(value.flatMap { $0 }?.title, favourites[key] ?? nil, context)
    }
    for position in stride(from: 0, to: ints.count, by: 1 + ints.count / 5) {
      XCTAssertEqual(basket.ints[position], ints[position], context)
    }
    for position in stride(from: 0, to: texts.count, by: 1 + texts.count / 5) {
      XCTAssertEqual(basket.optionalTexts[position], texts[position], context)
    }
  }
}

/// Changes baskets and their mirror at random.
private struct CollectionProgram {
  var mirror = BasketMirror()
  private var generator: SeededGenerator
  private var lastNumber = 0
  private var lastFruit = 0

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  mutating func number(below end: Int) -> Int { Int.random(in: 0..<max(end, 1), using: &generator) }

  private mutating func text() -> String {
    let length = [0, 3, 12, 40, 255, 300, 6_000][number(below: 40) == 0 ? 6 : number(below: 6)]
    let start = number(below: 3) == 0 ? "common " : "\(number(below: 30)) "
    return length == 0 ? start : start + String(repeating: "é", count: length)
  }

  mutating func change(_ basket: Basket, in store: Store) throws {
    switch number(below: 12) {
    case 0, 1, 2:
      change(basket.ints, \.ints) { program in
        program.lastNumber = program.number(below: 4) == 0 ? 0 : program.lastNumber + 1
        return (program.lastNumber, program.lastNumber)
      }
    case 3, 4:
      change(basket.optionalTexts, \.texts) { program in
        let text = program.number(below: 4) == 0 ? nil : program.text()
        return (text, text)
      }
    case 5, 6:
      try prepareFruits(in: store)
      let fruits = mirror.titles.map { store.object(ofType: Fruit.self, forPrimaryKey: $0) }
      change(basket.fruits, \.fruits) { program in
        let place = program.number(below: fruits.count)
        return (fruits[place] ?? Fruit(), program.mirror.titles[place])
      }
    case 7:
      let some = (0...number(below: 30)).map { _ in number(below: 60) }
      switch number(below: 4) {
      case 0:
        basket.numbers.subtract(some)
        mirror.numbers.subtract(some)
      case 1:
        basket.numbers.formSymmetricDifference(some)
        mirror.numbers.formSymmetricDifference(some)
      case 2 where number(below: 4) == 0:
        basket.numbers.formIntersection(some)
        mirror.numbers.formIntersection(some)
      default:
        basket.numbers.formUnion(some)
        mirror.numbers.formUnion(some)
      }
    case 8:
      for _ in 0...number(below: 10) {
        let text = text()
        if number(below: 3) == 0 {
          basket.words.remove(text)
          mirror.words.remove(text)
        } else {
          basket.words.insert(text)
          mirror.words.insert(text)
        }
      }
    case 9: changeCounts(basket)
    case 10: try changeObjects(basket, in: store)
    default:
      guard let title = mirror.titles.randomElement(using: &generator), number(below: 3) == 0 else {
        return
      }
      try store.delete(try XCTUnwrap(store.object(ofType: Fruit.self, forPrimaryKey: title)))
      mirror.titles.removeAll { $0 == title }
      mirror.fruits.removeAll { $0 == title }
      mirror.readers.remove(title)
      mirror.favourites = mirror.favourites.mapValues { $0 == title ? nil : $0 }
    }
  }

  private mutating func changeCounts(_ basket: Basket) {
    for _ in 0...number(below: 12) {
      let key = text()
      switch number(below: 5) {
      case 0:
        basket.counts[key] = nil
        mirror.counts[key] = nil
      case 1:
        basket.counts[key] = .some(nil)
        mirror.counts[key] = .some(nil)
      case 2:
        basket.counts.merge([key: 7]) { ($0 ?? 0) + ($1 ?? 0) }
        mirror.counts.merge([key: 7]) { ($0 ?? 0) + ($1 ?? 0) }
      default:
        let value = number(below: 5)
        basket.counts[key] = value
        mirror.counts[key] = value
      }
    }
    if number(below: 20) == 0 {
      basket.counts.removeAll()
      mirror.counts = [:]
    }
  }

  private mutating func prepareFruits(in store: Store) throws {
    guard mirror.titles.count < 12 else { return }
    lastFruit += 1
    let title = "fruit \(lastFruit)"
    try store.add(Fruit(title))
    mirror.titles.append(title)
  }

  private mutating func changeObjects(_ basket: Basket, in store: Store) throws {
    try prepareFruits(in: store)
    let title = mirror.titles[number(below: mirror.titles.count)]
    let fruit = try XCTUnwrap(store.object(ofType: Fruit.self, forPrimaryKey: title))
    let key = "\(number(below: 25))"
    switch number(below: 4) {
    case 0:
      basket.readers.remove(fruit)
      mirror.readers.remove(title)
    case 1:
      basket.favourites[key] = nil
      mirror.favourites[key] = nil
    case 2:
      basket.favourites[key] = fruit
      mirror.favourites[key] = title
    default:
      basket.readers.insert(fruit)
      mirror.readers.insert(title)
    }
  }

  // MARK: Lists

  /// Changes a list and the array beside it; `make` makes an element of both.
  private mutating func change<Element: Persistable, Same: Equatable>(
    _ list: List<Element>, _ path: WritableKeyPath<BasketMirror, [Same]>,
    _ make: (inout CollectionProgram) -> (Element, Same)
  ) {
    let count = mirror[keyPath: path].count
    func many(_ program: inout CollectionProgram) -> [(Element, Same)] {
      let most = program.number(below: 8) == 0 ? 400 : 5
      return (0...program.number(below: most)).map { _ in make(&program) }
    }
    let isEmpty = count == 0
    switch number(below: 16) {
    case 0, 1:
      let new = many(&self)
      list.append(contentsOf: new.map(\.0))
      mirror[keyPath: path] += new.map(\.1)
    case 2, 3:
      let (new, place) = (many(&self), number(below: count + 1))
      list.insert(contentsOf: new.map(\.0), at: place)
      mirror[keyPath: path].insert(contentsOf: new.map(\.1), at: place)
    case 4 where !isEmpty:
      let place = number(below: count)
      list.remove(at: place)
      mirror[keyPath: path].remove(at: place)
    case 5 where !isEmpty:
      let start = number(below: count)
      let range = start..<start + number(below: min(count - start, 300))
      list.removeSubrange(range)
      mirror[keyPath: path].removeSubrange(range)
    case 6, 7:
      guard !isEmpty else { return }
      let (from, to) = (number(below: count), number(below: count))
      list.move(from: from, to: to)
      mirror[keyPath: path].insert(mirror[keyPath: path].remove(at: from), at: to)
    case 8 where !isEmpty:
      let (left, right) = (number(below: count), number(below: count))
      list.swapAt(left, right)
      mirror[keyPath: path].swapAt(left, right)
    case 9, 10:
      guard !isEmpty else { return }
      let (new, place) = (make(&self), number(below: count))
      list[place] = new.0
      mirror[keyPath: path][place] = new.1
    case 11 where !isEmpty:
      let start = number(below: count)
      let range = start..<start + number(below: count - start)
      let new = many(&self)
      list.replaceSubrange(range, with: new.map(\.0))
      mirror[keyPath: path].replaceSubrange(range, with: new.map(\.1))
    case 12 where !isEmpty:
      let number = number(below: min(count, 20))
      list.removeFirst(number)
      mirror[keyPath: path].removeFirst(number)
      list.removeLast(min(number, count - number))
      mirror[keyPath: path].removeLast(min(number, count - number))
    case 13 where !isEmpty:
      let moved = IndexSet((0..<5).map { _ in number(below: count) })
      let place = number(below: count + 1)
      list.move(fromOffsets: moved, toOffset: place)
      let elements = moved.map { mirror[keyPath: path][$0] }
      for position in moved.reversed() { mirror[keyPath: path].remove(at: position) }
      mirror[keyPath: path].insert(
        contentsOf: elements, at: place - moved.count { $0 < place })
    case 14 where number(below: 4) == 0:
      list.removeAll()
      mirror[keyPath: path] = []
    default: list.append(contentsOf: [])
    }
  }
}
