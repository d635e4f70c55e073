import Leyden
import LeydenTesting
import XCTest

/// What was added leads to others through the store, and keeps neither them nor the store.
final class ReleasedGraphTests: GraphTestCase {
  func testObjectsInACircleThatWereAddedAreFreedWithTheirStore() throws {
    weak var session: AnyObject?
    weak var first: Person?
    weak var sheet: Sheet?
    try {
      let store = try anotherStore()
      let people = [Person("a"), Person("b")]
      people[0].best = people[1]
      people[1].best = people[0]
      let added = Sheet("s")
      added.owner = people[0]
      added.labels.append(Label("l"))
      try store.write { try store.add(added) }
      (session, first, sheet) = (store.session, people[0], added)
    }()
    XCTAssertNil(first)
    XCTAssertNil(sheet)
    XCTAssertNil(session)
  }

  func testObjectsOfAWriteThatWasRolledBackAreFreedWithTheirStore() throws {
    weak var session: AnyObject?
    weak var first: Person?
    try {
      let store = try anotherStore()
      let people = [Person("a"), Person("b")]
      people[0].best = people[1]
      people[1].best = people[0]
      try store.beginWrite()
      try store.add(people[0])
      try store.cancelWrite()
      (session, first) = (store.session, people[0])
    }()
    XCTAssertNil(first)
    XCTAssertNil(session)
  }
}
