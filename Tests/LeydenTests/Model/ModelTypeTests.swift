import Foundation
import LeydenTesting
import TestSupport
import XCTest

@testable import Leyden

final class ModelTypeTests: StoreTestCase {
  class Animal: Object {
    @Persisted var name = "animal"
    var plain = 5
    @Persisted var legs = 4
  }

  class Dog: Animal {
    @Persisted var breed: String?
    let helper = Helper()
    @Persisted(primaryKey: true) var tag: Int
  }

  final class Puppy: Dog {
    @Persisted var weeks = 8
    var others: [Helper] = [Helper(), Helper()]
  }

  final class Helper: Object {
    @Persisted var first = "first"
    @Persisted var second = 2
    @Persisted var third = true
  }

  final class Awkward: Object {
    @Persisted var store = "store"
    @Persisted var description = "description"
    @Persisted var changes = 3
    @Persisted var isInvalidated = false
    @Persisted var value: Int?
    @Persisted var access2 = "x"
  }

  final class Counting: Object {
    nonisolated(unsafe) static var made = 0
    @Persisted var number = Counting.next()
    static func next() -> Int {
      unsafe made += 1
      return unsafe made
    }
  }

  final class Setting: Object {
    @Persisted var name = "default"
    @Persisted var size = 1

    required init() {
      super.init()
      name = "set while it is made"
    }
  }

  final class Nothing: Object {
    var plain = 1
  }

  private func open(_ types: Object.Type...) throws -> Store {
    try temporaryDirectory().store(named: "Models", objectTypes: types)
  }

  func testInheritedPropertiesAreStored() throws {
    let store = try open(Puppy.self, Dog.self, Animal.self)
    let puppy = Puppy()
    puppy.name = "Rex"
    puppy.breed = "mixed"
    puppy.tag = 7
    try store.write {
      try store.add(puppy)
      let dog = try store.add(Dog())
      dog.name = "Max"
      try store.add(Animal())
    }

    let read = try XCTUnwrap(store.object(ofType: Puppy.self, forPrimaryKey: 7))
    XCTAssertEqual(read.name, "Rex")
    XCTAssertEqual(read.breed, "mixed")
    XCTAssertEqual(read.legs, 4)
    XCTAssertEqual(read.weeks, 8)
    XCTAssertEqual(read.plain, 5)
    XCTAssertEqual(store.objects(Dog.self).map(\.name), ["Max"])
    XCTAssertEqual(store.objects(Animal.self).count, 1)
    XCTAssertEqual(store.objects(Puppy.self).where { $0.name == "Rex" && $0.legs == 4 }.count, 1)
    XCTAssertEqual(store.objects(Puppy.self).sorted(by: \.name).first, read)
    XCTAssertEqual(
      Set(ModelType.of(Puppy.self).columns.map(\.name)),
      ["name", "legs", "breed", "tag", "weeks"])
    XCTAssertEqual(ModelType.of(Puppy.self).problems, [])
  }

  func testModelObjectsInPlainPropertiesStayUnmanaged() throws {
    let store = try open(Puppy.self)
    let made = Puppy()
    try store.write { try store.add(made) }
    let read = try XCTUnwrap(store.objects(Puppy.self).first)

    for puppy in [made, read] {
      for helper in puppy.others + [puppy.helper] {
        XCTAssertFalse(helper.isManaged)
        XCTAssertEqual(helper.first, "first")
        XCTAssertEqual(helper.second, 2)
        XCTAssertTrue(helper.third)
        helper.second = 9
        XCTAssertEqual(helper.second, 9)
      }
      XCTAssertTrue(puppy.isManaged)
      XCTAssertEqual(puppy.weeks, 8)
      XCTAssertEqual(puppy.name, "animal")
    }
    XCTAssertEqual(made, read)
  }

  func testPropertiesMayHaveTheNamesOfMembers() throws {
    let store = try open(Awkward.self)
    let object = try store.write { try store.add(Awkward()) }
    try store.write {
      object.store = "mine"
      object.description = "a text"
      object.changes += 1
    }

    let read = try XCTUnwrap(store.objects(Awkward.self).where { $0.store == "mine" }.first)
    XCTAssertEqual(read.store, "mine")
    XCTAssertEqual(read.description, "a text")
    XCTAssertEqual(read.changes, 4)
    XCTAssertFalse(read.isInvalidated)
    XCTAssertTrue(read.makeDescription().contains("store = \"mine\""), read.makeDescription())
  }

