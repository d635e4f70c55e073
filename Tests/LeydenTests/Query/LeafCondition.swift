import Foundation
import Leyden
import LeydenTesting

/// A condition on leaves, as a store is asked and in plain Swift.
struct LeafCondition {
  let name: String
  /// The condition in one of the ways.
  let query: (Query<Leaf>, Int) -> Query<Bool>
  /// Whether it holds for a value.
  let holds: (LeafValue) -> Bool

  /// A condition on one property, or several that are joined.
  static func random(_ random: inout SeededGenerator) -> LeafCondition {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: return onText(&random)
    case 2: return onCode(&random)
    case 3: return onRank(&random)
    case 4: return onWeight(&random)
    case 5:
      let (left, right) = (self.random(&random), self.random(&random))
      return LeafCondition(
        name: "(\(left.name) && \(right.name))",
        query: { left.query($0, $1) && right.query($0, $1) },
        holds: { left.holds($0) && right.holds($0) })
    case 6:
      let (left, right) = (self.random(&random), self.random(&random))
      return LeafCondition(
        name: "(\(left.name) || \(right.name))",
        query: { left.query($0, $1) || right.query($0, $1) },
        holds: { left.holds($0) || right.holds($0) })
    default:
      let condition = self.random(&random)
      return LeafCondition(
        name: "!\(condition.name)", query: { !condition.query($0, $1) },
        holds: { !condition.holds($0) })
    }
  }

  /// The bytes by which texts are looked for in each other.
  private static func bytes(_ text: String, _ ignoresCase: Bool) -> [UInt8] {
    Array((ignoresCase ? text.lowercased() : text).precomposedStringWithCanonicalMapping.utf8)
  }

  private static func onText(_ random: inout SeededGenerator) -> LeafCondition {
    let text = LeafQuestion.texts.randomElement(using: &random) ?? ""
    let ignoresCase = Bool.random(using: &random)
    let options: StringOptions = ignoresCase ? .caseInsensitive : []
    let name = "\"\(text.prefix(10))\" \(text.utf8.count)\(ignoresCase ? "[c]" : "")"
    func on(_ query: Query<Leaf>, _ way: Int) -> Query<String> {
      query[dynamicMember: Ways.texts[way].path]
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return LeafCondition(
        name: "text == \(name)", query: { on($0, $1) == text }, holds: { $0.text == text })
    case 1:
      return LeafCondition(
        name: "text < \(name)", query: { on($0, $1) < text }, holds: { $0.text < text })
    case 2:
      return LeafCondition(
        name: "text >= \(name)", query: { on($0, $1) >= text }, holds: { $0.text >= text })
    case 3:
      let other = LeafQuestion.texts.randomElement(using: &random) ?? ""
      let range = min(text, other)...max(text, other)
      return LeafCondition(
        name: "text from \(name) to \(other.prefix(10))", query: { on($0, $1).contains(range) },
        holds: { range.contains($0.text) })
    case 4:
      let some = Array(LeafQuestion.texts.shuffled(using: &random).prefix(3))
      return LeafCondition(
        name: "text in \(some.map { $0.prefix(10) })", query: { on($0, $1).in(some) },
        holds: { some.contains($0.text) })
    case 5:
      return LeafCondition(
        name: "text starts \(name)", query: { on($0, $1).starts(with: text, options: options) },
        holds: { bytes($0.text, ignoresCase).starts(with: bytes(text, ignoresCase)) })
    case 6:
      return LeafCondition(
        name: "text ends \(name)", query: { on($0, $1).ends(with: text, options: options) },
        holds: {
          bytes($0.text, ignoresCase).reversed().starts(with: bytes(text, ignoresCase).reversed())
        })
    case 7:
      return LeafCondition(
        name: "text equals \(name)", query: { on($0, $1).equals(text, options: options) },
        holds: { bytes($0.text, ignoresCase) == bytes(text, ignoresCase) })
    default:
      return LeafCondition(
        name: "text contains \(name)", query: { on($0, $1).contains(text, options: options) },
        holds: {
          text.isEmpty
            || Data(bytes($0.text, ignoresCase)).range(of: Data(bytes(text, ignoresCase))) != nil
        })
    }
  }

  private static func onCode(_ random: inout SeededGenerator) -> LeafCondition {
    let text = LeafQuestion.texts.randomElement(using: &random) ?? ""
    func on(_ query: Query<Leaf>, _ way: Int) -> Query<String?> {
      query[dynamicMember: Ways.codes[way].path]
    }
    let name = "\"\(text.prefix(10))\" \(text.utf8.count)"
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return LeafCondition(
        name: "code == nil", query: { on($0, $1) == nil }, holds: { $0.code == nil })
    case 1:
      return LeafCondition(
        name: "code != \(name)", query: { on($0, $1) != text }, holds: { $0.code != text })
    case 2:
      return LeafCondition(
        name: "code == \(name)", query: { on($0, $1) == text }, holds: { $0.code == text })
    case 3:
      return LeafCondition(
        name: "code <= \(name)", query: { on($0, $1) <= text },
        holds: { $0.code.map { $0 <= text } ?? false })
    case 4:
      return LeafCondition(
        name: "code in nil, \(name)", query: { on($0, $1).in([nil, text]) },
        holds: { $0.code == nil || $0.code == text })
    default:
      return LeafCondition(
        name: "code starts \(name)", query: { on($0, $1).starts(with: text) },
        holds: { $0.code.map { bytes($0, false).starts(with: bytes(text, false)) } ?? false })
    }
  }

  private static func onRank(_ random: inout SeededGenerator) -> LeafCondition {
    let (rank, other) = (
      LeafQuestion.ranks.randomElement(using: &random) ?? 0,
      LeafQuestion.ranks.randomElement(using: &random) ?? 0
    )
    let range = min(rank, other)...max(rank, other)
    func on(_ query: Query<Leaf>, _ way: Int) -> Query<Int> {
      query[dynamicMember: Ways.ranks[way].path]
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return LeafCondition(
        name: "rank == \(rank)", query: { on($0, $1) == rank }, holds: { $0.rank == rank })
    case 1:
      return LeafCondition(
        name: "rank > \(rank)", query: { on($0, $1) > rank }, holds: { $0.rank > rank })
    case 2:
      return LeafCondition(
        name: "rank in \(rank), \(other)", query: { on($0, $1).in([rank, other, 99]) },
        holds: { [rank, other].contains($0.rank) })
    case 3:
      let date = LeafQuestion.dates.randomElement(using: &random) ?? .distantPast
      return LeafCondition(
        name: "when < \(date), rank \(rank)",
        query: { $0[dynamicMember: Ways.dates[$1].path] < date && on($0, $1) != rank },
        holds: { $0.when < date && $0.rank != rank })
    default:
      return LeafCondition(
        name: "rank in \(range)", query: { on($0, $1).contains(range) },
        holds: { range.contains($0.rank) })
    }
  }

  private static func onWeight(_ random: inout SeededGenerator) -> LeafCondition {
    let weight = LeafQuestion.weights.randomElement(using: &random) ?? 0
    func on(_ query: Query<Leaf>, _ way: Int) -> Query<Double> {
      query[dynamicMember: Ways.weights[way].path]
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      return LeafCondition(
        name: "weight == \(weight)", query: { on($0, $1) == weight },
        holds: { $0.weight == weight })
    case 1:
      return LeafCondition(
        name: "weight <= \(weight)", query: { on($0, $1) <= weight },
        holds: { $0.weight <= weight })
    case 2:
      return LeafCondition(
        name: "weight in \(weight), 1.5", query: { on($0, $1).in([weight, 1.5]) },
        holds: { [weight, 1.5].contains($0.weight) })
    default:
      return LeafCondition(
        name: "weight > \(weight)", query: { on($0, $1) > weight },
        holds: { $0.weight > weight })
    }
  }
}
