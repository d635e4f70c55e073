import Foundation
import Leyden
import LeydenTesting
import XCTest

/// What an observer of an object is told of its links, collections and linking objects.
final class ObjectGraphObserverTests: ShelfTestCase {
  private struct Told {
    var texts: [String] = []
    var values: [(old: Any?, new: Any?)] = []
  }

  private final class Observation {
    var told = Told()
    var token: NotificationToken?

    var texts: [String] { told.texts }
  }

  private func observe<T: Object>(_ object: T, _ keyPaths: [String]? = nil) -> Observation {
    let observation = Observation()
    observation.token = object.observe(keyPaths: keyPaths) { change in
      switch change {
      case .change(_, let properties):
        observation.told.texts.append(properties.map(\.name).sorted().joined(separator: ", "))
        observation.told.values += properties.map { ($0.oldValue, $0.newValue) }
      case .deleted: observation.told.texts.append("deleted")
      case .error(let error): observation.told.texts.append("error: \(error)")
      }
    }
    return observation
  }

  private func book() throws -> (store: Store, book: Book) {
    let store = try store()
    let book = Book(1, writer: BookWriter("Ann", age: 30))
    try store.write { try store.add(book) }
    return (store, book)
  }

  func testALinkThatChangesIsToldWithBothObjects() throws {
    let (store, book) = try book()
    let ann = try XCTUnwrap(book.writer)
    let told = observe(book)
    let bob = try store.write {
      let bob = try store.add(BookWriter("Bob"))
      book.writer = bob
      return bob
    }
    try store.write { book.writer = nil }
    XCTAssertEqual(told.texts, ["writer", "writer"])
    XCTAssertEqual(told.told.values[0].old as? BookWriter, ann)
    XCTAssertEqual(told.told.values[0].new as? BookWriter, bob)
    XCTAssertEqual(told.told.values[1].old as? BookWriter, bob)
    XCTAssertNil(told.told.values[1].new)
  }

  func testALinkWhoseTargetIsDeletedIsTold() throws {
    let (store, book) = try book()
    let told = observe(book)
    try store.write { try store.delete(try XCTUnwrap(book.writer)) }
    XCTAssertEqual(told.texts, ["writer"])
    XCTAssertNil(told.told.values[0].old)
    XCTAssertNil(told.told.values[0].new)
  }

  func testALinkThatIsSetToWhatItIsIsNoChange() throws {
    let (store, book) = try book()
    let told = observe(book)
    try store.write { book.writer = book.writer }
    try store.write { book.writer?.age = 31 }
    XCTAssertEqual(told.texts, [])
  }

  func testPathsThroughALink() throws {
    let (store, book) = try book()
    let age = observe(book, ["writer.age"])
    let writer = observe(book, ["writer"])
    try store.write { book.writer?.age = 31 }
    XCTAssertEqual(age.texts, ["writer"])
    XCTAssertEqual(age.told.values[0].old as? BookWriter, book.writer)
    XCTAssertEqual(age.told.values[0].new as? BookWriter, book.writer)
    try store.write { book.writer?.home = Residence("x") }
    try store.write { book.writer = BookWriter("Bob") }
    try store.write { book.title = "x" }
    XCTAssertEqual(age.texts, ["writer", "writer"])
    XCTAssertEqual(writer.texts, ["writer"])
  }

  func testCollectionsAreToldByNameWhenTheirElementsAreOthers() throws {
    let (store, shelf) = try shelfOfTen()
    let told = observe(shelf)
    let books = observe(shelf, ["books"])
    let titles = observe(shelf, ["books.title"])
    try store.write { shelf.books[0].title = "x" }
    try store.write { shelf.books.append(Book(10)) }
    try store.write { shelf.books[0] = Book(11) }
    try store.write {
      shelf.books.swapAt(1, 2)
      shelf.books.swapAt(1, 2)
    }
    try store.write {
      shelf.picked.insert(shelf.books[1])
      shelf.placed["a"] = shelf.books[1]
      shelf.notes["a"] = "b"
      shelf.numbers.append(nil)
    }
    try store.write { try store.delete(shelf.books[1]) }
    XCTAssertEqual(
      told.texts, ["books", "books", "notes, numbers, picked, placed", "books, picked, placed"])
    XCTAssertTrue(told.told.values.allSatisfy { $0.old == nil && $0.new == nil })
    XCTAssertEqual(books.texts, ["books", "books", "books"])
    XCTAssertEqual(titles.texts, ["books", "books", "books", "books"])
  }

