import Foundation
import Leyden
import LeydenTesting
import XCTest

/// What observers of sets, maps, linking objects and of conditions on them are told where lists have tests of
/// their own; and of lists whose elements are no objects with a row.
final class CollectionObserverTests: ShelfTestCase {
  private var stores = 0

  // MARK: Sets of objects

  /// Observes a set of ten books and makes a commit.
  private func check(
    _ expected: [String], file: StaticString = #filePath, line: UInt = #line,
    _ body: @escaping (Store, Shelf) throws -> Void
  ) throws {
    let store = try temporaryDirectory().store(named: "\(line)", objectTypes: [Shelf.self])
    let shelf = Shelf("s", books: (0..<10).map { Book($0) })
    try store.write {
      try store.add(shelf)
      shelf.picked.insert(contentsOf: Array(shelf.books))
    }
    let calls = calls(shelf.picked)
    try store.write { try body(store, shelf) }
    XCTAssertEqual(calls.updates, expected, file: file, line: line)
  }

  func testSetsOfObjects() throws {
    let all = Array(0..<10)
    try check(["-\(all) +[] ~[]"]) { _, shelf in shelf.picked.removeAll() }
    try check(["-\(all) +[0] ~[]"]) { _, shelf in
      shelf.picked.removeAll()
      shelf.picked.insert(Book(10))
    }
    try check(["-[0, 1, 2, 4, 5, 6, 7, 8, 9] +[] ~[]"]) { _, shelf in
      shelf.picked.removeAll()
      shelf.picked.insert(shelf.books[3])
    }
    try check(["-[5] +[] ~[]"]) { store, shelf in try store.delete(shelf.books[5]) }
    try check(["-[] +[] ~[5]"]) { _, shelf in shelf.books[5].value = 55 }
    try check([]) { _, shelf in
      shelf.picked.remove(shelf.books[5])
      shelf.picked.insert(shelf.books[5])
    }
    try check([]) { _, shelf in
      let book = Book(10)
      shelf.picked.insert(book)
      shelf.picked.remove(book)
    }
    try check([]) { store, shelf in
      let other = try store.add(Shelf("other"))
      other.picked.insert(shelf.books[1])
      shelf.others.append(shelf.books[1])
    }
    try check([]) { _, shelf in
      shelf.books[5].value = 55
      shelf.books[5].value = 5
    }
    try check(["-[2, 7] +[8] ~[4]"]) { store, shelf in
      shelf.picked.insert(Book(10))
      shelf.picked.remove(shelf.books[2])
      shelf.books[4].title = "x"
      try store.delete(shelf.books[7])
    }
    try check(["-\(all) +[] ~[]"]) { store, shelf in try store.delete(shelf) }
    try check(["-\(all) +[] ~[]"]) { store, _ in try store.deleteAll() }
  }

  func testAnEmptyCollectionWhoseOwnerIsDeletedIsToldNothing() throws {
    let store = try store()
    let shelf = try store.write { try store.add(Shelf("s")) }
    let book = try store.write { try store.add(Book(1)) }
    let all = [
      calls(shelf.picked), calls(shelf.numbers), calls(shelf.words), calls(shelf.things),
      calls(shelf.stickers), calls(book.shelves), calls(shelf.placed), calls(shelf.notes),
      calls(shelf.books.where { $0.value > 0 }), calls(shelf.picked.sorted(by: \.value)),
      calls(book.shelves.where { $0.name == "s" }),
    ]
    try store.write {
      try store.delete(shelf)
      try store.delete(book)
    }
    try store.write { try store.add(Shelf("s", books: [Book(1)])) }
    for (number, calls) in all.enumerated() {
      XCTAssertEqual(calls.texts, ["initial"], "\(number)")
    }
  }

  // MARK: Conditions on sets and linking objects

  /// Observes the books with values between 0 and 5, of ten that a set and a writer have.
  private func told(
    _ name: String, _ body: (Store, Shelf, BookWriter) throws -> Void
  ) throws -> [[String]] {
    let store = try temporaryDirectory().store(named: name, objectTypes: [Shelf.self])
    let writer = BookWriter("w")
    let shelf = Shelf("s", books: (0..<10).map { Book($0, writer: writer) })
    try store.write {
      try store.add(shelf)
      shelf.picked.insert(contentsOf: Array(shelf.books))
    }
    let all = [
      calls(shelf.picked.where { $0.value > 0 && $0.value < 5 }),
      calls(writer.books.where { $0.value > 0 && $0.value < 5 }),
      calls(writer.books.sorted(by: \.value).where { $0.value > 0 && $0.value < 5 }),
    ]
    try store.write { try body(store, shelf, writer) }
    return all.map(\.updates)
  }

