import Foundation
import Leyden
import LeydenTesting
import XCTest

/// What observers of everything that objects have are told when all of a type, or all at once, is deleted.
final class DeletingEverythingTests: ShelfTestCase {
  /// A shelf with three books, a writer who has all of them and a residence that has nothing to do with them.
  private func fill(_ store: Store, _ name: String) throws {
    let shelf = Shelf(name)
    let writer = BookWriter("writer of \(name)")
    let books = (0..<3).map { Book($0, writer: writer) }
    shelf.books.append(contentsOf: books)
    shelf.placed["k"] = books[1]
    shelf.things.append(contentsOf: [.object(books[0]), .int(1), .object(books[2])])
    shelf.stickers.append(Sticker("a"))
    shelf.numbers.append(1)
    try store.add(shelf)
    shelf.picked.insert(contentsOf: [books[0], books[2]])
  }

  /// Everything that can be observed of the shelf, by name.
  private func observers(_ store: Store, _ shelf: Shelf) throws -> [String: Calls] {
    let writer = try XCTUnwrap(store.objects(BookWriter.self).first)
    let books = store.objects(Book.self)
    return [
      "books": calls(books), "sorted": calls(books.sorted(by: \.value, ascending: false)),
      "some": calls(books.where { $0.value > 0 }), "titles": calls(books, ["title"]),
      "of writers": calls(books.where { $0.writer.age < 5 }),
      "by writer": calls(books.sorted(by: \.writer?.age)),
      "last": calls(books.sorted(by: \.value, ascending: false).distinct(by: \.value).limit(2)),
      "list": calls(shelf.books), "list titles": calls(shelf.books, ["title"]),
      "of list": calls(shelf.books.where { $0.value < 2 }), "set": calls(shelf.picked),
      "of set": calls(shelf.picked.where { $0.value > 1 }),
      "map": calls(shelf.placed), "things": calls(shelf.things), "stickers": calls(shelf.stickers),
      "numbers": calls(shelf.numbers), "inverse": calls(writer.books),
      "of inverse": calls(writer.books.where { $0.value == 1 }),
      "residences": calls(store.objects(Residence.self)),
      "shelves": calls(store.objects(Shelf.self)),
      "shelves by members": calls(store.objects(Shelf.self), ["books"]),
      "shelves by names": calls(store.objects(Shelf.self), ["name"]),
      "writers": calls(store.objects(BookWriter.self), ["books"]),
      "shelf": calls(of: shelf), "book": calls(of: books[1]), "writer": calls(of: writer),
      "shelf by titles": calls(of: shelf, ["books.title"]),
      "count": countCalls(store),
    ]
  }

  private func calls<T: Object>(of object: T, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.texts.append("initial")
    calls.token = object.observe(keyPaths: keyPaths) { change in
      switch change {
      case .change(_, let properties):
        calls.texts.append(properties.map(\.name).sorted().joined(separator: " "))
      case .deleted: calls.texts.append("deleted")
      case .error(let error): calls.texts.append("error: \(error)")
      }
    }
    return calls
  }

  private func countCalls(_ store: Store) -> Calls {
    let calls = Calls()
    calls.token = store.observe(value: { $0.objects(Book.self).count }) { result in
      if case .success(let count) = result { calls.texts.append("\(count)") }
    }
    return calls
  }

  /// What each observer was told since the last look.
  private func told(_ observers: [String: Calls]) -> [String: String] {
    observers.mapValues { calls in
      defer { calls.texts = [] }
      return calls.texts.joined(separator: "; ")
    }.filter { !$0.value.isEmpty }
  }

  /// Who commits what a store's observers are told.
  private enum Writing: String, CaseIterable {
    case itself, another, anotherInMemory, anotherThanAReader
  }

