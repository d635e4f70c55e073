import Foundation
import Leyden
import TestSupport
import XCTest

final class QueryTests: StoreTestCase {
  private func cards(_ titles: [String]) throws -> Results<Card> {
    let store = try store()
    try store.write {
      for (position, title) in titles.enumerated() {
        try store.add(Card("\(position)", title: title, rank: position))
      }
    }
    return store.objects(Card.self)
  }

  func testBeginningsWithAndWithoutCaseAndMarks() throws {
    let cards = try cards(["abc", "üvw", "ûvw", "uvw", "stü"])
    func count(_ text: String, _ options: StringOptions) -> Int {
      cards.where { $0.title.starts(with: text, options: options) }.count
    }

    XCTAssertEqual(count("u", []), 1)
    XCTAssertEqual(count("u", .diacriticInsensitive), 3)
    XCTAssertEqual(count("U", .caseInsensitive), 1)
    XCTAssertEqual(count("U", [.caseInsensitive, .diacriticInsensitive]), 3)
    XCTAssertEqual(count("", []), 5)
    XCTAssertEqual(cards.where { $0.title.contains("") }.count, 5)
    XCTAssertEqual(cards.where { $0.title.ends(with: "") }.count, 5)
  }

  func testConditionsAreComparedWithEachOtherAndWithProperties() throws {
    let cards = try cards(["a", "b", "c", "d"])
    try store().write { cards[2].done = true }
    func ranks(_ condition: (Query<Card>) -> Query<Bool>) -> [Int] {
      cards.where(condition).map(\.rank)
    }

    XCTAssertEqual(ranks { ($0.rank > 0) == ($0.rank > 1) }, [0, 2, 3])
    XCTAssertEqual(ranks { ($0.rank > 0) != ($0.rank > 1) }, [1])
    XCTAssertEqual(ranks { $0.done == ($0.rank > 1) }, [0, 1, 2])
    XCTAssertEqual(ranks { ($0.rank > 1) != $0.done }, [3])
    XCTAssertEqual(ranks { card in (card.rank > 1).in([true]) }, [2, 3])
    XCTAssertEqual(ranks { card in (card.rank > 1).in([true, false]) }, [0, 1, 2, 3])
    XCTAssertEqual(ranks { card in (card.rank > 1).in([]) }, [])
  }

  func testPatterns() throws {
    let cards = try cards(["abc"])
    func count(_ pattern: String, _ options: StringOptions = []) -> Int {
      cards.where { $0.title.like(pattern, options: options) }.count
    }

    for pattern in ["a*bc", "a??", "*?c", "?bc", "*", "abc", "a*", "***", "a*c*"] {
      XCTAssertEqual(count(pattern), 1, pattern)
    }
    for pattern in ["?abc", "aabc", "b*bc", "*C*", "", "?", "????", "abc?"] {
      XCTAssertEqual(count(pattern), 0, pattern)
    }
    XCTAssertEqual(count("*C*", .caseInsensitive), 1)
  }

  func testCaseOutsideOfLatin() throws {
    let cards = try cards(["Байкал", "байкал", "Волга", "Grüner Weg", "night 🦉 watch"])
    func count(_ text: String, _ options: StringOptions) -> Int {
      cards.where { $0.title.contains(text, options: options) }.count
    }

    XCTAssertEqual(count("бай", .caseInsensitive), 2)
    XCTAssertEqual(count("БАЙ", .caseInsensitive), 2)
    XCTAssertEqual(count("GRÜNER", .caseInsensitive), 1)
    XCTAssertEqual(count("🦉 WATCH", .caseInsensitive), 1)
    XCTAssertEqual(count("бай", []), 1)
  }

  func testResultsOfNothingAreEmpty() throws {
    let store = try store()
    let none = store.objects(Card.self).where { $0.rank > 3 }.sorted(by: \.title)

    XCTAssertEqual(none.count, 0)
    XCTAssertTrue(none.isEmpty)
    XCTAssertNil(none.first)
    XCTAssertNil(none.last)
    XCTAssertEqual(Array(none).count, 0)
    XCTAssertEqual(none.values, [])
  }