  private func add(_ book: Book, _ shelf: Shelf, _ writer: BookWriter) {
    shelf.picked.insert(book)
    book.writer = writer
  }

  func testConditionsOnSetsAndLinkingObjects() throws {
    XCTAssertEqual(
      try told("fits") { add(Book(3), $1, $2) },
      [["-[] +[4] ~[]"], ["-[] +[4] ~[]"], ["-[] +[3] ~[]"]])
    XCTAssertEqual(try told("does not fit") { add(Book(5), $1, $2) }, [[], [], []])
    XCTAssertEqual(
      try told("goes") { _, shelf, _ in
        shelf.picked.remove(shelf.books[1])
        shelf.books[1].writer = nil
      }, Array(repeating: ["-[0] +[] ~[]"], count: 3))
    XCTAssertEqual(
      try told("goes unseen") { _, shelf, _ in
        shelf.picked.remove(shelf.books[0])
        shelf.books[0].writer = nil
      }, [[], [], []])
    XCTAssertEqual(
      try told("comes to fit") { store, shelf, _ in
        shelf.books[9].value = 3
        try store.delete(shelf.books[2])
      }, [["-[1] +[3] ~[]"], ["-[1] +[3] ~[]"], ["-[1] +[2] ~[]"]])
    XCTAssertEqual(
      try told("changes") { _, shelf, _ in shelf.books[2].title = "x" },
      Array(repeating: ["-[] +[] ~[1]"], count: 3))
    XCTAssertEqual(
      try told("an owner's end") { store, shelf, writer in
        try store.delete(shelf)
        try store.delete(writer)
      }, Array(repeating: ["-[0, 1, 2, 3] +[] ~[]"], count: 3))
    XCTAssertEqual(
      try told("elsewhere") { store, shelf, _ in
        try store.add(Book(2))
        shelf.books.removeAll()
        shelf.numbers.append(1)
      }, Array(repeating: ["-[] +[] ~[0, 1, 2, 3]"], count: 3), "an inverse property changed")
  }

  // MARK: Lists of other elements

  /// Observes a list of ten elements and makes a commit.
  private func told<Element>(
    _ path: KeyPath<Shelf, List<Element>>, _ make: (Int) -> Element,
    _ body: (List<Element>) throws -> Void
  ) throws -> [String] {
    stores += 1
    let store = try temporaryDirectory().store(named: "\(stores)", objectTypes: [Shelf.self])
    let shelf = Shelf("s")
    for number in 0..<10 { shelf[keyPath: path].append(make(number)) }
    try store.write { try store.add(shelf) }
    let calls = calls(shelf[keyPath: path])
    try store.write { try body(shelf[keyPath: path]) }
    let more = calls.updates
    try store.write { try store.delete(shelf) }
    if calls.texts.last?.hasSuffix("+[] ~[]") == false { return ["the end is not told"] }
    return more
  }

  private func checkList<Element>(
    _ path: KeyPath<Shelf, List<Element>>, _ make: (Int) -> Element
  ) throws {
    let all = Array(0..<10)
    XCTAssertEqual(try told(path, make) { $0.removeAll() }, ["-\(all) +[] ~[]"])
    XCTAssertEqual(
      try told(path, make) {
        $0.removeAll()
        $0.append(make(10))
      }, ["-\(all) +[0] ~[]"])
    XCTAssertEqual(
      try told(path, make) { $0[3] = make(33) }, ["-[] +[] ~[3]"])
    XCTAssertEqual(try told(path, make) { $0.move(from: 5, to: 8) }, ["-[5] +[8] ~[]"])
    XCTAssertEqual(try told(path, make) { $0.move(from: 5, to: 5) }, [])
    XCTAssertEqual(
      try told(path, make) {
        $0.append(make(10))
        $0.removeLast()
      }, [])
    XCTAssertEqual(
      try told(path, make) {
        $0.swapAt(2, 7)
        $0.swapAt(2, 7)
      }, [])
    XCTAssertEqual(
      try told(path, make) {
        $0.insert(make(11), at: 0)
        $0.remove(at: 4)
        $0[9] = make(12)
      }, ["-[3] +[0] ~[9]"])
    XCTAssertEqual(
      try told(path, make) {
        for number in 10..<500 { $0.append(make(number)) }
        $0.remove(at: 0)
      }, ["-[0] +\(Array(9..<499)) ~[]"])
  }

