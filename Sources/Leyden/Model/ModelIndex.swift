import LeydenStorage

/// What kind of index a store keeps; the numbers are part of the file format.
package enum IndexKind: UInt8, Sendable {
  /// In the order of the values.
  case ordered = 1
  /// In the order of the values, each of which may occur once.
  case unique = 2
  /// In the order of texts whose case was folded.
  case caseInsensitive = 3
}

/// An index that a model declares, by column.
package struct ModelIndex: Sendable, Hashable {
  /// What kind.
  package let kind: IndexKind
  /// The columns, in the order that counts.
  package let columns: [Int]
}

extension ModelType.Column {
  /// The indexes over the property's values alone.
  var indexes: [ModelIndex] {
    [index, textIndex == .caseInsensitive ? .caseInsensitive : nil].compactMap { kind in
      kind.map { ModelIndex(kind: $0, columns: [Int(number)]) }
    }
  }
}

extension CompoundIndex {
  /// The index by column; `nil` where it is not over so many stored properties as an index may have.
  func index(over columns: [ModelType.Column]) -> ModelIndex? {
    let found = properties.compactMap { name in columns.first { $0.name == name } }
    guard found.count == properties.count, found.allSatisfy(\.type.canBeIndexed),
      (1...LongKey.maximumFieldCount).contains(found.count)
    else { return nil }
    return ModelIndex(
      kind: isUnique ? .unique : .ordered, columns: found.map { Int($0.number) })
  }
}
