import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// A leaf as a plain value; equal where every bit is.
struct LeafValue: Equatable {
  var identifier: String
  var text = ""
  var code: String?
  var rank = 7
  var weight = 0.0
  var when = Date(timeIntervalSinceReferenceDate: 0)

  static func == (left: LeafValue, right: LeafValue) -> Bool {
    left.identifier == right.identifier && left.rank == right.rank && left.when == right.when
      && left.text.utf8.elementsEqual(right.text.utf8)
      && left.code.map { Array($0.utf8) } == right.code.map { Array($0.utf8) }
      && left.weight.bitPattern == right.weight.bitPattern
  }
}

extension Leaf {
  /// The leaf as it is without indexes.
  var value: LeafValue {
    var value = LeafValue(identifier: identifier, text: text, code: code, rank: rank)
    value.weight = weight
    value.when = when
    return value
  }

  /// Sets everything but the key.
  func take(_ value: LeafValue) {
    set(text: value.text)
    set(code: value.code)
    set(rank: value.rank)
    set(weight: value.weight)
    set(when: value.when)
  }
}

/// A question to a store, and to an array of what it should hold.
struct LeafQuestion {
  var name: String
  /// Asks the store in one of the ways.
  let results: (Store, Int) -> Results<Leaf>
  /// What the answer must be, of values in order of their creation.
  let expected: ([LeafValue]) -> [LeafValue]

  /// Values from small sets, so that many are equal and many are at an edge.
  static func random(_ identifier: String, _ random: inout SeededGenerator) -> LeafValue {
    var value = LeafValue(identifier: identifier)
    value.text = texts.randomElement(using: &random) ?? ""
    value.code = Bool.random(using: &random) ? nil : texts.randomElement(using: &random)
    value.rank = ranks.randomElement(using: &random) ?? 0
    value.weight = weights.randomElement(using: &random) ?? 0
    value.when = dates.randomElement(using: &random) ?? value.when
    return value
  }

  static let texts = [
    "", "\0", "a", "A", "ab", "abc", "a\0", "a\0b", "b", "é", "e\u{301}", "É", "e", "z", "\r",
    "\r\n",
    "👩", "👩‍👩‍👧", "q\u{307}\u{323}", "q\u{323}\u{307}", String(repeating: "long ", count: 60),
    String(repeating: "long ", count: 60) + "!", String(repeating: "é", count: 300),
    String(repeating: "x", count: 2_500),
  ]
  static let ranks = [Int.min, -2, -1, 0, 1, 2, 3, Int.max]
  static let weights = [
    0, -0.0, 1.5, -7, .infinity, -.infinity, .nan, -.nan, .leastNonzeroMagnitude,
  ]
  static let dates =
    [.distantPast, .distantFuture]
    + [0, 1, -1, 0.25, 1e15].map(Date.init(timeIntervalSinceReferenceDate:))

  /// A condition, and sometimes an order; with `hasSteps` also what follows them.
  static func random(_ random: inout SeededGenerator, hasSteps: Bool) -> LeafQuestion {
    var question = LeafQuestion(
      name: "", results: { store, _ in store.objects(Leaf.self) }, expected: { $0 })
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      question = question.where(LeafCondition.random(&random))
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      question = question.sorted(&random)
    }
    guard hasSteps else { return question }
    let number = Int.random(in: 0...9, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return question.then("limit \(number)", { $0.limit(number) }, { Array($0.prefix(number)) })
    case 1:
      return question.then(
        "offset \(number)", { $0.offset(number) }, { Array($0.dropFirst(number)) })
    case 2:
      return question.distinct().where(LeafCondition.random(&random))
    default: return question
    }
  }

  private func then(
    _ name: String, _ step: @escaping (Results<Leaf>) -> Results<Leaf>,
    _ expect: @escaping ([LeafValue]) -> [LeafValue]
  ) -> LeafQuestion {
    let (results, expected) = (results, expected)
    return LeafQuestion(
      name: "\(self.name); \(name)", results: { step(results($0, $1)) },
      expected: { expect(expected($0)) })
  }

  private func distinct() -> LeafQuestion {
    let (results, expected) = (results, expected)
    return LeafQuestion(
      name: "\(name); distinct codes",
      results: { results($0, $1).distinct(by: Ways.codes[$1].path) },
      expected: { values in
        var seen: Set<String?> = []
        return expected(values).filter { seen.insert($0.code).inserted }
      })
  }

  private func `where`(_ condition: LeafCondition) -> LeafQuestion {
    let (results, expected) = (results, expected)
    return LeafQuestion(
      name: "\(name); \(condition.name)",
      results: { store, way in results(store, way).where { condition.query($0, way) } },
      expected: { expected($0).filter(condition.holds) })
  }

  // MARK: Order

  /// Equal values keep the order that they had, and what is not a number comes last ascending.
  private func sorted(_ random: inout SeededGenerator) -> LeafQuestion {
    let isAscending = Bool.random(using: &random)
    func sorted(
      _ name: String, _ step: @escaping (Results<Leaf>, Int) -> Results<Leaf>,
      _ isBefore: @escaping (LeafValue, LeafValue) -> Bool
    ) -> LeafQuestion {
      let (results, expected) = (results, expected)
      return LeafQuestion(
        name: "\(self.name); by \(name) \(isAscending ? "ascending" : "descending")",
        results: { step(results($0, $1), $1) },
        expected: { values in
          expected(values).enumerated().sorted { left, right in
            let (first, second) = isAscending ? (left, right) : (right, left)
            if isBefore(first.element, second.element) { return true }
            if isBefore(second.element, first.element) { return false }
            return left.offset < right.offset
          }.map(\.element)
        })
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      return sorted(
        "text", { $0.sorted(by: Ways.texts[$1].path, ascending: isAscending) },
        { $0.text < $1.text })
    case 1:
      return sorted(
        "code", { $0.sorted(by: Ways.codes[$1].path, ascending: isAscending) },
        { left, right in
          guard let code = right.code else { return false }
          return left.code.map { $0 < code } ?? true
        })
    case 2:
      return sorted(
        "rank", { $0.sorted(by: Ways.ranks[$1].path, ascending: isAscending) },
        { $0.rank < $1.rank })
    case 3:
      return sorted(
        "when", { $0.sorted(by: Ways.dates[$1].path, ascending: isAscending) },
        { $0.when < $1.when })
    default:
      return sorted(
        "weight", { $0.sorted(by: Ways.weights[$1].path, ascending: isAscending) },
        { left, right in
          if left.weight.isNaN || right.weight.isNaN {
            return !left.weight.isNaN && right.weight.isNaN
          }
          return left.weight < right.weight
        })
    }
  }
}