  func testListsOfOtherElementsAreToldAlike() throws {
    try checkList(\.numbers) { $0 }
    try checkList(\.words) { "word \($0)" }
    try checkList(\.things) { .string("thing \($0)") }
    try checkList(\.things) { $0 % 2 == 0 ? .int($0) : .object(Book($0)) }
    try checkList(\.stickers) { Sticker("\($0)") }
    try checkList(\.books) { Book($0) }
  }

  func testEmbeddedElementsThatChange() throws {
    let make = { (number: Int) in Sticker("\(number)") }
    XCTAssertEqual(
      try told(\.stickers, make) { $0[5].text = "x" }, ["-[] +[] ~[5]"])
    XCTAssertEqual(
      try told(\.stickers, make) {
        $0[5].text = "x"
        $0.move(from: 5, to: 8)
      }, ["-[5] +[8] ~[]"])
    XCTAssertEqual(
      try told(\.stickers, make) {
        $0[5].text = "x"
        $0[5].text = "5"
      }, [])
    XCTAssertEqual(
      try told(\.stickers, make) {
        $0.remove(at: 0)
        $0[4].text = "x"
        $0.append(Sticker("new"))
      }, ["-[0] +[9] ~[5]"])
  }

  func testAnObjectAmongValuesThatIsThereTwice() throws {
    let (store, shelf) = try shelfOfTen()
    let book = shelf.books[3]
    try store.write {
      shelf.things.append(contentsOf: [.int(0), .object(book), .none, .object(book), .int(0)])
    }
    let calls = calls(shelf.things)
    try store.write { book.value = 33 }
    try store.write {
      book.value = 34
      shelf.things.move(from: 1, to: 4)
    }
    try store.write { shelf.things[1] = .object(shelf.books[4]) }
    try store.write { shelf.things.append(.object(book)) }
    try store.write { try store.delete(book) }
    XCTAssertEqual(
      calls.updates,
      [
        "-[] +[] ~[1, 3]", "-[1] +[4] ~[3]", "-[] +[] ~[1]", "-[] +[5] ~[]", "-[2, 4, 5] +[] ~[]",
      ])
  }

  func testTheFewestElementsMove() throws {
    let (store, shelf) = try shelfOfTen()
    let books = Array(shelf.books)
    // Orders by digits, and how many elements have to go and to come.
    let steps: [(old: String, new: String, deletions: Int, insertions: Int)] = [
      ("123", "132", 1, 1), ("123", "213", 1, 1), ("123", "231", 1, 1), ("123", "312", 1, 1),
      ("123", "321", 2, 2), ("112233", "123123", 2, 2), ("111123", "1231", 3, 1),
      ("1231", "111123", 1, 3), ("41235", "123", 2, 0), ("123", "41235", 0, 2), ("12", "21", 1, 1),
      ("1234567", "7123456", 1, 1), ("121212", "212121", 1, 1), ("123", "", 3, 0), ("", "11", 0, 2),
    ]
    for (number, step) in steps.enumerated() {
      let (old, new) = (
        step.old.compactMap(\.wholeNumberValue), step.new.compactMap(\.wholeNumberValue)
      )
      try store.write {
        shelf.numbers.replaceSubrange(0..., with: old)
        shelf.others.replaceSubrange(0..., with: old.map { books[$0] })
        shelf.words.replaceSubrange(0..., with: old.map { "word \($0)" })
        shelf.things.replaceSubrange(0..., with: old.map { .object(books[$0]) })
      }
      var told: [[Int]] = []
      func take<C>(_ change: ObservedChange<C>) {
        guard case .update(_, let deletions, let insertions, let modifications) = change else {
          return
        }
        let checker = ChangeSetChecker(
          deletions: deletions, insertions: insertions, modifications: modifications)
        XCTAssertNoThrow(try checker.checkList(old: old, new: new) { $0 }, "\(number)")
        told.append([deletions.count, insertions.count, modifications.count])
      }
      let tokens = [
        shelf.numbers.observe(take), shelf.others.observe(take), shelf.words.observe(take),
        shelf.things.observe(take),
      ]
      try store.write {
        shelf.numbers.replaceSubrange(0..., with: new)
        shelf.others.replaceSubrange(0..., with: new.map { books[$0] })
        shelf.words.replaceSubrange(0..., with: new.map { "word \($0)" })
        shelf.things.replaceSubrange(0..., with: new.map { .object(books[$0]) })
      }
      XCTAssertEqual(
        told, Array(repeating: [step.deletions, step.insertions, 0], count: 4), "\(step)")
      for token in tokens { token.invalidate() }
    }
  }

