import Leyden
import LeydenTesting
import TestSupport

/// A role that changes collections.
enum Dealing {
  /// Makes random commits in the first deck, and one that gives it the tag "end".
  static func deal(seed: UInt64, count: Int, in store: Store) throws {
    var generator = SeededGenerator(seed: seed)
    func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    for commit in 0..<count {
      try store.write {
        guard let deck = store.objects(Deck.self).first else { return }
        for step in 0..<4 {
          let size = deck.cards.count
          switch number(below: 8) {
          case 0, 1:
            let card = try store.add(Card("\(seed)-\(commit)-\(step)"))
            deck.cards.insert(card, at: number(below: size + 1))
          case 2 where size > 0: deck.cards.remove(at: number(below: size))
          case 3 where size > 0: deck.cards.move(from: number(below: size), to: number(below: size))
          case 4 where size > 0: deck.cards[number(below: size)].rank = number(below: 3)
          case 5 where size > 0:
            deck.places["\(number(below: 4))"] = deck.cards[number(below: size)]
          case 6 where size > 0 && number(below: 3) == 0:
            try store.delete(deck.cards[number(below: size)])
          default:
            deck.ranks.insert(number(below: 3), at: number(below: deck.ranks.count + 1))
            if deck.ranks.count > 30 { deck.ranks.remove(at: number(below: 30)) }
            let tag = "\(number(below: 9))"
            if deck.tags.contains(tag) { deck.tags.remove(tag) } else { deck.tags.insert(tag) }
          }
        }
      }
    }
    try store.write { store.objects(Deck.self).first?.tags.insert("end") }
  }
}
