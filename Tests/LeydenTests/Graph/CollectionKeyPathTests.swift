import Leyden
import LeydenTesting
import XCTest

/// Filters of observers of every kind: each hears of its own properties only, at the row that changed only.
final class CollectionKeyPathTests: ShelfTestCase {
  private typealias Observe = ([String]?) -> Calls

  /// Ten books in everything that holds books, each with a writer of its own.
  private func tenBooks(_ name: String) throws -> (store: Store, other: Store, shelf: Shelf) {
    let directory = try temporaryDirectory()
    let store = try directory.store(named: name, objectTypes: [Shelf.self])
    let other = try directory.store(named: name, objectTypes: [Shelf.self])
    let shelf = Shelf("s")
    for value in 0..<10 {
      let writer = BookWriter("w\(value)", age: value, home: Residence("p\(value)"))
      shelf.books.append(Book(10 * value, writer: writer))
      shelf.placed["k\(value)"] = shelf.books[value]
    }
    try store.write {
      try store.add(shelf)
      shelf.picked.insert(contentsOf: Array(shelf.books))
    }
    return (store, other, shelf)
  }

  private static func writer(_ number: Int, _ store: Store) -> BookWriter? {
    store.object(ofType: BookWriter.self, forPrimaryKey: "w\(number)")
  }

