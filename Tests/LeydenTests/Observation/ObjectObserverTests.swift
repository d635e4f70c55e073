import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

private enum Size: String, PersistableEnum { case small, large }

private final class StoredShirt: Object {
  override class var storedName: String { "Shirt" }
  @Persisted var size = Size.small
  @Persisted var spare: Size?
}

final class ObjectObserverTests: StoreTestCase {
  /// What an observer was told, in words.
  private final class Calls {
    var texts: [String] = []
    var token: NotificationToken?

    func take<T>(_ change: ObjectChange<T>) {
      switch change {
      case .change(_, let properties):
        texts.append(
          properties.map { "\($0.name): \($0.oldValue ?? "nil") → \($0.newValue ?? "nil")" }
            .joined(separator: ", "))
      case .deleted: texts.append("deleted")
      case .error(let error): texts.append("error: \(error.errorDescription ?? "")")
      }
    }
  }

  private func observe(_ card: Card, _ keyPaths: [String]? = nil) -> Calls {
    let calls = Calls()
    calls.token = card.observe(keyPaths: keyPaths) { calls.take($0) }
    return calls
  }

  private func card() throws -> Card {
    let store = try store()
    return try store.write { try store.add(Card("a", title: "Leiden", rank: 1)) }
  }

  func testALocalChangeIsToldWithItsOldAndNewValue() throws {
    let card = try card()
    var changed: Card?
    let calls = Calls()
    calls.token = card.observe { change in
      calls.take(change)
      if case .change(let card, _) = change { changed = card }
    }

    try store().write { card.rank = 2 }

    XCTAssertEqual(calls.texts, ["rank: 1 → 2"])
    XCTAssertTrue(changed === card)
  }

  func testAllPropertiesThatDifferAreToldInOneCall() throws {
    let card = try card()
    let calls = observe(card)

    try store().write {
      card.weight = 2.5
      card.title = "Delft"
      card.code = "c"
      card.done = true
    }
    try store().write { card.code = nil }

    XCTAssertEqual(
      calls.texts,
      [
        "title: Leiden → Delft, code: nil → c, weight: 0.0 → 2.5, done: false → true",
        "code: c → nil",
      ])
  }

  func testValuesHaveTheTypeOfTheirProperty() throws {
    let card = try card()
    var values: [String: Any?] = [:]
    let token = card.observe { change in
      guard case .change(_, let properties) = change else { return }
      for property in properties { values[property.name] = property.newValue }
    }
    let picture = Data(repeating: 7, count: 20_000)
    let tag = UUID()

    try store().write {
      card.score = 4
      card.picture = picture
      card.tag = tag
      card.due = Date(timeIntervalSinceReferenceDate: 5)
      card.pinned = false
    }

    XCTAssertEqual(values["score"] as? Int, 4)
    XCTAssertEqual(values["picture"] as? Data, picture)
    XCTAssertEqual(values["tag"] as? UUID, tag)
    XCTAssertEqual(values["due"] as? Date, Date(timeIntervalSinceReferenceDate: 5))
    XCTAssertEqual(values["pinned"] as? Bool, false)
    token.invalidate()
  }

  @MainActor
  func testAnEnumIsToldAsItself() async throws {
    let store = try temporaryDirectory().store(named: "Shirts", objectTypes: [StoredShirt.self])
    let shirt = try store.write { try store.add(StoredShirt()) }
    var commits = store.commits.makeAsyncIterator()
    var told: [PropertyChange] = []
    let token = shirt.observe { if case .change(_, let properties) = $0 { told += properties } }

    try store.write {
      shirt.size = .large
      shirt.spare = .small
    }

    XCTAssertEqual(told.map { $0.oldValue as? Size }, [.small, nil])
    XCTAssertEqual(told.map { $0.newValue as? Size }, [.large, .small])
    let types = await commits.next()?.changedTypes
    XCTAssertEqual(types, ["Shirt"])
    token.invalidate()
  }

  func testAnEqualValueIsNoChange() throws {
    let card = try card()
    let calls = observe(card)

    try store().write { card.rank = 1 }
    try store().write {
      card.rank = 5
      card.rank = 1
    }

    XCTAssertEqual(calls.texts, [])
  }

