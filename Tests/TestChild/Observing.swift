import Foundation
import Leyden
import TestSupport

/// Roles that observe.
enum Observing {
  /// Prints each change of the cards in an order, until a card called "end" is among them.
  static func observe(_ store: Store, order: String) throws {
    let cards = store.objects(Card.self)
    let results =
      switch order {
      case "filtered": cards.where { $0.rank > 2 || $0.identifier == "end" }
      case "sorted": cards.sorted(by: \.title)
      default: cards
      }
    var isDone = false
    var count = 0
    let token = results.observe { change in
      switch change {
      case .initial(let results): tell(ChangeLine(initial: results))
      case .update(let results, let deletions, let insertions, let modifications):
        tell(
          ChangeLine(
            results, count: count, deletions: deletions, insertions: insertions,
            modifications: modifications))
        isDone = store.object(ofType: Card.self, forPrimaryKey: "end") != nil
      case .error(let error):
        say(error)
        isDone = true
      }
      count = results.count
    }
    while !isDone { store.waitForChanges(timeout: .seconds(60)) }
    token.invalidate()
  }

  /// Stays at one version until the input ends.
  static func readOneVersion(of store: Store) throws {
    try store.read {
      say("reading \(store.version)")
      while readLine() != nil {}
    }
  }

  /// Prints a number for each card that can be read.
  static func tellDigests(of store: Store) throws {
    for card in store.objects(Card.self) {
      let value = store.value(of: card)
      // A damaged card reads as empty, and is noted; one whose key is damaged is not found again.
      if let failure = store.failure { throw failure }
      if card.isInvalidated { continue }
      say(CardList([value]).digest)
    }
    if let failure = store.failure { throw failure }
  }

  private static func tell(_ line: ChangeLine) {
    do { say(try line.encoded()) } catch { say(error) }
  }
}
