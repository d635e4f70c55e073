import Foundation
import Leyden
import TestSupport

/// One way of asking for cards: as the library is asked, and in plain Swift.
struct CardQuery {
  let name: String
  /// Asks a store.
  let results: (Store) -> Results<Card>
  /// What the answer must be, of cards in order of their creation.
  let expected: ([CardValue]) -> [CardValue]

  private init(
    _ name: String, _ results: @escaping (Results<Card>) -> Results<Card>,
    where isIncluded: @escaping (CardValue) -> Bool = { _ in true },
    by areInOrder: [(CardValue, CardValue) -> Bool] = []
  ) {
    self.name = name
    self.results = { results($0.objects(Card.self)) }
    expected = { cards in
      cards.filter(isIncluded).enumerated().sorted { left, right in
        for isBefore in areInOrder {
          if isBefore(left.element, right.element) { return true }
          if isBefore(right.element, left.element) { return false }
        }
        return left.offset < right.offset
      }.map(\.element)
    }
  }

  private static func order<Value: Comparable>(
    _ read: @escaping (CardValue) -> Value, ascending: Bool = true
  ) -> (CardValue, CardValue) -> Bool {
    { ascending ? read($0) < read($1) : read($1) < read($0) }
  }

  private static func nilFirst<Value: Comparable>(
    _ read: @escaping (CardValue) -> Value?, ascending: Bool = true
  ) -> (CardValue, CardValue) -> Bool {
    func isBefore(_ left: Value?, _ right: Value?) -> Bool {
      guard let right else { return false }
      guard let left else { return true }
      return left < right
    }
    return { ascending ? isBefore(read($0), read($1)) : isBefore(read($1), read($0)) }
  }

  private static func folded(_ text: String) -> String { text.lowercased() }

  /// All conditions and orders that random tests compare.
  static var all: [CardQuery] { conditions + orders }

  private static var conditions: [CardQuery] {
    [
      CardQuery("all", { $0 }),
      CardQuery("rank > 3", { $0.where { $0.rank > 3 } }, where: { $0.rank > 3 }),
      CardQuery("rank <= 3", { $0.where { $0.rank <= 3 } }, where: { $0.rank <= 3 }),
      CardQuery("rank != 3", { $0.where { $0.rank != 3 } }, where: { $0.rank != 3 }),
      CardQuery(
        "rank in", { $0.where { $0.rank.in([1, 7, 99]) } }, where: { [1, 7].contains($0.rank) }),
      CardQuery("score == nil", { $0.where { $0.score == nil } }, where: { $0.score == nil }),
      CardQuery("score != 2", { $0.where { $0.score != 2 } }, where: { $0.score != 2 }),
      CardQuery("score > 0", { $0.where { $0.score > 0 } }, where: { ($0.score ?? -1) > 0 }),
      CardQuery("weight < 1", { $0.where { $0.weight < 1 } }, where: { $0.weight < 1 }),
      CardQuery("title == jar", { $0.where { $0.title == "jar" } }, where: { $0.title == "jar" }),
      CardQuery("title >= jar", { $0.where { $0.title >= "jar" } }, where: { $0.title >= "jar" }),
      CardQuery(
        "title contains[c] JAR",
        { $0.where { $0.title.contains("JAR", options: .caseInsensitive) } },
        where: { folded($0.title).contains("jar") }),
      CardQuery(
        "title starts l", { $0.where { $0.title.starts(with: "l") } },
        where: { $0.title.hasPrefix("l") }),
      CardQuery(
        "title ends r or code x", { $0.where { $0.title.ends(with: "r") || $0.code == "x" } },
        where: { $0.title.hasSuffix("r") || $0.code == "x" }),
      CardQuery(
        "not (done and pinned)", { $0.where { !($0.done && $0.pinned == true) } },
        where: { !($0.done && $0.pinned == true) }),
      CardQuery(
        "when after zero", { $0.where { $0.when > Date(timeIntervalSinceReferenceDate: 0) } },
        where: { $0.when > Date(timeIntervalSinceReferenceDate: 0) }),
      CardQuery(
        "picture", { $0.where { $0.picture == Data(repeating: 11, count: 9_000) } },
        where: { $0.picture == Data(repeating: 11, count: 9_000) }),
      CardQuery("thumbnail", { $0.where { $0.thumbnail != nil } }, where: { $0.thumbnail != nil }),
      CardQuery(
        "long code", { $0.where { $0.code.starts(with: "long") } },
        where: { $0.code?.hasPrefix("long") == true }),
    ]
  }

  private static var orders: [CardQuery] {
    [
      CardQuery("by rank", { $0.sorted(by: \.rank) }, by: [order { $0.rank }]),
      CardQuery(
        "by rank descending", { $0.sorted(by: \.rank, ascending: false) },
        by: [order({ $0.rank }, ascending: false)]),
      CardQuery("by title", { $0.sorted(by: \.title) }, by: [order { $0.title }]),
      CardQuery(
        "by title descending", { $0.sorted(by: \.title, ascending: false) },
        by: [order({ $0.title }, ascending: false)]),
      CardQuery("by score", { $0.sorted(by: \.score) }, by: [nilFirst { $0.score }]),
      CardQuery(
        "by due descending", { $0.sorted(by: \.due, ascending: false) },
        by: [nilFirst({ $0.due }, ascending: false)]),
      CardQuery("by weight", { $0.sorted(by: \.weight) }, by: [order { $0.weight }]),
      CardQuery(
        "by code then rank descending",
        { $0.sorted(by: \.rank, ascending: false).sorted(by: \.code) },
        by: [nilFirst { $0.code }, order({ $0.rank }, ascending: false)]),
      CardQuery(
        "by done, pinned, when", { $0.sorted(by: \.when).sorted(by: \.pinned).sorted(by: \.done) },
        by: [
          order { $0.done ? 1 : 0 }, nilFirst { $0.pinned.map { $0 ? 1 : 0 } }, order { $0.when },
        ]),
      CardQuery(
        "rank > 2 by title", { $0.where { $0.rank > 2 }.sorted(by: \.title) },
        where: { $0.rank > 2 }, by: [order { $0.title }]),
      CardQuery(
        "title contains a by score descending",
        { $0.sorted(by: \.score, ascending: false).where { $0.title.contains("a") } },
        where: { $0.title.contains("a") }, by: [nilFirst({ $0.score }, ascending: false)]),
      CardQuery(
        "by identifier", { $0.sorted(by: \.identifier) }, by: [order { $0.identifier }]),
    ]
  }
}
