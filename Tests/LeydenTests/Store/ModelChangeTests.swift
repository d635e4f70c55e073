import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// The same type in other versions: what opens by itself, and what needs a migration.
final class ModelChangeTests: StoreTestCase {
  private enum First {
    final class Note: Object {
      @Persisted(primaryKey: true) var identifier: String
      @Persisted var title = ""
      @Persisted var nick: String?
      @Persisted var count = 0
    }
  }

  private enum Wrong {
    final class Note: Object {
      @Persisted(primaryKey: true) var identifier: String
      @Persisted var title = 0
      @Persisted var nick = ""
      @Persisted var count = 0
    }
  }

  private enum Keyless {
    final class Note: Object {
      @Persisted var identifier: String
    }
  }

  private enum Larger {
    final class Note: Object {
      @Persisted var stars = 3
      @Persisted(primaryKey: true) var identifier: String
      @Persisted var stamp = UUID().uuidString
      @Persisted var count: Int?
      @Persisted var nick: String?
      @Persisted var title = ""
    }
  }

  private enum Smaller {
    final class Note: Object {
      @Persisted(primaryKey: true) var identifier: String
      @Persisted var title = ""
    }
  }

  private func open(_ types: Object.Type...) throws -> Store {
    try temporaryDirectory().store(objectTypes: types)
  }

  private func fill() throws {
    let store = try open(First.Note.self)
    try store.write {
      for (name, nick) in [("a", "Joan"), ("b", nil), ("c", "")] as [(String, String?)] {
        let note = First.Note()
        note.identifier = name
        note.title = name.uppercased()
        note.nick = nick
        note.count = 1
        try store.add(note)
      }
    }
    store.close()
  }

  private func assertAsBefore() throws {
    let store = try open(First.Note.self)
    XCTAssertEqual(store.objects(First.Note.self).map(\.title), ["A", "B", "C"])
    XCTAssertEqual(store.objects(First.Note.self).map(\.nick), ["Joan", nil, ""])
  }

  func testOtherTypesOfPropertiesAreNamed() throws {
    try fill()

    XCTAssertThrowsError(try open(Wrong.Note.self)) { error in
      guard case StoreError.schemaMismatch(let differences) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(differences.map(\.typeName), ["Note", "Note"])
      XCTAssertEqual(Set(differences.map(\.propertyName)), ["title", "nick"])
      let text = (error as? StoreError)?.description ?? ""
      XCTAssertTrue(text.contains("Note.title is string in the store and int in the model"), text)
      XCTAssertTrue(text.contains("schemaVersion"), text)
    }
    try assertAsBefore()
  }

  func testAnotherPrimaryKeyIsNamed() throws {
    try fill()

    XCTAssertThrowsError(try open(Keyless.Note.self)) { error in
      guard case StoreError.schemaMismatch(let differences) = error else {
        return XCTFail("\(error)")
      }
      XCTAssertEqual(differences.map(\.propertyName), ["identifier"])
    }
    try assertAsBefore()
  }

  func testNewPropertiesHaveTheirDefaultInOldRows() throws {
    try fill()

    var store = try open(Larger.Note.self)
    let notes = store.objects(Larger.Note.self)
    XCTAssertEqual(notes.map(\.title), ["A", "B", "C"])
    XCTAssertEqual(notes.map(\.nick), ["Joan", nil, ""])
    XCTAssertEqual(notes.map(\.stars), [3, 3, 3])
    XCTAssertEqual(notes.map(\.count), [1, 1, 1])
    XCTAssertEqual(notes.where { $0.stars == 3 }.count, 3)
    let stamps = Set(notes.map(\.stamp))
    XCTAssertEqual(stamps.count, 1)
    store.close()
    store = try open(Larger.Note.self)
    XCTAssertEqual(Set(store.objects(Larger.Note.self).map(\.stamp)), stamps)
    try store.write { try XCTUnwrap(store.objects(Larger.Note.self).first).stars = 4 }
    XCTAssertEqual(store.objects(Larger.Note.self).map(\.stars), [4, 3, 3])
    XCTAssertEqual(Set(store.objects(Larger.Note.self).map(\.stamp)), stamps)
  }

  func testAModelWithLessKeepsWhatItDoesNotName() throws {
    try fill()
    let store = try open(Smaller.Note.self)

    try store.write {
      let note = try XCTUnwrap(store.object(ofType: Smaller.Note.self, forPrimaryKey: "a"))
      note.title = "A!"
      let new = Smaller.Note()
      new.identifier = "d"
      new.title = "D"
      try store.add(new)
    }
    store.close()

    let whole = try open(First.Note.self)
    XCTAssertEqual(whole.objects(First.Note.self).map(\.title), ["A!", "B", "C", "D"])
    XCTAssertEqual(whole.objects(First.Note.self).map(\.nick), ["Joan", nil, "", nil])
    XCTAssertEqual(whole.objects(First.Note.self).map(\.count), [1, 1, 1, 0])
  }

  func testAnOlderAndANewerModelTakeTurnsOnOneStore() throws {
    try fill()
    let old = try open(Smaller.Note.self)
    let recorder = ChangeRecorder(old.objects(Smaller.Note.self).sorted(by: \.title)) { $0.title }
    let new = try open(Larger.Note.self)
    let observed = ChangeRecorder(new.objects(Larger.Note.self).where { $0.stars > 3 }) { $0.title }

    try new.write { try XCTUnwrap(new.objects(Larger.Note.self).first).stars = 9 }
    old.refresh()
    try old.write { try XCTUnwrap(old.objects(Smaller.Note.self).first).title = "Z" }
    new.refresh()
    try old.write { try old.delete(try XCTUnwrap(old.objects(Smaller.Note.self).last)) }
    new.refresh()

    XCTAssertEqual(recorder.values, ["B", "Z"])
    XCTAssertEqual(observed.values, ["Z"])
    XCTAssertEqual(new.objects(Larger.Note.self).map(\.stars), [9, 3])
    XCTAssertEqual(observed.violations, [])
  }

  func testModelsThatCannotBeStoredAreRefused() throws {
    final class TwoKeys: Object {
      @Persisted(primaryKey: true) var a: String
      @Persisted(primaryKey: true) var b: String
    }
    final class OptionalKey: Object {
      @Persisted(primaryKey: true) var a: String?
    }
    final class RealKey: Object {
      @Persisted(primaryKey: true) var a: Double
    }
    for (type, word) in [
      (TwoKeys.self, "primary key"), (OptionalKey.self, "a"), (RealKey.self, "a"),
    ] as [(Object.Type, String)] {
      XCTAssertThrowsError(try open(type)) { error in
        guard case StoreError.unsupported(let what) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(what.contains("\(type)"), what)
        XCTAssertTrue(what.contains(word), what)
      }
    }
    XCTAssertThrowsError(try open(First.Note.self, Smaller.Note.self)) { error in
      guard case StoreError.unsupported = error else { return XCTFail("\(error)") }
    }
    let url = try temporaryDirectory().url.appendingPathComponent("Test.leyden")
    XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
  }
}
