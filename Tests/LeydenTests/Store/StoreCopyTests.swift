import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreCopyTests: StoreTestCase {
  private func target(_ name: String = "Copy") throws -> URL {
    try temporaryDirectory().url.appendingPathComponent("\(name).leyden")
  }

  private func open(_ url: URL) throws -> Store {
    try Store(configuration: .init(fileURL: url, objectTypes: [Card.self, Item.self]))
  }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: temporaryDirectory().url.path))
  }

  func testACopyIsAStoreOfItsOwnWithAllThatTheOtherOneHas() throws {
    try forEachSeed(10) { seed in
      let store = try temporaryDirectory().store(
        named: "\(seed)", objectTypes: [Card.self, Item.self])
      var commits = RandomCommits(seed: seed)
      var cards = CardList(store)
      for _ in 0..<60 {
        let operations = commits.next(for: cards)
        try store.write {
          for operation in operations { try operation.apply(to: store) }
          let item = try store.add(Item(1))
          item.name = String(repeating: "long \(seed)", count: 2_000)
        }
        cards.apply(operations)
      }
      let url = try target("Copy\(seed)")

      try store.writeCopy(to: url)

      let copy = try open(url)
      XCTAssertNoThrow(try copy.verify(), "seed \(seed)")
      XCTAssertEqual(copy.version, store.version, "seed \(seed)")
      XCTAssertEqual(copy.values(of: Card.self), store.values(of: Card.self), "seed \(seed)")
      XCTAssertEqual(
        copy.objects(Item.self).map(\.name), store.objects(Item.self).map(\.name), "seed \(seed)")
      XCTAssertEqual(copy.diagnostics.retainedLog, store.diagnostics.retainedLog)
      XCTAssertLessThanOrEqual(copy.diagnostics.fileSize, store.diagnostics.fileSize)
      for card in store.objects(Card.self) {
        let same = copy.object(for: card.persistentIdentifier, as: Card.self)
        XCTAssertEqual(same?.value, card.value, "seed \(seed)")
      }
      try copy.write { try copy.add(Card("only in the copy")) }
      XCTAssertNil(store.object(ofType: Card.self, forPrimaryKey: "only in the copy"))
    }
  }

  func testACopyHasTheStoresIdentityAndAnotherIncarnation() throws {
    let store = try store()
    try store.write { try store.add(Card("a")) }
    try store.writeCopy(to: try target())
    let copy = try open(try target())
    XCTAssertEqual(copy.session.core.uuid, store.session.core.uuid)
    XCTAssertNotEqual(try copy.incarnation(), try store.incarnation())
  }

  func testACopyConsistsOfDataAlone() throws {
    try store().writeCopy(to: try target())
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: target().path), ["data.mdb"])
    XCTAssertEqual(try names(), ["Test.leyden", "Copy.leyden"])
  }

  func testWhatIsAtThePathIsNotReplaced() throws {
    let store = try store()
    let place = try temporaryDirectory().url
    try Data("mine".utf8).write(to: place.appendingPathComponent("file"))
    try FileManager.default.createDirectory(
      at: place.appendingPathComponent("empty"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: place.appendingPathComponent("link").path, withDestinationPath: "nowhere")
    try store.writeCopy(to: try target())
    let before = try names()
    for name in ["file", "empty", "Copy.leyden", "link"] {
      let url = place.appendingPathComponent(name)
      XCTAssertThrowsError(try store.writeCopy(to: url), name) { error in
        guard case .fileExists(let other)? = error as? StoreError else {
          return XCTFail("\(name): \(error)")
        }
        XCTAssertEqual(other.path, url.path)
      }
    }
    XCTAssertEqual(try names(), before)
    XCTAssertEqual(try Data(contentsOf: place.appendingPathComponent("file")), Data("mine".utf8))
  }

  func testAStoreThatOnlyHasASimilarNameStays() throws {
    let store = try store()
    try store.write { try store.add(Card("a")) }
    let similar = try target("Copy.leyden.new-year")
    try store.writeCopy(to: similar)
    let abandoned = try target().path + ".new-\(UUID().uuidString)"
    try FileManager.default.copyItem(atPath: similar.path, toPath: abandoned)
    for path in [similar.path, abandoned] {
      for path in [path + "/data.mdb", path] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -7_200)], ofItemAtPath: path)
      }
    }

    try store.writeCopy(to: try target())

    XCTAssertEqual(try open(similar).objects(Card.self).map(\.identifier), ["a"])
    XCTAssertFalse(FileManager.default.fileExists(atPath: abandoned))
  }

  func testWithoutAParentNothingIsMade() throws {
    let parent = try temporaryDirectory().url.appendingPathComponent("missing")
    XCTAssertThrowsError(
      try store().writeCopy(to: parent.appendingPathComponent("Copy.leyden"))
    ) { error in
      guard case .fileNotFound(let url)? = error as? StoreError else { return XCTFail("\(error)") }
      XCTAssertEqual(url.path, parent.path)
    }
    XCTAssertEqual(try names(), ["Test.leyden"])
  }

  func testWithinAWriteTheCopyHasWhatWasChangedSoFar() throws {
    let store = try store()
    try store.write { try store.add([Card("a", title: "old"), Card("b")]) }
    let cards = store.objects(Card.self).sorted(by: \.identifier)
    let recorder = ChangeRecorder(cards, reading: \.value)

    try store.write {
      let card = store.object(ofType: Card.self, forPrimaryKey: "a")
      card?.title = "new"
      card?.thumbnail = Data(repeating: 1, count: 9_000)
      try store.add(Card("c"))
      try store.delete(store.objects(Card.self).where { $0.identifier == "b" })
      try store.writeCopy(to: try target())
      XCTAssertEqual(card?.title, "new")
      card?.title = "newer"
      card?.thumbnail = Data(repeating: 2, count: 9_000)
      try store.add(Card("d"))
    }

    let copy = try open(try target())
    XCTAssertNoThrow(try copy.verify())
    XCTAssertEqual(copy.version, store.version)
    XCTAssertEqual(copy.objects(Card.self).map(\.title), ["new", ""])
    XCTAssertEqual(copy.objects(Card.self).map(\.identifier), ["a", "c"])
    XCTAssertNoThrow(try store.verify())
    XCTAssertEqual(store.objects(Card.self).map(\.identifier), ["a", "c", "d"])
    XCTAssertEqual(recorder.values.map(\.title), ["newer", "", ""])
    XCTAssertEqual(recorder.violations, [])
  }

  func testAWriteThatIsCancelledAfterACopyIsUndone() throws {
    let store = try store()
    try store.write { try store.add(Card("a", title: "old")) }
    try store.beginWrite()
    store.object(ofType: Card.self, forPrimaryKey: "a")?.title = "new"
    try store.writeCopy(to: try target())
    try store.cancelWrite()
    XCTAssertEqual(store.objects(Card.self).map(\.title), ["old"])
    XCTAssertEqual(try open(try target()).objects(Card.self).map(\.title), ["new"])
    XCTAssertNoThrow(try store.verify())
  }

  func testAReaderAndAStoreInMemoryAreCopiedToo() throws {
    try store().write { try store().add(Card("a")) }
    closeStore()
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.readOnly = true
    try Store(configuration: configuration).writeCopy(to: try target("Reader"))
    XCTAssertEqual(try open(try target("Reader")).objects(Card.self).map(\.identifier), ["a"])

    let memory = try Store(
      configuration: .init(inMemoryIdentifier: "copied", objectTypes: [Card.self]))
    try memory.write { try memory.add(Card("m")) }
    try memory.writeCopy(to: try target("Memory"))
    let copy = try open(try target("Memory"))
    XCTAssertEqual(copy.objects(Card.self).map(\.identifier), ["m"])
    XCTAssertNoThrow(try copy.verify())
  }

  func testAClosedStoreIsNotCopied() throws {
    let store = try anotherStore()
    store.close()
    assertThrows(.closed) { try store.writeCopy(to: try target()) }
  }
}
