public import Leyden

/// Observers of a store of cards in all ways that there are, which count what they are told.
public final class CardObservers {
  /// How many calls there were, the first ones among them.
  public private(set) var calls = 0
  private var tokens: [NotificationToken] = []

  /// Begins to observe.
  public init(_ store: Store) {
    let cards = store.objects(Card.self)
    let count: () -> Void = { [weak self] in self?.calls += 1 }
    tokens = [
      cards.observe { _ in count() }, cards.sorted(by: \.title).observe { _ in count() },
      cards.where { $0.rank > 2 }.sorted(by: \.when).observe { _ in count() },
      store.observe { _, _ in count() },
      store.observe(value: { $0.objects(Card.self).sum(of: \.rank) }) { _ in count() },
    ]
    if let first = cards.first { tokens.append(first.observe { _ in count() }) }
  }
}
