import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// An object whose properties are asked for in many ways.
private final class Entry: Object {
  @Persisted var group: Int
  @Persisted var rank: Int
  @Persisted(indexed: true) var score: Int?

  convenience init(_ group: Int, _ rank: Int, _ score: Int? = nil) {
    self.init()
    self.group = group
    self.rank = rank
    self.score = score
  }
}

final class ResultsStepsTests: StoreTestCase {
  /// Four cards: code and rank.
  private func cards() throws -> Results<Card> {
    let store = try store()
    try store.write {
      for (identifier, code, rank) in [
        ("c1", "red", 10), ("c2", "red", 30), ("c3", "blue", 10), ("c4", "red", 20),
      ] {
        try store.add(Card(identifier, title: code, rank: rank))
      }
    }
    return store.objects(Card.self)
  }

  func testStepsApplyInTheOrderOfTheirCalls() throws {
    let cards = try cards()
    func names(_ results: Results<Card>) -> [String] { results.map(\.identifier) }

    let sorted = cards.sorted(by: \.rank, ascending: false)
    XCTAssertEqual(names(sorted), ["c2", "c4", "c1", "c3"])
    XCTAssertEqual(names(sorted.distinct(by: \.title)), ["c2", "c3"])
    XCTAssertEqual(
      names(cards.distinct(by: \.title).sorted(by: \.rank, ascending: false)), ["c1", "c3"])
    XCTAssertEqual(names(sorted.limit(1).distinct(by: \.title)), ["c2"])
    XCTAssertEqual(names(sorted.distinct(by: \.title).limit(1).offset(0)), ["c2"])
    XCTAssertEqual(names(sorted.limit(2).where { $0.rank < 30 }), ["c4"])
    XCTAssertEqual(names(sorted.where { $0.rank < 30 }.limit(2)), ["c4", "c1"])
    XCTAssertEqual(names(sorted.offset(1).limit(2)), ["c4", "c1"])
    XCTAssertEqual(names(sorted.limit(2).offset(1)), ["c4"])
    XCTAssertEqual(names(sorted.limit(3).sorted(by: \.identifier).limit(2)), ["c1", "c2"])
  }

