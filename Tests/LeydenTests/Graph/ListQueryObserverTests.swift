import Leyden
import LeydenTesting
import XCTest

/// What an observer of a query on a list is told: the books with values between 0 and 5, of a list of ten.
final class ListQueryObserverTests: ShelfTestCase {
  private func told(_ body: (Store, Shelf) throws -> Void) throws -> [String] {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books.where { $0.value > 0 && $0.value < 5 })
    XCTAssertEqual(calls.texts, ["initial"])
    try store.write { try body(store, shelf) }
    try store.write { try store.delete(shelf) }
    XCTAssertEqual(calls.texts.last?.hasPrefix("-[0, 1, 2"), true)
    return Array(calls.updates.dropLast())
  }

  func testAppendingOneThatFits() throws {
    XCTAssertEqual(try told { _, shelf in shelf.books.append(Book(3)) }, ["-[] +[4] ~[]"])
  }

  func testAppendingOneThatDoesNotFit() throws {
    XCTAssertEqual(try told { _, shelf in shelf.books.append(Book(5)) }, [])
  }

  func testRemovingOneThatFits() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books.where { $0.value > 0 && $0.value < 5 })
    try store.write { shelf.books.remove(at: 1) }
    XCTAssertEqual(calls.updates, ["-[0] +[] ~[]"])
  }

  func testRemovingOneThatDoesNotFit() throws {
    XCTAssertEqual(try told { _, shelf in shelf.books.remove(at: 0) }, [])
  }

  func testOneThatComesToFitAndOneThatIsDeleted() throws {
    let calls = try told { store, shelf in
      shelf.books[9].value = 3
      try store.delete(shelf.books[2])
    }
    XCTAssertEqual(calls, ["-[1] +[3] ~[]"])
  }

  func testOneThatIsInTheListTwice() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books.append(shelf.books[2]) }
    let calls = calls(shelf.books.where { $0.value > 0 && $0.value < 5 })
    try store.write { shelf.books[2].value = 1 }
    try store.write { shelf.books.move(from: 10, to: 0) }
    try store.write { try store.delete(shelf.books[0]) }
    XCTAssertEqual(calls.updates, ["-[] +[] ~[1, 4]", "-[4] +[0] ~[]", "-[0, 2] +[] ~[]"])
  }

  func testAnObjectOfAnotherClassIsNoChange() throws {
    XCTAssertEqual(try told { store, _ in try store.add(BookWriter("unlinked")) }, [])
  }
}