  func testADefaultIsEvaluatedForEachNewObjectOnly() throws {
    let store = try open(Counting.self)
    let numbers = try store.write { try (0..<3).map { _ in try store.add(Counting()).number } }
    let before = Counting.next()

    XCTAssertEqual(Set(numbers).count, 3)
    XCTAssertEqual(store.objects(Counting.self).map(\.number), numbers)
    _ = store.objects(Counting.self).map(\.description)
    XCTAssertEqual(Counting.next(), before + 1)
  }

  func testWhatAnInitialiserSetsIsForNewObjects() throws {
    let store = try open(Setting.self)
    let object = try store.write { try store.add(Setting()) }
    XCTAssertEqual(object.name, "set while it is made")

    try store.write { object.name = "stored" }

    XCTAssertEqual(store.objects(Setting.self).first?.name, "stored")
    XCTAssertEqual(store.objects(Setting.self).first?.size, 1)
  }

  func testAModelWithoutStoredPropertiesHasRows() throws {
    let store = try open(Nothing.self)
    let object = try store.write { try store.add(Nothing()) }

    XCTAssertEqual(store.objects(Nothing.self).count, 1)
    XCTAssertFalse(object.isInvalidated)
    try store.write { try store.delete(object) }
    XCTAssertTrue(object.isInvalidated)
  }

  func testObjectsAreMadeOnManyThreadsAtOnce() throws {
    DispatchQueue.concurrentPerform(iterations: 16) { _ in
      for _ in 0..<50 {
        let puppy = Puppy()
        XCTAssertEqual(puppy.name, "animal")
        XCTAssertEqual(puppy.helper.second, 2)
        XCTAssertEqual(ModelType.of(Puppy.self).columns.count, 5)
      }
    }
  }

  func testKeyPathsNameTheirColumn() throws {
    let model = ModelType.of(Puppy.self)

    XCTAssertEqual(model.path(for: \Puppy.name)?.name, "name")
    XCTAssertEqual(model.path(for: \Puppy.weeks)?.name, "weeks")
    XCTAssertNil(model.path(for: \Puppy.plain))
    XCTAssertNil(model.path(for: \Puppy.name.count))
    XCTAssertNil(model.path(for: \Puppy.helper))
  }

  final class Ticket: Object {
    @Persisted var title: String
    @Persisted var note: String?
    @Persisted var rank: Int
    @Persisted var width: UInt8
    @Persisted var isOpen: Bool
    @Persisted var isUrgent: Bool
    @Persisted var due: Date?
    @Persisted private(set) var level: Int

    var shout: String { title.uppercased() }
    var trimmed: String { title.trimmingCharacters(in: .whitespacesAndNewlines) }
    var shortNote: String? { note.map { String($0.prefix(2)) } }
    var magnitude: Int { abs(rank) }
    var next: Int { rank + 1 }
    var isClosed: Bool { !isOpen }
    var matters: Bool { isUrgent || isOpen }
    var dayBefore: Date? { due?.addingTimeInterval(-86_400) }
    var heading: String {
      get { title }
      set { title = newValue }
    }
  }

  func testAPropertyThatIsComputedFromAStoredOneIsNoColumn() throws {
    let model = ModelType.of(Ticket.self)

    let computed: [AnyKeyPath] = [
      \Ticket.shout, \Ticket.trimmed, \Ticket.shortNote, \Ticket.magnitude, \Ticket.next,
      \Ticket.isClosed, \Ticket.matters, \Ticket.dayBefore,
    ]
    for path in computed { XCTAssertNil(model.path(for: path), "\(path)") }

    let stored: [AnyKeyPath] = [
      \Ticket.title, \Ticket.note, \Ticket.rank, \Ticket.width, \Ticket.isOpen, \Ticket.isUrgent,
      \Ticket.due, \Ticket.level,
    ]
    XCTAssertEqual(stored.compactMap { model.path(for: $0)?.name }, model.declared.map(\.name))
    // Another name for a stored property means the same.
    XCTAssertEqual(model.path(for: \Ticket.heading)?.name, "title")
  }
}
