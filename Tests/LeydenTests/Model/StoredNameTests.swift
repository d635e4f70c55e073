import Foundation
import Leyden
import LeydenTesting
import XCTest

private final class Letter: Object {
  override class var storedName: String { "Brief" }
  @Persisted(primaryKey: true) var number: Int16
  @Persisted var text = ""
}

private enum Old {
  final class Brief: Object { @Persisted(primaryKey: true) var number: Int16 }
  final class Nameless: Object {
    override class var storedName: String { "" }
    @Persisted var number: Int
  }
}

private enum New {
  final class Brief: Object { @Persisted(primaryKey: true) var number: Int16 }
}

private class Base: Object {
  override class var storedName: String { "Base" }
  @Persisted var number: Int
}

private final class Derived: Base {}

final class StoredNameTests: XCTestCase {
  private func assertRefused(_ types: [Object.Type], _ reason: String, line: UInt = #line) throws {
    let directory = try TemporaryDirectory()
    XCTAssertThrowsError(try directory.store(objectTypes: types), line: line) { error in
      XCTAssertEqual(error as? StoreError, .unsupported(reason), line: line)
    }
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: directory.url.path), [], line: line)
  }

  func testAClassIsStoredUnderItsNameWithoutTheModule() {
    XCTAssertEqual(Old.Brief.storedName, "Brief")
    XCTAssertEqual(Holder<Int8>.storedName, "Holder<Int8>")
    XCTAssertEqual(Letter.storedName, "Brief")
  }

  func testTheFileTheSchemaAndTheErrorsSayTheStoredName() throws {
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Letter.self])
    let letter = Letter()
    letter.number = 7

    try store.write { try store.add(letter) }

    XCTAssertEqual(letter.objectSchema.name, "Brief")
    XCTAssertEqual(letter.description, #"Brief { number = 7; text = "" }"#)
    let twin = Letter()
    twin.number = 7
    XCTAssertThrowsError(try store.write { try store.add(twin) }) { error in
      XCTAssertEqual(error as? StoreError, .duplicatePrimaryKey(type: "Brief", key: "7"))
    }
    let other = try directory.store(objectTypes: [Old.Brief.self])
    XCTAssertEqual(other.objects(Old.Brief.self).map(\.number), [7])
  }

  func testTwoModelsOfOneStoredNameAreRefused() throws {
    try assertRefused(
      [Old.Brief.self, New.Brief.self], "two models named Brief in one store: Brief and Brief")
    try assertRefused(
      [Letter.self, New.Brief.self], "two models named Brief in one store: Brief and Letter")
    try assertRefused(
      [Base.self, Derived.self], "two models named Base in one store: Derived and Base")
  }

  func testAModelThatIsListedTwiceIsOne() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Letter.self, Letter.self])

    XCTAssertEqual(store.objects(Letter.self).count, 0)
  }

  func testAnEmptyNameIsRefused() throws {
    try assertRefused([Old.Nameless.self], "Nameless: its stored name is empty")
  }
}
