/// The objects that a query names: a lazy collection that follows the store.
///
///     let notes = store.objects(StoredNote.self)
///       .where { $0.title.contains("jar", options: .caseInsensitive) }
///       .sorted(by: \.lastEdited, ascending: false)
///
/// No other writer can break it. `count`, `isEmpty`, `first`, `last`, iteration, and parts such as
/// `prefix` and `reversed` look at the store's version. `startIndex`, `endIndex`, `indices` and
/// subscripts answer from the rows of the last look, and never look again, so that a position that
/// was valid stays so. Slices and loops own their rows: deleting within them is safe, and an object that was deleted meanwhile is
/// invalidated. Copies of a value share their rows; a changed store costs them what changed.
///
/// Without `sorted`, objects come in the order of their creation.
public struct Results<Element: Persistable> {
  let evaluation: Evaluation

  init(_ evaluation: Evaluation) { self.evaluation = evaluation }

  var session: Session { evaluation.session }

  /// Whether the store was closed.
  public var isInvalidated: Bool { session.isClosed }

  /// How the results would be found now: which index, which range, how many rows are read.
  ///
  /// For people; the words may change.
  public func explain() -> String { evaluation.explanation() }

  func asking(_ query: RowQuery) -> Results {
    Results(Evaluation(session, evaluation.objectType, query))
  }
}

@available(*, unavailable)
extension Results: Sendable {}

extension Results where Element: Object {
  /// Those of the objects that fulfil a condition.
  public func `where`(_ isIncluded: (Query<Element>) -> Query<Bool>) -> Results {
    asking(evaluation.query.filtered(by: Query<Element>.expression(isIncluded)))
  }

  /// The same objects, sorted by a property; equal ones keep the order that they had.
  ///
  /// Texts are ordered as Swift's `<` orders them, nil before every value and what is not a number
  /// behind every number; enumerations and custom types by what they are stored as.
  ///
  /// A path may lead through links and embedded objects, `\.owner?.age`; where one of them is nil, so is
  /// the value.
  ///
  /// - Parameters:
  ///   - path: A stored property of the model, or of an object that it leads to.
  ///   - ascending: Whether small values come first.
  /// - Returns: Lazy results in the new order.
  public func sorted<V>(by path: KeyPath<Element, V>, ascending: Bool = true) -> Results {
    asking(evaluation.query.sorted(by: SortTerm(Route(to: path), ascending: ascending)))
  }
}

extension Results where Element: ValueConvertible {
  /// The plain values of all objects, in order, read at one version.
  public var values: [Element.Value] {
    session.atOneVersion { map { $0.value } }
  }
}

extension Route {
  /// What a key path leads to; one that does not lead to one stored value stops the program.
  init<Model: Object, Value>(to path: KeyPath<Model, Value>) {
    guard let found = ModelType.of(Model.self).path(for: path), found.leadsToOneValue else {
      preconditionFailure(
        "\(path) is not one stored property of \(Model.self), or of an object that it leads to")
    }
    self.init(found)
  }
}
