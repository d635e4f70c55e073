public import Leyden

/// A model with collections, for tests of several processes.
public final class Deck: Object {
  /// A property called name.
  @Persisted(primaryKey: true) public var name: String
  /// A property called cards.
  @Persisted public var cards: List<Card>
  /// A property called ranks.
  @Persisted public var ranks: List<Int>
  /// A property called tags.
  @Persisted public var tags: MutableSet<String>
  /// A property called places.
  @Persisted public var places: Map<String, Card?>
}
