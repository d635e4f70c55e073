import LeydenStorage

extension Results where Element: ValueConvertible {
  /// The values and their changes as an asynchronous sequence for any actor.
  ///
  ///     for await change in notes.valueChanges { show(change.collection) }
  ///
  /// It begins with the values as they are. Each element holds the values and what changed of one
  /// version. An iterator reads in a session of its own: it goes on when the store that the
  /// results are of is released, and ends when that is closed.
  ///
  /// - Complexity: O(*n*) for each element, for *n* values.
  public var valueChanges: AsyncChanges<CollectionChange<[Element.Value]>> {
    let source = ValueSource<Element>(self)
    return AsyncChanges(sendable: { source.makeReader() })
  }
}

// SAFETY: constant; a model class and a query do not change, and the conformance to
// `ValueConvertible` is used by whoever reads, on live objects of a session of their own.
/// What a session of its own needs to read the values of results.
private struct ValueSource<Element: ValueConvertible>: @unchecked Sendable {
  private let core: StoreCore
  private let models: [ModelType]
  private let model: ModelReference
  private let query: RowQuery
  private let ending: Ending

  init(_ results: Results<Element>) {
    let session = results.session
    core = session.core
    models = session.models
    ending = session.ending
    model = results.evaluation.model
    query = results.evaluation.query
  }

  func makeReader() -> ChangeReader<CollectionChange<[Element.Value]>> {
    var reader: ValueReader<Element>?
    return ChangeReader(core.watcher) { () throws(StoreError) in
      guard let environment = ending.environment else { throw .closed }
      if let reader { return try reader.next() }
      let session = try withExtendedLifetime(environment) { () throws(StoreError) in
        try Session(core: core, models: models, author: nil, isReadOnly: true)
      }
      let first = ValueReader<Element>(Evaluation(session, model, query))
      reader = first
      return try first.next()
    }
  }
}

/// Reads values and what changed between them.
private final class ValueReader<Element: ValueConvertible> {
  private let evaluation: Evaluation
  private var history: ResultsHistory

  init(_ evaluation: Evaluation) {
    self.evaluation = evaluation
    history = ResultsHistory(evaluation, filter: .all)
  }

  func next() throws(StoreError) -> CollectionChange<[Element.Value]>? {
    let session = evaluation.session
    try session.pin()
    defer { session.unpin() }
    let step = try session.step { (version, transaction, changes) throws(StorageError) in
      try history.advance(evaluation, to: version, in: transaction, changes)
    }
    guard let step else { return nil }
    let values = Results<Element>(evaluation).map { $0.value }
    try session.check()
    return CollectionChange(
      values, step.changes, isInitial: step.isInitial, isResync: step.isResync,
      version: step.version)
  }
}
