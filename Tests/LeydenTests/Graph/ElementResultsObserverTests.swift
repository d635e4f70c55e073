import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// What observers of results of values, and of collections inside embedded objects, are told.
final class ElementResultsObserverTests: ShelfTestCase {
  private func shelf(_ numbers: [Int?]) throws -> (Store, Shelf) {
    let store = try store()
    let shelf = Shelf("s")
    shelf.numbers.append(contentsOf: numbers)
    return (store, try store.write { try store.add(shelf) })
  }

  func testOnlyWhatFulfilsTheConditionIsTold() throws {
    let (store, shelf) = try shelf([0, 1, nil, 3, 9])
    let few = shelf.numbers.where { $0 > 0 && $0 < 5 }
    let calls = calls(few)
    try store.write { shelf.numbers.append(7) }
    try store.write { shelf.numbers[0] = nil }
    XCTAssertEqual(calls.updates, [])
    try store.write { shelf.numbers.insert(2, at: 0) }
    try store.write { shelf.numbers[4] = 4 }
    try store.write { shelf.numbers.move(from: 0, to: 6) }
    try store.write { shelf.numbers.removeAll() }
    XCTAssertEqual(
      calls.updates, ["-[] +[0] ~[]", "-[] +[] ~[2]", "-[0] +[2] ~[]", "-[0, 1, 2] +[] ~[]"])
  }

  func testSortedValuesMoveNowhereButToTheirPlace() throws {
    let (store, shelf) = try shelf([5, 1, 3])
    let sorted = shelf.numbers.sorted(by: \.self)
    let calls = calls(sorted)
    try store.write { shelf.numbers.move(from: 0, to: 2) }
    XCTAssertEqual(calls.updates, [])
    try store.write { shelf.numbers.append(2) }
    try store.write { shelf.numbers[0] = 9 }
    XCTAssertEqual(calls.updates, ["-[] +[1] ~[]", "-[0] +[3] ~[]"])
    let first = self.calls(sorted.limit(1))
    try store.write { shelf.numbers.append(3) }
    XCTAssertEqual(first.updates, [])
    try store.write { shelf.numbers.append(nil) }
    XCTAssertEqual(first.updates, ["-[0] +[0] ~[]"])
  }

  func testResultsShowWhatWasToldWhileACallbackRuns() throws {
    let (store, shelf) = try shelf([1, 2])
    let large = shelf.numbers.where { $0 > 1 }
    var seen: [[Int?]] = []
    let token = large.observe { change in
      switch change {
      case .initial(let results), .update(let results, _, _, _):
        XCTAssertEqual(results.endIndex, large.endIndex)
        seen.append(results.indices.map { results[$0] })
      case .error(let error): XCTFail("\(error)")
      }
    }
    try store.write { shelf.numbers.append(contentsOf: [3, 0]) }
    let other = try anotherStore()
    try other.write { try XCTUnwrap(other.objects(Shelf.self).first).numbers.append(4) }
    try other.write { try XCTUnwrap(other.objects(Shelf.self).first).numbers.append(5) }
    XCTAssertTrue(store.refresh())
    XCTAssertEqual(seen, [[2], [2, 3], [2, 3, 4, 5]])
    token.invalidate()
  }

  func testResultsThatNobodyHoldsAreToldAllTheSame() throws {
    let (store, shelf) = try shelf([1, 2])
    let calls = calls(shelf.numbers.where { $0 > 1 }.sorted(by: \.self, ascending: false))
    try store.write { shelf.numbers.append(contentsOf: [3, 0]) }
    XCTAssertEqual(calls.updates, ["-[] +[0] ~[]"])
  }

  func testTheEndOfTheOwnerIsTheEndOfTheElements() throws {
    let (store, shelf) = try shelf([1, 2])
    let calls = calls(shelf.numbers.where { $0 > 1 })
    try store.write { try store.delete(shelf) }
    try store.write { try store.add(Shelf("t")) }
    XCTAssertEqual(calls.updates, ["-[0] +[] ~[]"])
    let late = self.calls(shelf.numbers.where { $0 > 1 })
    XCTAssertEqual(late.texts.count, 1)
    XCTAssertTrue(late.texts[0].hasPrefix("error"), late.texts[0])
  }

