import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class ResultsAggregatesTests: StoreTestCase {
  private func add(_ change: [(Card) -> Void]) throws -> Results<Card> {
    let store = try store()
    try store.write {
      for (number, change) in change.enumerated() {
        let card = Card("\(number)")
        change(card)
        try store.add(card)
      }
    }
    return store.objects(Card.self)
  }

  func testNothingHasNoExtremesNoMeanAndASumOfZero() throws {
    let cards = try add([])
    XCTAssertNil(cards.min(of: \.rank))
    XCTAssertNil(cards.max(of: \.title))
    XCTAssertNil(cards.average(of: \.weight))
    XCTAssertEqual(cards.sum(of: \.rank), 0)
    XCTAssertEqual(cards.sum(of: \.weight), 0)
  }

  func testAggregatesCountTheObjectsOfTheQueryOnly() throws {
    // given
    let cards = try add(
      (0..<100).map { number in
        {
          $0.rank = number; $0.weight = 0.5
        }
      })
    let some = cards.where { $0.rank >= 10 && $0.rank < 20 }.sorted(by: \.title)

    // then
    XCTAssertEqual(some.min(of: \.rank), 10)
    XCTAssertEqual(some.max(of: \.rank), 19)
    XCTAssertEqual(some.sum(of: \.rank), 145)
    XCTAssertEqual(some.average(of: \.rank), 14.5)
    XCTAssertEqual(some.sum(of: \.weight), 5)
    XCTAssertEqual(cards.sum(of: \.rank), 4_950)
  }

  func testNilDoesNotCount() throws {
    let cards = try add([
      { $0.score = nil }, { $0.score = 4 }, { $0.score = nil }, { $0.score = 1 },
    ])
    XCTAssertEqual(cards.min(of: \.score), 1)
    XCTAssertEqual(cards.max(of: \.score), 4)
    XCTAssertEqual(cards.average(of: \.score), 2.5)
    XCTAssertNil(cards.where { $0.score == nil }.max(of: \.score) ?? nil)
    XCTAssertNil(cards.where { $0.score == nil }.average(of: \.score))
  }

  func testTextsAndDatesHaveExtremesInTheirOrder() throws {
    let early = Date(timeIntervalSinceReferenceDate: -1.5)
    let late = Date.distantFuture
    let cards = try add([
      {
        $0.title = "pear"; $0.when = early
      },
      {
        $0.title = "Zinc"; $0.when = late
      },
      {
        $0.title = "öl"; $0.due = early
      },
    ])
    XCTAssertEqual(cards.min(of: \.title), "Zinc")
    XCTAssertEqual(cards.max(of: \.title), "öl")
    XCTAssertEqual(cards.min(of: \.when), early)
    XCTAssertEqual(cards.max(of: \.when), late)
    XCTAssertEqual(cards.max(of: \.due), early)
    XCTAssertNil(cards.average(of: \.title))
  }

  func testASumThatDoesNotFitIsTheLargestValueAndALineInTheLog() throws {
    // given
    let log = LogMessages()
    let cards = try add([{ $0.rank = .max }, { $0.rank = .max }, { $0.rank = 1 }])

    // then
    XCTAssertEqual(cards.sum(of: \.rank), .max)
    XCTAssertEqual(cards.average(of: \.rank) ?? 0, Double(Int.max) / 3 * 2, accuracy: 1e4)
    XCTAssertEqual(log.all.filter { $0.contains("Card.rank") }.count, 1)
  }

  func testASumMayPassThroughWhatDoesNotFit() throws {
    let cards = try add([{ $0.rank = .max }, { $0.rank = 5 }, { $0.rank = -6 }])
    XCTAssertEqual(cards.sum(of: \.rank), .max - 1)
  }

  func testNaNIsNoExtremeAndSpoilsTheSum() throws {
    let cards = try add([{ $0.weight = .nan }, { $0.weight = 2 }, { $0.weight = -.infinity }])
    XCTAssertEqual(cards.min(of: \.weight), -.infinity)
    XCTAssertEqual(cards.max(of: \.weight), 2)
    XCTAssertTrue(cards.sum(of: \.weight).isNaN)
    XCTAssertEqual(cards.average(of: \.weight)?.isNaN, true)
  }

  func testAggregatesSeeWhatTheWriteDidSoFar() throws {
    let cards = try add([{ $0.rank = 1 }])
    let store = try store()
    try store.write {
      cards[0].rank = 5
      try store.add(Card("x", rank: 6))
      XCTAssertEqual(cards.sum(of: \.rank), 11)
      XCTAssertEqual(cards.max(of: \.rank), 6)
    }
  }

  func testAggregatesOfRandomNumbersAreThoseOfAnArray() throws {
    try forEachSeed(10) { seed in
      var random = SeededGenerator(seed: seed)
      let store = try temporaryDirectory().store(named: "\(seed)", objectTypes: [Item.self])
      var values: [Int] = []
      try store.write {
        for _ in 0..<Int.random(in: 1...200, using: &random) {
          let value = Int.random(in: -50...50, using: &random)
          values.append(value)
          try store.add(Item(value))
        }
      }
      let limit = Int.random(in: -50...50, using: &random)
      let items = store.objects(Item.self).where { $0.value < limit }
      let right = values.filter { $0 < limit }
      XCTAssertEqual(items.min(of: \.value), right.min(), "seed \(seed)")
      XCTAssertEqual(items.max(of: \.value), right.max(), "seed \(seed)")
      XCTAssertEqual(items.sum(of: \.value), right.reduce(0, +), "seed \(seed)")
      XCTAssertEqual(
        items.average(of: \.value),
        right.isEmpty ? nil : Double(right.reduce(0, +)) / Double(right.count), "seed \(seed)")
    }
  }
}
