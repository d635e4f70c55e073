import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class IndexWriterTests: XCTestCase {
  final class Member: Object {
    @Persisted(primaryKey: true) var identifier: Int
    @Persisted(unique: true) var email: String?
    @Persisted var first: String = ""
    @Persisted var last: String = ""

    override class var indexes: [CompoundIndex] {
      [CompoundIndex("first", "last", unique: true)]
    }

    convenience init(_ identifier: Int, email: String?) {
      self.init()
      self.identifier = identifier
      self.email = email
      first = "\(identifier)"
    }
  }

  /// Models of one name: an older program's, and a newer one's with indexes.
  enum Older {
    final class Thing: Object {
      @Persisted var code: String = ""
      @Persisted var size: Int = 0
    }
  }

  enum Newer {
    final class Thing: Object {
      @Persisted(indexed: true) var code: String = ""
      @Persisted(unique: true) var size: Int = 0
    }
  }

  private func store() throws -> Store {
    let store = try TemporaryDirectory().store(objectTypes: [Member.self])
    try store.write {
      try store.add([Member(1, email: "a"), Member(2, email: "b"), Member(3, email: nil)])
    }
    return store
  }

  private func assertViolation(
    _ store: Store, line: UInt = #line, _ body: () throws -> Void
  ) {
    let version = store.version
    XCTAssertThrowsError(try store.write(body), line: line) { error in
      guard case StoreError.uniqueViolation = error else {
        return XCTFail("\(error)", line: line)
      }
    }
    XCTAssertEqual(store.version, version, line: line)
  }

  func testTwoObjectsMayNotHaveTheSameUniqueValueAtTheEndOfAWrite() throws {
    let store = try store()

    assertViolation(store) { try store.add(Member(4, email: "a")) }
    assertViolation(store) { store.objects(Member.self)[0].email = "b" }

    XCTAssertEqual(store.objects(Member.self).map(\.email), ["a", "b", nil])
  }

  func testTwoObjectsMaySwapUniqueValuesWithinAWrite() throws {
    let store = try store()
    let members = Array(store.objects(Member.self))

    try store.write {
      members[0].email = "b"
      XCTAssertEqual(store.objects(Member.self).where { $0.email == "b" }.count, 2)
      members[1].email = "a"
    }

    XCTAssertEqual(members.map(\.email), ["b", "a", nil])
  }

  func testNilConflictsWithNothing() throws {
    let store = try store()

    try store.write { try store.add(Member(4, email: nil)) }

    XCTAssertEqual(store.objects(Member.self).where { $0.email == nil }.count, 2)
  }

  func testAUniqueIndexOverSeveralPropertiesComparesAllOfThem() throws {
    let store = try store()
    let members = Array(store.objects(Member.self))

    try store.write {
      members[1].first = members[0].first; members[1].last = "x"
    }
    assertViolation(store) { members[0].last = "x" }
  }

  func testLongUniqueValuesAreComparedToTheirEnd() throws {
    let store = try store()
    let stem = String(repeating: "0123456789", count: 300)

    try store.write {
      try store.add(Member(4, email: stem + "a"))
      try store.add(Member(5, email: stem + "b"))
    }
    assertViolation(store) { try store.add(Member(6, email: stem + "b")) }

    XCTAssertEqual(
      store.objects(Member.self).where { $0.email == stem + "b" }.map(\.identifier), [5])
    XCTAssertEqual(
      store.objects(Member.self).where { $0.email.starts(with: stem) }.sorted(by: \.email)
        .map(\.identifier), [4, 5])
  }

  func testAnIndexIsBuiltOnExistingRowsAndMaintainedByAProgramThatDoesNotNameIt() throws {
    let directory = try TemporaryDirectory()
    do {
      let older = try directory.store(objectTypes: [Older.Thing.self])
      try older.write {
        for number in 0..<500 {
          let thing = Older.Thing()
          thing.code = "\(number % 10)"
          thing.size = number
          try older.add(thing)
        }
      }
    }

    let newer = try directory.store(objectTypes: [Newer.Thing.self])
    let sevens = newer.objects(Newer.Thing.self).where { $0.code == "7" }
    XCTAssertTrue(sevens.explain().hasPrefix("50 rows from the index"), sevens.explain())
    XCTAssertEqual(sevens.count, 50)

    let older = try directory.store(objectTypes: [Older.Thing.self])
    try older.write { older.objects(Older.Thing.self)[0].code = "7" }
    XCTAssertEqual(sevens.count, 51)
    XCTAssertThrowsError(
      try older.write { older.objects(Older.Thing.self)[0].size = 3 }, "a hidden index is kept too")
  }

  func testAUniqueIndexIsNotBuiltOnValuesThatAreNot() throws {
    let directory = try TemporaryDirectory()
    let older = try directory.store(objectTypes: [Older.Thing.self])
    try older.write { try older.add([Older.Thing(), Older.Thing()]) }

    XCTAssertThrowsError(try directory.store(objectTypes: [Newer.Thing.self])) { error in
      guard case StoreError.uniqueViolation = error else { return XCTFail("\(error)") }
    }

    XCTAssertEqual(older.objects(Older.Thing.self).count, 2)
    try older.write { try older.add(Older.Thing()) }
  }
}
