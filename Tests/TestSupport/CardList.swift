import Foundation
public import Leyden

/// What a store of cards should hold: an array in order of creation, and nothing clever.
public struct CardList: Sendable, Equatable {
  /// The cards, in order of their creation.
  public private(set) var values: [CardValue]

  /// Begins with cards in order of their creation.
  public init(_ values: [CardValue] = []) { self.values = values }

  /// Takes over what a store holds.
  public init(_ store: Store) { values = store.values(of: Card.self) }

  /// The number of cards.
  public var count: Int { values.count }
  /// Whether there is no card.
  public var isEmpty: Bool { values.isEmpty }

  /// The card with a key.
  public subscript(identifier: String) -> CardValue? {
    values.first { $0.identifier == identifier }
  }

  /// Makes a change.
  public mutating func apply(_ operation: CardOperation) {
    switch operation {
    case .add(let value): values.append(value)
    case .set(let value), .upsert(let value):
      if let position = values.firstIndex(where: { $0.identifier == value.identifier }) {
        values[position] = value
      } else if case .upsert = operation {
        values.append(value)
      }
    case .delete(let identifier): values.removeAll { $0.identifier == identifier }
    case .deleteAll: values = []
    }
  }

  /// Makes the changes of a commit.
  public mutating func apply(_ operations: [CardOperation]) {
    for operation in operations { apply(operation) }
  }

  /// A number that differs where the cards do, the same in every process.
  public var digest: UInt64 {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    let bytes = (try? encoder.encode(values)) ?? Data()
    return bytes.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
  }
}