  func testAnObjectTakesThePlaceOfAnotherOneOfItsGroup() throws {
    // given
    let cards = try cards()
    let store = try store()
    let newest = cards.sorted(by: \.rank, ascending: false).distinct(by: \.title)
    var changes: [String] = []
    let token = newest.observe { change in
      guard case .update(let cards, let deletions, let insertions, let modifications) = change
      else { return }
      changes.append(
        "\(cards.map(\.identifier)) -\(deletions) +\(insertions) ~\(modifications)")
    }

    // when
    try store.write {
      cards[1].rank = 20
      cards[3].rank = 30
    }

    // then
    XCTAssertEqual(changes, [#"["c4", "c3"] -[0] +[0] ~[]"#])
    token.invalidate()
  }

  func testARowThatComesInPushesTheLastOneOut() throws {
    // given
    let store = try store()
    try store.write { for value in 0..<8 { try store.add(Item((value + 2) % 4)) } }
    let items = store.objects(Item.self).distinct(by: \.value)
      .sorted(by: \.value, ascending: false).limit(2)
    var changes: [String] = []
    let token = items.observe { change in
      guard case .update(let items, let deletions, let insertions, let modifications) = change
      else { return }
      changes.append("\(items.map(\.value)) -\(deletions) +\(insertions) ~\(modifications)")
    }
    XCTAssertEqual(items.map(\.value), [3, 2])

    // when
    try store.write { try store.add(Item(5)) }

    // then
    XCTAssertEqual(changes, ["[5, 3] -[1] +[0] ~[]"])
    token.invalidate()
  }

  func testALimitKeepsTheFirstInOrder() throws {
    let store = try store()
    try store.write { for value in 0..<8 { try store.add(Item((value + 2) % 4)) } }
    let all = store.objects(Item.self)
    let sorted = all.sorted(by: \.value)
    let positions = [0, 1, 2, 8, 100].map { limit in
      sorted.limit(limit).map { all.index(of: $0) ?? -1 }
    }
    XCTAssertEqual(
      positions, [[], [2], [2, 6], [2, 6, 3, 7, 0, 4, 1, 5], [2, 6, 3, 7, 0, 4, 1, 5]])
    XCTAssertEqual(sorted.limit(-1).count, 0)
    XCTAssertEqual(sorted.offset(-1).count, 8)
    XCTAssertEqual(sorted.offset(9).first, nil)
  }

  func testAPartInTheOrderOfAnIndexFollowsTheStore() throws {
    // given
    let directory = try temporaryDirectory()
    let store = try directory.store(objectTypes: [Entry.self])
    let other = try directory.store(objectTypes: [Entry.self])
    try store.write {
      for number in 0..<200 { try store.add(Entry(0, number, number % 10 == 0 ? nil : number / 2)) }
    }
    let ranks = { (entries: Results<Entry>) in entries.map(\.rank) }
    let last = store.objects(Entry.self).sorted(by: \.score, ascending: false).limit(3)
    let first = store.objects(Entry.self).offset(1).limit(2)
    XCTAssertEqual(ranks(last), [198, 199, 196])
    XCTAssertEqual(ranks(first), [1, 2])

    // when
    try other.write {
      let all = other.objects(Entry.self)
      all[5].score = 99
      try other.delete(all[1])
    }

    // then
    XCTAssertEqual([last.endIndex, first.endIndex], [3, 2], "the last look stays as it was")
    XCTAssertEqual(ranks(last), [5, 198, 199])
    XCTAssertEqual(ranks(first), [2, 3])
    try store.write {
      try store.add(Entry(0, 200, 100))
      XCTAssertEqual(ranks(last), [200, 5, 198])
      try store.delete(last)
      XCTAssertEqual(ranks(last), [199, 196, 197])
    }
    XCTAssertEqual(ranks(last), [199, 196, 197])
    XCTAssertEqual(last.last?.rank, 197)
  }

  func testCountsAggregatesAndBulkChangesAreThoseOfTheSteps() throws {
    let store = try store()
    try store.write { for value in 0..<10 { try store.add(Item(value)) } }
    let some = store.objects(Item.self).sorted(by: \.value, ascending: false).limit(3).offset(1)

    XCTAssertEqual(some.count, 2)
    XCTAssertEqual(store.objects(Item.self).limit(4).count, 4)
    XCTAssertEqual(some.first?.value, 8)
    XCTAssertEqual(some.last?.value, 7)
    XCTAssertEqual(some.sum(of: \.value), 15)
    XCTAssertEqual(some.max(of: \.value), 8)
    XCTAssertEqual(some.index(matching: { $0.value == 7 }), 1)
    XCTAssertTrue(some.explain().contains("limit 3"))
    try store.write { try some.setValue(-1, forKey: "value") }
    XCTAssertEqual(store.objects(Item.self).map(\.value), [0, 1, 2, 3, 4, 5, 6, -1, -1, 9])
    try store.write { try store.delete(store.objects(Item.self).offset(2)) }
    XCTAssertEqual(store.objects(Item.self).map(\.value), [0, 1])
  }

  func testNilIsOneValueAndEqualTextsAreOne() throws {
    let store = try store()
    try store.write {
      for (key, title) in [("a", "é"), ("b", "e\u{301}"), ("c", "É"), ("d", "")] {
        try store.add(Card(key, title: title))
      }
      store.objects(Card.self)[3].score = 1
    }
    XCTAssertEqual(
      store.objects(Card.self).distinct(by: \.title).map(\.identifier), ["a", "c", "d"])
    XCTAssertEqual(store.objects(Card.self).distinct(by: \.score).map(\.identifier), ["a", "d"])
  }

  func testRandomStepsAreThoseOfAnArrayAndTheirChangesAreExact() throws {
    try forEachSeed(40) { seed in
      var random = SeededGenerator(seed: seed)
      let store = try temporaryDirectory().store(named: "\(seed)", objectTypes: [Entry.self])
      func entry() -> Entry {
        Entry(
          .random(in: 0..<4, using: &random), .random(in: 0..<6, using: &random),
          Bool.random(using: &random) ? nil : .random(in: 0..<3, using: &random))
      }
      try store.write { for _ in 0..<12 { try store.add(entry()) } }

      // given: random steps, on results and on an array
      var results = store.objects(Entry.self)
      var steps: [([Entry]) -> [Entry]] = []
      for _ in 0..<Int.random(in: 1...5, using: &random) {
        let number = Int.random(in: 0..<9, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          results = results.limit(number)
          steps.append { Array($0.prefix(number)) }
        case 1:
          results = results.offset(number / 3)
          steps.append { Array($0.dropFirst(number / 3)) }
        case 2:
          results = results.where { $0.rank < number }
          steps.append { $0.filter { $0.rank < number } }
        case 3:
          results = results.sorted(by: \.rank, ascending: number > 4)
          steps.append { entries in
            Self.stable(entries) { number > 4 ? $0.rank < $1.rank : $0.rank > $1.rank }
          }
        case 4:
          results = results.sorted(by: \.score)
          steps.append { Self.stable($0) { ($0.score ?? -1) < ($1.score ?? -1) } }
        default:
          results = results.distinct(by: \.group)
          steps.append { entries in
            var seen: Set<Int> = []
            return entries.filter { seen.insert($0.group).inserted }
          }
        }
      }
      func expected() -> [Entry] {
        steps.reduce(Array(store.objects(Entry.self))) { $1($0) }
      }
      var known: [Entry] = []
      var values: [Entry: [Int?]] = [:]
      func note() { values = [:]; for entry in known { values[entry] = entry.values } }
      let filter = results.observe { change in
        switch change {
        case .initial(let entries): known = Array(entries)
        case .update(let entries, let deletions, let insertions, let modifications):
          let modified = Set(modifications.map { known[$0] })
          for position in deletions.reversed() { known.remove(at: position) }
          for position in insertions { known.insert(entries[position], at: position) }
          for entry in known {
            if let old = values[entry], old != entry.values, !modified.contains(entry),
              !insertions.contains(where: { known[$0] == entry })
            {
              XCTFail("A change was not told, seed \(seed)")
            }
          }
          for entry in modified {
            XCTAssertNotEqual(values[entry], entry.values, "seed \(seed)")
          }
        case .error(let error): XCTFail("\(error), seed \(seed)")
        }
        note()
      }

      // when: random writes
      for _ in 0..<20 {
        try store.write {
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            let all = store.objects(Entry.self)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try store.add(entry())
            case 1: if let some = all.randomElement(using: &random) { try store.delete(some) }
            case 2: all.randomElement(using: &random)?.rank = .random(in: 0..<6, using: &random)
            case 3: all.randomElement(using: &random)?.group = .random(in: 0..<4, using: &random)
            default: all.randomElement(using: &random)?.score = .random(in: 0..<3, using: &random)
            }
            XCTAssertEqual(Array(results), expected(), "within a write, seed \(seed)")
          }
        }

        // then
        XCTAssertEqual(Array(results), expected(), "seed \(seed)")
        XCTAssertEqual(known, expected(), "seed \(seed)")
        XCTAssertEqual(results.count, known.count, "seed \(seed)")
      }
      filter.invalidate()
    }
  }

  private static func stable(
    _ entries: [Entry], _ isBefore: (Entry, Entry) -> Bool
  ) -> [Entry] {
    entries.enumerated().sorted { left, right in
      if isBefore(left.element, right.element) { return true }
      if isBefore(right.element, left.element) { return false }
      return left.offset < right.offset
    }.map(\.element)
  }
}

extension Entry {
  fileprivate var values: [Int?] { [group, rank, score] }
}
