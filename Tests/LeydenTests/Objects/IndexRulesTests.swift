import Foundation
import LeydenStorage
import LeydenTesting
import XCTest

@testable import Leyden

/// Indexes whose keys were made by the text rules of another program.
final class IndexRulesTests: XCTestCase {
  final class Note: Object {
    @Persisted(index: .caseInsensitive) var title: String = ""

    convenience init(_ title: String) {
      self.init()
      self.title = title
    }
  }

  enum Newer {
    final class Note: Object {
      @Persisted(indexed: true, index: .caseInsensitive) var title: String = ""
      @Persisted(index: .caseInsensitive) var subtitle: String = "Nothing"
    }
  }

  final class Other: Object {
    @Persisted var rank: Int
  }

  private var directory: TemporaryDirectory?

  override func setUpWithError() throws {
    directory = try TemporaryDirectory()
    let store = try store(Note.self)
    try store.write { try store.add([Note("Straße"), Note("STRASSE"), Note("Weg")]) }
    store.close()
  }

  override func tearDown() { directory = nil }

  private func store(_ types: Object.Type..., readOnly: Bool = false) throws -> Store {
    var configuration = try XCTUnwrap(directory).configuration(objectTypes: types)
    configuration.readOnly = readOnly
    return try Store(configuration: configuration)
  }

  private func environment() throws -> Environment {
    let url = try XCTUnwrap(directory).url.appendingPathComponent("Test.leyden")
    return try Environment.open(
      at: url.path, options: Environment.Options(durability: .unsafe))
  }

  /// The only index's entry in the catalog, and the keys in its table.
  private func index() throws -> (stored: Catalog.StoredIndex, keys: [[UInt8]]) {
    let environment = try environment()
    let read = try environment.beginRead()
    defer { read.end() }
    let type = try XCTUnwrap(Catalog.read(in: read).type(named: "Note"))
    let stored = try XCTUnwrap(type.indexes.first)
    var keys: [[UInt8]] = []
    var cursor = try read.cursor(in: try XCTUnwrap(read.table(named: stored.tableName)))
    while try cursor.next() { unsafe keys.append(Array(cursor.key)) }
    return (stored, keys)
  }

  /// Makes the index one of other rules, by which nothing is where this program looks for it.
  private func age(to rules: Int64?) throws {
    let environment = try environment()
    let write = try environment.beginWrite()
    let catalog = try Catalog.read(in: write)
    let type = try XCTUnwrap(catalog.type(named: "Note"))
    let index = try XCTUnwrap(type.indexes.first)
    let record = MutableRecord(heapSlots: CatalogEntry.heapSlots(.index))
    typealias Slot = CatalogEntry.IndexSlot
    record.set(UInt64(type.id), in: Slot.type.rawValue)
    record.set(UInt64(index.kind.rawValue), in: Slot.kind.rawValue)
    record.set(0, in: Slot.flags.rawValue)
    unsafe try CatalogEntry.bytes(of: index.fields).withUnsafeBytes {
      unsafe try record.set($0, in: Slot.fields.rawValue)
    }
    if let rules { record.set(UInt64(rules), in: Slot.textRules.rawValue) }
    let bytes = unsafe record.finish(
      layout: 5, type: CatalogEntry.checksumType(.index), row: UInt64(index.id), version: 0)
    let table = try XCTUnwrap(write.table(named: CatalogEntry.table))
    unsafe try CatalogEntry.key(.index, id: index.id).withUnsafeBytes {
      unsafe try write.put(bytes, for: $0, in: table)
    }
    try write.removeAll(in: try XCTUnwrap(write.table(named: index.tableName)))
    let meta = try XCTUnwrap(write.table(named: MetaEntry.table))
    try MetaEntry.set(MetaEntry.generation, to: catalog.generation + 1, in: meta, write)
    try write.commit()
  }

  private func streets(_ store: Store) -> Results<Note> {
    store.objects(Note.self).where { $0.title.equals("straSSe", options: .caseInsensitive) }
  }

  private func key(_ folded: String, _ row: UInt8) -> [UInt8] {
    [1] + Array(folded.utf8) + [0, 1, 0, 0, 0, 0, 0, 0, 0, row]
  }

  func testTheIndexHasTheKeysThatThePaperDraws() throws {
    let index = try index()

    XCTAssertEqual(index.stored.kind.rawValue, 3)
    XCTAssertEqual(index.stored.textRules, 17)
    XCTAssertEqual(index.keys, [key("strasse", 1), key("strasse", 2), key("weg", 3)])
  }

  func testAnIndexOfOtherRulesIsNotAskedAndIsBuiltAgainByTheFirstWrite() throws {
    for rules in [16, 18, nil] as [Int64?] {
      try age(to: rules)
      let reader = try store(Note.self, readOnly: true)
      XCTAssertEqual(streets(reader).explain(), "all 3 rows of Note, each tested")
      XCTAssertEqual(streets(reader).count, 2)
      reader.close()
      let store = try store(Note.self)
      XCTAssertEqual(streets(store).count, 2)
      XCTAssertEqual(try index().keys, [], "opening a store writes nothing")
      try store.verify()

      try store.beginWrite()
      XCTAssertEqual(streets(store).count, 2)
      try store.cancelWrite()
      XCTAssertEqual(try index().keys, [], "what is rolled back is not there")
      try store.write { streets(store).first?.title = "Gasse" }

      XCTAssertEqual(try index().stored.textRules, 17)
      XCTAssertEqual(try index().keys, [key("gasse", 1), key("strasse", 2), key("weg", 3)])
      XCTAssertEqual(streets(store).count, 1)
      XCTAssertTrue(streets(store).explain().contains("ignoring case"), streets(store).explain())
      try store.verify()
      try store.write { store.objects(Note.self).first?.title = "Straße" }
      store.close()
    }
  }

  func testAnIndexOfOtherRulesIsBuiltAgainTogetherWithIndexesThatAreNew() throws {
    try age(to: 16)
    let store = try store(Newer.Note.self)
    let notes = store.objects(Newer.Note.self)

    for (found, word) in [
      (
        notes.where { $0.title.equals("WEG", options: .caseInsensitive) },
        "title = \"weg\" ignoring"
      ),
      (notes.where { $0.title == "Weg" }, "title = \"Weg\""),
      (
        notes.where { $0.subtitle == "Nothing" && $0.title == "Weg" }, "title = \"Weg\","
      ),
    ] {
      XCTAssertEqual(found.map(\.title), ["Weg"])
      XCTAssertTrue(found.explain().contains(word), found.explain())
    }
    let all = notes.where { $0.subtitle.equals("NOTHING", options: .caseInsensitive) }
    XCTAssertEqual(all.count, 3)
    XCTAssertTrue(all.explain().contains("ignoring case"), all.explain())
  }

  func testAnIndexOfOtherRulesIsBuiltAgainWhenATypeIsAddedAndByOtherTypesWrites() throws {
    try age(to: 16)
    let store = try store(Other.self)

    XCTAssertEqual(try index().stored.textRules, 17)
    XCTAssertEqual(try index().keys.count, 3)
    try age(to: 16)
    try store.write { try store.add(Other()) }
    XCTAssertEqual(try index().keys.count, 3)
  }
}
