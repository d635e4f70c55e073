/// An index over several properties, declared by a model.
///
///     override class var indexes: [CompoundIndex] {
///       [CompoundIndex("folder", "lastEdited")]
///     }
///
/// It serves conditions that compare its first properties for equality and the next one by order.
public struct CompoundIndex: Sendable, Hashable {
  /// The properties' names; the first decides the order, the others where it is equal.
  public let properties: [String]
  /// Whether two objects may not have the same values in all of them.
  public let isUnique: Bool

  /// Declares an index over properties.
  ///
  /// - Parameters:
  ///   - properties: From 1 to 16 stored properties of the model, by name.
  ///   - unique: Whether two objects may not have the same values in all of them. Objects with nil
  ///     in one of them never conflict.
  public init(_ properties: String..., unique: Bool = false) {
    self.properties = properties
    isUnique = unique
  }
}

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