  func testADayWithAClockChange() throws {
    let store = try store()
    let seconds = [1_710_050_400, 1_710_133_199.999, 1_710_133_200, 1_710_050_399]
    let dates = seconds.map { Date(timeIntervalSince1970: $0) }
    try store.write {
      for (position, date) in dates.enumerated() {
        let card = Card("\(position)")
        card.when = date
        try store.add(card)
      }
    }
    let cards = store.objects(Card.self)

    XCTAssertEqual(cards.where { $0.when.contains(dates[0]..<dates[2]) }.count, 2)
    XCTAssertEqual(cards.where { $0.when.contains(dates[0]...dates[2]) }.count, 3)
    XCTAssertEqual(cards.where { $0.when == dates[1] }.map(\.identifier), ["1"])
  }

  func testNilIsEqualToNilOnlyAndInNoOrder() throws {
    let store = try store()
    try store.write {
      for (name, score) in [("nil", nil), ("1", 1), ("2", 2), ("none", nil)] as [(String, Int?)] {
        let card = Card(name)
        card.score = score
        try store.add(card)
      }
    }
    func names(_ condition: (Query<Card>) -> Query<Bool>) -> [String] {
      store.objects(Card.self).where(condition).map(\.identifier)
    }

    XCTAssertEqual(names { $0.score == nil }, ["nil", "none"])
    XCTAssertEqual(names { $0.score != nil }, ["1", "2"])
    XCTAssertEqual(names { $0.score == 1 }, ["1"])
    XCTAssertEqual(names { $0.score != 1 }, ["nil", "2", "none"])
    XCTAssertEqual(names { $0.score < 5 }, ["1", "2"])
    XCTAssertEqual(names { $0.score > -5 }, ["1", "2"])
    XCTAssertEqual(names { !($0.score > 1) }, ["nil", "1", "none"])
    XCTAssertEqual(names { $0.score.in([nil, 2]) }, ["nil", "2", "none"])
    XCTAssertEqual(names { $0.score.contains(1...2) }, ["1", "2"])
    XCTAssertEqual(
      store.objects(Card.self).sorted(by: \.score).map(\.identifier), ["nil", "none", "1", "2"])
    XCTAssertEqual(
      store.objects(Card.self).sorted(by: \.score, ascending: false).map(\.identifier),
      ["2", "1", "nil", "none"])
  }

  func testTextsAreSortedAsSwiftSortsThem() throws {
    let titles = [
      "zoo", "10", "9", "Pear", "pear", "Zinc", "éte", "ete", "Öl", "öl", "oil", "-x", "_x", " x",
      "'x", "", "a\0", "a", "a\0b", "ab", "e\u{301}te", "\u{10FFFF}", "\u{FFFD}", "👩‍👩‍👧",
    ]
    let cards = try cards(titles)

    XCTAssertEqual(cards.sorted(by: \.title).map(\.title), titles.sorted())
    let expected = titles.enumerated().sorted {
      $0.element != $1.element ? $0.element > $1.element : $0.offset < $1.offset
    }
    XCTAssertEqual(
      cards.sorted(by: \.title, ascending: false).map(\.title), expected.map(\.element))
    XCTAssertEqual(cards.where { $0.title >= "oil" }.count, titles.filter { $0 >= "oil" }.count)
    XCTAssertEqual(cards.where { $0.title < "a" }.count, titles.filter { $0 < "a" }.count)
  }

  func testTextsAreEqualByCanonicalEquivalence() throws {
    let cards = try cards(["é", "e\u{301}", "e", "Å", "\u{212B}", "A\u{30A}"])

    XCTAssertEqual(cards.where { $0.title == "é" }.count, 2)
    XCTAssertEqual(cards.where { $0.title == "e\u{301}" }.count, 2)
    XCTAssertEqual(cards.where { $0.title == "\u{212B}" }.count, 3)
    XCTAssertEqual(cards.where { $0.title != "é" }.count, 4)
    XCTAssertEqual(cards.where { $0.title.in(["é", "Å"]) }.count, 5)
    XCTAssertEqual(cards.where { $0.title.equals("é", options: .diacriticInsensitive) }.count, 3)
    XCTAssertEqual(cards.where { $0.title.contains("\u{301}") }.count, 0)
  }

