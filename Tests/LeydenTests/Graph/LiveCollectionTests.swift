import Leyden
import LeydenTesting
import XCTest

/// Collections that change, end or are closed while somebody goes through them.
final class LiveCollectionTests: ShelfTestCase {
  /// A shelf with forty books in all of its collections, which one writer wrote.
  private func fill(_ name: String) throws -> (store: Store, shelf: Shelf) {
    let store = try temporaryDirectory().store(named: name, objectTypes: [Shelf.self])
    let (shelf, writer) = (Shelf("s"), BookWriter("w"))
    shelf.books.append(contentsOf: (0..<40).map { Book($0 + 1, writer: writer) })
    for (number, book) in shelf.books.enumerated() {
      shelf.placed["\(100 + number)"] = book
      shelf.things.append(.object(book))
    }
    try store.write {
      try store.add(shelf)
      shelf.picked.insert(contentsOf: Array(shelf.books))
    }
    return (store, shelf)
  }

  /// All ways to go through the books, each with a body for each book.
  private let loops: [(name: String, run: (Shelf, (Book) throws -> Void) throws -> Void)] = [
    ("list", { shelf, body in for book in shelf.books { try body(book) } }),
    ("set", { shelf, body in for book in shelf.picked { try body(book) } }),
    ("map", { shelf, body in for (_, book) in shelf.placed { try (book ?? nil).map(body) } }),
    ("values", { shelf, body in for book in shelf.placed.values { try book.map(body) } }),
    (
      "keys",
      { shelf, body in for key in shelf.placed.keys { try (shelf.placed[key] ?? nil).map(body) } }
    ),
    (
      "any values",
      { shelf, body in
        for value in shelf.things {
          if let book = value.object as? Book { try body(book) }
        }
      }
    ),
    (
      "linking objects",
      { shelf, body in for book in try XCTUnwrap(shelf.books[0].writer).books { try body(book) } }
    ),
    (
      "of a list",
      { shelf, body in for book in shelf.books.where({ $0.value < 100 }) { try body(book) } }
    ),
    (
      "sorted set",
      { shelf, body in for book in shelf.picked.sorted(by: \.value) { try body(book) } }
    ),
    (
      "of linking objects",
      { shelf, body in
        let writer = try XCTUnwrap(shelf.books[0].writer)
        for book in writer.books.sorted(by: \.value, ascending: false) { try body(book) }
      }
    ),
    ("forEach", { shelf, body in try shelf.books.forEach(body) }),
    ("reversed", { shelf, body in for book in shelf.books.reversed() { try body(book) } }),
    ("map of list", { shelf, body in _ = try shelf.books.map(body) }),
  ]

  func testDeletingEachElementOfALoopReachesAll() throws {
    for (name, run) in loops {
      let (store, shelf) = try fill(name)
      var seen: [Int] = []
      try store.write {
        try run(shelf) { book in
          seen.append(book.value)
          try store.delete(book)
        }
      }
      XCTAssertEqual(seen.sorted(), Array(1...40), name)
      XCTAssertEqual(shelf.books.count + shelf.picked.count + shelf.things.count, 0, name)
      XCTAssertEqual(shelf.placed.count, 40, name)
      XCTAssertEqual(store.objects(Book.self).count, 0, name)
      try store.verify()
    }
  }

  func testTakingEachElementOfALoopOutReachesAll() throws {
    for (name, run) in loops {
      let (store, shelf) = try fill(name)
      var seen = 0
      try store.write {
        try run(shelf) { book in
          seen += 1
          shelf.books.remove(at: 0)
          shelf.things.removeLast()
          shelf.picked.remove(book)
          shelf.placed.removeObject(for: "\(99 + book.value)")
          if book.value > 1 { book.writer = nil }
        }
      }
      XCTAssertEqual(seen, 40, name)
      XCTAssertEqual(shelf.books.count + shelf.picked.count + shelf.things.count, 0, name)
      XCTAssertEqual(shelf.placed.count, 0, name)
      XCTAssertEqual(store.objects(Book.self).count, 40, name)
      try store.verify()
    }
  }

  func testALoopOverWhatAnotherStoreDeletesGivesInvalidatedObjects() throws {
    for (name, run) in loops where name != "keys" {
      let (store, shelf) = try fill(name)
      let other = try temporaryDirectory().store(named: name, objectTypes: [Shelf.self])
      var (seen, invalid) = (0, 0)
      try run(shelf) { book in
        if seen == 0 {
          try other.write { try other.deleteAll() }
          store.refresh()
        }
        seen += 1
        if book.isInvalidated, book.value == 0 { invalid += 1 }
      }
      XCTAssertEqual([seen, invalid], [40, 40], name)
      XCTAssertTrue(shelf.isInvalidated)
    }
  }

