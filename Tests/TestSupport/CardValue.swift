public import Foundation
public import Leyden

/// A ``Card`` as a plain value.
public struct CardValue: Sendable, Hashable, Codable {
  /// The value of the property identifier.
  public var identifier: String
  /// The value of the property title.
  public var title = ""
  /// The value of the property code.
  public var code: String?
  /// The value of the property rank.
  public var rank = 7
  /// The value of the property weight.
  public var weight = 0.0
  /// The value of the property when.
  public var when = Date(timeIntervalSinceReferenceDate: 0)
  /// The value of the property done.
  public var done = false
  /// The value of the property picture.
  public var picture = Data()
  /// The value of the property tag.
  public var tag: UUID?
  /// The value of the property score.
  public var score: Int?
  /// The value of the property due.
  public var due: Date?
  /// The value of the property ratio.
  public var ratio: Double?
  /// The value of the property pinned.
  public var pinned: Bool?
  /// The value of the property thumbnail.
  public var thumbnail: Data?
  /// The value of the property mark.
  public var mark = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))

  /// Makes the value of a card that was just made.
  public init(_ identifier: String, title: String = "", rank: Int = 7) {
    self.identifier = identifier
    self.title = title
    self.rank = rank
  }
}

extension Card: ValueConvertible {
  /// Makes an unmanaged card.
  public convenience init(value: CardValue) {
    self.init()
    identifier = value.identifier
    take(value)
  }

  /// Sets everything but the key.
  public func take(_ value: CardValue) {
    title = value.title
    code = value.code
    rank = value.rank
    weight = value.weight
    when = value.when
    done = value.done
    picture = value.picture
    tag = value.tag
    score = value.score
    due = value.due
    ratio = value.ratio
    pinned = value.pinned
    thumbnail = value.thumbnail
    mark = value.mark
  }

  /// The card as it is now.
  public var value: CardValue {
    var value = CardValue(identifier, title: title, rank: rank)
    value.code = code
    value.weight = weight
    value.when = when
    value.done = done
    value.picture = picture
    value.tag = tag
    value.score = score
    value.due = due
    value.ratio = ratio
    value.pinned = pinned
    value.thumbnail = thumbnail
    value.mark = mark
    return value
  }
}
