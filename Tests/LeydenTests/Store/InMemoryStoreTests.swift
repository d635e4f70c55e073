import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class InMemoryStoreTests: XCTestCase {
  private func configuration(_ identifier: String = #function) -> Store.Configuration {
    Store.Configuration(inMemoryIdentifier: identifier, objectTypes: [Card.self, Item.self])
  }

  func testAStoreIsSharedByItsIdentifierWhileOneIsOpen() throws {
    // given
    let first = try Store(configuration: configuration())
    try first.write { try first.add(Card("a", title: "x")) }

    // when
    var second: Store? = try Store(configuration: configuration())
    let other = try Store(configuration: configuration("another"))

    // then
    XCTAssertEqual(second?.objects(Card.self).map(\.title), ["x"])
    XCTAssertEqual(other.objects(Card.self).count, 0)
    XCTAssertEqual(first.objects(Card.self).first, second?.objects(Card.self).first)

    // when
    first.close()
    let third = try Store(configuration: configuration())
    XCTAssertEqual(third.objects(Card.self).count, 1)
    second = nil
    third.close()

    // then
    XCTAssertEqual(try Store(configuration: configuration()).objects(Card.self).count, 0)
  }

  func testAnObjectKeepsItsStoreOpen() throws {
    func makeCard() throws -> Card {
      let store = try Store(configuration: configuration("held"))
      return try store.write { try store.add(Card("a", title: "x")) }
    }
    let card = try makeCard()
    XCTAssertEqual(card.title, "x")
    XCTAssertEqual(try Store(configuration: configuration("held")).objects(Card.self).count, 1)
  }

  func testNoFileIsLeftWhileAStoreIsOpen() throws {
    // given
    let store = try Store(configuration: configuration())
    try store.write { for value in 0..<1_000 { try store.add(Item(value)) } }

    // then
    XCTAssertFalse(Store.fileExists(for: configuration()))
    XCTAssertFalse(try Store.deleteFiles(for: configuration()))
    let places = ["/dev/shm", FileManager.default.temporaryDirectory.path]
    let url = store.session.core.url
    XCTAssertTrue(places.contains(url.deletingLastPathComponent().path), url.path)
    XCTAssertFalse(FileManager.default.fileExists(atPath: url.path))
    XCTAssertEqual(store.objects(Item.self).count, 1_000)
  }

  func testAStoreGrowsAndIsObservedLikeOneInADirectory() throws {
    // given
    let store = try Store(configuration: configuration())
    let other = try Store(configuration: configuration())
    var counts: [Int] = []
    let token = other.objects(Card.self).observe { change in
      if case .update(let cards, _, _, _) = change { counts.append(cards.count) }
    }

    // when
    for number in 0..<4 {
      try store.write {
        let card = Card("\(number)")
        card.picture = Data(repeating: UInt8(number), count: 3_000_000)
        try store.add(card)
      }
      XCTAssertTrue(other.refresh())
    }

    // then
    XCTAssertEqual(counts, [1, 2, 3, 4])
    XCTAssertEqual(other.objects(Card.self).last?.picture.count, 3_000_000)
    token.invalidate()
  }

  func testWritesOfSeveralThreadsMeetInOneStore() throws {
    // given
    let store = try Store(configuration: configuration())
    let configuration = configuration()

    // when
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        let own = try Store(configuration: configuration)
        for number in 0..<50 { try own.write { try own.add(Item(thread * 50 + number)) } }
      } catch { XCTFail("\(error)") }
    }

    // then
    XCTAssertEqual(Set(store.objects(Item.self).map(\.value)), Set(0..<200))
  }

  func testManyThreadsThatOpenAtOnceGetTheSameStore() throws {
    for round in 0..<20 {
      let configuration = configuration("round \(round)")
      let identities = Locked<Set<UUID>>([])
      let stores = Locked<[Store]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          let store = try Store(configuration: configuration)
          identities.withLock { _ = $0.insert(store.session.core.uuid) }
          stores.withLock { $0.append(store) }
        } catch { XCTFail("\(error)") }
      }
      XCTAssertEqual(identities.withLock { $0.count }, 1)
    }
  }

  func testSettingOneOfPathAndIdentifierClearsTheOther() {
    let url = URL(fileURLWithPath: "/tmp/x.leyden")
    var configuration = Store.Configuration(fileURL: url)
    XCTAssertNil(configuration.inMemoryIdentifier)

    configuration.inMemoryIdentifier = "a"
    XCTAssertNil(configuration.fileURL)
    configuration.fileURL = url
    XCTAssertNil(configuration.inMemoryIdentifier)
    XCTAssertEqual(configuration.fileURL, url)
    configuration.inMemoryIdentifier = nil
    XCTAssertEqual(configuration.fileURL, url)
    configuration = Store.Configuration(inMemoryIdentifier: "b")
    configuration.fileURL = nil
    XCTAssertEqual(configuration.inMemoryIdentifier, "b")
  }

  func testReadingOnlyMakesNoSenseAndIsRefused() {
    var configuration = configuration()
    configuration.readOnly = true
    XCTAssertThrowsError(try Store(configuration: configuration)) { error in
      guard case StoreError.unsupported = error else { return XCTFail("\(error)") }
    }
  }

  func testASchemaVersionHoldsWhileTheStoreLives() throws {
    var configuration = configuration()
    configuration.schemaVersion = 2
    let store = try Store(configuration: configuration)
    configuration.schemaVersion = 1
    XCTAssertThrowsError(try Store(configuration: configuration))
    store.close()
    XCTAssertNoThrow(try Store(configuration: configuration))
  }
}
