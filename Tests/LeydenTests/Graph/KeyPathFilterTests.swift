import Leyden
import LeydenTesting
import XCTest

/// Filters by key paths that lead through links: strict, and each observer's own.
final class KeyPathFilterTests: ShelfTestCase {
  /// Ten books with a writer and a place each.
  private func tenBooks() throws -> (store: Store, books: Results<Book>) {
    let store = try store()
    try store.write {
      for value in 0..<10 {
        try store.add(
          Book(value, writer: BookWriter("w\(value)", age: value, home: Residence("p\(value)"))))
      }
    }
    return (store, store.objects(Book.self))
  }

  func testEachObserverHearsOfItsOwnPropertiesOnly() throws {
    let (store, books) = try tenBooks()
    let observers = [
      calls(books, ["title"]), calls(books, ["value"]), calls(books), calls(books, ["writer.age"]),
    ]
    func told(_ body: () throws -> Void) throws -> [Int] {
      let before = observers.map(\.updates.count)
      try store.write(body)
      for (observer, count) in zip(observers, before) where observer.updates.count > count {
        XCTAssertEqual(observer.updates.count, count + 1)
        XCTAssertEqual(observer.updates.last, "-[] +[] ~[4]")
      }
      return observers.indices.filter { observers[$0].updates.count > before[$0] }
    }
    XCTAssertEqual(try told { books[4].value = 44 }, [1, 2])
    XCTAssertEqual(
      try told {
        books[4].title = "x"
        books[4].value = 45
      }, [0, 1, 2])
    XCTAssertEqual(try told { books[4].writer?.age = 50 }, [3])
    XCTAssertEqual(try told { books[4].title = "x" }, [])
    XCTAssertEqual(
      try told {
        books[4].value += 1
        books[4].value -= 1
      }, [])
    XCTAssertEqual(try told { books[4].writer = BookWriter("new") }, [2, 3])
    XCTAssertEqual(try told { books[4].writer?.home = Residence("far") }, [])
  }

  func testKeyPathsOfTheLanguageFilterCollections() throws {
    let (store, shelf) = try shelfOfTen()
    let writer = BookWriter("w")
    try store.write {
      shelf.picked.insert(shelf.books[2])
      shelf.placed["k"] = shelf.books[2]
      shelf.stickers.append(Sticker("s"))
      shelf.books[2].writer = writer
    }
    let calls = (0..<6).map { _ in Calls() }
    calls[0].token = shelf.books.observe(keyPaths: [\.title]) { calls[0].take($0) }
    calls[1].token = shelf.picked.observe(keyPaths: [\.title]) { calls[1].take($0) }
    calls[2].token = shelf.placed.observe(keyPaths: [\Book.title]) { calls[2].take($0) }
    calls[3].token = writer.books.observe(keyPaths: [\.title]) { calls[3].take($0) }
    calls[4].token = shelf.stickers.observe(keyPaths: [\.text]) { calls[4].take($0) }
    calls[5].token = shelf.stickers.where { $0.text != "" }.observe(keyPaths: [\.text]) {
      calls[5].take($0)
    }
    try store.write {
      shelf.books[2].value = 44
      shelf.stickers[0].marks.append(3)
    }
    XCTAssertEqual(calls.flatMap(\.updates), [])
    try store.write {
      shelf.books[2].title = "t"
      shelf.stickers[0].text = "t"
    }
    let modified = "-[] +[] ~[0]"
    XCTAssertEqual(
      calls.map(\.updates),
      [["-[] +[] ~[2]"], [modified], ["-[] +[] ~[\"k\"]"], [modified], [modified], [modified]])
    let wrong = Calls()
    wrong.token = shelf.books.observe(keyPaths: [\.title.count]) { wrong.take($0) }
    XCTAssertEqual(wrong.texts.count, 1)
    XCTAssertEqual(wrong.texts.first?.hasPrefix("error"), true)
  }

  func testKeyPathsOfTheLanguageLeadThroughLinksAsWell() throws {
    let (store, books) = try tenBooks()
    let told = Calls()
    let token = books.observe(keyPaths: [\.writer?.age, \.title]) { told.take($0) }
    let (objects, book) = (Calls(), books[3])
    let other = book.observe(keyPaths: [\.writer?.home?.size]) { change in
      if case .change(_, let properties) = change { objects.texts += properties.map(\.name) }
    }
    try store.write { books[3].writer?.age = 33 }
    try store.write { books[3].value = 33 }
    try store.write { books[3].writer?.home?.size = 33 }
    XCTAssertEqual(told.updates, ["-[] +[] ~[3]"])
    XCTAssertEqual(objects.texts, ["writer"])
    token.invalidate()
    other.invalidate()
  }

  func testAWrongPathGivesAnError() throws {
    let (store, books) = try tenBooks()
    for path in ["titel", "writer.agee", "writer.age.more", "", "writer.", ".title"] {
      XCTAssertEqual(calls(books, [path]).texts.count, 1, path)
      XCTAssertTrue(calls(books, [path]).texts[0].hasPrefix("error: "), path)
    }
    try store.write { books[0].title = "x" }
  }

  func testAPathOfSeveralLinks() throws {
    let (store, books) = try tenBooks()
    let size = calls(books, ["writer.home.size"])
    let home = calls(books, ["writer.home"])
    try store.write { books[2].writer?.home?.size = 5 }
    try store.write { books[3].writer?.home = nil }
    try store.write { books[6].writer?.home?.name = "x" }
    try store.write { books[5].writer = books[4].writer }
    try store.write { books[4].writer?.home?.size = 6 }
    try store.write { try store.delete(try XCTUnwrap(books[7].writer?.home)) }
    try store.write { try store.delete(try XCTUnwrap(books[8].writer)) }
    XCTAssertEqual(
      size.updates,
      [
        "-[] +[] ~[2]", "-[] +[] ~[3]", "-[] +[] ~[5]", "-[] +[] ~[4, 5]", "-[] +[] ~[7]",
        "-[] +[] ~[8]",
      ])
    XCTAssertEqual(
      home.updates, ["-[] +[] ~[3]", "-[] +[] ~[5]", "-[] +[] ~[7]", "-[] +[] ~[8]"])
  }