  func testTheFilterNamesTheOnlyPropertiesThatAreTold() throws {
    let card = try card()
    let calls = observe(card, ["rank", "title"])
    let deletion = observe(card, [])

    try store().write { card.done = true }
    XCTAssertEqual(calls.texts, [])
    try store().write {
      card.title = "Delft"
      card.weight = 3
    }
    XCTAssertEqual(calls.texts, ["title: Leiden → Delft"])
    try store().write { try store().delete(card) }

    XCTAssertEqual(calls.texts, ["title: Leiden → Delft", "deleted"])
    XCTAssertEqual(deletion.texts, ["deleted"])
  }

  func testKeyPathsFilterAsNamesDo() throws {
    let card = try card()
    let calls = Calls()
    let token = card.observe(keyPaths: [\.rank]) { calls.take($0) }

    try store().write {
      card.rank = 2
      card.title = "Delft"
    }

    XCTAssertEqual(calls.texts, ["rank: 1 → 2"])
    token.invalidate()
  }

  func testADeletionIsToldOnce() throws {
    let store = try store()
    let card = try card()
    let calls = observe(card)

    try store.write { try store.deleteAll(Card.self) }
    try store.write { try store.add(Card("a", title: "again")) }
    try store.write { try store.deleteAll() }

    XCTAssertEqual(calls.texts, ["deleted"])
  }

  func testAnUnmanagedObjectAndAnUnknownNameAreErrors() throws {
    let unmanaged = observe(Card("b"))
    let unknown = observe(try card(), ["titel"])

    try store().write { try store().object(ofType: Card.self, forPrimaryKey: "a")?.rank = 9 }

    XCTAssertEqual(
      unmanaged.texts, ["error: Not supported: observing a Card before it was added to a store."])
    XCTAssertEqual(
      unknown.texts, ["error: The query is wrong at position 0: Card has no property titel."])
  }

  func testAnObjectThatIsDeletedAlreadyIsToldSo() throws {
    let card = try card()
    try store().write { try store().delete(card) }

    let calls = observe(card)

    XCTAssertEqual(calls.texts, ["deleted"])
  }

