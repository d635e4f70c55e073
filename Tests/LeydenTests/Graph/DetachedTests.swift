import Leyden
import TestSupport
import LeydenTesting
import XCTest

final class DetachedTests: EmbeddedTestCase {
  func testCyclesAndSharedObjectsStayWhatTheyAre() throws {
    let (ann, bob) = (Person("Ann", age: 3), Person("Bob"))
    ann.best = bob
    bob.best = ann
    let (store, folder) = try folder {
      $0.people.append(contentsOf: [ann, bob, ann])
      $0.place = Place("x")
      $0.place?.host = ann
      $0.place?.visits.append(1)
      $0.place?.rooms.append(Room("hall"))
      $0.place?.rooms[0].owner = bob
      $0.byName["k"] = Place("y")
      $0.answers.append(contentsOf: [.object(bob), .int(1)])
      $0.next = $0
    }
    for source in [folder, Folder(value: folder)] {
      let copy = source.detached()
      XCTAssertFalse(copy.isManaged)
      XCTAssertTrue(copy.next === copy)
      XCTAssertEqual(copy.people.map(\.name), ["Ann", "Bob", "Ann"])
      XCTAssertTrue(copy.people[0] === copy.people[2])
      XCTAssertTrue(copy.people[0].best === copy.people[1])
      XCTAssertTrue(copy.people[1].best === copy.people[0])
      XCTAssertTrue(copy.place?.host === copy.people[0])
      XCTAssertTrue(copy.place?.rooms[0].owner === copy.people[1])
      XCTAssertEqual(copy.place.map { Array($0.visits) }, [1])
      XCTAssertEqual(copy.byName["k"]??.street, "y")
      XCTAssertEqual(Array(copy.answers), [.object(copy.people[1]), .int(1)])
      copy.title = "changed"
      copy.people[0].age = 4
    }
    XCTAssertEqual(folder.title, "")
    XCTAssertEqual(ann.age, 3)
    let copy = folder.detached()
    copy.name = "b"
    copy.next = nil
    try store.write { try store.add(copy, update: .modified) }
    XCTAssertEqual(store.objects(Folder.self).count, 2)
    XCTAssertEqual(store.objects(Person.self).count, 2)
  }

  func testDepthIsThatOfTheShortestWay() throws {
    let people = (0..<6).map { Person("\($0)") }
    for number in 0..<5 { people[number].best = people[number + 1] }
    let (_, folder) = try folder {
      $0.people.append(people[0])
      $0.place = Place("x")
      $0.place?.host = people[2]
    }
    XCTAssertEqual(folder.detached(maximumDepth: 0).people.count, 0)
    XCTAssertEqual(folder.detached(maximumDepth: 0).place?.street, "x")
    XCTAssertNil(folder.detached(maximumDepth: 0).place?.host)
    let copy = folder.detached(maximumDepth: 2)
    XCTAssertEqual(copy.people.map(\.name), ["0"])
    XCTAssertEqual(copy.people[0].best?.name, "1")
    XCTAssertTrue(copy.people[0].best?.best === copy.place?.host)
    XCTAssertEqual(copy.place?.host?.best?.name, "3")
    XCTAssertNil(copy.place?.host?.best?.best)
  }

  func testALongChainIsLetGoOf() throws {
    let store = try store()
    let first = try store.write { try store.add(Person("0")) }
    for ways in 0..<2 {
      weak var end: Person?
      do {
        var head = ways == 0 ? Person("1") : first.detached()
        end = head
        for number in 2..<100_000 {
          let next = Person("\(number)")
          next.best = head
          head = next
        }
        XCTAssertNotNil(end)
        XCTAssertEqual(head.detached().best?.name, head.best?.name)
      }
      XCTAssertNil(end)
    }
  }

  func testALongChainThroughCollectionsIsLetGoOf() throws {
    let store = try temporaryDirectory().store(objectTypes: [Link.self])
    let ways: [(Link, Link) -> Void] = [
      { $0.link = $1 }, { $0.value = .object($1) }, { $0.list.append($1) },
      { $0.values.append(.object($1)) }, { $0.set.insert($1) }, { $0.map["next"] = $1 },
      { $0.clasp = Clasp(to: $1) }, { $0.clasps.append(Clasp(to: $1)) },
    ]
    for through in ways {
      weak var end: Link?
      do {
        var head = Link()
        end = head
        for _ in 1..<testScale(20_000) {
          let next = Link()
          through(next, head)
          head = next
        }
        XCTAssertNotNil(end)
      }
      XCTAssertNil(end)
    }
    store.close()
  }

  func testWhatOthersHoldOfAChainStaysAsItWas() throws {
    _ = try store()
    let (kept, last) = (Person("kept"), Person("last"))
    kept.best = last
    do {
      let (first, folder) = (Person("first"), Folder("f"))
      first.best = kept
      folder.answer = .object(first)
      folder.people.append(first)
      folder.place = Place("p")
      folder.place?.host = first
    }
    XCTAssertTrue(kept.best === last)
    XCTAssertEqual(kept.best?.name, "last")

    let (held, end) = (Link(), Link())
    held.list.append(end)
    let list: List<Link>
    do {
      let first = Link()
      list = first.list
      first.list.append(held)
      first.set.insert(held)
    }
    XCTAssertTrue(list.first === held)
    XCTAssertTrue(held.list.first === end)
  }

  func testLongChainsAndEmbeddedObjects() throws {
    let first = Person("0")
    var last = first
    for number in 1..<20_000 {
      last.best = Person("\(number)")
      last = last.best ?? last
    }
    var count = 0
    var person: Person? = first.detached()
    while let next = person {
      count += 1
      person = next.best
    }
    XCTAssertEqual(count, 20_000)
    let (_, folder) = try folder { $0.place = Place("x") }
    let place = try XCTUnwrap(folder.place?.detached())
    place.street = "y"
    XCTAssertEqual(folder.place?.street, "x")
  }
}

extension Folder {
  /// An unmanaged folder that holds what another one holds.
  fileprivate convenience init(value folder: Folder) {
    self.init()
    let copy = folder.detached()
    for property in folder.objectSchema.properties { self[property.name] = copy[property.name] }
    next = self
  }
}

/// An object that leads to others of its type in every way.
private final class Link: Object {
  @Persisted var link: Link?
  @Persisted var value: AnyValue
  @Persisted var list: List<Link>
  @Persisted var values: List<AnyValue>
  @Persisted var set: MutableSet<Link>
  @Persisted var map: Map<String, Link?>
  @Persisted var clasp: Clasp?
  @Persisted var clasps: List<Clasp>
}

/// An embedded object that leads to one.
private final class Clasp: EmbeddedObject {
  @Persisted var links: List<Link>

  convenience init(to link: Link) {
    self.init()
    links.append(link)
  }
}
