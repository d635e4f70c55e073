import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ReadOnlyStoreTests: StoreTestCase {
  private func reader(_ types: [Object.Type] = [Card.self, Item.self]) throws -> Store {
    var configuration = try temporaryDirectory().configuration(objectTypes: types)
    configuration.readOnly = true
    return try Store(configuration: configuration)
  }

  func testAReaderChangesNothingOnDisk() throws {
    do {
      let store = try store()
      try store.write { try store.add(Card("a", title: "there")) }
      closeStore()
    }
    let url = try temporaryDirectory().url
    let before = DirectoryContents(of: url)

    let reader = try reader()
    let recorder = ChangeRecorder(reader.objects(Card.self), reading: \.value)
    XCTAssertEqual(recorder.values.map(\.title), ["there"])
    XCTAssertEqual(reader.object(ofType: Card.self, forPrimaryKey: "a")?.title, "there")
    assertThrows(.readOnly) { try reader.write {} }
    assertThrows(.readOnly) { try reader.beginWrite() }
    assertThrows(.notInWriteTransaction) { try reader.add(Card("b")) }
    XCTAssertFalse(reader.refresh())

    let after = DirectoryContents(of: url)
    XCTAssertEqual(Set(after.files.keys), Set(before.files.keys))
    XCTAssertTrue(after.files["Test.leyden/data.mdb"] == before.files["Test.leyden/data.mdb"])
  }

  func testAReaderHearsOfWriters() throws {
    let store = try store()
    let reader = try reader()
    let recorder = ChangeRecorder(reader.objects(Card.self), reading: \.value)

    try store.write { try store.add(Card("a")) }

    XCTAssertTrue(reader.waitForChanges(timeout: .seconds(10)))
    XCTAssertEqual(recorder.changes, ["-[] +[0] ~[]"])
    assertThrows(.readOnly) { try reader.write {} }
  }

  func testATypeThatTheFileDoesNotHaveIsEmptyUntilItDoes() throws {
    let cards = try temporaryDirectory().store(objectTypes: [Card.self])
    try cards.write { try cards.add(Card("a")) }
    let reader = try reader()
    let recorder = ChangeRecorder(reader.objects(Item.self).sorted(by: \.value)) { $0.value }
    XCTAssertEqual(reader.objects(Item.self).count, 0)
    XCTAssertEqual(Array(reader.objects(Item.self)).count, 0)

    let store = try store()
    try store.write { try store.add(Item(5)) }
    reader.refresh()

    XCTAssertEqual(reader.objects(Item.self).map(\.value), [5])
    XCTAssertEqual(recorder.values, [5])
    XCTAssertEqual(recorder.violations, [])
  }

  func testAKeyIsFoundInATypeThatCameLater() throws {
    let items = try temporaryDirectory().store(objectTypes: [Item.self])
    try items.write { try items.add(Item(1)) }
    let reader = try reader()
    XCTAssertNil(reader.object(ofType: Card.self, forPrimaryKey: "a"))

    let store = try store()
    try store.write { try store.add(Card("a", title: "late")) }

    XCTAssertEqual(reader.object(ofType: Card.self, forPrimaryKey: "a")?.title, "late")
  }

  func testAPropertyThatTheFileDoesNotHaveReadsAsItsDefault() throws {
    enum Old {
      final class Growing: Object { @Persisted var name = "" }
    }
    enum New {
      final class Growing: Object {
        @Persisted var stars = 3
        @Persisted var name = ""
        @Persisted var note: String? = "none"
      }
    }
    let old = try temporaryDirectory().store(objectTypes: [Old.Growing.self])
    try old.write { try old.add(Old.Growing()).name = "first" }
    let reader = try reader([New.Growing.self])

    let object = try XCTUnwrap(reader.objects(New.Growing.self).first)
    XCTAssertEqual(object.name, "first")
    XCTAssertEqual(object.stars, 3)
    XCTAssertEqual(object.note, "none")
    XCTAssertEqual(reader.objects(New.Growing.self).where { $0.stars == 3 }.count, 1)
    XCTAssertEqual(reader.objects(New.Growing.self).sorted(by: \.stars).count, 1)
  }
}
