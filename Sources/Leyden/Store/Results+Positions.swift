extension Results {
  /// The position of a value or an object at the store's version, or `nil` where it is not among the results.
  ///
  /// - Complexity: O(*n*) in row numbers or values, without making an object.
  public func index(of element: Element) -> Int? {
    switch source {
    case .rows(let evaluation):
      guard let identity = (element as? Object)?.access?.identity,
        identity.store == session.core.uuid, identity.type == evaluation.binding?.stored?.id
      else { return nil }
      return evaluation.rows().firstIndex(of: identity.row)
    case .elements(let evaluation):
      let elements = evaluation.current()
      if let object = unwrapped(element) as? EmbeddedObject {
        guard let own = object.access as? EmbeddedRow, own.column == evaluation.query.column,
          own.owner.isSame(as: evaluation.row)
        else { return nil }
        return elements.values.firstIndex {
          if case .structure(let record) = $0 {
            embeddedNumber(of: record) == own.number
          } else {
            false
          }
        }
      }
      guard let wanted = evaluation.handle.stored(element) else { return nil }
      return elements.values.firstIndex { Expression.Comparison.equal.holds($0, wanted) }
    }
  }

  /// The position of the first element that fulfils a condition, or `nil` where none does.
  ///
  /// - Complexity: That of the condition, and O(*n*) in row numbers or values.
  public func index(matching isIncluded: (Query<Element>) -> Query<Bool>) -> Int? {
    switch source {
    case .rows(let evaluation):
      session.atOneVersion {
        guard case .rows(let found) = self.where(isIncluded).source,
          let row = found.firstRow()
        else { return nil }
        return evaluation.rows().firstIndex(of: row)
      }
    case .elements(let evaluation):
      evaluation.firstPosition(where: Query<Element>.expression(isIncluded))
    }
  }
}
