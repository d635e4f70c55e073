import Foundation
import Leyden
import LeydenTesting
import XCTest

/// What comes of adding and creating objects again, with everything that they lead to.
final class AddedGraphTests: ShelfTestCase {
  override func anotherStore() throws -> Store {
    try temporaryDirectory().store(objectTypes: [Shelf.self, Sheet.self, Folder.self])
  }

  func testAnObjectWithoutAKeyIsMadeByEachUpdate() throws {
    let store = try store()
    for round in 1...3 {
      try store.write {
        try store.create(
          Shelf.self,
          value: [
            "name": "s", "books": [["value": 1], ["value": 1]], "picked": [["value": 2]],
            "placed": ["k": ["value": 3]], "stickers": [["text": "a"]],
          ], update: round == 3 ? .all : .modified)
      }
      XCTAssertEqual(store.objects(Book.self).count, 4 * round)
      let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
      XCTAssertEqual(shelf.books.map(\.value), [1, 1])
      XCTAssertEqual(shelf.picked.map(\.value), [2])
      XCTAssertEqual(shelf.placed.values.map { $0?.value }, [3])
      XCTAssertEqual(shelf.stickers.map(\.text), ["a"])
    }
    try store.write {
      let shelf = Shelf("s", books: [Book(5)])
      shelf.things.append(.object(Book(6)))
      try store.add(shelf, update: .modified)
    }
    XCTAssertEqual(store.objects(Book.self).count, 14)
    XCTAssertEqual(store.objects(Shelf.self).count, 1)
    try store.verify()
  }

  func testAnObjectWithAKeyIsOneHoweverOftenItIsGiven() throws {
    let store = try store()
    for round in 1...3 {
      let label = ["name": "red", "color": "\(round)"]
      try store.write {
        try store.create(
          Sheet.self,
          value: [
            "identifier": "s", "labels": [label, label], "colors": [label],
            "marks": ["k": label], "owner": ["name": "Ann", "best": ["name": "Ann"]],
          ] as [String: Any], update: round == 3 ? .all : .modified)
      }
      XCTAssertEqual(store.objects(Label.self).map(\.color), ["\(round)"])
      XCTAssertEqual(store.objects(Person.self).count, 1)
    }
    let sheet = try XCTUnwrap(store.objects(Sheet.self).first)
    XCTAssertEqual(sheet.labels.map(\.name), ["red", "red"])
    XCTAssertEqual(sheet.colors.count, 1)
    XCTAssertEqual(sheet.marks["k"] ?? nil, sheet.labels[1])
    XCTAssertEqual(sheet.owner?.best, sheet.owner)
    XCTAssertEqual(sheet.labels[0].sheets.count, 1)
    try store.verify()
  }

  func testOneKeyInSeveralPlacesOfAPayloadIsOneObjectAndTheLastValuesWin() throws {
    let store = try store()
    // Around itself, beside itself, and as an object beside values, which count more.
    let payloads: [(value: () -> [String: Any], age: Int)] = [
      ({ ["people": [["name": "A", "age": 1, "best": ["name": "A", "age": 2]]]] }, 2),
      (
        { ["people": [["name": "A", "best": ["name": "B", "best": ["name": "A", "age": 3]]]]] }, 3
      ),
      ({ ["people": [["name": "A", "age": 4], ["name": "A"]]] }, 4),
      ({ ["people": [["name": "A", "age": 4], ["name": "A", "age": 5]]] }, 5),
      ({ ["people": [Person("A", age: 6), ["name": "A", "age": 7]] as [Any]] }, 7),
      ({ ["people": [["name": "A", "age": 8], Person("A", age: 9)] as [Any]] }, 8),
      (
        { ["place": ["host": ["name": "A", "age": 10], "guests": [["name": "A", "age": 11]]]] }, 11
      ),
      ({ ["answer": Person("A", age: 12), "people": [["name": "A"]]] }, 12),
    ]
    for isThere in [false, true] {
      for (number, (payload, age)) in payloads.enumerated() {
        let value = { payload().merging(["name": "\(number)"]) { $1 } }
        try store.write {
          try store.deleteAll()
          if isThere { try store.add(Person("A", age: 100)) }
          try store.create(Folder.self, value: value(), update: .modified)
        }
        let people = store.objects(Person.self).where { $0.name == "A" }
        XCTAssertEqual(people.map(\.age), [age], "\(number), \(isThere)")
        XCTAssertEqual(people.first?.best?.best ?? people.first, people.first, "\(number)")
        try store.verify()

        // Without being asked nothing is taken for the same, and nothing is left of it.
        try store.write {
          try store.deleteAll()
          if isThere { try store.add(Person("A", age: 100)) }
          assertThrows(.duplicatePrimaryKey(type: "Person", key: "\"A\"")) {
            try store.create(Folder.self, value: value())
          }
        }
        XCTAssertEqual(store.objects(Person.self).map(\.age), isThere ? [100] : [])
        XCTAssertEqual(store.objects(Folder.self).count, 0)
        try store.verify()
      }
    }
  }

