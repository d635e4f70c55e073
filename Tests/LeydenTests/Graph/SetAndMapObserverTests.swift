import Leyden
import LeydenTesting
import XCTest

/// What observers of sets, maps and linking objects are told of each commit.
final class SetAndMapObserverTests: ShelfTestCase {
  func testASetTellsPositionsInItsOrder() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.picked.insert(contentsOf: [shelf.books[4], shelf.books[2]]) }
    let calls = calls(shelf.picked)
    try store.write { shelf.picked.insert(shelf.books[3]) }
    try store.write { shelf.picked.insert(shelf.books[3]) }
    try store.write { shelf.books[4].value = 44 }
    try store.write { try store.delete(shelf.books[2]) }
    try store.write {
      shelf.picked.remove(shelf.books[2])
      shelf.picked.insert(shelf.books[0])
      shelf.picked.insert(shelf.books[1])
    }
    XCTAssertEqual(
      calls.texts,
      [
        "initial", "-[] +[1] ~[]", "-[] +[] ~[2]", "-[0] +[] ~[]",
        "-[0] +[0, 1] ~[]",
      ])
    try store.write { try store.delete(shelf) }
    XCTAssertEqual(calls.texts.last, "-[0, 1, 2] +[] ~[]")
  }

  func testASetOfManyWords() throws {
    let store = try temporaryDirectory().store(objectTypes: [Sheet.self])
    let sheet = Sheet("s")
    try store.write { try store.add(sheet) }
    let calls = calls(sheet.tags)
    try store.write { sheet.tags.insert(contentsOf: (0..<100).map { "\(1_000 + $0)" }) }
    try store.write {
      sheet.tags.remove("1050")
      sheet.tags.insert("1049a")
    }
    XCTAssertEqual(calls.updates, ["-[] +\(Array(0..<100)) ~[]", "-[50] +[50] ~[]"])
  }

  func testAMapTellsKeys() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.placed)
    try store.write {
      shelf.placed["b"] = shelf.books[1]
      shelf.placed["a"] = shelf.books[0]
    }
    try store.write { shelf.placed["a"] = shelf.books[2] }
    try store.write { shelf.placed["a"] = shelf.books[2] }
    try store.write { shelf.books[1].value = 11 }
    try store.write { shelf.placed["a"] = nil }
    try store.write { try store.delete(shelf.books[1]) }
    XCTAssertEqual(shelf.placed.count, 1)
    try store.write {
      shelf.placed["b"] = shelf.books[3]
      shelf.placed["c"] = .some(nil)
    }
    try store.write { try store.delete(shelf) }
    XCTAssertEqual(
      calls.texts,
      [
        "initial", #"-[] +["a", "b"] ~[]"#, #"-[] +[] ~["a"]"#, #"-[] +[] ~["b"]"#,
        #"-["a"] +[] ~[]"#, #"-[] +[] ~["b"]"#, #"-[] +["c"] ~["b"]"#, #"-["b", "c"] +[] ~[]"#,
      ])
  }

  func testAKeyThatIsSpelledOtherwiseIsTheSame() throws {
    let store = try temporaryDirectory().store(objectTypes: [Sheet.self])
    let sheet = Sheet("s")
    try store.write { try store.add(sheet) }
    let (calls, spellings) = (calls(sheet.counts), ["caf\u{e9}", "cafe\u{301}"])
    for count in [0, 50] {
      try store.write {
        for number in 0..<count { sheet.counts["k\(number)"] = number }
        sheet.counts[spellings[0]] = 1
      }
      let told = calls.texts.count
      for (spelling, value) in [(1, 1), (0, 2), (1, 3)] {
        try store.write {
          sheet.counts.removeObject(for: spellings[0])
          sheet.counts[spellings[spelling]] = value
        }
      }
      XCTAssertEqual(
        calls.texts[told...], ["-[] +[] ~[\"caf\u{e9}\"]", "-[] +[] ~[\"caf\u{e9}\"]"])
      try store.write { sheet.counts.removeAll() }
    }
  }

  func testAMapOfTextsAndManyEntries() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { for key in 0..<50 { shelf.notes["\(100 + key)"] = "same" } }
    let calls = calls(shelf.notes)
    try store.write {
      shelf.notes["120"] = String(repeating: "long ", count: 1_000)
      shelf.notes["130"] = nil
      shelf.notes["131"] = "same"
      shelf.notes["200"] = "same"
    }
    XCTAssertEqual(calls.updates, [#"-["130"] +["200"] ~["120"]"#])
  }

  func testLinkingObjectsComeAndGoWithTheirLinks() throws {
    let store = try store()
    let writer = try store.write { try store.add(BookWriter("Ann")) }
    let calls = calls(writer.books)
    let books = try store.write { try (0..<3).map { try store.add(Book($0)) } }
    XCTAssertEqual(calls.texts, ["initial"])
    try store.write { for book in books.reversed() { book.writer = writer } }
    try store.write { books[1].value = 11 }
    try store.write { books[0].writer = nil }
    try store.write { try store.delete(books[1]) }
    try store.write { try store.delete(writer) }
    XCTAssertEqual(
      calls.updates,
      ["-[] +[0, 1, 2] ~[]", "-[] +[] ~[1]", "-[0] +[] ~[]", "-[0] +[] ~[]", "-[0] +[] ~[]"])
    try store.write { books[2].value = 22 }
    XCTAssertEqual(calls.updates.count, 5)
  }

  func testLinkingObjectsThroughAListHoldEachSourceOnce() throws {
    let (store, shelf) = try shelfOfTen()
    let book = shelf.books[3]
    let calls = calls(book.shelves, ["name"])
    try store.write { shelf.books.append(book) }
    try store.write { shelf.books.remove(at: 3) }
    try store.write { try store.add(Shelf("second", books: [book])) }
    try store.write { shelf.books.remove(at: 9) }
    XCTAssertEqual(calls.updates, ["-[] +[1] ~[]", "-[0] +[] ~[]"])
  }

  func testLinkingObjectsAsASequenceAndErrors() async throws {
    let store = try store()
    let writer = try store.write { try store.add(BookWriter("Ann")) }
    var iterator = writer.books.changes.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first?.isInitial, true)
    try store.write { try store.add(Book(1, writer: writer)) }
    let second = await iterator.next()
    XCTAssertEqual(second?.insertions, [0])
    XCTAssertEqual(second?.collection.count, 1)
    XCTAssertTrue(calls(BookWriter("new").books).texts[0].hasPrefix("error: "))
    XCTAssertTrue(calls(writer.books, ["nothing"]).texts[0].hasPrefix("error: "))
  }

  func testMapsAreASequenceOfChanges() async throws {
    let (store, shelf) = try shelfOfTen()
    var iterator = shelf.placed.changes.makeAsyncIterator()
    func next() async -> String? {
      switch await iterator.next() {
      case .initial(let map): "initial \(map.count)"
      case .update(let map, let deletions, let insertions, let modifications):
        "\(map.count) -\(deletions) +\(insertions) ~\(modifications)"
      case .error(let error): "\(error)"
      case nil: nil
      }
    }
    let first = await next()
    XCTAssertEqual(first, "initial 0")
    try store.write {
      for key in ["a", "b", "c"] { shelf.placed[key] = shelf.books[0] }
    }
    let second = await next()
    XCTAssertEqual(second, #"3 -[] +["a", "b", "c"] ~[]"#)
    // Several commits are one change.
    try store.write { shelf.placed["a"] = nil }
    try store.write { shelf.placed["b"] = shelf.books[1] }
    try store.write { shelf.placed["d"] = .some(nil) }
    let third = await next()
    XCTAssertEqual(third, #"3 -["a"] +["d"] ~["b"]"#)
    try store.write { shelf.books[1].value = 11 }
    let fourth = await next()
    XCTAssertEqual(fourth, #"3 -[] +[] ~["b"]"#)
    try store.write { try store.delete(shelf) }
    let fifth = await next()
    XCTAssertEqual(fifth, #"0 -["b", "c", "d"] +[] ~[]"#)
    let last = await next()
    XCTAssertNil(last)
  }

  func testTheSequenceOfAMapWithoutAStoreIsAnError() async throws {
    var iterator = Shelf("new").placed.changes.makeAsyncIterator()
    guard case .error(.unsupported) = await iterator.next() else { return XCTFail("no error") }
    let second = await iterator.next()
    XCTAssertNil(second)
  }

  func testSetsAreASequenceOfChanges() async throws {
    let (store, shelf) = try shelfOfTen()
    var iterator = shelf.picked.changes.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first?.isInitial, true)
    try store.write { shelf.picked.insert(shelf.books[1]) }
    let second = await iterator.next()
    XCTAssertEqual(second?.insertions, [0])
  }
}
