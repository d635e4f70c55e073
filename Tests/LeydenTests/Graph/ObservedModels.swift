import Foundation
import Leyden

/// An object with a list and sets of books, for tests of observers.
final class Shelf: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var books: List<Book>
  @Persisted var others: List<Book>
  @Persisted var picked: MutableSet<Book>
  @Persisted var placed: Map<String, Book?>
  @Persisted var numbers: List<Int?>
  @Persisted var words: List<String>
  @Persisted var things: List<AnyValue>
  @Persisted var notes: Map<String, String>
  @Persisted var stickers: List<Sticker>
}

/// An object in lists, without a key of its own.
final class Book: Object {
  @Persisted var value: Int
  @Persisted var title: String = ""
  @Persisted var writer: BookWriter?
  @Persisted(originProperty: "books") var shelves: LinkingObjects<Shelf>
}

/// What books lead to.
final class BookWriter: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var age: Int = 0
  @Persisted var home: Residence?
  @Persisted(originProperty: "writer") var books: LinkingObjects<Book>
}

/// What writers lead to.
final class Residence: Object {
  @Persisted var name: String = ""
  @Persisted var size: Int = 0
}

/// An object inside another one.
final class Sticker: EmbeddedObject {
  @Persisted var text: String = ""
  @Persisted var marks: List<Int?>
}

extension Shelf {
  convenience init(_ name: String, books: [Book] = []) {
    self.init()
    self.name = name
    self.books.append(contentsOf: books)
  }
}

extension Book {
  convenience init(_ value: Int, writer: BookWriter? = nil) {
    self.init()
    self.value = value
    self.writer = writer
  }
}

extension BookWriter {
  convenience init(_ name: String, age: Int = 0, home: Residence? = nil) {
    self.init()
    self.name = name
    self.age = age
    self.home = home
  }
}

extension Residence {
  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

extension Sticker {
  convenience init(_ text: String) {
    self.init()
    self.text = text
  }
}