  func testValuesThatAreGivenByNameAreOneOrRefusedAlike() throws {
    let store = try store()
    let ann: [String: Any] = ["name": "Ann", "best": ["name": "Bob"]]
    try store.write { for name in ["a", "b"] { try store.add(Sheet(name)) } }
    let sheets = store.objects(Sheet.self)
    try store.write {
      assertThrows(.duplicatePrimaryKey(type: "Person", key: "\"Ann\"")) {
        try sheets.setValue(ann, forKey: "owner")
      }
    }
    XCTAssertEqual(store.objects(Person.self).count, 0)
    XCTAssertEqual(sheets.compactMap(\.owner).count, 0)
    try store.write { try sheets.where { $0.identifier == "a" }.setValue(ann, forKey: "owner") }
    XCTAssertEqual(sheets[0].owner?.best?.name, "Bob")
    try store.verify()
    for value: Any in [
      ["name": "Cid", "best": ["name": "Ann"]], ["name": "Cid", "best": ["name": "Cid"]],
    ] {
      try store.write {
        XCTAssertThrowsError(
          try sheets.where { $0.identifier == "b" }.setValue(value, forKey: "owner"))
      }
      XCTAssertThrowsError(try store.write { sheets[1]["owner"] = value })
      XCTAssertEqual(store.objects(Person.self).count, 2)
      XCTAssertNil(sheets[1].owner)
      try store.verify()
    }
    try store.write { sheets[1]["owner"] = ["name": "Cid", "best": ["name": "Dan"]] }
    XCTAssertEqual(sheets[1].owner?.best?.name, "Dan")
  }