  func testATokenKeepsNoStoreOpen() throws {
    weak var session: AnyObject?
    var tokens: [NotificationToken] = []
    try {
      let store = try anotherStore()
      let shelf = Shelf("s", books: [Book(1)])
      shelf.stickers.append(Sticker("a"))
      try store.write { try store.add(shelf) }
      tokens = [
        shelf.observe { _ in }, shelf.books.observe { _ in }, shelf.picked.observe { _ in },
        shelf.placed.observe { _ in }, shelf.books[0].shelves.observe { _ in },
        store.objects(Shelf.self).observe { _ in },
        shelf.books.where { $0.value > 0 }.observe { _ in },
        shelf.numbers.where { $0 > 0 }.observe { _ in },
        shelf.placed.where { $0.value > 0 }.observe { _ in },
        shelf.stickers[0].marks.observe { _ in },
        shelf.stickers.sorted(by: \.text).observe { _ in },
        store.dynamicObjects("Shelf").observe { _ in },
      ]
      session = store.session
    }()
    XCTAssertNil(session)
    XCTAssertEqual(tokens.count, 12)
  }

  func testKeyPathsOfValuesAreRefused() throws {
    let (_, shelf) = try shelf([1])
    let calls = calls(shelf.numbers.where { $0 > 0 }, ["self"])
    XCTAssertEqual(calls.texts.count, 1)
    XCTAssertTrue(calls.texts[0].hasPrefix("error"), calls.texts[0])
  }

  func testObjectsOfAMapComeAndGoAsTheyChange() throws {
    let (store, shelf) = try shelfOfTen()
    try store.write {
      for number in [8, 1, 5] { shelf.placed["\(number)"] = shelf.books[number] }
    }
    let large = shelf.placed.where { $0.value > 4 }
    let calls = calls(large)
    try store.write { shelf.books[1].value = 50 }
    try store.write { shelf.books[8].title = "changed" }
    try store.write { shelf.books[2].value = 70 }
    try store.write { try store.delete(shelf.books[5]) }
    XCTAssertEqual(calls.updates, ["-[] +[0] ~[]", "-[] +[] ~[2]", "-[1] +[] ~[]"])
  }

  func testAsynchronousChangesOfValues() async throws {
    let (store, shelf) = try shelf([1, 2])
    var changes = shelf.numbers.where { $0 > 1 }.changes.makeAsyncIterator()
    let first = await changes.next()
    XCTAssertEqual(first?.isInitial, true)
    try store.write { shelf.numbers.insert(5, at: 0) }
    let second = await changes.next()
    XCTAssertEqual(second?.insertions, [0])
    XCTAssertEqual(second.map { Array($0.collection) }, [5, 2])
    try store.write { shelf.numbers.swapAt(0, 2) }
    let third = await changes.next()
    XCTAssertEqual(third?.moves.count, 1)
    try store.write { try store.delete(shelf) }
    let fourth = await changes.next()
    XCTAssertEqual(fourth?.deletions, [0, 1])
    let end = await changes.next()
    XCTAssertNil(end)
  }

  // MARK: Embedded elements

  func testEmbeddedElementsAreAskedAndObservedByTheirProperties() throws {
    let (store, shelf) = try shelf([])
    try store.write { for text in ["b", "a", "c"] { shelf.stickers.append(Sticker(text)) } }
    let early = shelf.stickers.where { $0.text < "c" }.sorted(by: \.text)
    XCTAssertEqual(early.map(\.text), ["a", "b"])
    XCTAssertEqual(try shelf.stickers.sorted(byKeyPath: "text").map(\.text), ["a", "b", "c"])
    XCTAssertEqual(shelf.stickers.max(of: \.text), "c")
    XCTAssertEqual(early.index(of: shelf.stickers[0]), 1)
    XCTAssertEqual(early.index(matching: { $0.text == "b" }), 1)
    let calls = calls(early)
    try store.write { early[0].text = "aa" }
    try store.write { shelf.stickers[2].text = "0" }
    try store.write { shelf.stickers.move(from: 0, to: 2) }
    try store.write { shelf.stickers[0].text = "zz" }
    XCTAssertEqual(calls.updates, ["-[] +[] ~[0]", "-[] +[0] ~[]", "-[1] +[] ~[]"])
    XCTAssertEqual(early.map(\.text), ["0", "b"])
  }
}

