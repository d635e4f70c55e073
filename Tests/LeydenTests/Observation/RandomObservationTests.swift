import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Random programs: applied to the rows before, a change gives the rows after; nothing that is the
/// same is mentioned; the fewest rows move.
final class RandomObservationTests: StoreTestCase {
  private struct Observation {
    let query: CardQuery
    let isFiltered: Bool
    let recorder: ChangeRecorder<Card, CardValue>
  }

  private func observe(_ store: Store, keyPaths: Bool) -> [Observation] {
    CardQuery.all.enumerated().map { position, query in
      let results = query.results(store)
      if keyPaths, position % 3 == 0 {
        return Observation(
          query: query, isFiltered: true,
          recorder: ChangeRecorder(
            results, keyPaths: ["title", "score"],
            differs: { $0.title != $1.title || $0.score != $1.score }, reading: \.value))
      }
      return Observation(
        query: query, isFiltered: false, recorder: ChangeRecorder(results, reading: \.value))
    }
  }

  private func check(
    _ observations: [Observation], _ store: Store, _ cards: CardList, _ context: String
  ) {
    for observation in observations {
      if observation.isFiltered {
        observation.recorder.readAgain(observation.query.results(store))
      }
      XCTAssertEqual(
        observation.recorder.violations, [], "\(observation.query.name), \(context)")
      let expected = observation.query.expected(cards.values)
      XCTAssertTrue(
        observation.recorder.values == expected,
        "\(observation.query.name), \(context): \(observation.recorder.values.map(\.identifier))"
          + " for \(expected.map(\.identifier))")
      XCTAssertEqual(observation.recorder.errors, [], context)
    }
  }

  func testEachCommitIsToldExactly() throws {
    try forEachSeed(4) { seed in
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Card.self, Item.self])
      var commits = RandomCommits(seed: 1_000 + seed)
      var cards = CardList()
      let observations = observe(store, keyPaths: true)

      for step in 0..<50 {
        let operations = commits.next(for: cards)
        let isCancelled = commits.number(below: 8) == 0
        try store.write {
          for operation in operations { try operation.apply(to: store) }
          if isCancelled { try store.cancelWrite() }
        }
        if !isCancelled { cards.apply(operations) }
        check(observations, store, cards, "seed \(seed), step \(step)")
      }
      XCTAssertNoThrow(try store.verify(), "seed \(seed)")
    }
  }

  func testSeveralCommitsAreToldAsOneCorrectChange() throws {
    try forEachSeed(4) { seed in
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Card.self, Item.self])
      let others = try (0..<2).map { _ in
        try directory.store(objectTypes: [Item.self, Card.self])
      }
      var commits = RandomCommits(seed: 2_000 + seed)
      commits.size = 60
      var cards = CardList()
      let observations = observe(store, keyPaths: true)

      for step in 0..<20 {
        for _ in 0..<commits.number(below: 6) {
          let operations = commits.next(for: cards)
          let writer = others[commits.number(below: 2)]
          try writer.write { for operation in operations { try operation.apply(to: writer) } }
          cards.apply(operations)
        }
        store.refresh()
        check(observations, store, cards, "seed \(seed), step \(step)")
        for observation in observations {
          XCTAssertLessThanOrEqual(observation.recorder.changes.count, step + 1)
        }
      }
      XCTAssertNoThrow(try store.verify(), "seed \(seed)")
    }
  }

  func testChangesAsASequenceAreTheSame() async throws {
    for seed in UInt64(1)...3 {
      let directory = try TemporaryDirectory()
      let store = try directory.store(objectTypes: [Card.self, Item.self])
      let other = try directory.store(objectTypes: [Card.self, Item.self])
      var commits = RandomCommits(seed: 3_000 + seed)
      var cards = CardList()
      for query in CardQuery.all.suffix(6) {
        var iterator = query.results(store).changes.makeAsyncIterator()
        var entries: [ChangeRecorder<Card, CardValue>.Entry] = []
        for step in 0..<8 {
          let count = step == 0 ? 0 : commits.number(below: 3) + 1
          for _ in 0..<count {
            let operations = commits.next(for: cards)
            try other.write { for operation in operations { try operation.apply(to: other) } }
            cards.apply(operations)
          }
          let context = "\(query.name), seed \(seed), step \(step)"
          let new = ChangeRecorder<Card, CardValue>.entries(of: query.results(store), \.value)
          if step > 0, new == entries { continue }
          let next = await iterator.next()
          let change = try XCTUnwrap(next, context)
          XCTAssertEqual(change.isInitial, step == 0, context)
          XCTAssertFalse(change.isResync, context)
          XCTAssertEqual(change.version, store.version, context)
          XCTAssertEqual(change.collection.values, query.expected(cards.values), context)
          if step > 0 {
            let checker = ChangeSetChecker(
              deletions: change.deletions, insertions: change.insertions,
              modifications: change.modifications, newModifications: change.newModifications,
              moves: change.moves.map { .init(from: $0.from, to: $0.to) })
            XCTAssertNil(
              checker.problem(from: entries, to: new, isMerging: false) { $0 != $1 }, context)
            for (before, after) in zip(change.modifications, change.newModifications) {
              XCTAssertEqual(entries[before].row, new[after].row, context)
            }
          }
          entries = new
        }
      }
    }
  }

  func testManyRowsChangeAtOnce() throws {
    let store = try store()
    var generator = SeededGenerator(seed: 5)
    try store.write { for number in 0..<2_000 { try store.add(Item(number)) } }
    let recorders = [
      ChangeRecorder(store.objects(Item.self).sorted(by: \.value)) { $0.value },
      ChangeRecorder(store.objects(Item.self).where { $0.value < 1_000 }) { $0.value },
      ChangeRecorder(
        store.objects(Item.self).where { $0.value >= 500 }.sorted(by: \.value, ascending: false)
      ) { $0.value },
    ]

    for round in 0..<4 {
      try store.write {
        for item in store.objects(Item.self) where Int.random(in: 0...round, using: &generator) == 0
        {
          item.value = Int.random(in: 0..<2_000, using: &generator)
        }
        for _ in 0..<100 { try store.add(Item(Int.random(in: 0..<2_000, using: &generator))) }
        for item in store.objects(Item.self) where item.value % 29 == round {
          try store.delete(item)
        }
      }
      for recorder in recorders {
        XCTAssertEqual(recorder.violations, [], "seed 5, round \(round)")
        XCTAssertEqual(recorder.changes.count, round + 1)
      }
      XCTAssertEqual(recorders[0].values, store.objects(Item.self).map(\.value).sorted())
    }
  }
}
