extension Results {
  /// Of the objects with an equal value of a property, the first one in the order so far.
  ///
  ///     notes.sorted(by: \.lastEdited, ascending: false).distinct(by: \.author)
  ///
  /// Operators apply in the order of their calls: what is sorted afterwards was chosen before. nil is
  /// one value; texts are equal as in Swift, and numbers of an `AnyValue` where their values are. Observed results are exact: an object takes the place of
  /// another one by a deletion and an insertion.
  ///
  /// - Complexity: O(*n*) records with each evaluation and with each commit that changed objects of
  ///   the type, for *n* objects so far.
  public func distinct<V>(by path: KeyPath<Element, V>) -> Results {
    if let found = Element.model?.path(for: path), found.leadsToOneObject {
      return followed(by: .distinct(Route(found)))
    }
    return followed(by: .distinct(Route(to: path)))
  }

  /// The first objects in the order so far, so many at the most; a number below zero is zero.
  ///
  /// Operators apply in the order of their calls: a condition afterwards chooses among these.
  ///
  /// - Complexity: As without the limit, and O(`count`) for each commit that changed objects of the
  ///   type; without a condition, in order of creation or of an index, O(`count`) for few objects.
  public func limit(_ count: Int) -> Results {
    followed(by: .limit(Swift.max(0, count)))
  }

  /// The objects in the order so far without the first ones, so many; a number below zero is zero.
  ///
  /// - Complexity: As without the offset, and O(*n*) for each commit that changed objects of the
  ///   type, for *n* objects that are left.
  public func offset(_ count: Int) -> Results {
    followed(by: .offset(Swift.max(0, count)))
  }
}