  func testAPathThatEndsInACollectionIsForItsMembersNotForTheirProperties() throws {
    let (store, shelf) = try shelfOfTen()
    let shelves = store.objects(Shelf.self)
    let members = calls(shelves, ["books"])
    let values = calls(shelves, ["books.value"])
    let none = calls(shelves)
    try store.write { shelf.books[3].value = 33 }
    try store.write { shelf.books[3].title = "x" }
    try store.write { shelf.books.removeLast() }
    try store.write { shelf.others.append(shelf.books[0]) }
    XCTAssertEqual(members.updates, ["-[] +[] ~[0]"])
    XCTAssertEqual(values.updates, ["-[] +[] ~[0]", "-[] +[] ~[0]"])
    XCTAssertEqual(none.updates, ["-[] +[] ~[0]", "-[] +[] ~[0]"])
  }

  func testAPathThroughAnInverse() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books[0].writer = BookWriter("Ann") }
    let books = store.objects(Book.self)
    let names = calls(books, ["shelves.numbers"])
    let values = calls(store.objects(BookWriter.self), ["books.value"])
    try store.write { shelf.numbers.append(1) }
    try store.write { shelf.words.append("x") }
    try store.write { try store.add(Shelf("t", books: [shelf.books[9]])) }
    try store.write { shelf.books[0].value = -1 }
    try store.write { shelf.books[1].value = -1 }
    try store.write { shelf.books[1].writer = shelf.books[0].writer }
    try store.write { try store.delete(shelf.books[0]) }
    XCTAssertEqual(
      names.updates, ["-[] +[] ~\(Array(0..<10))", "-[] +[] ~[9]", "-[0] +[] ~[]"])
    XCTAssertEqual(values.updates, ["-[] +[] ~[0]", "-[] +[] ~[0]", "-[] +[] ~[0]"])
  }

  func testListsSetsAndMapsFilterByTheirElements() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write {
      shelf.books[2].writer = BookWriter("Ann")
      shelf.picked.insert(shelf.books[2])
      shelf.placed["k"] = shelf.books[2]
    }
    let list = calls(shelf.books, ["writer.age"])
    let set = calls(shelf.picked, ["writer.age", "title"])
    let map = calls(shelf.placed, ["writer.age"])
    try store.write { shelf.books[2].writer?.age = 7 }
    try store.write { shelf.books[2].value = 22 }
    try store.write { shelf.books[2].title = "x" }
    try store.write { shelf.books[2].writer = nil }
    XCTAssertEqual(list.updates, ["-[] +[] ~[2]", "-[] +[] ~[2]"])
    XCTAssertEqual(set.updates, ["-[] +[] ~[0]", "-[] +[] ~[0]", "-[] +[] ~[0]"])
    XCTAssertEqual(map.updates, [#"-[] +[] ~["k"]"#, #"-[] +[] ~["k"]"#])
  }

  func testWithoutAFilterOnlyTheObjectsOwnPropertiesCount() throws {
    let chain = (0..<20).map { Person("\($0)") }
    let people = try temporaryDirectory().store(objectTypes: [Person.self])
    for (person, next) in zip(chain, chain.dropFirst()) { person.best = next }
    try people.write { try people.add(chain[0]) }
    let calls = calls(people.objects(Person.self).sorted(by: \.name))
    try people.write { chain[19].age = 1 }
    XCTAssertEqual(calls.updates.count, 1)
    XCTAssertEqual(calls.updates.first?.contains(","), false)
  }

  func testCirclesEnd() throws {
    let people = try temporaryDirectory().store(objectTypes: [Person.self])
    let (ann, bob) = (Person("Ann"), Person("Bob"))
    ann.best = ann
    try people.write { try people.add([ann, bob]) }
    let calls = calls(people.objects(Person.self), ["best.best.best.age"])
    try people.write { bob.age = 1 }
    XCTAssertEqual(calls.updates, [])
    try people.write { ann.age = 1 }
    XCTAssertEqual(calls.updates, ["-[] +[] ~[0]"])
    try people.write { bob.best = ann }
    try people.write { ann.best = bob }
    XCTAssertEqual(
      calls.updates, ["-[] +[] ~[0]", "-[] +[] ~[1]", "-[] +[] ~[0, 1]"])
  }

  func testAMovedRowIsToldWhateverTheFilterSays() throws {
    let (store, books) = try tenBooks()
    let calls = calls(books.sorted(by: \.value), ["writer.age"])
    try store.write {
      books[0].value = 100
      books[1].value = -1
      books[2].writer?.age = 22
    }
    XCTAssertEqual(calls.updates, ["-[0] +[9] ~[2]"])
  }

  func testMergedCommitsCountOnceAndWhatCameToNothingDoesNot() throws {
    let (store, books) = try tenBooks()
    let calls = calls(books, ["writer.age"])
    let other = try anotherStore()
    let same = other.objects(Book.self)
    try other.write { same[1].writer?.age = 10 }
    try other.write { same[2].writer?.age = 20 }
    try other.write { same[2].writer?.age = 2 }
    try other.write { same[3].writer?.age = 30 }
    try other.write { same[3].writer = same[4].writer }
    try other.write { same[5].writer = nil }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(calls.updates, ["-[] +[] ~[1, 3, 5]"])
  }
}
