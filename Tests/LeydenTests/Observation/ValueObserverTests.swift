import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ValueObserverTests: StoreTestCase {
  func testAValueIsToldAtOnceAndWhenItIsAnother() throws {
    let store = try store()
    var counts: [Int] = []
    let token = store.observe(value: { $0.objects(Item.self).count }) { result in
      counts.append((try? result.get()) ?? -1)
    }
    XCTAssertEqual(counts, [0])

    let item = Item(1)
    try store.write { try store.add(item) }
    try store.write { item.value = 2 }
    try store.write {
      try store.delete(item)
      try store.add(Item(3))
    }
    try store.write { try store.add(Item(4)) }

    XCTAssertEqual(counts, [0, 1, 2])
    token.invalidate()
  }

  func testItIsMadeAgainOnlyWhereATypeThatItReadChanged() throws {
    let store = try store()
    let card = try store.write { try store.add(Card("a", rank: 1)) }
    var runs = 0
    var ranks: [Int] = []
    // Read in place by the observer's own turn before, and noticed all the same.
    let reader = card.observe { _ in ranks.append(card.rank) }
    let token = store.observe(
      value: { _ in
        runs += 1
        return card.rank
      }, { result in ranks.append((try? result.get()) ?? -1) })
    XCTAssertEqual(runs, 1)

    try store.write { try store.add(Item(1)) }
    XCTAssertEqual(runs, 1)
    try store.write { card.rank = 2 }
    try store.write { card.rank = 3 }

    XCTAssertEqual(runs, 3)
    XCTAssertEqual(ranks, [1, 2, 2, 3, 3])
    reader.invalidate()
    token.invalidate()
  }

  func testAnErrorIsToldAndTheObservationGoesOn() throws {
    let store = try store()
    var texts: [String] = []
    let token = store.observe(
      value: { store in
        let count = store.objects(Item.self).count
        if count == 1 { throw StoreError.invalidValue("one") }
        return count
      },
      { result in
        switch result {
        case .success(let count): texts.append("\(count)")
        case .failure(let error): texts.append("\((error as? StoreError) == .invalidValue("one"))")
        }
      })

    try store.write { try store.add(Item(1)) }
    try store.write { try store.add(Item(2)) }

    XCTAssertEqual(texts, ["0", "true", "2"])
    token.invalidate()
  }

  func testTheValueOfAnObserverThatIsMadeInAWriteComesAfterIt() throws {
    let store = try store()
    var counts: [Int] = []
    var token: NotificationToken?

    try store.write {
      token = store.observe(value: { $0.objects(Item.self).count }) { result in
        counts.append((try? result.get()) ?? -1)
      }
      try store.add(Item(1))
    }

    XCTAssertEqual(counts, [1])
    token?.invalidate()
  }

  func testAllPartsOfTheValueAreOfOneVersion() throws {
    let store = try store()
    let configuration = try temporaryDirectory().configuration(objectTypes: [Card.self, Item.self])
    let isDone = Locked(false)
    let thread = Thread {
      guard let other = try? Store(configuration: configuration) else { return }
      while !isDone.withLock({ $0 }) {
        _ = try? other.write {
          try other.add(Item(1))
          try other.add(Item(-1))
        }
      }
    }
    var sums: [Int] = []
    var counts = 0
    let token = store.observe(
      value: { store in
        let items = store.objects(Item.self)
        let half = items.where { $0.value > 0 }.count
        return [half, items.count]
      },
      { result in
        counts += 1
        guard let value = try? result.get() else { return sums.append(.min) }
        sums.append(value[1] - 2 * value[0])
      })

    thread.start()
    for _ in 0..<40 { store.waitForChanges(timeout: .seconds(1)) }
    isDone.withLock { $0 = true }

    XCTAssertGreaterThan(counts, 1)
    XCTAssertEqual(sums.filter { $0 != 0 }, [])
    token.invalidate()
  }

  @MainActor
  func testTheSequenceGivesEachNewValueToAnyActor() async throws {
    let store = try anotherStore()
    let counts = store.changes(of: { $0.objects(Item.self).where { $0.value > 0 }.count })
    let task = Task.detached {
      var seen: [Int] = []
      for await count in counts {
        seen.append(count)
        if count == 3 { break }
      }
      return seen
    }

    for value in 0...3 { try store.write { try store.add(Item(value)) } }
    let seen = await task.value

    XCTAssertEqual(seen, seen.sorted())
    XCTAssertEqual(Set(seen).count, seen.count)
  }

  @MainActor
  func testTheSequenceEndsWhereTheValueThrows() async throws {
    let store = try anotherStore()
    var seen: [Int] = []

    for await count in store.changes(of: { store -> Int in
      let count = store.objects(Item.self).count
      if count == 1 { throw StoreError.invalidValue("one") }
      return count
    }) {
      seen.append(count)
      try store.write { try store.add(Item(1)) }
    }

    XCTAssertEqual(seen, [0])
  }
}