  /// A store with a shelf, its writer and its books, and the store that commits.
  private func stores(_ writing: Writing) throws -> (store: Store, committing: Store) {
    var configuration = try temporaryDirectory().configuration(
      named: writing.rawValue, objectTypes: [Shelf.self])
    if writing == .anotherInMemory { configuration.inMemoryIdentifier = UUID().uuidString }
    let committing = try Store(configuration: configuration)
    try committing.write { try fill(committing, "s") }
    configuration.readOnly = writing == .anotherThanAReader
    return (writing == .itself ? committing : try Store(configuration: configuration), committing)
  }

  private static let allBooks: [String: String] = [
    "books": "-[0, 1, 2] +[] ~[]", "sorted": "-[0, 1, 2] +[] ~[]", "some": "-[0, 1] +[] ~[]",
    "titles": "-[0, 1, 2] +[] ~[]", "of writers": "-[0, 1, 2] +[] ~[]",
    "by writer": "-[0, 1, 2] +[] ~[]", "last": "-[0, 1] +[] ~[]", "list": "-[0, 1, 2] +[] ~[]",
    "list titles": "-[0, 1, 2] +[] ~[]", "of list": "-[0, 1] +[] ~[]", "set": "-[0, 1] +[] ~[]",
    "of set": "-[0] +[] ~[]", "things": "-[0, 2] +[] ~[]", "inverse": "-[0, 1, 2] +[] ~[]",
    "of inverse": "-[0] +[] ~[]", "book": "deleted", "count": "0",
  ]

  func testDeletingAllOfATypeIsToldWhereverItsObjectsWere() throws {
    for writing in Writing.allCases {
      let (store, committing) = try stores(writing)
      try committing.write { try committing.add(Residence("far")) }
      let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
      let observers = try observers(store, shelf)
      _ = told(observers)
      func commit(_ body: (Store) throws -> Void) throws {
        try committing.write { try body(committing) }
        XCTAssertEqual(store.refresh(), writing != .itself)
      }

      // when: all of one type goes
      try commit { try $0.deleteAll(Book.self) }
      XCTAssertEqual(
        told(observers),
        Self.allBooks.merging([
          "map": #"-[] +[] ~["k"]"#, "shelves": "-[] +[] ~[0]",
          "shelves by members": "-[] +[] ~[0]", "writers": "-[] +[] ~[0]",
          "shelf": "books picked placed things", "shelf by titles": "books", "writer": "books",
        ]) { $1 }, "\(writing)")

      // when: three more come
      try commit { store in
        let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
        for value in 0..<3 { shelf.books.append(Book(value)) }
      }
      XCTAssertEqual(
        told(observers),
        [
          "books": "-[] +[0, 1, 2] ~[]", "sorted": "-[] +[0, 1, 2] ~[]",
          "some": "-[] +[0, 1] ~[]", "titles": "-[] +[0, 1, 2] ~[]",
          "by writer": "-[] +[0, 1, 2] ~[]", "last": "-[] +[0, 1] ~[]",
          "list": "-[] +[0, 1, 2] ~[]", "list titles": "-[] +[0, 1, 2] ~[]",
          "of list": "-[] +[0, 1] ~[]", "shelves": "-[] +[] ~[0]",
          "shelves by members": "-[] +[] ~[0]", "shelf": "books", "shelf by titles": "books",
          "count": "3",
        ], "\(writing)")

      // when: everything goes
      try commit { try $0.deleteAll() }
      XCTAssertEqual(
        told(observers),
        [
          "books": "-[0, 1, 2] +[] ~[]", "sorted": "-[0, 1, 2] +[] ~[]", "some": "-[0, 1] +[] ~[]",
          "titles": "-[0, 1, 2] +[] ~[]", "by writer": "-[0, 1, 2] +[] ~[]",
          "last": "-[0, 1] +[] ~[]", "list": "-[0, 1, 2] +[] ~[]",
          "list titles": "-[0, 1, 2] +[] ~[]", "of list": "-[0, 1] +[] ~[]",
          "map": #"-["k"] +[] ~[]"#, "things": "-[0] +[] ~[]", "stickers": "-[0] +[] ~[]",
          "numbers": "-[0] +[] ~[]", "residences": "-[0] +[] ~[]", "shelves": "-[0] +[] ~[]",
          "shelves by members": "-[0] +[] ~[]", "shelves by names": "-[0] +[] ~[]",
          "writers": "-[0] +[] ~[]", "shelf": "deleted", "shelf by titles": "deleted",
          "writer": "deleted", "count": "0",
        ], "\(writing)")

      // when: others of the same names come
      try commit { store in
        try fill(store, "s")
        try store.add(Residence("far"))
      }
      let new = told(observers)
      XCTAssertEqual(new["books"], "-[] +[0, 1, 2] ~[]")
      XCTAssertEqual(new["residences"], "-[] +[0] ~[]")
      XCTAssertEqual(new["shelves by members"], "-[] +[0] ~[]")
      for name in ["list", "set", "map", "things", "inverse", "shelf", "book", "writer"] {
        XCTAssertNil(new[name], name)
      }
      store.close()
      committing.close()
    }
  }

