import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreFilesTests: StoreTestCase {
  private func configuration(_ name: String = "Files") throws -> Store.Configuration {
    try temporaryDirectory().configuration(named: name, objectTypes: [Card.self])
  }

  func testFilesAreThereFromTheFirstOpeningUntilTheyAreDeleted() throws {
    // given
    let configuration = try configuration()
    XCTAssertFalse(Store.fileExists(for: configuration))
    XCTAssertFalse(try Store.deleteFiles(for: configuration))

    // when
    do {
      let store = try Store(configuration: configuration)
      try store.write { try store.add(Card("a")) }
      XCTAssertTrue(Store.fileExists(for: configuration))
    }

    // then
    XCTAssertTrue(Store.fileExists(for: configuration))
    XCTAssertTrue(try Store.deleteFiles(for: configuration))
    XCTAssertFalse(Store.fileExists(for: configuration))
    let url = try XCTUnwrap(configuration.fileURL)
    XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
    XCTAssertEqual(try Store(configuration: configuration).objects(Card.self).count, 0)
  }

  func testTheFilesOfAnOpenStoreAreNotDeleted() throws {
    // given
    let configuration = try configuration()
    let store = try Store(configuration: configuration)
    try store.write { try store.add(Card("a")) }
    let url = try XCTUnwrap(configuration.fileURL)

    // then
    assertThrows(.alreadyOpen(url)) { try Store.deleteFiles(for: configuration) }
    XCTAssertEqual(store.objects(Card.self).count, 1)
    try store.write { try store.add(Card("b")) }
    XCTAssertEqual(store.objects(Card.self).count, 2)
  }

  func testAClosedStoreIsNotOpenThoughItsObjectsAreHeld() throws {
    // given
    let configuration = try configuration()
    let store = try Store(configuration: configuration)
    let card = try store.write { try store.add(Card("a", title: "x")) }
    let cards = store.objects(Card.self)
    let token = cards.observe { _ in }

    // when
    store.close()
    XCTAssertTrue(try Store.deleteFiles(for: configuration))

    // then
    XCTAssertTrue(card.isInvalidated)
    XCTAssertEqual(card.title, "")
    XCTAssertEqual(cards.count, 0)
    XCTAssertEqual(card, card)
    XCTAssertFalse(store.refresh())
    XCTAssertFalse(store.waitForChanges(timeout: .milliseconds(1)))
    assertThrows(.closed) { try store.write {} }
    assertThrows(.closed) { try store.read {} }
    let next = try Store(configuration: configuration)
    XCTAssertEqual(next.objects(Card.self).count, 0)
    try next.write { try next.add(Card("b")) }
    token.invalidate()
  }

  func testAStoreIsClosedAtOnceWhoeverListensToItsCommits() throws {
    // given
    let observer = NotificationCenter.default.addObserver(
      forName: .leydenStoreDidChange, object: nil, queue: nil, using: { _ in })
    defer { NotificationCenter.default.removeObserver(observer) }
    let configuration = try configuration()

    for _ in 0..<200 {
      // when
      let store = try Store(configuration: configuration)
      let commits = store.commits
      let values = store.changes(of: { $0.objects(Card.self).count })
      try store.write { _ = try store.add(Card("a")) }
      store.close()

      // then
      XCTAssertTrue(try Store.deleteFiles(for: configuration))
      withExtendedLifetime((commits, values)) {}
    }
  }

  func testOneOfSeveralStoresThatIsOpenKeepsTheFiles() throws {
    // given
    let configuration = try configuration()
    let first = try Store(configuration: configuration)
    let second = try Store(configuration: configuration)

    // then
    first.close()
    let url = try XCTUnwrap(configuration.fileURL)
    assertThrows(.alreadyOpen(url)) { try Store.deleteFiles(for: configuration) }
    second.close()
    XCTAssertTrue(try Store.deleteFiles(for: configuration))
  }

  func testOtherFilesInTheDirectoryStay() throws {
    // given
    let configuration = try configuration()
    try Store(configuration: configuration).close()
    let url = try XCTUnwrap(configuration.fileURL)
    let other = url.appendingPathComponent("notes.txt")
    try Data("mine".utf8).write(to: other)

    // when
    XCTAssertTrue(try Store.deleteFiles(for: configuration))

    // then
    XCTAssertEqual(
      try FileManager.default.contentsOfDirectory(atPath: url.path), ["notes.txt"])
    XCTAssertFalse(try Store.deleteFiles(for: configuration))
  }

  func testADirectoryThatHoldsNoStoreIsLeftAlone() throws {
    let configuration = try configuration()
    let url = try XCTUnwrap(configuration.fileURL)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    XCTAssertFalse(Store.fileExists(for: configuration))
    XCTAssertFalse(try Store.deleteFiles(for: configuration))
    XCTAssertTrue(FileManager.default.fileExists(atPath: url.path))
  }

  func testAFileInThePlaceOfAStoreIsNotDeleted() throws {
    let configuration = try configuration()
    let url = try XCTUnwrap(configuration.fileURL)
    try Data("mine".utf8).write(to: url)
    XCTAssertFalse(Store.fileExists(for: configuration))
    XCTAssertThrowsError(try Store.deleteFiles(for: configuration)) { error in
      guard case StoreError.notAStore = error else { return XCTFail("\(error)") }
    }
    XCTAssertEqual(try Data(contentsOf: url), Data("mine".utf8))
  }

  func testADamagedStoreIsThereAndCanBeDeleted() throws {
    let configuration = try configuration()
    let url = try XCTUnwrap(configuration.fileURL)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    try Data("twelve bytes".utf8).write(to: url.appendingPathComponent("data.mdb"))
    XCTAssertTrue(Store.fileExists(for: configuration))
    XCTAssertThrowsError(try Store(configuration: configuration))
    XCTAssertTrue(try Store.deleteFiles(for: configuration))
    XCTAssertFalse(Store.fileExists(for: configuration))
  }

  func testSeveralStoresAreOpenAtOnceAndKnowNothingOfEachOther() throws {
    // given
    let stores = try ["A", "B", "C"].map { try Store(configuration: try configuration($0)) }

    // when
    for (number, store) in stores.enumerated() {
      try store.write { for key in 0...number { try store.add(Card("\(key)")) } }
    }

    // then
    XCTAssertEqual(stores.map { $0.objects(Card.self).count }, [1, 2, 3])
    assertThrows(.nestedWrite) {
      try stores[0].write { try stores[1].write {} }
    }
  }

  func testTheSchemaVersionIsKeptAndALowerOneRefused() throws {
    // given
    var configuration = try configuration()
    let url = try XCTUnwrap(configuration.fileURL)
    XCTAssertThrowsError(try Store.schemaVersion(at: url))
    try Store(configuration: configuration).close()
    XCTAssertEqual(try Store.schemaVersion(at: url), 0)

    // when
    configuration.schemaVersion = 2
    let store = try Store(configuration: configuration)
    try store.write { try store.add(Card("a")) }

    // then
    XCTAssertEqual(try Store.schemaVersion(at: url), 2)
    configuration.schemaVersion = 1
    assertThrows(.schemaVersionTooOld(stored: 2, asked: 1)) {
      try Store(configuration: configuration)
    }
    store.close()
    assertThrows(.schemaVersionTooOld(stored: 2, asked: 1)) {
      try Store(configuration: configuration)
    }
    let text = StoreError.schemaVersionTooOld(stored: 2, asked: 1).description
    XCTAssertTrue(text.contains("2") && text.contains("1"), text)
    configuration.schemaVersion = 2
    XCTAssertEqual(try Store(configuration: configuration).objects(Card.self).count, 1)
    XCTAssertEqual(try Store.schemaVersion(at: url), 2)
  }

  func testTheSameSchemaVersionMakesNoNewVersionOfTheStore() throws {
    var configuration = try configuration()
    configuration.schemaVersion = 3
    let version = try Store(configuration: configuration).version
    XCTAssertEqual(try Store(configuration: configuration).version, version)
  }

  func testAReadOnlyStoreMayBeOlderThanItsProgram() throws {
    var configuration = try configuration()
    let store = try Store(configuration: configuration)
    try store.write { try store.add(Card("a")) }
    store.close()
    configuration.schemaVersion = 5
    configuration.readOnly = true
    let url = try XCTUnwrap(configuration.fileURL)
    XCTAssertEqual(try Store(configuration: configuration).objects(Card.self).count, 1)
    XCTAssertEqual(try Store.schemaVersion(at: url), 0)
  }

  func testAnEncryptionKeyIsRefusedAndNothingIsMade() throws {
    var configuration = try configuration()
    configuration.encryptionKey = Data(repeating: 1, count: 64)
    assertThrows(.unsupported("encryption")) { try Store(configuration: configuration) }
    XCTAssertFalse(Store.fileExists(for: configuration))
  }

  func testTheSchemaVersionIsToldHoweverTheStoreIsOpen() throws {
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.schemaVersion = 3
    let url = try XCTUnwrap(configuration.fileURL)
    do { try Store(configuration: configuration).close() }
    XCTAssertEqual(try Store.schemaVersion(at: url), 3)
    for (isReadOnly, isImmutable) in [(false, false), (true, false), (true, true)] {
      configuration.readOnly = isReadOnly
      configuration.immutable = isImmutable
      let store = try Store(configuration: configuration)
      XCTAssertEqual(try Store.schemaVersion(at: url), 3, "\(isReadOnly) \(isImmutable)")
      XCTAssertEqual(store.objects(Card.self).count, 0)
      store.close()
    }
  }
}
