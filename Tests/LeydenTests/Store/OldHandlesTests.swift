import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Handles and identifiers of rows that are gone: none ever names another row.
final class OldHandlesTests: StoreTestCase {
  func testNoOldHandleNamesANewRowWhateverIsRolledBackAndWritten() throws {
    try forEachSeed(8) { seed in
      var random = SeededGenerator(seed: seed)
      let isInMemory = seed % 4 == 0
      let directory = try TemporaryDirectory()
      let configuration =
        isInMemory
        ? Store.Configuration(
          inMemoryIdentifier: "\(#function) \(seed)", objectTypes: [Card.self, Item.self])
        : directory.configuration(objectTypes: [Card.self, Item.self])
      var stores = [
        try Store(configuration: configuration), try Store(configuration: configuration),
      ]
      var living: [PersistentIdentifier: Int] = [:]
      // As in `living`, in an order that is the same each time.
      var order: [PersistentIdentifier] = []
      var gone: [PersistentIdentifier] = []
      var handles: [Item] = []

      for step in 0..<30 {
        let store = stores[Int.random(in: 0...1, using: &random)]
        let count = step == 20 ? 5_000 : Int.random(in: 0...20, using: &random)
        var added: [PersistentIdentifier: Int] = [:]
        var names: [PersistentIdentifier] = []
        var deleted: Set<PersistentIdentifier> = []
        try store.beginWrite()
        for number in 0..<count {
          let item = try store.add(Item(step * 10_000 + number))
          names.append(item.persistentIdentifier)
          added[names[number]] = item.value
          if number < 5 { handles.append(item) }
          if number % 3 == 0 { try store.add(Card("\(seed) \(step) \(number)")) }
          if number < 50, number % 7 == 0 {
            // A long value takes a number, too.
            item.name = String(repeating: "n", count: 3_000)
          }
        }
        for identifier in order.shuffled(using: &random).prefix(3) {
          let item = try XCTUnwrap(store.object(for: identifier, as: Item.self))
          handles.append(item)
          try store.delete(item)
          deleted.insert(identifier)
        }
        if Int.random(in: 0...2, using: &random) == 0 {
          try store.commitWrite()
          living.merge(added) { _, _ in
            XCTFail("a number was given twice, seed \(seed)"); return 0
          }
          for identifier in deleted { living[identifier] = nil }
          order = order.filter { !deleted.contains($0) } + names
          gone += deleted
        } else {
          try store.cancelWrite()
          gone += added.keys
        }
        if !isInMemory, Int.random(in: 0...5, using: &random) == 0 {
          for store in stores { store.close() }
          stores = [
            try Store(configuration: configuration), try Store(configuration: configuration),
          ]
        }
      }

      let store = stores[0]
      XCTAssertEqual(store.objects(Item.self).count, living.count, "seed \(seed)")
      XCTAssertTrue(Set(gone).isDisjoint(with: living.keys), "seed \(seed)")
      for identifier in gone {
        XCTAssertNil(store.object(for: identifier, as: Item.self), "seed \(seed)")
      }
      for (identifier, value) in living {
        XCTAssertEqual(store.object(for: identifier, as: Item.self)?.value, value, "seed \(seed)")
      }
      for item in handles {
        let isThere = living[item.persistentIdentifier] != nil && !(item.store?.isClosed ?? true)
        XCTAssertEqual(item.isInvalidated, !isThere, "seed \(seed)")
        XCTAssertEqual(
          item.value, isThere ? living[item.persistentIdentifier] ?? -1 : 0, "seed \(seed)")
      }
    }
  }
}

extension Store {
  fileprivate var isClosed: Bool { session.isClosed }
}