  func testAModifiedElementBesideAMovedOneIsNotMoved() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books.removeSubrange(3...) }
    let calls = calls(shelf.books)
    try store.write {
      shelf.books[1].value = 22
      shelf.books.move(from: 0, to: 2)
    }
    XCTAssertEqual(calls.updates, ["-[0] +[2] ~[1]"])
  }

  // MARK: Maps

  func testMapsOfValuesOfAnyTypeAndOfEmbeddedObjects() throws {
    let store = try temporaryDirectory().store(objectTypes: [Folder.self])
    let (folder, ann) = (Folder("f"), Person("Ann"))
    try store.write {
      try store.add(ann)
      try store.add(folder)
    }
    let values = calls(folder.answersByName)
    let places = calls(folder.byName)
    func told(_ body: () throws -> Void) throws -> [String] {
      (values.texts, places.texts) = ([], [])
      try store.write(body)
      return values.texts + places.texts
    }
    XCTAssertEqual(
      try told {
        folder.answersByName["b"] = .object(ann)
        folder.answersByName["a"] = .int(1)
        folder.byName["y"] = Place("two")
        folder.byName["x"] = Place("one")
      }, [#"-[] +["a", "b"] ~[]"#, #"-[] +["x", "y"] ~[]"#])
    XCTAssertEqual(
      try told {
        folder.answersByName["a"] = .int(2)
        folder.byName["x"] = Place("three")
      }, [#"-[] +[] ~["a"]"#, #"-[] +[] ~["x"]"#])
    XCTAssertEqual(try told { folder.answersByName["a"] = .int(2) }, [])
    XCTAssertEqual(try told { folder.byName["x"]??.street = "four" }, [#"-[] +[] ~["x"]"#])
    XCTAssertEqual(try told { folder.byName["x"]??.street = "four" }, [])
    XCTAssertEqual(try told { folder.byName["x"]??.host = ann }, [#"-[] +[] ~["x"]"#])
    XCTAssertEqual(try told { ann.age = 5 }, [#"-[] +[] ~["b"]"#])
    XCTAssertEqual(
      try told { folder.answersByName["a"] = AnyValue.none }, [#"-[] +[] ~["a"]"#])
    XCTAssertEqual(try told { folder.byName["y"] = .some(nil) }, [#"-[] +[] ~["y"]"#])
    XCTAssertEqual(
      try told { try store.delete(ann) }, [#"-[] +[] ~["b"]"#, #"-[] +[] ~["x"]"#])
    XCTAssertEqual(folder.answersByName.count, 2)
    XCTAssertEqual(folder.answersByName["b"], AnyValue.none)
    XCTAssertEqual(folder.byName.count, 2)
    XCTAssertEqual(
      try told {
        folder.answersByName["a"] = nil
        folder.byName.removeObject(for: "y")
        folder.byName["x"] = nil
        folder.byName["x"] = Place("new")
      }, [#"-["a"] +[] ~[]"#, #"-["y"] +[] ~["x"]"#])
    XCTAssertEqual(
      try told {
        folder.answersByName["new"] = .int(1)
        folder.answersByName["new"] = nil
        folder.byName["new"] = Place("new")
        folder.byName["new"] = nil
      }, [])
    XCTAssertEqual(
      try told { try store.delete(folder) }, [#"-["b"] +[] ~[]"#, #"-["x"] +[] ~[]"#])
  }

  func testMapsOfObjectsOverMergedCommits() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write {
      for key in ["a", "b", "c", "d"] { shelf.placed[key] = shelf.books[0] }
      shelf.placed["b"] = shelf.books[1]
    }
    let calls = calls(shelf.placed)
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write { same.placed["a"] = same.books[2] }
    try other.write { same.placed["a"] = same.books[0] }
    try other.write { same.placed["e"] = same.books[0] }
    try other.write { same.placed["e"] = nil }
    try other.write { try other.delete(same.books[1]) }
    try other.write { same.placed["c"] = nil }
    try other.write { same.placed["c"] = same.books[3] }
    try other.write { same.placed["f"] = same.books[0] }
    try other.write { same.placed["d"] = nil }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(calls.updates, [#"-["d"] +["f"] ~["b", "c"]"#])
    XCTAssertEqual(shelf.placed.keys, ["a", "b", "c", "f"])
  }

  // MARK: Many commits

  func testWhatOneCommitAddsAndTheNextTakesAwayIsNeverTold() throws {
    let (store, shelf) = try shelfOfTen()
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    let writer = try store.write { try store.add(BookWriter("w")) }
    let observers = [
      calls(shelf.books), calls(shelf.picked), calls(shelf.things), calls(shelf.stickers),
      calls(shelf.numbers), calls(writer.books), calls(shelf.books.where { $0.value > 5 }),
      calls(store.objects(Book.self)),
    ]
    let maps = [calls(shelf.placed), calls(shelf.notes)]
    try other.write {
      let book = Book(10, writer: other.objects(BookWriter.self).first)
      same.books.insert(book, at: 3)
      same.picked.insert(book)
      same.placed["k"] = book
      same.things.append(.object(book))
      same.stickers.append(Sticker("a"))
      same.numbers.append(1)
      same.notes["k"] = "v"
    }
    try other.write {
      try other.delete(same.books[3])
      same.stickers.removeAll()
      same.numbers.removeAll()
      same.placed["k"] = nil
      same.notes["k"] = nil
    }
    XCTAssertTrue(store.refresh())
    for (number, calls) in (observers + maps).enumerated() {
      XCTAssertEqual(calls.texts, ["initial"], "\(number)")
    }
  }

  func testAnObjectThatLeadsToItselfChangesAloneWithoutAFilter() throws {
    let store = try temporaryDirectory().store(objectTypes: [Folder.self])
    let (first, second, ann) = (Folder("a"), Folder("b"), Person("Ann"))
    first.next = first
    first.answer = .object(first)
    first.place = Place("x")
    first.place?.note = .object(first)
    ann.best = ann
    first.people.append(ann)
    try store.write { try store.add([first, second]) }
    let (folders, people) = (calls(store.objects(Folder.self)), calls(store.objects(Person.self)))
    let inverse = calls(ann.admirers)
    try store.write { second.title = "x" }
    try store.write { try store.add(Person("Bob")) }
    XCTAssertEqual(folders.updates, ["-[] +[] ~[1]"])
    XCTAssertEqual(people.updates, ["-[] +[1] ~[]"])
    try store.write { ann.age = 5 }
    try store.write { first.title = "x" }
    XCTAssertEqual(folders.updates, ["-[] +[] ~[1]", "-[] +[] ~[0]"])
    XCTAssertEqual(people.updates, ["-[] +[1] ~[]", "-[] +[] ~[0]"])
    XCTAssertEqual(inverse.updates, ["-[] +[] ~[0]"])
  }

  func testAListThatGrowsInBurstsIsMirroredExactly() throws {
    let (store, shelf) = try shelfOfTen()
    var mirror: [Int?] = []
    var calls = 0
    let token = shelf.numbers.observe { change in
      guard case .update(let numbers, let deletions, let insertions, let modifications) = change
      else { return }
      calls += 1
      XCTAssertEqual(deletions + modifications, [])
      XCTAssertEqual(insertions, Array(mirror.count..<numbers.count))
      mirror += insertions.map { numbers[$0] }
    }
    let directory = try temporaryDirectory()
    let configuration = directory.configuration(objectTypes: [Shelf.self])
    let count = 500
    let writer = Thread {
      do {
        let store = try Store(configuration: configuration)
        let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
        for number in 0..<count { try store.write { shelf.numbers.append(number) } }
      } catch { XCTFail("\(error)") }
    }
    writer.start()
    let deadline = ContinuousClock.now + .seconds(60)
    while mirror.count < count, ContinuousClock.now < deadline {
      store.waitForChanges(timeout: .seconds(10))
    }
    XCTAssertEqual(mirror, (0..<count).map { $0 })
    XCTAssertLessThanOrEqual(calls, count)
    token.invalidate()
  }

  func testCallbacksThatTakeElementsAwayAreNeverCalledWithinEachOther() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books.removeSubrange(5...) }
    let (first, last) = (calls(shelf.books), Calls())
    var depth = 0
    var told: [String] = []
    let token = shelf.books.observe { change in
      guard case .update(let books, let deletions, _, _) = change else { return }
      depth += 1
      XCTAssertEqual(depth, 1)
      told.append("\(deletions) of \(books.count + 1)")
      do {
        if let book = books.last { try store.write { try store.delete(book) } }
      } catch { XCTFail("\(error)") }
      depth -= 1
    }
    last.token = shelf.books.observe { last.take($0) }
    try store.write { shelf.books.removeLast() }
    XCTAssertEqual(shelf.books.count, 0)
    XCTAssertEqual(told, ["[4] of 5", "[3] of 4", "[2] of 3", "[1] of 2", "[0] of 1"])
    XCTAssertEqual(first.updates, (0..<5).reversed().map { "-[\($0)] +[] ~[]" })
    // Whose turn comes after that of the one who writes is told of both at once.
    XCTAssertEqual(
      last.updates, ["-[3, 4] +[] ~[]", "-[2] +[] ~[]", "-[1] +[] ~[]", "-[0] +[] ~[]"])
    token.invalidate()
  }
}