/// What observers of collections inside embedded objects are told, and results of these.
final class EmbeddedCollectionTests: EmbeddedTestCase {
  private final class Calls {
    var texts: [String] = []
    var tokens: [NotificationToken] = []

    func take<C>(_ name: String, _ change: ObservedChange<C>) {
      switch change {
      case .initial: break
      case .update(_, let deletions, let insertions, let modifications):
        texts.append("\(name) -\(deletions) +\(insertions) ~\(modifications)")
      case .error(let error): texts.append("\(name) \(error)")
      }
    }
  }

  func testCollectionsInEmbeddedObjectsAreAskedAndObserved() throws {
    let (store, folder) = try folder {
      $0.earlier.append(Place("first"))
      $0.earlier.append(Place("second"))
      $0.earlier[1].visits.append(contentsOf: [3, 1])
      $0.earlier[1].guests.append(contentsOf: [Person("Ann", age: 3), Person("Bob", age: 5)])
      $0.earlier[1].counts["k"] = 1
    }
    let place = folder.earlier[1]
    let calls = Calls()
    calls.tokens = [
      place.visits.observe { calls.take("visits", $0) },
      place.guests.observe { calls.take("guests", $0) },
      place.words.observe { calls.take("words", $0) },
      place.visits.where { $0 > 1 }.observe { calls.take("large", $0) },
      place.guests.where { $0.age > 4 }.observe { calls.take("old", $0) },
      place.counts.observe { change in
        if case .update(_, _, let keys, let others) = change {
          calls.texts.append("\(keys) \(others)")
        }
      },
    ]
    XCTAssertEqual(place.guests.sorted(by: \.age, ascending: false).map(\.name), ["Bob", "Ann"])
    XCTAssertEqual(Array(place.visits.sorted(ascending: true)), [1, 3])
    XCTAssertEqual(place.guests.sum(of: \.age), 8)
    func told(_ change: () throws -> Void) throws -> [String] {
      calls.texts = []
      try store.write(change)
      return calls.texts
    }
    XCTAssertEqual(
      try told { place.visits.append(2) }, ["visits -[] +[2] ~[]", "large -[] +[1] ~[]"])
    XCTAssertEqual(try told { folder.earlier.move(from: 1, to: 0) }, [])
    XCTAssertEqual(try told { place.visits.remove(at: 1) }, ["visits -[1] +[] ~[]"])
    XCTAssertEqual(
      try told { place.guests[0].age = 9 }, ["guests -[] +[] ~[0]", "old -[] +[0] ~[]"])
    XCTAssertEqual(try told { place.words.insert("w") }, ["words -[] +[0] ~[]"])
    XCTAssertEqual(
      try told {
        place.counts["k"] = 2
        place.counts["l"] = 3
      }, ["[\"l\"] [\"k\"]"])
    XCTAssertEqual(try told { folder.earlier[1].visits.append(1) }, [])
    XCTAssertEqual(
      try told { try store.delete(place.guests[1]) },
      ["guests -[1] +[] ~[]", "old -[1] +[] ~[]"])
    XCTAssertEqual(
      try told { folder.earlier.remove(at: 0) },
      [
        "visits -[0, 1] +[] ~[]", "guests -[0] +[] ~[]", "words -[0] +[] ~[]",
        "large -[0, 1] +[] ~[]", "old -[0] +[] ~[]", "[] []",
      ])
    XCTAssertEqual(try told { folder.earlier[0].visits.append(1) }, [])
  }

