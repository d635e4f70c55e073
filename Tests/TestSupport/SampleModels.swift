public import Foundation
public import Leyden

/// A model with a property of every scalar type, for tests.
public final class Card: Object {
  @Persisted(primaryKey: true) public var identifier: String
  @Persisted public var title: String = ""
  @Persisted public var code: String?
  @Persisted public var rank: Int = 7
  @Persisted public var weight: Double
  @Persisted public var when: Date
  @Persisted public var done: Bool
  @Persisted public var picture: Data
  @Persisted public var tag: UUID?
  @Persisted public var score: Int?
  @Persisted public var due: Date?
  @Persisted public var ratio: Double?
  @Persisted public var pinned: Bool?
  @Persisted public var thumbnail: Data?
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
  @Persisted public var value: Int
  @Persisted public var name: String = "item"

  /// Makes an unmanaged item.
  public convenience init(_ value: Int) {
    self.init()
    self.value = value
  }
}
