public import Foundation
public import Leyden

/// A model with a property of every scalar type, for tests.
public final class Card: Object {
  /// A property called identifier.
  @Persisted(primaryKey: true) public var identifier: String
  /// A property called title.
  @Persisted public var title: String = ""
  /// A property called code.
  @Persisted public var code: String?
  /// A property called rank.
  @Persisted public var rank: Int = 7
  /// A property called weight.
  @Persisted public var weight: Double
  /// A property called when.
  @Persisted public var when: Date
  /// A property called done.
  @Persisted public var done: Bool
  /// A property called picture.
  @Persisted public var picture: Data
  /// A property called tag.
  @Persisted public var tag: UUID?
  /// A property called score.
  @Persisted public var score: Int?
  /// A property called due.
  @Persisted public var due: Date?
  /// A property called ratio.
  @Persisted public var ratio: Double?
  /// A property called pinned.
  @Persisted public var pinned: Bool?
  /// A property called thumbnail.
  @Persisted public var thumbnail: Data?
  /// A property called mark.
  @Persisted public var mark: UUID

  /// Makes an unmanaged card.
  public convenience init(_ identifier: String, title: String = "", rank: Int = 7) {
    self.init()
    self.identifier = identifier
    self.title = title
    self.rank = rank
  }
}

/// A model without a primary key.
public final class Item: Object {
  /// A property called value.
  @Persisted public var value: Int
  /// A property called name.
  @Persisted public var name: String = "item"

  /// Makes an unmanaged item.
  public convenience init(_ value: Int) {
    self.init()
    self.value = value
  }
}