  func testAddingWhatIsThereAlreadyDoesNothing() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write {
      shelf.picked.insert(contentsOf: Array(shelf.books))
      shelf.things.append(.object(shelf.books[0]))
      shelf.stickers.append(Sticker("a"))
    }
    let version = store.version
    for policy in [UpdatePolicy.error, .modified, .all] {
      try store.write {
        XCTAssertTrue(try store.add(shelf, update: policy) === shelf)
        try store.add(shelf.books, update: policy)
        try store.add(Array(shelf.picked), update: policy)
      }
    }
    XCTAssertEqual(store.version, version)
    try store.write { try store.add(Shelf("t", books: Array(shelf.books) + [Book(10)])) }
    XCTAssertEqual(store.objects(Book.self).count, 11)
    assertThrows(.notInWriteTransaction) { try store.add(shelf) }
    assertThrows(.notInWriteTransaction) { try store.add(shelf.books) }
    assertThrows(.notInWriteTransaction) { try store.add(Shelf("u", books: [Book(1)])) }
    assertThrows(.notInWriteTransaction) { try store.create(Shelf.self, value: ["name": "u"]) }
    assertThrows(.notInWriteTransaction) { try store.delete(shelf.books) }
    assertThrows(.notInWriteTransaction) { try store.deleteAll(Book.self) }
    assertThrows(.notInWriteTransaction) { try store.deleteAll() }
    XCTAssertEqual(store.objects(Book.self).count, 11)
  }

  func testAWrongValueIsNamedByTheClassThatHasIt() throws {
    let store = try store()
    let payloads: [(name: String, type: Object.Type, value: [String: Any])] = [
      ("Label.name", Sheet.self, ["identifier": "s", "labels": [["color": "x"]]]),
      ("Label.name", Sheet.self, ["identifier": "s", "colors": [["name": NSNull()]]]),
      ("Label.color", Sheet.self, ["identifier": "s", "marks": ["k": ["name": "a", "color": 5]]]),
      ("Label.color", Sheet.self, ["identifier": "s", "labels": [["a", NSNull()]]]),
      ("Person.age", Sheet.self, ["identifier": "s", "owner": ["name": "Ann", "age": "x"]]),
      ("Person.age", Sheet.self, ["identifier": "s", "owner": ["name": "A", "age": NSNull()]]),
      (
        "Person.age", Sheet.self,
        ["identifier": "s", "owner": ["name": "A", "best": ["name": "B", "age": "x"]]]
      ),
      ("Sheet.counts", Sheet.self, ["identifier": "s", "counts": ["k": "x"]]),
      ("Sheet.counts", Sheet.self, ["identifier": "s", "counts": ["k": NSNull()]]),
      ("Sheet.numbers", Sheet.self, ["identifier": "s", "numbers": [1, "x"]]),
      ("Sheet.numbers", Sheet.self, ["identifier": "s", "numbers": [NSNull()]]),
      ("Sheet.words", Sheet.self, ["identifier": "s", "words": [5]]),
      ("Sheet.tags", Sheet.self, ["identifier": "s", "tags": ["a": 1]]),
      ("Sheet.labels", Sheet.self, ["identifier": "s", "labels": "red"]),
      ("Sheet.labels", Sheet.self, ["identifier": "s", "labels": [NSNull()]]),
      ("Sheet.owner", Sheet.self, ["identifier": "s", "owner": 5]),
      ("Sheet.owner", Sheet.self, ["identifier": "s", "owner": Label("x")]),
      ("Place.number", Folder.self, ["name": "f", "place": ["number": "x"]]),
      ("Place.street", Folder.self, ["name": "f", "earlier": [["street": NSNull()]]]),
      ("Room.size", Folder.self, ["name": "f", "place": ["room": ["size": "x"]]]),
      ("Room.size", Folder.self, ["name": "f", "byName": ["k": ["rooms": [["size": "x"]]]]]),
      ("Place.visits", Folder.self, ["name": "f", "place": ["visits": ["x"]]]),
      ("Folder.earlier", Folder.self, ["name": "f", "earlier": [NSNull()]]),
    ]
    for (name, type, value) in payloads {
      XCTAssertThrowsError(
        try store.write {
          try store.add(Label("lost"))
          try store.create(type, value: value)
        }, "\(value)"
      ) { error in
        guard case StoreError.invalidValue(let text) = error else {
          return XCTFail("\(name): \(error)")
        }
        XCTAssertTrue(text.contains(name), "\(name): \(text)")
      }
    }
    XCTAssertEqual(store.objects(Sheet.self).count + store.objects(Folder.self).count, 0)
    XCTAssertEqual(store.objects(Label.self).count + store.objects(Person.self).count, 0)
  }

  func testWhatAnotherStoresObjectLeadsToIsCopiedOnceWhereverItIs() throws {
    // given: one book in every place of a shelf, of a writer whom the other store has too
    let store = try store()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Shelf.self])
    let shelf = Shelf("s")
    let book = Book(1, writer: BookWriter("w", age: 40))
    try foreign.write {
      try foreign.add(shelf)
      shelf.books.append(contentsOf: [book, book])
      shelf.others.append(book)
      shelf.picked.insert(book)
      shelf.placed["k"] = book
      shelf.things.append(contentsOf: [.object(book), .int(1)])
      shelf.stickers.append(Sticker("a"))
      shelf.words.append(String(repeating: "long ", count: 500))
    }
    try store.write { try store.add(BookWriter("w", age: 5)) }

    // then: the key is taken, so that nothing is copied without being asked
    try store.write {
      assertThrows(.duplicatePrimaryKey(type: "BookWriter", key: "\"w\"")) { try store.add(shelf) }
    }
    XCTAssertEqual(store.objects(Book.self).count + store.objects(Shelf.self).count, 0)

    // when
    let copy = try store.write { try store.add(shelf, update: .modified) }

    // then
    XCTAssertEqual(store.objects(Book.self).count, 1)
    let copied = copy.books[0]
    XCTAssertNotEqual(copied, book)
    XCTAssertEqual([copy.books[1], copy.others[0], copy.picked[0]], [copied, copied, copied])
    XCTAssertEqual(copy.placed["k"] ?? nil, copied)
    XCTAssertEqual(copy.things[0], .object(copied))
    XCTAssertEqual(copied.writer?.age, 40)
    XCTAssertEqual(store.objects(BookWriter.self).count, 1)
    XCTAssertEqual(copied.shelves.map(\.name), ["s"])
    XCTAssertEqual(copy.stickers.map(\.text), ["a"])
    XCTAssertEqual(copy.words.first?.count, 2_500)
    try store.write { copied.value = 7 }
    XCTAssertEqual(book.value, 1)
    XCTAssertEqual(foreign.objects(Book.self).count, 1)
    try store.verify()
  }

  func testDeletingOneTwiceDeletesNothing() throws {
    let (store, shelf) = try shelfOfTen()
    let foreign = try temporaryDirectory().store(named: "Other", objectTypes: [Shelf.self])
    let stranger = try foreign.write { try foreign.add(Shelf("s", books: [Book(1)])) }
    let book = shelf.books[3]
    try store.write {
      shelf.books.append(book)
      shelf.others.append(book)
    }
    // Once in a sequence is enough: a list may hold an object twice.
    try store.write { try store.delete(shelf.books) }
    XCTAssertEqual(store.objects(Book.self).count, 0)
    XCTAssertEqual(shelf.others.count, 0)
    for body: (Store) throws -> Void in [
      { try $0.delete(book) }, { try $0.delete([shelf.books.first, book].compactMap { $0 }) },
    ] { assertThrows(.invalidatedObject("Book")) { try store.write { try body(store) } } }
    assertThrows(.wrongStore) { try store.write { try store.delete(stranger.books) } }
    assertThrows(.wrongStore) { try store.write { try store.delete([Book(1)]) } }
    XCTAssertEqual(stranger.books.count, 1)
    XCTAssertEqual(store.objects(Shelf.self).count, 1)
  }
}
