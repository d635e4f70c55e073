import LeydenStorage

/// What is asked of the elements of one collection, without making objects of them: steps in the order of their
/// calls.
///
/// Steps ask for the element itself where they name `Expression.itself`, else for properties of the objects that
/// the elements are or lead to.
package struct ElementQuery {
  /// The column that holds the collection.
  package let column: Int
  /// The steps.
  package private(set) var stages: [RowStage] = []
  /// The type of the object that the collection is in.
  private let owner: ModelReference

  /// Asks for all elements of a live object's collection, in their order.
  package init(_ row: ManagedRow, column: Int) {
    self.column = column
    owner = ModelReference(row.binding.model)
  }

  /// The same elements, with one more step.
  package func followed(by stage: RowStage) -> ElementQuery {
    var query = self
    query.stages.append(stage)
    return query
  }

  /// Whether the elements come in another order than that of their collection.
  var isSorted: Bool { stages.contains { if case .sort = $0 { true } else { false } } }

  /// What reads the elements, and of what they lead to; `nil` for a type that the store does not have.
  func reader(_ session: Session) -> PathReader? {
    owner.binding(in: session).map { PathReader(.each(column), $0, session) }
  }

  /// Whether the answer may be another one although the collection's owner stays as it is: where steps ask for
  /// properties of objects that the elements lead to.
  func asksForOthers(_ session: Session) -> Bool {
    guard !stages.isEmpty, let target = reader(session)?.target else { return false }
    var query = RowQuery()
    query.stages = stages
    return Dependencies(query).columns.contains { way, columns in
      !way.isEmpty || (!columns.isEmpty && !target.model.isEmbedded)
    }
  }
}

extension PathReader {
  /// What steps leave of elements, by position, in order.
  ///
  /// - Complexity: O(*n*) for each step, O(*n* log *n*) for an order.
  func positions(
    of elements: [StoredValue], after stages: [RowStage], in transaction: Transaction
  ) throws(StorageError) -> [Int] {
    var positions = Array(elements.indices)
    for stage in stages {
      switch stage {
      case .limit(let count): positions = Array(positions.prefix(count))
      case .offset(let count): positions = Array(positions.dropFirst(count))
      case .filter(let condition):
        let (test, readsObjects) = reachedTest(condition)
        positions = try positions.keeping { (position) throws(StorageError) in
          var holds = false
          _ = try reach(elements[position], readsObjects, transaction) {
            (reached) throws(StorageError) in
            holds = try test(reached, transaction)
            return false
          }
          return holds
        }
      case .distinct(let route):
        var seen = DistinctValues(areOfAnyType: isOfAnyValues(route))
        let values = values(of: route)
        positions = try positions.keeping { (position) throws(StorageError) in
          seen.insert(try values(elements[position], transaction))
        }
      case .sort(let term):
        let keys = try keys(of: elements, positions, term, in: transaction)
        positions = zip(keys, positions.indices).sorted { $0 < $1 }.map { positions[$0.1] }
      }
    }
    return positions
  }

  /// Reads what a route leads to from an element; the element itself where the route is that.
  func values(
    of route: Route
  ) -> (StoredValue, Transaction) throws(StorageError) -> StoredValue {
    guard route.column != Expression.itself, let target else {
      return { (element, _) in element }
    }
    let reader = RouteReader(route, target, session)
    return { (element, transaction) throws(StorageError) in
      var value = StoredValue.null
      _ = try reach(element, true, transaction) { (reached) throws(StorageError) in
        if case .object(let record) = reached {
          value = try reader.value(of: record, in: transaction)
        }
        return false
      }
      return value
    }
  }

  /// Whether what a route leads to from an element may be of any type.
  private func isOfAnyValues(_ route: Route) -> Bool {
    guard route.column != Expression.itself, let target else { return isOfAnyValues }
    return RouteReader(route, target, session).column.type == .anyValue
  }

  private func keys(
    of elements: [StoredValue], _ positions: [Int], _ term: SortTerm, in transaction: Transaction
  ) throws(StorageError) -> [SortKey] {
    var key = KeyEncoder()
    var keys: [SortKey] = []
    keys.reserveCapacity(positions.count)
    let reader = target.flatMap {
      term.column == Expression.itself ? nil : RouteReader(term.route, $0, session)
    }
    for position in positions {
      key.removeAll()
      if let reader {
        var made = key
        _ = try reach(elements[position], true, transaction) { (reached) throws(StorageError) in
          guard case .object(let record) = reached else {
            try term.append(nil, true, to: &made, transaction)
            return false
          }
          try reader.withRecord(of: record, in: transaction) { (record) throws(StorageError) in
            try term.append(record, true, to: &made, transaction)
          }
          return false
        }
        key = made
      } else {
        term.append(elements[position], isAnyValue: isOfAnyValues, to: &key)
      }
      keys.append(SortKey(key.bytes))
    }
    return keys
  }
}

extension [Int] {
  fileprivate func keeping(
    _ isKept: (Int) throws(StorageError) -> Bool
  ) throws(StorageError) -> [Int] {
    var kept: [Int] = []
    for position in self where try isKept(position) { kept.append(position) }
    return kept
  }
}
