package import LeydenStorage

/// The past of one observer of results, and each step forward from it.
package struct ResultsHistory {
  /// One step.
  package struct Step {
    /// What changed, by position.
    package let changes: PositionChanges
    /// Whether there was nothing before.
    package let isInitial: Bool
    /// Whether the log did not reach back.
    package let isResync: Bool
    /// The version after the step.
    package let version: UInt64
  }

  private let query: RowQuery
  private let filter: ObservedProperties
  private var list: OrderedResults?
  private var parts = PartsHistory()

  /// Begins before the first step.
  package init(_ evaluation: Evaluation, filter: ObservedProperties) {
    query = evaluation.query
    self.filter = filter
  }

  /// Whether the first step was taken.
  var hasBegun: Bool { list != nil }

  /// Evaluates the query again: what `transaction` sees is the past from now on.
  mutating func restart(
    _ evaluation: Evaluation, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    guard let binding = evaluation.binding else { return }
    var list = try OrderedResults(
      query, QueryExecutor(query, binding, evaluation.session), version: version, in: transaction)
    parts.removeAll()
    try parts.note(
      list.allRows(), ObservedParts(filter, binding, evaluation.session), in: transaction)
    self.list = list
    evaluation.adopt(list.readable)
  }

  /// Brings the past, and the evaluation that is observed, forward to what `transaction` sees.
  ///
  /// - Returns: The step, or `nil` where nothing is to be told.
  package mutating func advance(
    _ evaluation: Evaluation, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> Step? {
    guard let binding = evaluation.binding else { return nil }
    guard var list else {
      try restart(evaluation, at: version, in: transaction)
      return Step(
        changes: PositionChanges(), isInitial: true, isResync: false, version: version)
    }
    guard list.version != version else { return nil }
    // The only holder of the chunks changes them in place.
    self.list = nil
    let all = try changes(list.version)
    let observed = ObservedParts(filter, binding, evaluation.session)
    let reported = try all.map { (all) throws(StorageError) in
      ReportedChanges(
        properties: filter.properties(of: binding.stored, besides: observed),
        rows: try filter.changedThroughLinks(
          all, of: binding.stored, evaluation.session.catalog, in: transaction
        ).union(
          parts.changed(all.types[binding.stored?.id ?? 0] ?? [:], observed, in: transaction)))
    }
    let positions = try list.advance(
      to: version, all, QueryExecutor(query, binding, evaluation.session),
      reporting: reported ?? .all, in: transaction)
    if all == nil {
      parts.removeAll()
      try parts.note(list.allRows(), observed, in: transaction)
    } else if !observed.isEmpty {
      try parts.note(positions.insertions.map { list.row(at: $0) }, observed, in: transaction)
    }
    self.list = list
    evaluation.adopt(list.readable)
    guard !positions.isEmpty else { return nil }
    return Step(changes: positions, isInitial: false, isResync: all == nil, version: version)
  }
}

/// Tells one callback what changed in results.
///
/// It holds the results weakly: they own the session, which owns its observers. Where nobody else
/// has them any more, each call gets results of its own.
package final class ResultsObserver: Observer {
  /// Whom to tell.
  struct Callback {
    let step: (Evaluation, ResultsHistory.Step) -> Void
    let fail: (StoreError) -> Void
  }

  private weak var evaluation: Evaluation?
  private let model: ModelReference
  private let query: RowQuery
  private var history: ResultsHistory

  init(
    _ token: NotificationToken, _ evaluation: Evaluation, filter: ObservedProperties,
    _ callback: Callback
  ) {
    self.evaluation = evaluation
    model = evaluation.model
    query = evaluation.query
    history = ResultsHistory(evaluation, filter: filter)
    super.init(token, callback)
  }

  override func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> (() -> Void)? {
    let evaluation = evaluation ?? Evaluation(session, model, query)
    guard let step = try history.advance(evaluation, to: version, in: transaction, changes),
      let callback = state.callback(as: Callback.self)
    else { return nil }
    return { callback.step(evaluation, step) }
  }

  override var hasBegun: Bool { history.hasBegun }

  override func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    try history.restart(
      evaluation ?? Evaluation(session, model, query), at: version, in: transaction)
  }

  override func end(_ error: StoreError) {
    let callback = state.callback(as: Callback.self)
    super.end(error)
    callback?.fail(error)
  }
}
