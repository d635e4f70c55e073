import Foundation
public import Leyden
import LeydenTesting

/// One change of a store of cards.
public enum CardOperation: Sendable {
  /// Adds a card that is not there.
  case add(CardValue)
  /// Gives all values to a card by setting its properties.
  case set(CardValue)
  /// Gives all values to a card, or adds it.
  case upsert(CardValue)
  /// Removes a card.
  case delete(String)
  /// Removes all cards.
  case deleteAll
}

/// Makes random commits; the same ones for the same seed and the same cards.
public struct RandomCommits: Sendable {
  private var generator: SeededGenerator
  private var nextIdentifier = 0
  /// How many cards there are, about, in the long run.
  public var size = 40

  /// Begins a sequence of commits.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  /// A number below `limit`.
  public mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &generator)
  }

  /// What the next commit changes, made for a store that holds `cards`.
  public mutating func next(for cards: CardList) -> [CardOperation] {
    var after = cards
    let count = number(below: 8) == 0 ? number(below: 40) : number(below: 5) + 1
    return (0..<count).map { _ in
      let operation = next(after)
      after.apply(operation)
      return operation
    }
  }

  private mutating func next(_ cards: CardList) -> CardOperation {
    let roll = number(below: 100)
    if roll == 0, number(below: 4) == 0 { return .deleteAll }
    if cards.isEmpty || roll < (cards.count < size ? 35 : 15) {
      nextIdentifier += 1
      let identifier = "\(generator.seed)-\(nextIdentifier)"
      return cards[identifier] == nil
        ? .add(random(CardValue(identifier))) : .upsert(random(CardValue(identifier)))
    }
    let card = cards.values[number(below: cards.count)]
    switch roll {
    case ..<55: return .set(changed(card))
    case ..<70: return .set(random(card))
    case ..<80: return .upsert(number(below: 3) == 0 ? random(card) : changed(card))
    case ..<84: return .set(card)
    default: return .delete(card.identifier)
    }
  }

  /// The card with one other value.
  private mutating func changed(_ card: CardValue) -> CardValue {
    let other = random(card)
    var card = card
    switch number(below: 10) {
    case 0, 1: card.title = other.title
    case 2, 3: card.rank = other.rank
    case 4: card.score = other.score
    case 5: card.code = other.code
    case 6: card.weight = other.weight
    case 7: card.when = other.when
    case 8: card.picture = other.picture
    default: (card.done, card.pinned) = (other.done, other.pinned)
    }
    return card
  }

  /// A card with the same key and values from small sets, so that many are equal.
  public mutating func random(_ card: CardValue) -> CardValue {
    var value = CardValue(card.identifier)
    value.title = pick(Self.texts)
    value.code = pick([nil, "x", "y", "", "long " + String(repeating: "code", count: 200)])
    value.rank = pick([Int.min, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, Int.max])
    value.weight = pick([0, 1.5, -2.25, .infinity, -.infinity, .leastNonzeroMagnitude, 1e300])
    value.when = Date(timeIntervalSinceReferenceDate: pick([0, 612345678.1234567, -1e12, 1e15]))
    value.done = pick([true, false])
    value.picture = pick(Self.pictures)
    value.tag = pick([
      nil, value.mark, UUID(uuid: (9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 1, 2, 3, 4, 5, 6)),
    ])
    value.score = pick([nil, 0, 1, 2, 3, -7])
    value.due = pick([nil, .distantPast, .distantFuture, value.when])
    value.ratio = pick([nil, 0.5, -0.5, 1e-300])
    value.pinned = pick([nil, true, false])
    value.thumbnail = pick([nil] + Self.pictures.map { $0 })
    return value
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value {
    values[number(below: values.count)]
  }

  private static let texts = [
    "", "a", "Jar", "jar", "leyden jar", "Éclair", "eclair", "éte", "Öl", "öl", "zoo", "байкал",
    "Байкал", "ß", "SS", "night 🦉 watch", "日本語", String(repeating: "long title ", count: 30),
    String(repeating: "x", count: 2_500),
  ]
  private static let pictures = [
    Data(), Data([0]), Data([1, 2, 3, 4, 5, 6, 7]), Data([1, 2, 3, 4, 5, 6, 7, 8]),
    Data(repeating: 7, count: 64), Data(repeating: 8, count: 65), Data(repeating: 9, count: 1_900),
    Data(repeating: 10, count: 4_060), Data(repeating: 11, count: 9_000),
  ]
}

extension CardOperation {
  /// Makes the change within a write of a store.
  public func apply(to store: Store) throws {
    switch self {
    case .add(let value): try store.add(value: value, as: Card.self)
    case .set(let value):
      store.object(ofType: Card.self, forPrimaryKey: value.identifier)?.take(value)
    case .upsert(let value): try store.add(value: value, as: Card.self, update: .modified)
    case .delete(let identifier):
      if let card = store.object(ofType: Card.self, forPrimaryKey: identifier) {
        try store.delete(card)
      }
    case .deleteAll: try store.deleteAll(Card.self)
    }
  }
}