  /// What can be observed, and what an observer is told when the fourth book has changed.
  private func observed(
    _ store: Store, _ shelf: Shelf
  ) -> [(name: String, told: String, observe: Observe)] {
    let books = store.objects(Book.self)
    func results(_ results: Results<Book>) -> Observe { { self.calls(results, $0) } }
    return [
      ("results", "-[] +[] ~[4]", results(books)),
      ("sorted", "-[] +[] ~[4]", results(books.sorted(by: \.value))),
      ("descending", "-[] +[] ~[5]", results(books.sorted(by: \.value, ascending: false))),
      ("some", "-[] +[] ~[1]", results(books.where { $0.value >= 30 })),
      ("by writer", "-[] +[] ~[2]", results(books.where { $0.writer.age >= 2 })),
      ("first", "-[] +[] ~[4]", results(books.sorted(by: \.value).distinct(by: \.value).limit(6))),
      ("list", "-[] +[] ~[4]", { self.calls(shelf.books, $0) }),
      ("of list", "-[] +[] ~[1]", results(shelf.books.where { $0.value >= 30 })),
      ("set", "-[] +[] ~[4]", { self.calls(shelf.picked, $0) }),
      ("of set", "-[] +[] ~[4]", results(shelf.picked.sorted(by: \.value))),
      ("map", #"-[] +[] ~["k4"]"#, { self.calls(shelf.placed, $0) }),
    ]
  }

  /// The steps of the program, and which of the filters title, rank, none and owner's age hear of each.
  private let steps: [(name: String, heard: [Int], body: (Store, Book) throws -> Void)] = [
    ("value", [1, 2], { $1.value = 41 }),
    (
      "title and value", [0, 1, 2],
      {
        $1.title = "x"
        $1.value = 42
      }
    ),
    ("writer's age", [3], { $1.writer?.age = 50 }),
    ("the same title", [], { $1.title = "x" }),
    (
      "there and back", [],
      {
        $1.value += 1
        $1.title = "y"
        $1.value -= 1
        $1.title = "x"
      }
    ),
    (
      "writer's age there and back", [],
      {
        $1.writer?.age = 51
        $1.writer?.age = 50
      }
    ),
    (
      "writer there and back", [],
      {
        let writer = $1.writer
        $1.writer = nil
        $1.writer = writer
      }
    ),
    ("writer's home", [], { $1.writer?.home?.size = 5 }),
    ("writer", [2, 3], { $1.writer = BookWriter("new", age: 50, home: $1.writer?.home) }),
    ("a shelf's number", [], { $1.shelves.first?.numbers.append(1) }),
    (
      "an earlier writer's age", [],
      { store, _ in CollectionKeyPathTests.writer(4, store)?.age = 99 }
    ),
    ("a writer's end", [2, 3], { store, book in try store.delete(try XCTUnwrap(book.writer)) }),
  ]

  private let filters: [[String]?] = [["title"], ["value"], nil, ["writer.age"]]

  func testEachObserverHearsOfItsOwnPropertiesOnly() throws {
    for isOther in [false, true] {
      let (store, other, shelf) = try tenBooks("\(isOther)")
      let observed = observed(store, shelf)
      let observers = observed.map { one in filters.map { one.observe($0) } }
      for step in steps {
        for calls in observers.joined() { calls.texts = [] }
        let writing = isOther ? other : store
        try writing.write { try step.body(writing, writing.objects(Book.self)[4]) }
        store.refresh()
        for (one, calls) in zip(observed, observers) {
          // An object in the condition's reach that no filter names comes and goes only.
          if one.name == "by writer", step.name == "a writer's end" {
            XCTAssertEqual(calls.map(\.texts), Array(repeating: ["-[2] +[] ~[]"], count: 4))
            continue
          }
          XCTAssertEqual(
            filters.indices.filter { !calls[$0].texts.isEmpty }, step.heard,
            "\(one.name), \(step.name), other: \(isOther)")
          for index in step.heard {
            XCTAssertEqual(calls[index].texts, [one.told], "\(one.name), \(step.name)")
          }
        }
      }
    }
  }

  func testMergedCommitsCountByWhatTheyComeTo() throws {
    let (store, other, shelf) = try tenBooks("merged")
    let observed = observed(store, shelf)
    let observers = observed.map { one in filters.map { one.observe($0) } }
    for calls in observers.joined() { calls.texts = [] }
    let books = other.objects(Book.self)

    // when: all comes to nothing but what follows a change back
    try other.write { books[4].title = "x" }
    try other.write { books[4].writer?.age = 77 }
    try other.write { books[4].title = "" }
    try other.write { books[4].writer?.age = 4 }
    try other.write { books[4].writer = books[5].writer }
    try other.write { books[4].writer = Self.writer(4, other) }
    store.refresh()
    for (one, calls) in zip(observed, observers) {
      XCTAssertEqual(calls.map(\.texts), [[], [], [], []], one.name)
    }

    // when: every filter has something of its own
    try other.write { books[4].title = "x" }
    try other.write { books[4].value = 41 }
    try other.write { books[4].writer?.age = 77 }
    try other.write { books[4].value = 40 }
    store.refresh()
    for (one, calls) in zip(observed, observers) {
      XCTAssertEqual(calls.map(\.texts), [[one.told], [], [one.told], [one.told]], one.name)
    }
  }

  func testSourcesThatComeAndGoOverSeveralCommitsAreNoChange() throws {
    let (store, other, shelf) = try tenBooks("sources")
    let books = other.objects(Book.self)
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    func writer(_ number: Int) -> BookWriter? { Self.writer(number, other) }
    let writers = store.objects(BookWriter.self).sorted(by: \.name)
    let observers = [
      "writers": calls(writers), "their books": calls(writers, ["books"]),
      "their titles": calls(writers, ["books.title"]), "books": calls(store.objects(Book.self)),
      "shelves": calls(store.objects(Book.self), ["shelves"]), "list": calls(shelf.books),
      "set": calls(shelf.picked), "map": calls(shelf.placed),
    ]
    var objects: [String] = []
    let token = try XCTUnwrap(Self.writer(4, store)).observe { _ in objects.append("told") }
    func told(_ commits: (() throws -> Void)...) throws -> [String: String] {
      for calls in observers.values { calls.texts = [] }
      for commit in commits { try other.write(commit) }
      store.refresh()
      return observers.mapValues { $0.texts.joined(separator: "; ") }.filter { !$0.value.isEmpty }
    }

    // What comes to nothing, by links, lists and objects that come and go.
    XCTAssertEqual(
      try told({ books[4].writer = writer(5) }, { books[4].writer = writer(4) }), [:])
    XCTAssertEqual(
      try told(
        { books[4].writer = writer(5) }, { books[4].writer = nil }, { books[4].writer = writer(6) },
        { books[4].writer = writer(4) }), [:])
    XCTAssertEqual(
      try told({ same.books.remove(at: 4) }, { same.books.insert(books[4], at: 4) }), [:])
    XCTAssertEqual(
      try told(
        { try other.add(Shelf("t", books: [books[3], books[4]])) },
        { try other.add(Shelf("u", books: [books[4]])) },
        { try other.delete(other.objects(Shelf.self).where { $0.name != "s" }) }), [:])
    XCTAssertEqual(
      try told(
        { try other.add(Book(1, writer: writer(4))) },
        { try other.delete(try XCTUnwrap(books.last)) }), [:])
    XCTAssertEqual(objects, [])

    // What does not: another source in the place of one.
    XCTAssertEqual(
      try told({ books[4].writer = writer(5) }, { books[5].writer = writer(4) }),
      [
        "writers": "-[] +[] ~[4, 5]", "their books": "-[] +[] ~[4, 5]",
        "their titles": "-[] +[] ~[4, 5]", "books": "-[] +[] ~[4, 5]", "list": "-[] +[] ~[4, 5]",
        "set": "-[] +[] ~[4, 5]", "map": #"-[] +[] ~["k4", "k5"]"#,
      ])
    XCTAssertEqual(objects.count, 1)
    XCTAssertEqual(
      try told(
        { try other.add(Shelf("v", books: [books[4]])) },
        { try other.delete(try XCTUnwrap(other.objects(Shelf.self).last)) },
        { try other.add(Shelf("v", books: [books[4]])) }),
      [
        "books": "-[] +[] ~[4]", "shelves": "-[] +[] ~[4]", "list": "-[] +[] ~[4]",
        "set": "-[] +[] ~[4]", "map": #"-[] +[] ~["k4"]"#,
      ])
    token.invalidate()
  }

  func testCollectionsOfAnyLengthThatAreTheSameAgainAreNoChange() throws {
    for count in [5, 40, 1_000] {
      let directory = try temporaryDirectory()
      let store = try directory.store(named: "\(count)", objectTypes: [Shelf.self])
      let other = try directory.store(named: "\(count)", objectTypes: [Shelf.self])
      let shelf = Shelf("s", books: (0..<count).map { Book($0) })
      for number in 0..<count {
        shelf.numbers.append(number)
        shelf.words.append("word \(number)")
        shelf.things.append(number % 2 == 0 ? .int(number) : .object(shelf.books[number]))
        shelf.stickers.append(Sticker("\(number)"))
        shelf.notes["\(number)"] = "x"
        shelf.placed["\(number)"] = shelf.books[number]
      }
      try store.write {
        try store.add(shelf)
        shelf.picked.insert(contentsOf: Array(shelf.books))
      }
      let shelves = store.objects(Shelf.self)
      let names = [
        "books", "numbers", "words", "things", "stickers", "notes", "placed", "picked",
      ]
      let observers = names.map { calls(shelves, [$0]) } + [calls(shelves)]
      let same = try XCTUnwrap(other.objects(Shelf.self).first)
      let books = other.objects(Book.self)
      func told(_ commits: [() throws -> Void]) throws -> [String] {
        for calls in observers { calls.texts = [] }
        for commit in commits { try other.write(commit) }
        store.refresh()
        XCTAssertEqual(observers.last?.texts ?? [], Array(observers.flatMap(\.texts).prefix(1)))
        return names.indices.filter { !observers[$0].texts.isEmpty }.map { names[$0] }
      }
      let programs: [(name: String, commits: [() throws -> Void])] = [
        ("books", [{ same.books.append(books[0]) }, { same.books.removeLast() }]),
        ("books", [{ same.books.swapAt(1, 3) }, { same.books.swapAt(3, 1) }]),
        ("numbers", [{ same.numbers.remove(at: 2) }, { same.numbers.insert(2, at: 2) }]),
        (
          "numbers",
          [
            { same.numbers.move(from: 1, to: 4) }, { same.numbers[0] = 7 },
            { same.numbers.move(from: 4, to: 1) }, { same.numbers[0] = 0 },
          ]
        ),
        ("words", [{ same.words[3] = "other" }, { same.words[3] = "word 3" }]),
        ("things", [{ same.things[1] = .none }, { same.things[1] = .object(books[1]) }]),
        ("stickers", [{ same.stickers[1].text = "x" }, { same.stickers[1].text = "1" }]),
        ("notes", [{ same.notes["new"] = "x" }, { same.notes["new"] = nil }]),
        (
          "notes",
          [{ same.notes["1"] = "y" }, { same.notes["1"] = nil }, { same.notes["1"] = "x" }]
        ),
        ("placed", [{ same.placed["1"] = books[0] }, { same.placed["1"] = books[1] }]),
        ("picked", [{ same.picked.remove(books[2]) }, { same.picked.insert(books[2]) }]),
      ]
      for (number, (name, commits)) in programs.enumerated() {
        XCTAssertEqual(try told(commits), [], "\(count), \(number) \(name)")
        // The last commit alone, and one more, are a change.
        XCTAssertEqual(try told(commits.dropLast()), [name], "\(count), \(number)")
        XCTAssertEqual(try told([commits[commits.count - 1]]), [name], "\(count), \(number)")
      }
      try store.verify()
    }
  }

  func testLinkingObjectsAreFilteredToo() throws {
    let (store, _, shelf) = try tenBooks("inverse")
    let writer = BookWriter("all")
    try store.write { for position in 3..<6 { shelf.books[position].writer = writer } }
    let filters: [[String]?] = [["title"], ["value"], nil, ["shelves.name"], ["writer.age"]]
    let observers = filters.flatMap {
      [calls(writer.books, $0), calls(writer.books.where { $0.value > 0 }, $0)]
    }
    func heard(_ body: () throws -> Void) throws -> [[String]] {
      for calls in observers { calls.texts = [] }
      try store.write(body)
      for index in filters.indices {
        XCTAssertEqual(observers[2 * index].texts, observers[2 * index + 1].texts)
      }
      return filters.indices.map { observers[2 * $0].texts }
    }
    let book = shelf.books[4]
    let one = ["-[] +[] ~[1]"]
    let all = ["-[] +[] ~[0, 1, 2]"]
    XCTAssertEqual(try heard { book.title = "x" }, [one, [], one, [], []])
    XCTAssertEqual(try heard { book.value = 41 }, [[], one, one, [], []])
    XCTAssertEqual(try heard { writer.age = 5 }, [[], [], [], [], all])
    XCTAssertEqual(try heard { try store.add(Shelf("t", books: [book])) }, [[], [], one, one, []])
    XCTAssertEqual(try heard { shelf.numbers.append(1) }, [[], [], [], [], []])
    XCTAssertEqual(try heard { shelf.books[0].title = "x" }, [[], [], [], [], []])
    let gone = ["-[1] +[] ~[]"]
    XCTAssertEqual(try heard { book.writer = nil }, [gone, gone, gone, gone, gone])
  }

  func testObserversOfOneObjectAreStrictToo() throws {
    let (store, other, shelf) = try tenBooks("object")
    let filters: [[String]?] = [
      ["title"], ["value"], ["writer.age"], ["writer"], ["shelves"], ["shelves.name"],
      ["writer.home.size", "title"],
    ]
    var told: [[String]] = filters.map { _ in [] }
    let book = shelf.books[4]
    let neighbour = shelf.books[5]
    let tokens = filters.indices.flatMap { index in
      [(book, ""), (neighbour, "neighbour ")].map { observed, name in
        observed.observe(keyPaths: filters[index]) { change in
          guard case .change(_, let properties) = change else { return told[index] = ["?"] }
          told[index] += properties.map { name + $0.name }.sorted()
        }
      }
    }
    for isOther in [false, true] {
      let writing = isOther ? other : store
      func heard(_ body: (Book) throws -> Void) throws -> [[String]] {
        told = filters.map { _ in [] }
        try writing.write { try body(writing.objects(Book.self)[4]) }
        store.refresh()
        return told
      }
      let (title, value, writer, shelves) = (["title"], ["value"], ["writer"], ["shelves"])
      let none: [String] = []
      XCTAssertEqual(
        try heard { $0.title += "x" }, [title, none, none, none, none, none, title])
      XCTAssertEqual(try heard { $0.value += 1 }, [none, value, none, none, none, none, none])
      XCTAssertEqual(
        try heard { $0.writer?.age += 1 }, [none, none, writer, none, none, none, none])
      XCTAssertEqual(
        try heard { $0.writer?.home?.size += 1 }, [none, none, none, none, none, none, writer])
      XCTAssertEqual(
        try heard { $0.writer?.home?.name += "x" }, [none, none, none, none, none, none, none])
      XCTAssertEqual(
        try heard { $0.writer = BookWriter("new \(isOther)", home: $0.writer?.home) },
        [none, none, writer, writer, none, none, writer])
      XCTAssertEqual(
        try heard { try writing.add(Shelf("\(isOther)", books: [$0])) },
        [none, none, none, none, shelves, shelves, none])
      XCTAssertEqual(
        try heard { $0.shelves.first?.numbers.append(1) },
        [none, none, none, none, none, none, none])
      XCTAssertEqual(
        try heard {
          $0.value += 1
          $0.value -= 1
          $0.title = $0.title
          $0.writer = $0.writer
        }, [none, none, none, none, none, none, none])
    }
    for token in tokens { token.invalidate() }
  }

  func testAWrongPathIsAnErrorWhereverItIsGiven() throws {
    let (store, _, shelf) = try tenBooks("wrong")
    let writer = try XCTUnwrap(shelf.books[0].writer)
    var objects: [String] = []
    for path in ["titel", "writer.agee", "writer.home.size.more", "value.more", "", ".", "writer."]
    {
      let observers =
        observed(store, shelf).map { $0.observe([path]) }
        + [calls(writer.books, [path]), calls(shelf.books, ["title", path])]
      try store.write { shelf.books[0].title += "x" }
      for calls in observers {
        XCTAssertEqual(calls.texts.count, 1, path)
        XCTAssertEqual(calls.texts.first?.hasPrefix("error: "), true, path)
      }
      let token = shelf.books[0].observe(keyPaths: [path]) { change in
        if case .error = change { objects.append("error") } else { objects.append("?") }
      }
      try store.write { shelf.books[0].title += "x" }
      token.invalidate()
    }
    XCTAssertEqual(objects, Array(repeating: "error", count: 7))
    for path in ["books", "title", ""] {
      XCTAssertEqual(calls(shelf.words, [path]).texts.first?.hasPrefix("error: "), true)
      XCTAssertEqual(calls(shelf.things, [path]).texts.first?.hasPrefix("error: "), true)
      XCTAssertEqual(calls(shelf.notes, [path]).texts.first?.hasPrefix("error: "), true)
    }
  }

  func testAPathThatEndsInAnyCollectionIsForItsMembers() throws {
    let (store, other, shelf) = try tenBooks("members")
    let shelves = store.objects(Shelf.self)
    let names = ["books", "picked", "placed", "numbers", "words", "things", "notes", "stickers"]
    let observers = names.map { calls(shelves, [$0]) }
    let values = ["books.value", "picked.value", "placed.value"].map { calls(shelves, [$0]) }
    try store.write { shelf.stickers.append(Sticker("a")) }
    for isOther in [false, true] {
      let writing = isOther ? other : store
      func heard(_ body: (Shelf) throws -> Void) throws -> [String] {
        for calls in observers + values { calls.texts = [] }
        try writing.write { try body(try XCTUnwrap(writing.objects(Shelf.self).first)) }
        store.refresh()
        for calls in observers + values where !calls.texts.isEmpty {
          XCTAssertEqual(calls.texts, ["-[] +[] ~[0]"])
        }
        return names.indices.filter { !observers[$0].texts.isEmpty }.map { names[$0] }
          + values.indices.filter { !values[$0].texts.isEmpty }.map { names[$0] + ".value" }
      }
      let all = ["books.value", "picked.value", "placed.value"]
      XCTAssertEqual(try heard { $0.books[3].value += 1 }, all)
      XCTAssertEqual(try heard { $0.books[3].title += "x" }, [])
      XCTAssertEqual(try heard { $0.books[3].writer?.age += 1 }, [])
      XCTAssertEqual(try heard { $0.books.swapAt(0, 1) }, ["books", "books.value"])
      XCTAssertEqual(try heard { $0.picked.remove($0.books[3]) }, ["picked", "picked.value"])
      XCTAssertEqual(try heard { $0.picked.insert($0.books[3]) }, ["picked", "picked.value"])
      XCTAssertEqual(try heard { $0.picked.insert($0.books[3]) }, [])
      XCTAssertEqual(try heard { $0.placed["k3"] = $0.books[4] }, ["placed", "placed.value"])
      XCTAssertEqual(try heard { $0.placed["k3"] = $0.books[4] }, [])
      XCTAssertEqual(try heard { $0.placed["k3"] = $0.books[3] }, ["placed", "placed.value"])
      XCTAssertEqual(try heard { $0.numbers.append(nil) }, ["numbers"])
      XCTAssertEqual(try heard { $0.words.append("a") }, ["words"])
      XCTAssertEqual(try heard { $0.things.append(.object($0.books[0])) }, ["things"])
      XCTAssertEqual(try heard { $0.notes["k"] = "\(isOther)" }, ["notes"])
      XCTAssertEqual(try heard { $0.stickers.append(Sticker("b")) }, ["stickers"])
      XCTAssertEqual(try heard { $0.stickers[0].text += "x" }, ["stickers"])
      XCTAssertEqual(try heard { $0.others.append($0.books[0]) }, [])
      XCTAssertEqual(
        try heard {
          $0.books.append($0.books[0])
          $0.books.removeLast()
          $0.stickers.append(Sticker("c"))
          $0.stickers.removeLast()
        }, [])
    }
    XCTAssertEqual(
      try {
        for calls in observers { calls.texts = [] }
        try store.write { try store.delete(shelf.books[9]) }
        return names.indices.filter { !observers[$0].texts.isEmpty }.map { names[$0] }
      }(), ["books", "picked", "placed"])
  }
}
