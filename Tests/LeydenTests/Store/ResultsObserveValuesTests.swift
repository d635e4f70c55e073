import Foundation
import Leyden
import LeydenTesting
import XCTest

/// A plain value and the model that stores it.
private struct Note: Sendable, Hashable {
  var identifier: String
  var title: String
}

private final class StoredNote: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String = ""
}

extension StoredNote: ValueConvertible {
  convenience init(value note: Note) {
    self.init()
    identifier = note.identifier
    title = note.title
  }

  var value: Note { Note(identifier: identifier, title: title) }
}

/// An isolation domain of its own, with a copy of the values.
private actor Mirror {
  private(set) var notes: [Note] = []
  private(set) var problems: [String] = []

  func follow(_ changes: AsyncChanges<CollectionChange<[Note]>>, until last: Note) async {
    for await change in changes {
      if !change.isInitial {
        let checker = ChangeSetChecker(
          deletions: change.deletions, insertions: change.insertions,
          modifications: change.modifications, newModifications: change.newModifications)
        do {
          let applied = try checker.apply(to: notes, reading: change.collection)
          if applied != change.collection { problems.append("\(applied)") }
        } catch { problems.append("\(error)") }
      }
      notes = change.collection
      if notes.contains(last) { return }
    }
  }
}

final class ResultsObserveValuesTests: XCTestCase {
  @MainActor
  func testAnyActorFollowsTheValues() async throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [StoredNote.self])
    try store.write { try store.add(value: Note(identifier: "0", title: "b"), as: StoredNote.self) }
    let changes = store.objects(StoredNote.self).sorted(by: \.title).valueChanges
    let mirror = Mirror()
    let last = Note(identifier: "last", title: "z")
    let task = Task { await mirror.follow(changes, until: last) }

    for number in 1...50 {
      try store.write {
        let note = Note(identifier: "\(number % 7)", title: "\(number * 37 % 100)")
        try store.add(value: note, as: StoredNote.self, update: .modified)
        if number % 5 == 0 {
          try store.object(ofType: StoredNote.self, forPrimaryKey: "\(number % 3)")
            .map(store.delete)
        }
      }
      await Task.yield()
    }
    try store.write { try store.add(value: last, as: StoredNote.self) }
    await task.value

    let problems = await mirror.problems
    let notes = await mirror.notes
    XCTAssertEqual(problems, [])
    XCTAssertEqual(notes, store.objects(StoredNote.self).sorted(by: \.title).values)
  }

  @MainActor
  func testTheFirstElementHasTheValuesAsTheyAre() async throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [StoredNote.self])
    try store.write { try store.add(value: Note(identifier: "a", title: "b"), as: StoredNote.self) }
    var iterator = store.objects(StoredNote.self).valueChanges.makeAsyncIterator()

    let first = await iterator.next()
    try store.write { try store.add(value: Note(identifier: "c", title: "d"), as: StoredNote.self) }
    let second = await iterator.next()

    XCTAssertEqual(first?.isInitial, true)
    XCTAssertEqual(first?.collection, [Note(identifier: "a", title: "b")])
    XCTAssertEqual(second?.insertions, [1])
    XCTAssertEqual(second?.collection.count, 2)
    XCTAssertEqual(second?.version, store.version)
  }

  @MainActor
  func testItEndsWhenTheStoreIsClosed() async throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [StoredNote.self])
    let changes = store.objects(StoredNote.self).valueChanges
    let task = Task.detached { for await _ in changes {} }

    store.close()

    await task.value
  }
}
