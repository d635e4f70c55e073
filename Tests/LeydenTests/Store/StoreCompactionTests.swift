import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class StoreCompactionTests: StoreTestCase {
  /// A store of which most was deleted.
  private func wastefulStore() throws -> Store {
    let store = try store()
    try store.write {
      for number in 0..<300 {
        let card = Card("\(number)", title: "card \(number)", rank: number)
        card.thumbnail = Data(repeating: 7, count: 8_000)
        try store.add(card)
      }
    }
    try store.write { try store.delete(store.objects(Card.self).where { $0.rank >= 20 }) }
    return store
  }

  func testTheFileShrinksAndAllIsThere() throws {
    let store = try wastefulStore()
    let values = store.values(of: Card.self)
    let size = store.diagnostics.fileSize
    let version = store.version
    let incarnation = try store.incarnation()

    XCTAssertTrue(try store.compact())

    XCTAssertLessThan(store.diagnostics.fileSize, size / 4)
    XCTAssertEqual(store.version, version)
    XCTAssertEqual(store.values(of: Card.self), values)
    XCTAssertNotEqual(try store.incarnation(), incarnation)
    XCTAssertNoThrow(try store.verify())
    let files = try FileManager.default.contentsOfDirectory(atPath: store.session.core.url.path)
    XCTAssertEqual(Set(files), ["data.mdb", "lock.mdb", "signal"])
    closeStore()
    XCTAssertEqual(try self.store().values(of: Card.self), values)
  }

  func testObjectsResultsAndObserversOfAllStoresGoOn() throws {
    let store = try wastefulStore()
    let other = try anotherStore()
    let card = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "3"))
    let same = try XCTUnwrap(other.object(ofType: Card.self, forPrimaryKey: "3"))
    let recorder = ChangeRecorder(
      other.objects(Card.self).where { $0.rank < 10 }.sorted(by: \.rank), reading: \.value)
    let own = ChangeRecorder(store.objects(Card.self), reading: \.value)
    let count = recorder.changes.count

    XCTAssertTrue(try store.compact())
    XCTAssertFalse(store.refresh())
    XCTAssertFalse(other.refresh())
    XCTAssertEqual(recorder.changes.count, count)
    XCTAssertEqual(card.title, "card 3")
    XCTAssertEqual(same.thumbnail?.count, 8_000)

    try store.write {
      card.rank = -1
      try store.add(Item(1))
    }
    try other.write { try other.delete(try XCTUnwrap(other.objects(Card.self).last)) }
    XCTAssertTrue(store.refresh() || own.values.count == 19)
    XCTAssertEqual(same.rank, -1)
    XCTAssertEqual(recorder.values.first?.rank, -1)
    XCTAssertEqual(own.values.count, 19)
    XCTAssertEqual(recorder.violations + own.violations, [])
    XCTAssertNoThrow(try other.verify())
  }

  func testWhoReadsOneVersionGoesOnWithTheOldFile() throws {
    let store = try wastefulStore()
    let other = try anotherStore()
    let size = store.diagnostics.fileSize
    try other.read {
      XCTAssertTrue(try store.compact())
      try store.write { try store.deleteAll(Card.self) }
      XCTAssertEqual(other.objects(Card.self).count, 20)
      XCTAssertEqual(other.object(ofType: Card.self, forPrimaryKey: "7")?.thumbnail?.count, 8_000)
      XCTAssertTrue(try store.compact())
      XCTAssertEqual(other.objects(Card.self).where { $0.rank > 10 }.count, 9)
    }
    XCTAssertEqual(other.objects(Card.self).count, 0)
    XCTAssertLessThan(store.diagnostics.fileSize, size / 4)
    try store.read {
      XCTAssertTrue(try store.compact())
      XCTAssertEqual(store.objects(Card.self).count, 0)
    }
    XCTAssertNoThrow(try store.verify())
  }

  func testThreadsReadAndWriteWhileTheStoreIsCompacted() throws {
    let store = try wastefulStore()
    let configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    let failures = Locked<[String]>([])
    let group = DispatchGroup()
    for number in 0..<4 {
      DispatchQueue.global().async(group: group) {
        do {
          let store = try Store(configuration: configuration)
          for turn in 0..<200 {
            if number == 0 { try store.write { try store.add(Item(turn)) } }
            let (count, sum) = try store.read {
              let cards = store.objects(Card.self)
              return (cards.count, cards.reduce(0) { $0 + $1.rank })
            }
            if (count, sum) != (20, 190) { failures.withLock { $0.append("\(count) \(sum)") } }
          }
        } catch { failures.withLock { $0.append("\(error)") } }
      }
    }
    for _ in 0..<30 { XCTAssertTrue(try store.compact()) }
    group.wait()
    XCTAssertEqual(failures.withLock { $0 }, [])
    XCTAssertEqual(store.objects(Item.self).map(\.value), Array(0..<200))
    XCTAssertNoThrow(try store.verify())
  }

  func testRowNumbersAreNotGivenAgain() throws {
    let store = try store()
    try store.write { try store.add([Item(1), Item(2)]) }
    let first = try XCTUnwrap(store.objects(Item.self).first?.persistentIdentifier)
    try store.write { try store.delete(store.objects(Item.self)) }
    XCTAssertTrue(try store.compact())
    try store.write { try store.add(Item(3)) }
    XCTAssertNil(store.object(for: first, as: Item.self))
    XCTAssertNotEqual(store.objects(Item.self).first?.persistentIdentifier, first)
  }

  func testCompactingIsNoPartOfAWriteAndNotForReaders() throws {
    let store = try wastefulStore()
    try store.write { assertThrows(.nestedWrite) { try store.compact() } }
    var configuration = try temporaryDirectory().configuration(objectTypes: [Card.self])
    configuration.readOnly = true
    let reader = try Store(configuration: configuration)
    assertThrows(.readOnly) { try reader.compact() }
    XCTAssertEqual(store.objects(Card.self).count, 20)
  }

  func testAStoreInMemoryIsCompacted() throws {
    let store = try Store(
      configuration: .init(inMemoryIdentifier: "compacted", objectTypes: [Item.self]))
    try store.write { for number in 0..<5_000 { try store.add(Item(number)) } }
    try store.write { try store.delete(store.objects(Item.self).where { $0.value > 9 }) }
    let size = store.diagnostics.fileSize
    XCTAssertTrue(try store.compact())
    XCTAssertLessThan(store.diagnostics.fileSize, size)
    XCTAssertEqual(store.objects(Item.self).map(\.value), Array(0..<10))
    try store.write { try store.add(Item(10)) }
    XCTAssertNoThrow(try store.verify())
  }

  func testWhatAKilledCompactionLeftIsRemovedByTheNextOpening() throws {
    _ = try wastefulStore()
    closeStore()
    let rest = try temporaryDirectory().url.appendingPathComponent("Test.leyden/compacted.new")
    try FileManager.default.createDirectory(at: rest, withIntermediateDirectories: false)
    try Data("half".utf8).write(to: rest.appendingPathComponent("data.mdb"))

    XCTAssertEqual(try store().objects(Card.self).count, 20)
    XCTAssertFalse(FileManager.default.fileExists(atPath: rest.path))
  }

  func testEachStateBetweenTheTwoNamesIsTheOldStore() throws {
    let manager = FileManager.default
    let values = try wastefulStore().values(of: Card.self)
    let directory = try store().session.core.url
    let rest = directory.appendingPathComponent("compacted.new")
    closeStore()
    do {
      let other = try temporaryDirectory().store(named: "Other", objectTypes: [Item.self])
      for number in 0..<50 { try other.write { try other.add(Item(number)) } }
      other.close()
    }
    let lock = directory.appendingPathComponent("lock.mdb")
    for state in ["the lock file has lost its name", "there is a new lock file"] {
      try manager.createDirectory(at: rest, withIntermediateDirectories: false)
      try manager.copyItem(
        at: directory.appendingPathComponent("data.mdb"),
        to: rest.appendingPathComponent("data.mdb"))
      try manager.moveItem(at: lock, to: rest.appendingPathComponent("old.lock.mdb"))
      if state == "there is a new lock file" {
        try manager.copyItem(
          at: try temporaryDirectory().url.appendingPathComponent("Other.leyden/lock.mdb"), to: lock
        )
      }
      let store = try self.store()
      XCTAssertEqual(store.values(of: Card.self), values, state)
      XCTAssertFalse(manager.fileExists(atPath: rest.path), state)
      for number in 0..<10 { try store.write { try store.add(Item(number)) } }
      XCTAssertNoThrow(try store.verify(), state)
      closeStore()
      XCTAssertEqual(try self.store().objects(Card.self).count, 20, state)
      closeStore()
    }
  }

  func testWhoMayUseTheStoreMayUseItAfterwards() throws {
    let store = try wastefulStore()
    let directory = store.session.core.url
    for (name, mode) in [("data.mdb", 0o664), ("lock.mdb", 0o666)] {
      try FileManager.default.setAttributes(
        [.posixPermissions: mode], ofItemAtPath: directory.appendingPathComponent(name).path)
    }
    XCTAssertTrue(try store.compact())
    for (name, mode) in [("data.mdb", 0o664), ("lock.mdb", 0o666)] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: directory.appendingPathComponent(name).path)
      XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, mode, name)
    }
  }

  // MARK: At launch

  private func openAsking(_ answer: @escaping @Sendable (Int, Int) -> Bool) throws -> Store {
    var configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    configuration.shouldCompactOnLaunch = answer
    return try Store(configuration: configuration)
  }

  func testTheFirstOpeningAsksWithTheSizes() throws {
    let size = try wastefulStore().diagnostics.fileSize
    closeStore()
    let asked = Locked<[(total: Int, used: Int)]>([])

    let kept = try openAsking { total, used in
      asked.withLock { $0.append((total, used)) }
      return false
    }
    XCTAssertEqual(kept.diagnostics.fileSize, size)
    let again = try openAsking { _, _ in
      asked.withLock { $0.append((0, 0)) }
      return true
    }
    XCTAssertEqual(asked.withLock { $0.count }, 1)
    let sizes = try XCTUnwrap(asked.withLock { $0.first })
    XCTAssertEqual(sizes.total, size)
    XCTAssertGreaterThan(sizes.used, 20 * 8_000)
    XCTAssertLessThan(sizes.used, size / 4)
    kept.close()
    again.close()

    let compacted = try openAsking { _, _ in true }
    XCTAssertLessThan(compacted.diagnostics.fileSize, size / 4)
    XCTAssertEqual(compacted.objects(Card.self).count, 20)
    XCTAssertNoThrow(try compacted.verify())
  }

  func testANewStoreDoesNotAsk() throws {
    _ = try openAsking { _, _ in
      XCTFail("asked")
      return true
    }
  }

  // MARK: Active versions

  func testAWriteThatWouldMakeTooManyVersionsActiveIsRefused() throws {
    let store = try store()
    var configuration = try temporaryDirectory().configuration(
      objectTypes: [Card.self, Item.self])
    configuration.maximumNumberOfActiveVersions = 3
    let bounded = try Store(configuration: configuration)
    for number in 0..<10 { try bounded.write { try bounded.add(Item(number)) } }

    try store.read {
      XCTAssertEqual(store.objects(Item.self).count, 10)
      try bounded.write { try bounded.add(Item(10)) }
      try bounded.write { try bounded.add(Item(11)) }
      assertThrows(.tooManyVersions(active: 4, allowed: 3)) { try bounded.write {} }
      assertThrows(.tooManyVersions(active: 4, allowed: 3)) { try bounded.beginWrite() }
      XCTAssertEqual(bounded.objects(Item.self).count, 12)
      XCTAssertEqual(store.objects(Item.self).count, 10)
    }
    try bounded.write { try bounded.add(Item(12)) }
    try bounded.read { try bounded.write { try bounded.add(Item(13)) } }
    XCTAssertEqual(store.objects(Item.self).count, 14)
  }

  func testPostingNotificationsMakesNoVersionActive() throws {
    let observer = NotificationCenter.default.addObserver(
      forName: .leydenStoreDidChange, object: nil, queue: nil
    ) { _ in }
    defer { NotificationCenter.default.removeObserver(observer) }
    var configuration = try temporaryDirectory().configuration(objectTypes: [Item.self])
    configuration.maximumNumberOfActiveVersions = 1
    let store = try Store(configuration: configuration)

    for number in 0..<500 { try store.write { try store.add(Item(number)) } }

    XCTAssertEqual(store.objects(Item.self).count, 500)
  }
}
