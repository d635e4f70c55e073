import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Commits of another process in lists, sets and maps.
final class CrossProcessCollectionTests: ProcessTestCase {
  private struct Seen: Equatable {
    let row: String
    let rank: Int
  }

  func testTheChangesOfCollectionsLeadToWhatTheOtherProcessMade() throws {
    let store = try temporaryDirectory().store(objectTypes: [Deck.self])
    let deck = Deck()
    deck.name = "deck"
    try store.write { try store.add(deck) }
    var violations: [String] = []
    var calls = 0
    func check<C>(
      _ change: ObservedChange<C>, _ seen: inout [Seen], _ new: [Seen]
    ) {
      defer { seen = new }
      switch change {
      case .initial: break
      case .error(let error): violations.append("\(error)")
      case .update(_, let deletions, let insertions, let modifications):
        calls += 1
        let checker = ChangeSetChecker(
          deletions: deletions, insertions: insertions, modifications: modifications)
        do { try checker.checkList(old: seen, new: new, identity: \.row) } catch {
          violations.append("\(error)")
        }
      }
    }
    func cards() -> [Seen] { deck.cards.map { Seen(row: $0.identifier, rank: $0.rank) } }
    func ranks() -> [Seen] { deck.ranks.map { Seen(row: "\($0)", rank: 0) } }
    func tags() -> [Seen] { deck.tags.map { Seen(row: $0, rank: 0) } }
    var seen: (cards: [Seen], ranks: [Seen], tags: [Seen]) = ([], [], [])
    var places: Set<String> = []
    let tokens = [
      deck.cards.observe { check($0, &seen.cards, cards()) },
      deck.ranks.observe { check($0, &seen.ranks, ranks()) },
      deck.tags.observe { check($0, &seen.tags, tags()) },
      deck.places.observe { change in
        guard case .update(_, let deletions, let insertions, _) = change else { return }
        places.subtract(deletions)
        places.formUnion(insertions)
      },
    ]

    let dealer = try child("deal", "21", "300")
    try wait(for: store) { deck.tags.contains("end") }
    XCTAssertEqual(try dealer.wait(), .exited(0), dealer.errorOutput)
    store.refresh()

    XCTAssertEqual(violations, [], "seed 21")
    XCTAssertGreaterThan(calls, 0)
    XCTAssertEqual(seen.cards, cards(), "seed 21")
    XCTAssertEqual(seen.ranks, ranks(), "seed 21")
    XCTAssertEqual(seen.tags, tags(), "seed 21")
    XCTAssertEqual(places, Set(deck.places.keys), "seed 21")
    XCTAssertNoThrow(try store.verify())
    for token in tokens { token.invalidate() }
  }
}
