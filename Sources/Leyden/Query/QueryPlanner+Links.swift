import LeydenStorage

extension QueryPlanner {
  /// The rows that lead to the objects for which a part can be true, if they are less than `limit`.
  ///
  /// - Returns: `nil` where the part is no condition on what a row leads to, or where no index and no
  ///   reference names the objects.
  func linked(
    by part: Expression, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    switch part {
    case .isObject(Expression.itself, let objects):
      return candidates(own(objects), "one of \(objects.count) objects")
    case .isObject(let column, let objects):
      return try climb(.one(column), .isObject(Expression.itself, objects), limit, transaction)
    case .along(let step, let condition):
      return try climb(step, condition, limit, transaction)
    default: return nil
    }
  }

  /// The rows of objects that are of the type, and of this store.
  private func own(_ objects: [RowIdentity]) -> Set<UInt64> {
    let type = binding.stored?.id
    return Set(objects.filter { $0.store == binding.store && $0.type == type }.map(\.row))
  }

  private func candidates(_ rows: Set<UInt64>, _ words: String) -> Candidates {
    Candidates(rows: Array(rows), ranges: [words])
  }

  /// Finds what a step has to lead to, and goes back from there.
  private func climb(
    _ step: PathStep, _ condition: Expression, _ limit: Int, _ transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    if step.leadsToOne, condition.answerOfNothing { return nil }
    if case .keys = step { return nil }
    let column = binding.model.columns[step.column]
    guard !binding.model.isEmbedded, let owner = binding.stored?.id, let target = column.target,
      let property = binding.properties[step.column]
    else { return nil }
    let targetBinding = session.requiredBinding(of: target)
    guard let type = targetBinding.stored, !type.isEmbedded else { return nil }
    let planner = QueryPlanner(targetBinding, session)
    guard let found = try planner.candidates(of: condition, limit: limit, in: transaction) else {
      return nil
    }
    guard
      let rows = try StepBack(property, of: owner, to: type.id).rows(
        leadingTo: Set(found.rows), limit: limit - 1, session.catalog, in: transaction)
    else { return nil }
    return candidates(
      rows, "\(column.name) leads to \(found.ranges.joined(separator: " or "))")
  }
}
