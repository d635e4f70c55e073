import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Commits of other processes in lists, sets and maps.
final class CrossProcessCollectionTests: ProcessTestCase {
  /// A deck as its observers know it.
  private final class Mirror {
    struct Seen: Equatable {
      let row: String
      let rank: Int
    }

    private(set) var violations: [String] = []
    private(set) var calls = 0
    private let deck: Deck
    private var cards: [Seen] = []
    private var ranks: [Seen] = []
    private var tags: [Seen] = []
    private var places: Set<String> = []
    private var tokens: [NotificationToken] = []

    init(_ deck: Deck) {
      self.deck = deck
      tokens = [
        deck.cards.observe { [unowned self] in check($0, &cards, currentCards) },
        deck.ranks.observe { [unowned self] in check($0, &ranks, currentRanks) },
        deck.tags.observe { [unowned self] in check($0, &tags, currentTags) },
        deck.places.observe { [unowned self] change in
          switch change {
          case .initial(let map): places = Set(map.keys)
          case .error(let error): violations.append("\(error)")
          case .update(_, let deletions, let insertions, _):
            places.subtract(deletions)
            places.formUnion(insertions)
          }
        },
      ]
    }

    deinit { for token in tokens { token.invalidate() } }

    private var currentCards: [Seen] {
      deck.cards.map { Seen(row: $0.identifier, rank: $0.rank) }
    }
    private var currentRanks: [Seen] { deck.ranks.map { Seen(row: "\($0)", rank: 0) } }
    private var currentTags: [Seen] { deck.tags.map { Seen(row: $0, rank: 0) } }

    private func check<C>(_ change: ObservedChange<C>, _ seen: inout [Seen], _ new: [Seen]) {
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

    /// Whether what was last told is what there is, and every change was right.
    func checkAtRest(_ context: String) {
      XCTAssertEqual(violations, [], context)
      XCTAssertEqual(cards, currentCards, context)
      XCTAssertEqual(ranks, currentRanks, context)
      XCTAssertEqual(tags, currentTags, context)
      XCTAssertEqual(places, Set(deck.places.keys), context)
    }
  }

  private func storeWithDeck() throws -> (Store, Deck) {
    let store = try temporaryDirectory().store(objectTypes: [Deck.self])
    let deck = Deck()
    deck.name = "deck"
    return (store, try store.write { try store.add(deck) })
  }

  func testTheChangesOfCollectionsLeadToWhatTheOtherProcessMade() throws {
    let (store, deck) = try storeWithDeck()
    let mirror = Mirror(deck)

    let dealer = try child("deal", "21", "300")
    try wait(for: store) { deck.tags.contains("end") }
    XCTAssertEqual(try dealer.wait(), .exited(0), dealer.errorOutput)
    store.refresh()

    mirror.checkAtRest("seed 21")
    XCTAssertGreaterThan(mirror.calls, 0)
    XCTAssertNoThrow(try store.verify())
  }

  func testSeveralProcessesChangeTheSameCollections() throws {
    let (store, deck) = try storeWithDeck()
    let mirror = Mirror(deck)
    var generator = SeededGenerator(seed: 31)
    var commits = 0

    let dealers = try (31...33).map { try child("deal", "\($0)", "150") }
    while commits < 150 {
      try store.write {
        let count = deck.cards.count
        if count > 1 {
          deck.cards.swapAt(
            Int.random(in: 0..<count, using: &generator),
            Int.random(in: 0..<count, using: &generator))
        }
        deck.places["own"] = deck.cards.last
      }
      commits += 1
    }
    for dealer in dealers { XCTAssertEqual(try dealer.wait(), .exited(0), dealer.errorOutput) }
    store.refresh()

    mirror.checkAtRest("seeds 31 to 33")
    XCTAssertNoThrow(try store.verify())
  }

  func testWritersThatAreKilledLeaveCollectionsWhole() throws {
    let (store, deck) = try storeWithDeck()
    let mirror = Mirror(deck)
    for round in 0..<testScale(6) {
      let dealers = try (0..<2).map { try child("deal", "\(40 + 2 * round + $0)", "2000") }
      let calls = mirror.calls
      try wait(for: store) { mirror.calls > calls + 3 * round }
      for dealer in dealers { dealer.signal() }
      for dealer in dealers {
        let ending = try dealer.wait()
        XCTAssertTrue([.killed(SIGKILL), .exited(0)].contains(ending), "\(ending)")
      }
      store.refresh()
      mirror.checkAtRest("round \(round)")
      XCTAssertNoThrow(try store.verify(), "round \(round)")
    }
    // Whoever writes next has nothing to wait for, and nothing to mend.
    try store.write { deck.tags.insert("end") }
    mirror.checkAtRest("at the end")
  }
}
