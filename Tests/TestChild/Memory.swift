import Foundation
import Leyden
import TestSupport

/// Roles whose store is not at the path that they are given.
enum Memory {
  /// Adds a card to a store in memory, tells how many there are, and again for each line of input.
  static func hold(_ name: String) throws {
    let store = try Store(
      configuration: .init(inMemoryIdentifier: name, objectTypes: [Card.self, Item.self]))
    var number = 0
    repeat {
      number += 1
      let card = Card("\(getpid()) \(number)")
      card.picture = Data(repeating: 1, count: 100_000)
      try store.write { try store.add(card) }
      say(store.objects(Card.self).count)
    } while readLine() != nil
  }

  /// Adds a card to the store that is used where nobody says which.
  static func useDefault() throws {
    Store.Configuration.defaultConfiguration.objectTypes = [Card.self]
    let store = try Store()
    try store.write { try store.add(Card("default"), update: .modified) }
    say(store.objects(Card.self).count)
  }
}