  func testCollectionsOfEmbeddedObjectsInEmbeddedObjects() throws {
    let (store, folder) = try folder {
      $0.place = Place("p")
      $0.place?.room = Room()
      $0.place?.rooms.append(Room())
    }
    let place = try XCTUnwrap(folder.place)
    let calls = Calls()
    calls.tokens = [place.rooms.observe { calls.take("rooms", $0) }]
    try store.write { place.rooms[0].size = 4 }
    try store.write { place.rooms.append(Room()) }
    let other = try folderElsewhere()
    try XCTUnwrap(other.store).write { try XCTUnwrap(other.place).rooms[1].name = "far" }
    store.refresh()
    XCTAssertEqual(place.rooms.where { $0.size > 0 || $0.name == "far" }.map(\.size), [4, 0])
    try store.write { folder.place = Place("q") }
    XCTAssertEqual(
      calls.texts,
      [
        "rooms -[] +[] ~[0]", "rooms -[] +[1] ~[]", "rooms -[] +[] ~[1]", "rooms -[0, 1] +[] ~[]",
      ])
  }

  func testResultsInEmbeddedObjectsThatNobodyHoldsAreToldToTheEnd() throws {
    let (store, folder) = try folder {
      $0.place = Place("p")
      $0.place?.room = Room()
      $0.earlier.append(Place("q"))
    }
    let calls = Calls()
    for (name, place) in [("place", folder.place), ("earlier", folder.earlier.first)] {
      calls.tokens += [
        try XCTUnwrap(place).visits.where { $0 > 1 }.observe { calls.take(name, $0) },
        try XCTUnwrap(place).visits.observe { calls.take("all of \(name)", $0) },
      ]
    }
    try store.write {
      folder.place?.visits.append(contentsOf: [1, 2])
      folder.earlier[0].visits.append(3)
    }
    try store.write { folder.place = nil }
    try store.write { try store.delete(folder) }
    XCTAssertEqual(
      calls.texts,
      [
        "place -[] +[0] ~[]", "all of place -[] +[0, 1] ~[]", "earlier -[] +[0] ~[]",
        "all of earlier -[] +[0] ~[]", "place -[0] +[] ~[]", "all of place -[0, 1] +[] ~[]",
        "earlier -[0] +[] ~[]", "all of earlier -[0] +[] ~[]",
      ])
  }

  func testKeyPathsOfEmbeddedElementsAreStrict() throws {
    let (store, folder) = try folder {
      $0.earlier.append(Place("first"))
      $0.earlier[0].host = Person("Ann", age: 3)
      $0.earlier[0].room = Room()
    }
    let place = folder.earlier[0]
    let calls = Calls()
    let paths = [["street"], ["city", "number"], ["host.age"], ["room.size"], ["visits"]]
    calls.tokens = paths.map { path in
      folder.earlier.observe(keyPaths: path) { calls.take(path[0], $0) }
    }
    func told(_ change: () throws -> Void) throws -> [String] {
      calls.texts = []
      try store.write(change)
      return calls.texts
    }
    let modified = " -[] +[] ~[0]"
    XCTAssertEqual(try told { place.street = "s" }, ["street" + modified])
    XCTAssertEqual(try told { place.number = 4 }, ["city" + modified])
    XCTAssertEqual(try told { place.room?.size = 4 }, ["room.size" + modified])
    XCTAssertEqual(try told { place.room?.name = "n" }, [])
    XCTAssertEqual(try told { place.visits.append(4) }, ["visits" + modified])
    XCTAssertEqual(try told { place.host?.age = 4 }, ["host.age" + modified])
    XCTAssertEqual(try told { place.host?.best = Person("Bob") }, [])
    XCTAssertEqual(
      try told { place.host = Person("Cid", age: 4) }, ["host.age" + modified])
    XCTAssertEqual(try told { place.host = nil }, ["host.age" + modified])
  }
}