  func testNumbersThatAreNotInOrder() throws {
    let store = try store()
    let weights = [Double.nan, -0.0, 0, .infinity, -.infinity, 1, -.nan, .greatestFiniteMagnitude]
    try store.write {
      for (position, weight) in weights.enumerated() {
        let card = Card("\(position)", rank: position)
        card.weight = weight
        try store.add(card)
      }
    }
    let cards = store.objects(Card.self)

    XCTAssertEqual(cards.where { $0.weight == .nan }.count, 0)
    XCTAssertEqual(cards.where { $0.weight != .nan }.count, 8)
    XCTAssertEqual(cards.where { $0.weight == 0 }.count, 2)
    XCTAssertEqual(cards.where { $0.weight < 0 }.count, 1)
    XCTAssertEqual(cards.where { $0.weight <= 0 }.count, 3)
    XCTAssertEqual(cards.where { $0.weight > -.infinity }.count, 5)
    let sorted = cards.sorted(by: \.weight).map(\.weight)
    XCTAssertEqual(sorted.count, 8)
    XCTAssertEqual(sorted.filter { !$0.isNaN }, [-.infinity, 0, 0, 1, weights[7], .infinity])
    for (position, weight) in weights.enumerated() {
      let card = store.object(ofType: Card.self, forPrimaryKey: "\(position)")
      XCTAssertEqual(card?.weight.bitPattern, weight.bitPattern)
    }
  }

  func testDatesKeepEveryBit() throws {
    let dates = [
      Date(timeIntervalSinceReferenceDate: 612345678.1234567), .distantPast, .distantFuture,
      Date(timeIntervalSince1970: -0.5), Date(timeIntervalSinceReferenceDate: 0),
      Date(timeIntervalSinceReferenceDate: 1e15),
    ]
    var store = try store()
    try store.write {
      for (position, date) in dates.enumerated() {
        var value = CardValue("\(position)")
        value.when = date
        value.due = date
        try store.add(value: value, as: Card.self)
      }
    }
    closeStore()
    store = try self.store()

    for (position, date) in dates.enumerated() {
      let card = try XCTUnwrap(store.object(ofType: Card.self, forPrimaryKey: "\(position)"))
      XCTAssertEqual(
        card.when.timeIntervalSinceReferenceDate.bitPattern,
        date.timeIntervalSinceReferenceDate.bitPattern)
      XCTAssertEqual(
        store.objects(Card.self).where { $0.when == date }.map(\.identifier), ["\(position)"])
      XCTAssertEqual(
        store.objects(Card.self).where { $0.due == date }.map(\.identifier), ["\(position)"])
      XCTAssertEqual(Card(value: card.value).value, card.value)
    }
    XCTAssertEqual(store.objects(Card.self).sorted(by: \.when).map(\.when), dates.sorted())
    XCTAssertEqual(store.objects(Card.self).sorted(by: \.due).map(\.when), dates.sorted())
  }

  func testConditionsAreCombined() throws {
    let cards = try cards(["a", "b", "ab", "", "c"])
    func titles(_ condition: (Query<Card>) -> Query<Bool>) -> [String] {
      cards.where(condition).map(\.title)
    }

    XCTAssertEqual(titles { $0.title.contains("a") && $0.title.contains("b") }, ["ab"])
    XCTAssertEqual(titles { $0.title.contains("a") || $0.rank == 4 }, ["a", "ab", "c"])
    XCTAssertEqual(titles { !($0.title.contains("a") || $0.title.contains("b")) }, ["", "c"])
    XCTAssertEqual(titles { !$0.done && $0.rank < 2 }, ["a", "b"])
    XCTAssertEqual(titles { $0.done }, [])
    XCTAssertEqual(titles { ($0.rank > 2) == true }, ["", "c"])
    XCTAssertEqual(titles { ($0.rank > 2) == false }, ["a", "b", "ab"])
    XCTAssertEqual(titles { ($0.rank > 2) != true }, ["a", "b", "ab"])
    XCTAssertEqual(cards.where { $0.rank > 0 }.where { $0.rank < 3 }.map(\.title), ["b", "ab"])
    XCTAssertEqual(titles { $0.pinned == nil }, ["a", "b", "ab", "", "c"])
    XCTAssertEqual(titles { $0.pinned == true }, [])
    XCTAssertEqual(titles { $0.pinned != true }, ["a", "b", "ab", "", "c"])
    XCTAssertEqual(titles { $0.title == $0.title }, ["a", "b", "ab", "", "c"])
    XCTAssertEqual(titles { $0.title != $0.identifier }, ["a", "b", "ab", "", "c"])
  }
}