  func testEverythingThatIsDeletedAndMadeAgainIsOther() throws {
    for writing in Writing.allCases {
      let (store, committing) = try stores(writing)
      let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
      let observers = try observers(store, shelf)
      _ = told(observers)

      // when: in one write, or in two commits that are told as one
      if writing == .itself {
        try store.write {
          try store.deleteAll()
          try fill(store, "s")
        }
      } else {
        try committing.write { try committing.deleteAll() }
        try committing.write { try fill(committing, "s") }
        XCTAssertTrue(store.refresh())
      }
      XCTAssertEqual(
        told(observers),
        [
          "books": "-[0, 1, 2] +[0, 1, 2] ~[]", "sorted": "-[0, 1, 2] +[0, 1, 2] ~[]",
          "some": "-[0, 1] +[0, 1] ~[]", "titles": "-[0, 1, 2] +[0, 1, 2] ~[]",
          "of writers": "-[0, 1, 2] +[0, 1, 2] ~[]", "by writer": "-[0, 1, 2] +[0, 1, 2] ~[]",
          "last": "-[0, 1] +[0, 1] ~[]", "list": "-[0, 1, 2] +[] ~[]",
          "list titles": "-[0, 1, 2] +[] ~[]", "of list": "-[0, 1] +[] ~[]",
          "set": "-[0, 1] +[] ~[]", "of set": "-[0] +[] ~[]", "map": #"-["k"] +[] ~[]"#,
          "things": "-[0, 1, 2] +[] ~[]", "stickers": "-[0] +[] ~[]", "numbers": "-[0] +[] ~[]",
          "inverse": "-[0, 1, 2] +[] ~[]", "of inverse": "-[0] +[] ~[]",
          "shelves": "-[0] +[0] ~[]", "shelves by members": "-[0] +[0] ~[]",
          "shelves by names": "-[0] +[0] ~[]", "writers": "-[0] +[0] ~[]", "shelf": "deleted",
          "shelf by titles": "deleted", "book": "deleted", "writer": "deleted",
        ], "\(writing)")
      store.close()
      committing.close()
    }
  }

