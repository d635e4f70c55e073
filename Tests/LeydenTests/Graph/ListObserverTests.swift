import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What an observer of a list is told of each commit.
final class ListObserverTests: ShelfTestCase {
  /// Observes the list of ten and makes a commit.
  private func told(_ body: (Store, Shelf) throws -> Void) throws -> [String] {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books)
    XCTAssertEqual(calls.texts, ["initial"])
    try store.write { try body(store, shelf) }
    return calls.updates
  }

  func testClearingDeletesAll() throws {
    let calls = try told { _, shelf in shelf.books.removeAll() }
    XCTAssertEqual(calls, ["-\(Array(0..<10)) +[] ~[]"])
  }

  func testClearingAndAppendingANewOneDeletesAllAndInsertsOne() throws {
    let calls = try told { _, shelf in
      shelf.books.removeAll()
      shelf.books.append(Book(10))
    }
    XCTAssertEqual(calls, ["-\(Array(0..<10)) +[0] ~[]"])
  }

  func testClearingAndAppendingOneOfThemKeepsIt() throws {
    let calls = try told { _, shelf in
      let first = shelf.books[3]
      shelf.books.removeAll()
      shelf.books.append(first)
    }
    XCTAssertEqual(calls, ["-[0, 1, 2, 4, 5, 6, 7, 8, 9] +[] ~[]"])
  }

  func testADeletedObjectGoesFromAllItsPositions() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books.append(shelf.books[5]) }
    let calls = calls(shelf.books)
    try store.write { try store.delete(shelf.books[5]) }
    XCTAssertEqual(calls.updates, ["-[5, 10] +[] ~[]"])
  }

  func testAnObjectThatChangesIsModifiedAtAllItsPositions() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write { shelf.books.append(shelf.books[5]) }
    let calls = calls(shelf.books)
    try store.write { shelf.books[5].value = 55 }
    XCTAssertEqual(calls.updates, ["-[] +[] ~[5, 10]"])
  }

  func testAnObjectThatChangesAndMovesIsNotModified() throws {
    let calls = try told { _, shelf in
      shelf.books[5].value = 55
      shelf.books.move(from: 5, to: 8)
    }
    XCTAssertEqual(calls, ["-[5] +[8] ~[]"])
  }

  func testMovingToTheSamePlaceIsNoChange() throws {
    XCTAssertEqual(try told { _, shelf in shelf.books.move(from: 5, to: 5) }, [])
  }

  func testAppendingAndRemovingTheAppendedIsNoChange() throws {
    let calls = try told { _, shelf in
      shelf.books.append(shelf.books[0])
      shelf.books.remove(at: 10)
    }
    XCTAssertEqual(calls, [])
  }

  func testAnotherListOfTheSameClassIsNoChange() throws {
    let calls = try told { store, shelf in
      shelf.others.append(shelf.books[0])
      try store.add(Shelf("other", books: [shelf.books[1]]))
    }
    // A book that another shelf has changes in its inverse property.
    XCTAssertEqual(calls, ["-[] +[] ~[1]"])
    let (_, numbers) = try (store(), shelfOfNumbers())
    let told = self.calls(numbers.numbers)
    try store().write {
      numbers.words.append("x")
      let other = try store().add(Shelf("third"))
      other.numbers.append(1)
    }
    XCTAssertEqual(told.updates, [])
  }

  private func shelfOfNumbers() throws -> Shelf {
    let store = try store()
    let shelf = Shelf("numbers")
    shelf.numbers.append(contentsOf: [1, nil, 2, 2, 3])
    try store.write { try store.add(shelf) }
    return shelf
  }

  func testReplacingAnElementModifiesIt() throws {
    let calls = try told { _, shelf in
      shelf.books[3] = Book(33)
      shelf.books[7] = shelf.books[8]
    }
    XCTAssertEqual(calls, ["-[] +[] ~[3, 7]"])
    let shelf = try shelfOfNumbers()
    let numbers = self.calls(shelf.numbers)
    try store().write { shelf.numbers[1] = 5 }
    try store().write { shelf.numbers[4] = nil }
    try store().write { shelf.numbers[4] = nil }
    try store().write { shelf.numbers.append(contentsOf: [2, 2]) }
    XCTAssertEqual(numbers.updates, ["-[] +[] ~[1]", "-[] +[] ~[4]", "-[] +[5, 6] ~[]"])
  }

  func testSeveralChangesAtOnce() throws {
    let calls = try told { store, shelf in
      shelf.books.insert(Book(20), at: 0)
      shelf.books[4].value = 13
      try store.delete(shelf.books[6])
      shelf.books.move(from: 9, to: 1)
      shelf.books[3] = Book(21)
    }
    // 0 … 9 → 20, 9, 0, 21, 2, 3 (now 13), 4, 6, 7, 8
    XCTAssertEqual(calls, ["-[5, 9] +[0, 1] ~[1, 3]"])
  }

  func testAnEmptyListWhoseOwnerIsDeletedIsToldNothing() throws {
    let store = try store()
    let shelf = try store.write { try store.add(Shelf("s")) }
    let calls = calls(shelf.books)
    try store.write { try store.delete(shelf) }
    try store.write { try store.add(Shelf("s", books: [Book(1)])) }
    XCTAssertEqual(calls.texts, ["initial"])
  }

  func testAListWhoseOwnerIsDeletedLosesAllItsElementsAtLast() throws {
    let (store, shelf) = try shelfOfTen()
    let books = shelf.books
    var isInvalidated = false
    var count = -1
    let calls = Calls()
    let token = books.observe { change in
      calls.take(change)
      if case .update(let books, _, _, _) = change {
        isInvalidated = books.isInvalidated
        count = books.count
      }
    }
    try store.write { try store.delete(shelf) }
    XCTAssertTrue(isInvalidated)
    XCTAssertEqual(count, 0)
    // An object with the same key is another one.
    try store.write { try store.add(Shelf("s", books: [Book(1)])) }
    XCTAssertEqual(calls.updates, ["-\(Array(0..<10)) +[] ~[]"])
    token.invalidate()
  }

  func testAListThatCannotBeObservedGivesAnError() throws {
    let (store, shelf) = try shelfOfTen()
    XCTAssertEqual(calls(Shelf("new").books).texts.count, 1)
    XCTAssertTrue(calls(Shelf("new").books).texts[0].hasPrefix("error: "))
    XCTAssertTrue(calls(shelf.books, ["titel"]).texts[0].contains("titel"))
    XCTAssertEqual(calls(shelf.books, ["titel"]).texts.count, 1)
    XCTAssertTrue(calls(shelf.numbers, ["value"]).texts[0].hasPrefix("error: "))
    let books = shelf.books
    try store.write { try store.delete(shelf) }
    XCTAssertTrue(calls(books).texts[0].hasPrefix("error: "))
  }

  func testAListThatIsObservedWithinAWriteBeginsAfterIt() throws {
    let store = try store()
    var told: [Int] = []
    var token: NotificationToken?
    let shelf = try store.write {
      let shelf = try store.add(Shelf("s"))
      token = shelf.books.observe { change in
        if case .initial(let books) = change { told.append(books.count) }
      }
      shelf.books.append(Book(1))
      XCTAssertEqual(told, [])
      return shelf
    }
    XCTAssertEqual(told, [1])
    XCTAssertEqual(shelf.books.count, 1)
    token?.invalidate()
  }

  func testAListThatIsObservedInAWriteThatFailsGivesAnError() throws {
    let store = try store()
    let calls = Calls()
    try store.write {
      let shelf = try store.add(Shelf("s"))
      calls.token = shelf.books.observe { calls.take($0) }
      try store.cancelWrite()
    }
    XCTAssertEqual(calls.texts.count, 1)
    XCTAssertTrue(calls.texts[0].hasPrefix("error: "))
  }

  func testTheCollectionOfACallIsThatOfItsVersion() throws {
    let (store, shelf) = try shelfOfTen()
    let other = try anotherStore()
    var values: [[Int]] = []
    let token = shelf.books.observe { change in
      if case .update(let books, _, _, _) = change { values.append(books.map(\.value)) }
    }
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write { same.books.removeLast() }
    try other.write { same.books.remove(at: 0) }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(values, [Array(1..<9)])
    token.invalidate()
  }

  func testAListIsGivenWhereNobodyHasItAnyMore() throws {
    let (store, _) = try shelfOfTen()
    var count = 0
    var token: NotificationToken?
    do {
      let shelf = try XCTUnwrap(store.objects(Shelf.self).first)
      token = shelf.books.observe { change in
        if case .update(let books, _, _, _) = change { count = books.count }
      }
    }
    try store.write { try XCTUnwrap(store.objects(Shelf.self).first).books.removeLast() }
    XCTAssertEqual(count, 9)
    token?.invalidate()
  }

  func testSeveralCommitsThatComeToNothingAreNoChange() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.numbers)
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write { same.numbers.append(contentsOf: [1, 2]) }
    try other.write { same.numbers.removeAll() }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(calls.updates, [])
  }

  func testLongTextsAndBytesAreComparedByWhatTheyAre() throws {
    let store = try store()
    let shelf = Shelf("s")
    let long = String(repeating: "jar ", count: 2_000)
    shelf.words.append(contentsOf: ["a", long, "é", "b"])
    try store.write { try store.add(shelf) }
    let calls = calls(shelf.words)
    try store.write {
      shelf.words.removeAll()
      shelf.words.append(contentsOf: ["a", long, "é", "b"])
    }
    try store.write { shelf.words.move(from: 1, to: 3) }
    try store.write { shelf.words[1] = "e\u{301}" }
    try store.write { shelf.words[3] = long + "!" }
    XCTAssertEqual(calls.updates, ["-[1] +[3] ~[]", "-[] +[] ~[1]", "-[] +[] ~[3]"])
  }

  func testValuesOfAnyTypeAndTheObjectsAmongThem() throws {
    let store = try store()
    let shelf = Shelf("s")
    let book = Book(1)
    try store.write {
      try store.add([book])
      try store.add(shelf)
      shelf.things.append(contentsOf: [.int(1), .object(book), .string("x"), .none, .object(book)])
    }
    let calls = calls(shelf.things)
    try store.write { book.value = 2 }
    try store.write { shelf.things[2] = .int(1) }
    try store.write { try store.delete(book) }
    XCTAssertEqual(
      calls.updates, ["-[] +[] ~[1, 4]", "-[] +[] ~[2]", "-[1, 4] +[] ~[]"])
  }

  func testEmbeddedObjectsKeepTheirIdentityWhenTheyChange() throws {
    let store = try store()
    let shelf = Shelf("s")
    shelf.stickers.append(contentsOf: ["a", "b", "c"].map { Sticker($0) })
    try store.write { try store.add(shelf) }
    let calls = calls(shelf.stickers)
    try store.write { shelf.stickers.append(Sticker("d")) }
    try store.write { shelf.stickers.move(from: 0, to: 3) }
    try store.write {
      shelf.stickers[1].text = "changed"
      shelf.stickers.insert(Sticker("e"), at: 0)
    }
    XCTAssertEqual(calls.updates, ["-[] +[3] ~[]", "-[0] +[3] ~[]", "-[] +[0] ~[1]"])
  }

  func testAListOfAHundredThousandElements() throws {
    let store = try store()
    let shelf = Shelf("s")
    try store.write {
      try store.add(shelf)
      shelf.numbers.append(contentsOf: (0..<100_000).map { $0 })
      shelf.books.append(contentsOf: (0..<3_000).map { Book($0) })
    }
    let numbers = calls(shelf.numbers)
    let books = calls(shelf.books)
    try store.write { shelf.numbers.insert(-1, at: 50_000) }
    try store.write { shelf.numbers.move(from: 10, to: 99_990) }
    try store.write { shelf.numbers.remove(at: 0) }
    XCTAssertEqual(
      numbers.updates, ["-[] +[50000] ~[]", "-[10] +[99990] ~[]", "-[0] +[] ~[]"])
    try store.write { shelf.books[1_500].value = -1 }
    XCTAssertEqual(books.updates, ["-[] +[] ~[1500]"])
  }

  // MARK: Leaving out, and sequences

  func testACommitIsLeftOutForTheGivenTokens() throws {
    let (store, shelf) = try shelfOfTen()
    let first = calls(shelf.books)
    let second = calls(shelf.books)
    let token = try XCTUnwrap(first.token)
    try store.write(withoutNotifying: [token]) {
      shelf.books.remove(at: 0)
      shelf.books[0].value = -1
    }
    try store.write { shelf.books.removeLast() }
    XCTAssertEqual(first.updates, ["-[8] +[] ~[]"])
    XCTAssertEqual(second.updates, ["-[0] +[] ~[1]", "-[8] +[] ~[]"])
  }

  func testWhatOthersCommittedBeforeALeftOutCommitIsTold() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books)
    let token = try XCTUnwrap(calls.token)
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write { same.books.append(Book(10)) }
    try store.write(withoutNotifying: [token]) { shelf.books.remove(at: 0) }
    XCTAssertEqual(calls.updates, ["-[] +[10] ~[]"])
    try other.write { same.books.removeLast() }
    store.refresh()
    XCTAssertEqual(calls.updates.last, "-[9] +[] ~[]")
  }

  func testALeftOutDeletionOfTheOwnerIsTheEnd() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books)
    let token = try XCTUnwrap(calls.token)
    try store.write(withoutNotifying: [token]) { try store.delete(shelf) }
    try store.write { try store.add(Book(1)) }
    XCTAssertEqual(calls.updates, [])
  }

  func testALeftOutWriteThatFailsLeavesNothingOut() throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books)
    let token = try XCTUnwrap(calls.token)
    XCTAssertThrowsError(
      try store.write(withoutNotifying: [token]) {
        shelf.books.remove(at: 0)
        shelf.name = "other"
      })
    try store.write { shelf.books.remove(at: 1) }
    XCTAssertEqual(calls.updates, ["-[1] +[] ~[]"])
  }

  func testChangesAsASequence() async throws {
    let (store, shelf) = try shelfOfTen()
    var iterator = shelf.books.changes.makeAsyncIterator()
    let first = await iterator.next()
    XCTAssertEqual(first?.isInitial, true)
    XCTAssertEqual(first?.collection.count, 10)
    try store.write {
      shelf.books.insert(Book(-1), at: 0)
      shelf.books.move(from: 1, to: 10)
      shelf.books[4].value = 33
    }
    let second = await iterator.next()
    XCTAssertEqual(second?.deletions, [0])
    XCTAssertEqual(second?.insertions, [0, 10])
    XCTAssertEqual(second?.modifications, [4])
    XCTAssertEqual(second?.newModifications, [4])
    XCTAssertEqual(second?.moves.map { [$0.from, $0.to] }, [[0, 10]])
    XCTAssertEqual(second?.version, store.version)
    XCTAssertEqual(second?.isResync, false)
    try store.write { try store.delete(shelf) }
    let third = await iterator.next()
    XCTAssertEqual(third?.deletions, Array(0..<11))
    let end = await iterator.next()
    XCTAssertNil(end)
  }

  func testWhatTheLogDoesNotListIsFoundByComparison() async throws {
    let (store, shelf) = try shelfOfTen()
    let calls = calls(shelf.books, ["title"])
    let untouched = self.calls(shelf.numbers)
    var iterator = shelf.books.changes.makeAsyncIterator()
    _ = await iterator.next()
    let other = try anotherStore()
    let same = try XCTUnwrap(other.objects(Shelf.self).first)
    try other.write {
      same.books.remove(at: 0)
      same.books[4].value = 55
      for value in 0..<100_001 { try other.add(Book(value)) }
    }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(calls.updates, ["-[0] +[] ~[5]"])
    XCTAssertEqual(untouched.updates, [])
    let change = await iterator.next()
    XCTAssertEqual(change?.isResync, true)
    XCTAssertEqual(change?.deletions, [0])
    XCTAssertEqual(change?.modifications, [5])
    XCTAssertEqual(change?.newModifications, [4])
    try store.write { shelf.books.removeLast() }
    XCTAssertEqual(calls.updates.last, "-[8] +[] ~[]")
  }
}
