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