  func testSequencesEndWithWhatTheyFollow() async throws {
    for writing in Writing.allCases {
      let (store, committing) = try stores(writing)
      let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
      var books = store.objects(Book.self).changes.makeAsyncIterator()
      var list = shelf.books.changes.makeAsyncIterator()
      var set = shelf.picked.changes.makeAsyncIterator()
      var inverse = try XCTUnwrap(shelf.books[0].writer).books.changes.makeAsyncIterator()
      var object = shelf.changes.makeAsyncIterator()
      for count in [await books.next()?.collection.count, await list.next()?.collection.count] {
        XCTAssertEqual(count, 3)
      }
      for count in [await set.next()?.collection.count, await inverse.next()?.collection.count] {
        XCTAssertNotNil(count)
      }
      try committing.write { try committing.deleteAll() }
      let all = [0, 1, 2]
      let (ofBooks, ofList) = (await books.next(), await list.next())
      XCTAssertEqual(ofBooks?.deletions, all, "\(writing)")
      XCTAssertEqual(ofList?.deletions, all, "\(writing)")
      let (ofSet, ofInverse) = (await set.next(), await inverse.next())
      XCTAssertEqual(ofSet?.deletions, [0, 1], "\(writing)")
      XCTAssertEqual(ofInverse?.deletions, all, "\(writing)")
      guard case .deleted? = await object.next() else { return XCTFail("\(writing)") }
      let ends = (await list.next(), await set.next(), await object.next())
      XCTAssertNil(ends.0, "\(writing)")
      XCTAssertNil(ends.1, "\(writing)")
      XCTAssertNil(ends.2, "\(writing)")
      try committing.write { for value in 0..<3 { try committing.add(Book(value)) } }
      let new = await books.next()
      XCTAssertEqual(new?.insertions, all, "\(writing)")
    }
  }

  func testObjectsThatAreMadeAgainWithTheirKeysAreOther() throws {
    // given: writers with keys, wherever objects may lead to them
    let store = try temporaryDirectory().store(objectTypes: [Sheet.self, Folder.self])
    let (sheet, folder) = (Sheet("s"), Folder("f"))
    for name in ["red", "blue"] { sheet.labels.append(Label(name)) }
    sheet.marks["k"] = sheet.labels[0]
    sheet.owner = Person("Ann")
    folder.answer = .object(sheet.labels[0])
    folder.answers.append(.object(sheet.labels[0]))
    folder.place = Place("x")
    folder.place?.host = sheet.owner
    try store.write {
      try store.add(sheet)
      try store.add(folder)
      sheet.colors.insert(contentsOf: Array(sheet.labels))
    }
    let label = sheet.labels[0]
    let observers = [
      "labels": calls(store.objects(Label.self)), "list": calls(sheet.labels),
      "set": calls(sheet.colors), "map": calls(sheet.marks), "answers": calls(folder.answers),
      "sheet": calls(of: sheet), "folder": calls(of: folder), "label": calls(of: label),
      "owner": calls(of: sheet, ["owner"]), "sheets": calls(label.sheets),
    ]
    _ = told(observers)

    // when: they are deleted and made again in one commit, and nothing leads to the new ones
    try store.write {
      try store.deleteAll(Label.self)
      try store.deleteAll(Person.self)
      for name in ["red", "blue"] { try store.add(Label(name)) }
      try store.add(Person("Ann"))
    }
    XCTAssertEqual(
      told(observers),
      [
        "labels": "-[0, 1] +[0, 1] ~[]", "list": "-[0, 1] +[] ~[]", "set": "-[0, 1] +[] ~[]",
        "map": #"-[] +[] ~["k"]"#, "answers": "-[0] +[] ~[]",
        "sheet": "colors labels marks owner", "folder": "answer answers place",
        "label": "deleted", "owner": "owner", "sheets": "-[0] +[] ~[]",
      ])

    // when: the new ones come to the places of the old ones, in one commit with their end
    try store.write { sheet.labels.append(contentsOf: store.objects(Label.self)) }
    _ = told(observers)
    try store.write {
      try store.deleteAll(Label.self)
      for name in ["red", "blue"] { sheet.labels.append(Label(name)) }
    }
    let new = told(observers)
    XCTAssertEqual(new["labels"], "-[0, 1] +[0, 1] ~[]")
    XCTAssertEqual(new["list"], "-[] +[] ~[0, 1]", "others in their places")
    XCTAssertEqual(new["sheet"], "labels")
    XCTAssertTrue(label.isInvalidated)
    XCTAssertEqual(sheet.labels.map(\.name), ["red", "blue"])
  }
}