  func testCommitsOfOthersAreMergedWithTheFirstOldAndTheLastNewValue() throws {
    let card = try card()
    let calls = observe(card)
    let other = try anotherStore()
    let same = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "a"))

    try other.write { same.rank = 2 }
    try other.write {
      same.rank = 3
      same.title = "Delft"
    }
    try other.write { same.title = "Leiden" }
    try store().refresh()
    try store().write { card.rank = 4 }

    XCTAssertEqual(calls.texts, ["rank: 1 → 3", "rank: 3 → 4"])
  }

  func testWhileTheCallbackRunsTheObjectHasTheValuesThatItWasTold() throws {
    let card = try card()
    let other = try anotherStore()
    let same = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "a"))
    var ranks: [Int] = []
    let token = card.observe { change in
      guard case .change(let card, let properties) = change else { return }
      ranks += [card.rank, properties.first?.newValue as? Int ?? -1]
    }

    try other.write { same.rank = 2 }
    try store().refresh()

    XCTAssertEqual(ranks, [2, 2])
    token.invalidate()
  }

  func testAnObjectThatIsObservedInTheWriteThatAddsItBeginsWithItsValuesThere() throws {
    let store = try store()
    let calls = Calls()

    try store.write {
      let card = try store.add(Card("a", title: "Leiden", rank: 1))
      calls.token = card.observe { calls.take($0) }
      card.rank = 2
    }
    XCTAssertEqual(calls.texts, ["rank: 1 → 2"])
    try store.write { store.object(ofType: Card.self, forPrimaryKey: "a")?.rank = 3 }

    XCTAssertEqual(calls.texts, ["rank: 1 → 2", "rank: 2 → 3"])
  }

  func testAnObjectWhoseAdditionIsRolledBackIsDeleted() throws {
    let store = try store()
    let calls = Calls()

    try store.write {
      let card = try store.add(Card("a"))
      calls.token = card.observe { calls.take($0) }
      try store.cancelWrite()
    }

    XCTAssertEqual(calls.texts, ["deleted"])
  }

  func testAWriteThatIsRolledBackChangesNothing() throws {
    let card = try card()
    let calls = Calls()

    try store().write {
      card.rank = 7
      calls.token = card.observe { calls.take($0) }
      try store().cancelWrite()
    }
    XCTAssertEqual(calls.texts, [])
    try store().write { card.rank = 8 }

    XCTAssertEqual(calls.texts, ["rank: 1 → 8"])
  }

  func testAnObserverOfTheWriteCanBeLeftOutOfIt() throws {
    let store = try store()
    let calls = Calls()

    try store.beginWrite()
    let card = try store.add(Card("a", rank: 1))
    calls.token = card.observe { calls.take($0) }
    card.rank = 2
    try store.commitWrite(withoutNotifying: calls.token.map { [$0] } ?? [])
    XCTAssertEqual(calls.texts, [])
    try store.write { card.rank = 3 }

    XCTAssertEqual(calls.texts, ["rank: 2 → 3"])
  }

  func testWhereTheLogDoesNotReachBackTheValuesTell() throws {
    let card = try card()
    let session = try store().session
    let row = try XCTUnwrap(card.access as? LiveRow)
    var history = try ObjectHistory(row)
    func names(_ step: ObjectHistory.Step?) -> [String] {
      guard case .change(let differences) = step else { return [] }
      return differences.map(\.column.name)
    }

    try store().write { card.rank = 2 }
    let first = try session.step { (version, transaction, _) throws(StorageError) in
      try history.advance(session, to: version, in: transaction) { _ in nil }
    }
    try store().write { try store().add(Item(1)) }
    let second = try session.step { (version, transaction, _) throws(StorageError) in
      try history.advance(session, to: version, in: transaction) { _ in nil }
    }

    XCTAssertEqual(names(first), ["rank"])
    XCTAssertEqual(names(second), [])
  }

  func testNobodyIsCalledAfterTheTokenEnded() throws {
    let card = try card()
    let calls = observe(card)
    let ended = observe(card)

    ended.token?.invalidate()
    calls.token = nil
    try store().write { card.rank = 2 }

    XCTAssertEqual(calls.texts, [])
    XCTAssertEqual(ended.texts, [])
  }

  func testTheObjectMayBeReleasedWhileItIsObserved() throws {
    var card: Card? = try card()
    weak let reference = card
    var ranks: [Int] = []
    let token = card?.observe { change in
      if case .change(let card, _) = change { ranks.append(card.rank) }
    }

    card = nil
    XCTAssertNil(reference)
    try store().write {
      try store().object(ofType: Card.self, forPrimaryKey: "a")?.rank = 6
    }

    XCTAssertEqual(ranks, [6])
    token?.invalidate()
  }

  func testACallbackThatChangesItsObjectIsCalledAgainAfterwards() throws {
    let store = try store()
    let card = try card()
    var texts: [String] = []
    let token = card.observe { change in
      guard case .change(let card, let properties) = change else { return }
      texts += properties.map { "\($0.oldValue ?? "")→\($0.newValue ?? "")" }
      guard card.rank < 4 else { return }
      do { try store.write { card.rank += 1 } } catch { XCTFail("\(error)") }
    }

    try store.write { card.rank = 2 }

    XCTAssertEqual(texts, ["1→2", "2→3", "3→4"])
    token.invalidate()
  }

  @MainActor
  func testTheChangesOfAnObjectEndWithItsDeletion() async throws {
    let store = try anotherStore()
    let card = try store.write { try store.add(Card("a", rank: 1)) }
    var iterator = card.changes.makeAsyncIterator()
    let calls = Calls()

    try store.write { card.rank = 2 }
    try store.write { card.rank = 3 }
    calls.take(try await unwrap(iterator.next()))
    try store.write { try store.delete(card) }
    calls.take(try await unwrap(iterator.next()))

    XCTAssertEqual(calls.texts, ["rank: 1 → 3", "deleted"])
    let end = await iterator.next()
    XCTAssertNil(end)
  }

  @MainActor
  func testTheChangesOfAnUnmanagedObjectAreOneError() async throws {
    var texts: [String] = []

    for await change in Card("a").changes { texts.append("\(change)".prefix(5).lowercased()) }

    XCTAssertEqual(texts, ["error"])
  }

  private func unwrap<T>(_ value: T?) throws -> T { try XCTUnwrap(value) }
}
