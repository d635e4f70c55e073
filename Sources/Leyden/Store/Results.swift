/// What a query names: a lazy collection that follows the store.
///
///     let notes = store.objects(StoredNote.self)
///       .where { $0.title.contains("jar", options: .caseInsensitive) }
///       .sorted(by: \.lastEdited, ascending: false)
///     let large = note.numbers.where { $0 > 100 }
///
/// It names objects, or the elements of a list, a set or a map: values and embedded objects as well.
///
/// No other writer can break it. `count`, `isEmpty`, `first`, `last`, iteration, and parts such as
/// `prefix` and `reversed` look at the store's version. `startIndex`, `endIndex`, `indices` and
/// subscripts answer from the rows of the last look, and never look again, so that a position that
/// was valid stays so. Slices and loops own their rows: deleting within them is safe, and an object that was deleted meanwhile is
/// invalidated. Copies of a value share their rows; a changed store costs them what changed.
///
/// Without `sorted`, objects come in the order of their creation, and elements in that of their collection.
public struct Results<Element: Persistable> {
  /// What finds the elements.
  enum Source {
    case rows(Evaluation)
    case elements(ElementEvaluation)
  }

  let source: Source

  init(_ evaluation: Evaluation) { source = .rows(evaluation) }

  init(_ evaluation: ElementEvaluation) { source = .elements(evaluation) }

  var session: Session {
    switch source {
    case .rows(let evaluation): evaluation.session
    case .elements(let evaluation): evaluation.row.session
    }
  }

  /// Whether the store was closed.
  public var isInvalidated: Bool { session.isClosed }

  /// How the results would be found now: which index, which range, how many rows are read.
  ///
  /// For people; the words may change.
  public func explain() -> String {
    switch source {
    case .rows(let evaluation): evaluation.explanation()
    case .elements(let evaluation): evaluation.explanation()
    }
  }

  /// The same results after one more step.
  func followed(by stage: RowStage) -> Results {
    switch source {
    case .rows(let evaluation):
      Results(
        Evaluation(
          evaluation.session, evaluation.objectType, evaluation.query.followed(by: stage)))
    case .elements(let evaluation):
      Results(ElementEvaluation(evaluation.row, evaluation.query.followed(by: stage)))
    }
  }

  /// Those of the elements that fulfil a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
    followed(by: .filter(Query<Element>.expression(isIncluded)))
  }
}

@available(*, unavailable)
extension Results: Sendable {}

extension Results where Element: Object {
  /// What finds the objects.
  var evaluation: Evaluation {
    guard case .rows(let evaluation) = source else {
      preconditionFailure("Results of \(Element.self) are not of its rows")
    }
    return evaluation
  }
}

extension Results where Element: ValueConvertible {
  /// The plain values of all objects, in order, read at one version.
  public var values: [Element.Value] {
    session.atOneVersion { map { $0.value } }
  }
}

extension ElementEvaluation {
  /// The collection.
  var handle: CollectionHandle { CollectionHandle(access: row, column: Int32(query.column)) }
}