  func testWhatWasTakenFromACollectionStaysAsItWas() throws {
    let (store, shelf) = try fill("arrays")
    let (books, picked) = (Array(shelf.books), Array(shelf.picked))
    let (part, values) = (shelf.books[3..<6], shelf.placed.values)
    try store.write {
      try store.delete(shelf.books)
      shelf.books.append(Book(5))
      shelf.picked.insert(Book(6))
    }
    XCTAssertEqual([books.count, picked.count, part.count, values.count], [40, 40, 3, 40])
    for book in books + picked + Array(part) { XCTAssertTrue(book.isInvalidated) }
    for book in values { XCTAssertEqual(book?.isInvalidated, true) }
    XCTAssertEqual(shelf.books.map(\.value), [5])
    XCTAssertEqual(shelf.picked.map(\.value), [6])
  }

  func testPartsAndPositionsAreThoseOfTheNewestVersion() throws {
    let (store, shelf) = try fill("parts")
    let writer = try XCTUnwrap(shelf.books[0].writer)
    let (inverse, set) = (writer.books, shelf.picked)
    XCTAssertEqual([inverse.count, set.count], [40, 40])
    let (head, middle) = (set.prefix(2), set[1..<3])
    let (before, tail) = (inverse.prefix(2), inverse.suffix(2))
    let last = try store.write {
      try store.delete(Array(shelf.books.prefix(38)))
      return try store.add(Book(41, writer: writer))
    }
    for part in [head, middle, before] { XCTAssertTrue(part.allSatisfy(\.isInvalidated)) }
    XCTAssertEqual(tail.map(\.value), [39, 40])
    XCTAssertEqual(inverse.first?.value, 39)
    try store.write { try store.delete(inverse[0]) }
    XCTAssertEqual(inverse.first?.value, 40)
    XCTAssertEqual(inverse.last, last)
    try store.write { _ = try store.add(Book(42, writer: writer)) }
    XCTAssertEqual(inverse.firstIndex { $0.value == 42 }, 2)
    try store.write { try store.delete(inverse[0]) }
    XCTAssertEqual(inverse.prefix(5).map(\.value), [41, 42])
    XCTAssertEqual(inverse.reversed().map(\.value), [42, 41])
    XCTAssertEqual(inverse.index(of: last), 0)
    XCTAssertEqual(inverse.index(matching: { $0.value > 41 }), 1)
    XCTAssertEqual(set.suffix(5).map(\.value), [])
    try store.write { set.insert(last) }
    XCTAssertEqual(set.firstIndex { $0.value == 41 }, 0)
    XCTAssertEqual(set.dropLast(0).map(\.value), [41])
  }

  func testReadKeepsOneVersionOfEveryCollection() throws {
    let (store, shelf) = try fill("read")
    let other = try temporaryDirectory().store(named: "read", objectTypes: [Shelf.self])
    let some = shelf.books.where { $0.value > 20 }
    let writer = try XCTUnwrap(shelf.books[0].writer)
    func counts() -> [Int] {
      [
        shelf.books.count, shelf.picked.count, shelf.things.count, shelf.placed.count,
        writer.books.count, some.count, shelf.placed.values.compactMap { $0 }.count,
        shelf.stickers.count,
      ]
    }
    try store.read {
      XCTAssertEqual(counts(), [40, 40, 40, 40, 40, 20, 40, 0])
      let book = shelf.books[39]
      try other.write {
        let same = try XCTUnwrap(other.objects(Shelf.self).first)
        try other.delete(Array(same.books.suffix(10)))
        same.stickers.append(Sticker("a"))
      }
      XCTAssertEqual(counts(), [40, 40, 40, 40, 40, 20, 40, 0])
      XCTAssertEqual(book.value, 40)
      XCTAssertEqual(shelf.books[39].writer, writer)
    }
    XCTAssertEqual(counts(), [30, 30, 30, 40, 30, 10, 30, 1])
  }

  func testCollectionsOfAClosedStoreAreEmpty() throws {
    let (store, shelf) = try fill("closed")
    let writer = try XCTUnwrap(shelf.books[0].writer)
    let (list, set, map, things) = (shelf.books, shelf.picked, shelf.placed, shelf.things)
    let (inverse, some) = (writer.books, list.where { $0.value > 0 })
    XCTAssertEqual([list.count, set.count, map.count, inverse.count, some.count].min(), 40)
    store.close()
    XCTAssertEqual([list.count, set.count, map.count, inverse.count, some.count].max(), 0)
    for isInvalidated in [
      list.isInvalidated, set.isInvalidated, map.isInvalidated, things.isInvalidated,
      inverse.isInvalidated, some.isInvalidated,
    ] { XCTAssertTrue(isInvalidated) }
    XCTAssertNil(list.first)
    XCTAssertNil(map["100"] ?? nil)
    XCTAssertEqual(Array(list).count + Array(set).count + map.keys.count + things.count, 0)
    XCTAssertNil(list.min(of: \.value))
    XCTAssertEqual(inverse.sum(of: \.value), 0)
    XCTAssertEqual(list.sorted(by: \.value).count, 0)
    for calls in [calls(list), calls(set), calls(map), calls(inverse)] {
      XCTAssertEqual(calls.texts.count, 1)
      XCTAssertEqual(calls.texts.first?.hasPrefix("error: "), true)
    }
    XCTAssertTrue("\(list) \(set) \(map) \(inverse)".contains("of 0"))
  }
}
