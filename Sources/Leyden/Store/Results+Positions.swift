extension Results where Element: Object {
  /// The position of an object at the store's version, or `nil` where it is not among the results.
  ///
  /// - Complexity: O(*n*) in row numbers, without reading an object.
  public func index(of object: Element) -> Int? {
    guard let identity = object.access?.identity, identity.store == session.core.uuid,
      identity.type == session.requiredBinding(of: Element.self).stored?.id
    else { return nil }
    return evaluation.rows().firstIndex(of: identity.row)
  }

  /// The position of the first object that fulfils a condition, or `nil` where none does.
  ///
  /// - Complexity: That of the condition, and O(*n*) in row numbers.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    session.atOneVersion {
      guard let row = self.where(isIncluded).evaluation.firstRow() else { return nil }
      return evaluation.rows().firstIndex(of: row)
    }
  }
}
