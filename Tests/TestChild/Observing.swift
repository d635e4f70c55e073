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

  /// Waits until it was told of so many new cards.
  static func hear(_ count: Int, in store: Store) throws {
    var heard = 0
    var failure: (any Error)?
    let token = store.objects(Card.self).observe { change in
      switch change {
      case .initial(let cards): heard = cards.count
      case .update(let cards, let deletions, let insertions, _):
        heard += insertions.count
        if cards.count != heard || !deletions.isEmpty { exit(65) }
      case .error(let error): failure = error
      }
    }
    say("ready")
    while heard < count, failure == nil { store.waitForChanges(timeout: .seconds(60)) }
    token.invalidate()
    if let failure { throw failure }
    say(heard)
  }

  /// Prints the number of each version that several observers were told of, until nothing comes any more.
  static func follow(_ store: Store) {
    let tokens = CardObservers(store)
    repeat { say(store.version) } while store.waitForChanges(timeout: .seconds(60))
    withExtendedLifetime(tokens) {}
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

  /// Prints the titles in order, the cards from "oil" on, and those of a day that had 23 hours.
  static func tellOrder(in store: Store) throws {
    let cards = store.objects(Card.self)
    say(cards.sorted(by: \.title).map(\.title).joined(separator: "|"))
    say(cards.where { $0.title >= "oil" }.count)
    let start = Date(timeIntervalSince1970: 1_710_050_400)
    let end = start + 23 * 3_600
    say(cards.where { $0.when.contains(start..<end) }.map(\.identifier).sorted().joined())
    say(cards.where { $0.when.contains(start...end) }.map(\.identifier).sorted().joined())
    for card in cards.where({ $0.done }) { say(card.description) }
  }

  /// Tells of each commit, and when there is none for a while what the waiting cost.
  static func await(_ count: Int, in store: Store) throws {
    var calls = 0
    let token = store.objects(Card.self).observe { change in
      if case .update = change { calls += 1 }
    }
    say("ready")
    while calls < count {
      store.waitForChanges(timeout: .seconds(60))
      say(calls)
    }
    let before = processorTime()
    say(store.waitForChanges(timeout: .seconds(2)))
    say(processorTime() - before)
    token.invalidate()
  }

  /// Microseconds that this process has used.
  private static func processorTime() -> Int {
    var usage = rusage()
    let ownProcess: Int32 = 0  // RUSAGE_SELF, which the systems' headers type differently
    guard unsafe getrusage(ownProcess, &usage) == 0 else { return 0 }
    let seconds = Int(usage.ru_utime.tv_sec) + Int(usage.ru_stime.tv_sec)
    return seconds * 1_000_000 + Int(usage.ru_utime.tv_usec) + Int(usage.ru_stime.tv_usec)
  }

  private static func tell(_ line: ChangeLine) {
    do { say(try line.encoded()) } catch { say(error) }
  }
}
