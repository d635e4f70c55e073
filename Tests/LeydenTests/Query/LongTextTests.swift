import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Texts longer than a key can be: found exactly, in the right order, and never by a part of them.
final class LongTextTests: XCTestCase {
  private final class Page: Object {
    @Persisted(primaryKey: true) var key: String
    @Persisted var plain: String = ""
    @Persisted(indexed: true) var indexed: String = ""
    @Persisted(unique: true) var unique: String = ""

    convenience init(_ text: String) {
      self.init()
      key = text
      set(text)
    }

    func set(_ text: String) { (plain, indexed, unique) = (text, text, text) }
  }

  private static var ways: [(name: String, path: KeyPath<Page, String>)] {
    [
      ("key", \Page.key), ("plain", \Page.plain), ("indexed", \Page.indexed),
      ("unique", \Page.unique),
    ]
  }

  private static let texts: [String] = {
    let lengths = [
      1, 200, 229, 230, 235, 236, 237, 238, 239, 240, 252, 253, 254, 255, 256, 257, 510, 511, 512,
      513, 600, 1_900, 2_000, 70_000,
    ]
    let twin = String(repeating: "t", count: 2_999)
    return lengths.map { String(repeating: "k", count: $0) }
      + [
        twin + "a", twin + "b", String(repeating: "🦉", count: 400),
        "k" + String(repeating: "\0", count: 300),
      ]
  }()

  private func filled(_ directory: TemporaryDirectory) throws -> Store {
    let store = try directory.store(objectTypes: [Page.self])
    var random = SeededGenerator(seed: 3)
    try store.write { try store.add(Self.texts.shuffled(using: &random).map { Page($0) }) }
    return store
  }

  private func explained(_ text: String) -> String { "\(text.count) × \(text.prefix(1))" }

  func testEachIsFoundByItsWholeText() throws {
    let directory = try TemporaryDirectory()
    try filled(directory).close()
    let store = try directory.store(objectTypes: [Page.self])
    let pages = store.objects(Page.self)

    for text in Self.texts {
      XCTAssertEqual(
        store.object(ofType: Page.self, forPrimaryKey: text)?.plain, text, explained(text))
      XCTAssertNil(store.object(ofType: Page.self, forPrimaryKey: text + "?"), explained(text))
      for (name, path) in Self.ways {
        let context = "\(name), \(explained(text))"
        let found = pages.where { $0[dynamicMember: path] == text }
        XCTAssertEqual(found.map(\.plain), [text], context)
        XCTAssertEqual(pages.where { $0[dynamicMember: path] == text + "?" }.count, 0, context)
        XCTAssertEqual(
          pages.where { $0[dynamicMember: path] < text }.count,
          Self.texts.filter { $0 < text }.count, context)
        XCTAssertEqual(
          pages.where { $0[dynamicMember: path] >= text }.count,
          Self.texts.filter { $0 >= text }.count, context)
        XCTAssertEqual(
          pages.where { $0[dynamicMember: path].in([text, "?", text + "?"]) }.count, 1, context)
      }
    }
    for path in ["indexed", "unique", "key"] {
      let text = Self.texts[Self.texts.count - 4]
      let explanation =
        switch path {
        case "indexed": pages.where { $0.indexed == text }.explain()
        case "unique": pages.where { $0.unique == text }.explain()
        default: pages.where { $0.key == text }.explain()
        }
      XCTAssertTrue(explanation.contains("from the index: \(path)"), explanation)
    }
  }

  func testTheirBeginningsAndTheirOrderAreThoseOfTheWholeTexts() throws {
    let pages = try filled(try TemporaryDirectory()).objects(Page.self)

    for (name, path) in Self.ways {
      XCTAssertEqual(pages.sorted(by: path).map(\.plain), Self.texts.sorted(), name)
      XCTAssertEqual(
        pages.sorted(by: path, ascending: false).map(\.plain), Self.texts.sorted(by: >), name)
      for length in [1, 230, 255, 256, 511, 512, 600, 2_999, 70_000] {
        for letter in ["k", "t", "🦉", "k\0"] {
          let start = String(repeating: letter, count: length)
          XCTAssertEqual(
            pages.where { $0[dynamicMember: path].starts(with: start) }.sorted(by: path)
              .map(\.plain),
            Self.texts.filter { $0.hasPrefix(start) }.sorted(), "\(name), \(explained(start))")
        }
      }
    }
  }

  func testATrueCopyIsRefusedAndNothingElse() throws {
    let store = try filled(try TemporaryDirectory())
    for text in Self.texts {
      let copy = Page(text)
      copy.key = text + "!"
      XCTAssertThrowsError(try store.write { try store.add(copy) }, explained(text)) { error in
        guard case StoreError.uniqueViolation(let what) = error else { return XCTFail("\(error)") }
        XCTAssertTrue(what.contains("Page.unique"), what)
        XCTAssertLessThan(what.utf8.count, 2_000)
      }
      XCTAssertThrowsError(try store.write { try store.add(Page(text)) }) { error in
        guard case StoreError.duplicatePrimaryKey(let type, let key) = error else {
          return XCTFail("\(error)")
        }
        XCTAssertEqual(type, "Page")
        XCTAssertLessThan(key.utf8.count, 2_000)
      }
    }
    XCTAssertEqual(store.objects(Page.self).count, Self.texts.count)
  }

  func testTheyAreChangedAndDeletedWithAllTheirEntries() throws {
    let store = try filled(try TemporaryDirectory())
    let pages = store.objects(Page.self)
    for text in Self.texts {
      let page = try XCTUnwrap(store.object(ofType: Page.self, forPrimaryKey: text))
      try store.write { page.set("x" + text) }
      for (name, path) in Self.ways where name != "key" {
        XCTAssertEqual(pages.where { $0[dynamicMember: path] == text }.count, 0, name)
        XCTAssertEqual(
          pages.where { $0[dynamicMember: path] == "x" + text }.map(\.key), [text], name)
      }
      try store.write { try store.delete(page) }
      XCTAssertEqual(pages.where { $0.indexed == "x" + text }.count, 0)
      XCTAssertNil(store.object(ofType: Page.self, forPrimaryKey: text))
      try store.write { try store.add(Page(text)) }
      XCTAssertEqual(pages.where { $0.unique == text }.count, 1)
    }
    try store.write { try store.deleteAll() }
    XCTAssertEqual(pages.where { $0.indexed >= "" }.count, 0)
    XCTAssertEqual(pages.sorted(by: \.unique).count, 0)
  }
}