  func testLinkingObjectsAreToldWhenALinkComesOrGoes() throws {
    let (store, shelf) = try shelfOfTen()
    let book = shelf.books[0]
    let told = observe(book)
    try store.write { shelf.books.append(book) }
    try store.write { shelf.books.removeLast() }
    try store.write { try store.add(Shelf("t", books: [book])) }
    try store.write { shelf.books.remove(at: 0) }
    try store.write { shelf.numbers.append(1) }
    try store.write { try store.delete(shelf) }
    try store.write { try store.deleteAll(Shelf.self) }
    XCTAssertEqual(told.texts, ["shelves", "shelves", "shelves"])
  }

  func testEmbeddedObjectsAndValuesOfAnyType() throws {
    let store = try temporaryDirectory().store(objectTypes: [Envelope.self])
    let envelope = Envelope()
    envelope.sticker = Sticker("a")
    try store.write { try store.add(envelope) }
    let told = observe(envelope)
    try store.write { envelope.content = .int(5) }
    try store.write { envelope.content = .object(envelope) }
    try store.write { envelope.sticker = Sticker("b") }
    try store.write { envelope.sticker = nil }
    XCTAssertEqual(told.texts, ["content", "content", "sticker", "sticker"])
    XCTAssertEqual(told.told.values[0].new as? AnyValue, .int(5))
    XCTAssertEqual(told.told.values[1].old as? AnyValue, .int(5))
    XCTAssertEqual(told.told.values[1].new as? AnyValue, .object(envelope))
    XCTAssertNotNil(told.told.values[2].new as? Sticker)
    XCTAssertNil(told.told.values[3].new)
    // What was told holds the store, which holds the token.
    told.token?.invalidate()
  }

  func testAnObjectThatIsObservedWithinAWriteBeginsWithWhatItHasThere() throws {
    let store = try store()
    var observation: Observation?
    let shelf = try store.write {
      let shelf = try store.add(Shelf("s"))
      shelf.numbers.append(1)
      shelf.books.append(Book(1))
      observation = observe(shelf)
      shelf.numbers.append(2)
      return shelf
    }
    XCTAssertEqual(observation?.texts, ["numbers"])
    try store.write { shelf.books.removeAll() }
    XCTAssertEqual(observation?.texts, ["numbers", "books"])
    let book = try store.write {
      let book = try store.add(Book(2))
      shelf.books.append(book)
      observation = observe(book)
      return book
    }
    XCTAssertEqual(observation?.texts, [])
    try store.write { shelf.books.removeAll() }
    XCTAssertEqual(observation?.texts, ["shelves"])
    XCTAssertEqual(book.shelves.count, 0)
  }

  func testSeveralCommitsThatComeToNothingAreNoChange() throws {
    let (store, shelf) = try shelfOfTen()
    let book = shelf.books[0]
    let observers = [observe(shelf), observe(book)]
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write { same.books.append(try XCTUnwrap(same.books.first)) }
    try other.write { same.books.remove(at: 0) }
    try other.write { same.books.removeAll() }
    try other.write { same.books.append(contentsOf: other.objects(Book.self)) }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(observers.map(\.texts), [[], []])
  }

  func testWhatTheLogDoesNotListIsFoundByComparison() throws {
    let (store, shelf) = try shelfOfTen()
    let (first, last) = (shelf.books[0], shelf.books[9])
    let observers = [observe(shelf), observe(first), observe(last)]
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write {
      same.books.remove(at: 0)
      for value in 0..<100_001 { try other.add(Book(value)) }
    }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(observers.map(\.texts), [["books"], ["shelves"], []])
    try store.write { shelf.books.append(first) }
    XCTAssertEqual(observers.map(\.texts), [["books", "books"], ["shelves", "shelves"], []])
  }

  func testACommitIsLeftOutForTheGivenTokens() throws {
    let (store, shelf) = try shelfOfTen()
    let book = shelf.books[0]
    let observers = [observe(shelf, ["books"]), observe(book)]
    try store.write(withoutNotifying: observers.compactMap(\.token)) { shelf.books.removeAll() }
    try store.write { shelf.numbers.append(1) }
    try store.write { shelf.books.append(book) }
    XCTAssertEqual(observers.map(\.texts), [["books"], ["shelves"]])
  }

  func testAnUnmanagedObjectAndAWrongPathGiveAnError() throws {
    let (_, book) = try book()
    XCTAssertTrue(observe(Book(1)).texts[0].hasPrefix("error: "))
    XCTAssertTrue(observe(book, ["writer.agee"]).texts[0].hasPrefix("error: "))
    XCTAssertEqual(observe(book, ["writer.agee"]).texts.count, 1)
  }
}

/// An object with an embedded one and a value of any type.
final class Envelope: Object {
  @Persisted var content: AnyValue
  @Persisted var sticker: Sticker?
}
