import Foundation

/// A condition, or a property in one, as a typed closure builds it.
///
///     store.objects(StoredNote.self).where { $0.title.contains("jar") && $0.pinned == true }
///     store.objects(StoredNote.self).where { $0.author.name == "Ann" && $0.tags.color == "red" }
///
/// Inside `where`, `$0` is a `Query` of the model: its members are the model's stored properties,
/// and comparing them gives a `Query<Bool>`. Nothing is read while the closure runs. A key path to
/// anything but a stored property stops the program with a message.
///
/// Links and embedded objects are followed by their properties' names; where one is nil, so is what it
/// would lead to: it equals nil, is in no order, and has no text. A property of the objects in a
/// collection is compared with success where that of *any* of them is; `!` in front says that none is.
///
/// Values are compared as Swift compares them, nil is in no order, and what is not a number neither,
/// also as a `Decimal`. Enumerations and custom types are compared by what they are stored as.
@dynamicMemberLookup
public struct Query<T> {
  let node: QueryNode

  init(node: QueryNode) { self.node = node }

  /// The condition that `isIncluded` builds.
  package static func expression(_ isIncluded: (Query<T>) -> Query<Bool>) -> Expression {
    isIncluded(Query(node: .value([], Expression.itself))).truth
  }

  /// A stored property of the model.
  public subscript<V>(dynamicMember path: KeyPath<T, V>) -> Query<V> where T: Object {
    member(path, of: T.self)
  }

  /// A stored property of the embedded object.
  public subscript<V>(dynamicMember path: KeyPath<T, V>) -> Query<V> where T: EmbeddedObject {
    member(path, of: T.self)
  }

  /// A stored property of the object that the link leads to.
  public subscript<E: Object, V>(dynamicMember path: KeyPath<E, V>) -> Query<V> where T == E? {
    member(path, of: E.self)
  }

  /// A stored property of the embedded object.
  public subscript<E: EmbeddedObject, V>(dynamicMember path: KeyPath<E, V>) -> Query<V>
  where T == E? {
    member(path, of: E.self)
  }

  /// The property that a key path from what this stands for leads to.
  func member<V>(_ path: AnyKeyPath, of type: PersistedObject.Type) -> Query<V> {
    guard let columns = ModelType.of(type).path(for: path)?.columns else {
      preconditionFailure(
        "\(path) is not a stored property of \(type); a query can ask for those only")
    }
    let steps = way + columns.dropLast().map { .one(Int($0.number)) }
    return Query<V>(node: .value(steps, Int(columns[columns.count - 1].number)))
  }

  /// What the collection that this stands for holds.
  func elements<E>(_ type: E.Type) -> Query<E> {
    let (steps, column) = value
    return Query<E>(node: .value(steps + [.each(column)], Expression.itself))
  }

  /// The steps to the objects that this stands for.
  private var way: [PathStep] {
    let (steps, column) = value
    return column == Expression.itself ? steps : steps + [.one(column)]
  }

  /// The property that this stands for.
  var value: (steps: [PathStep], column: Int) {
    guard case .value(let steps, let column) = node else {
      preconditionFailure("A condition is compared with a value; compare a property instead")
    }
    return (steps, column)
  }

  /// What this stands for, to be compared.
  var operand: Operand {
    switch node {
    case .value(let steps, let column): Operand.column(column).after(steps)
    case .operand(let operand): operand
    case .condition(let condition):
      .choice(condition, .constant(.bool(true)), .constant(.bool(false)))
    }
  }

  /// A condition on the property that this stands for.
  func condition(_ leaf: (Int) -> Expression) -> Query<Bool> {
    let (steps, column) = value
    return .condition(leaf(column).after(steps))
  }

  func compare(_ comparison: Expression.Comparison, _ value: Any) -> Query<Bool> {
    switch node {
    // A comparison with true or false of a condition is the condition itself or its opposite.
    case .condition(let condition):
      let isTrue = value as? Bool ?? false
      return .condition(isTrue == (comparison == .equal) ? condition : condition.negated)
    case .operand(let operand):
      let constant = Operand.constant(Self.constant(value))
      return .condition(.compareOperands(operand, comparison, constant))
    case .value:
      return condition { Self.leaf($0, comparison, value) }
    }
  }

  /// A comparison of a column with a value or an object.
  private static func leaf(
    _ column: Int, _ comparison: Expression.Comparison, _ value: Any
  ) -> Expression {
    guard let object = object(in: value) else {
      return .compare(column, comparison, constant(value))
    }
    // An object of no store is in no link.
    let isThere = object.access?.identity.map { Expression.isObject(column, [$0]) }
    let condition = isThere ?? .constant(false)
    return comparison == .equal ? condition : condition.negated
  }

  private static func object(in value: Any) -> Object? {
    if case AnyValue.object(let object)? = value as? AnyValue { return object }
    return value as? Object
  }

  private static func constant(_ value: Any) -> StoredValue {
    guard let value = value as? any Persistable else {
      preconditionFailure("\(type(of: value)) cannot be stored, and so not be compared with")
    }
    return value.storedValue
  }

  /// What a condition, or a property that is true or false, says.
  var truth: Expression {
    switch node {
    case .condition(let expression): expression
    case .value(let steps, let column):
      Expression.compare(column, .equal, .bool(true)).after(steps)
    case .operand(let operand):
      .compareOperands(operand, .equal, .constant(.bool(true)))
    }
  }

  /// Whether the property equals one of several values or objects.
  func isIn(_ values: [Any]) -> Query<Bool> {
    guard case .value = node else {
      return .condition(.or(values.map { compare(.equal, $0).truth }))
    }
    let constants = values.filter { Self.object(in: $0) == nil }.map { Self.constant($0) }
    let objects = values.compactMap { Self.object(in: $0)?.access?.identity }
    return condition { column in
      switch (constants.isEmpty, objects.isEmpty) {
      case (_, true): .isIn(column, constants)
      case (true, false): .isObject(column, objects)
      case (false, false): .or([.isIn(column, constants), .isObject(column, objects)])
      }
    }
  }

  /// Whether the property is not before `lower`, and not behind `upper`, or before it.
  func isBetween(
    _ lower: Any, _ comparison: Expression.Comparison, _ upper: Any
  ) -> Query<Bool> {
    guard case .value = node else {
      return .condition(
        compare(.greaterOrEqual, lower).truth.and(compare(comparison, upper).truth))
    }
    // Of several values, one has to be between them.
    return condition {
      Self.leaf($0, .greaterOrEqual, lower).and(Self.leaf($0, comparison, upper))
    }
  }
}

/// What a `Query` stands for.
enum QueryNode {
  /// A property of what steps lead to, or that itself.
  case value([PathStep], Int)
  /// What is made of properties.
  case operand(Operand)
  /// A condition.
  case condition(Expression)
}

extension Query where T == Bool {
  static func condition(_ expression: Expression) -> Query<Bool> {
    Query(node: .condition(expression))
  }

  /// Both hold.
  public static func && (left: Self, right: Self) -> Self {
    .condition(left.truth.and(right.truth))
  }

  /// At least one holds.
  public static func || (left: Self, right: Self) -> Self {
    .condition(left.truth.or(right.truth))
  }

  /// It does not hold.
  public static prefix func ! (query: Self) -> Self { .condition(query.truth.negated) }
}

extension Query where T: Equatable {
  /// The property equals the value, or leads to the object; nil equals nil.
  public static func == (left: Self, right: T) -> Query<Bool> { left.compare(.equal, right) }

  /// The property does not equal the value; nil equals nil.
  public static func != (left: Self, right: T) -> Query<Bool> { left.compare(.notEqual, right) }

  /// The two properties, or what two conditions say, are equal.
  public static func == (left: Self, right: Self) -> Query<Bool> { left.compare(.equal, right) }

  /// The two properties, or what two conditions say, are not equal.
  public static func != (left: Self, right: Self) -> Query<Bool> { left.compare(.notEqual, right) }

  private func compare(_ comparison: Expression.Comparison, _ other: Self) -> Query<Bool> {
    if case .condition = node { return compareTruth(comparison, other) }
    if case .condition = other.node { return compareTruth(comparison, other) }
    guard case .value(let steps, let column) = node,
      case .value(let otherSteps, let otherColumn) = other.node
    else {
      return .condition(.compareOperands(operand, comparison, other.operand))
    }
    // What both go through is one and the same object.
    let common = zip(steps, otherSteps).prefix { $0 == $1 }.count
    let condition: Expression =
      steps.count == common && otherSteps.count == common
      ? .compareColumns(column, comparison, otherColumn)
      : .compareOperands(
        Operand.column(column).after(steps[common...]), comparison,
        Operand.column(otherColumn).after(otherSteps[common...]))
    return .condition(condition.after(steps[..<common]))
  }

  private func compareTruth(_ comparison: Expression.Comparison, _ other: Self) -> Query<Bool> {
    let (left, right) = (truth, other.truth)
    let areEqual = Expression.or([
      .and([left, right]), .and([.not(left), .not(right)]),
    ])
    return .condition(comparison == .equal ? areEqual : .not(areEqual))
  }

  /// The property equals one of the values.
  public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
    isIn(Array(values))
  }
}

extension Query {
  /// There is no embedded object.
  public static func == <E: EmbeddedObject>(
    left: Self, right: _OptionalNilComparisonType
  ) -> Query<Bool> where T == E? {
    left.condition { .compare($0, .equal, .null) }
  }

  /// There is an embedded object.
  public static func != <E: EmbeddedObject>(
    left: Self, right: _OptionalNilComparisonType
  ) -> Query<Bool> where T == E? {
    left.condition { .compare($0, .notEqual, .null) }
  }
}

extension Query where T: Comparable {
  /// The property comes before the value.
  public static func < (left: Self, right: T) -> Query<Bool> { left.compare(.less, right) }
  /// The property comes before the value, or equals it.
  public static func <= (left: Self, right: T) -> Query<Bool> { left.compare(.lessOrEqual, right) }
  /// The property comes after the value.
  public static func > (left: Self, right: T) -> Query<Bool> { left.compare(.greater, right) }
  /// The property comes after the value, or equals it.
  public static func >= (left: Self, right: T) -> Query<Bool> {
    left.compare(.greaterOrEqual, right)
  }
  /// The property lies in the range, its ends included.
  public func contains(_ range: ClosedRange<T>) -> Query<Bool> {
    isBetween(range.lowerBound, .lessOrEqual, range.upperBound)
  }
  /// The property lies in the range, its upper end excluded.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    isBetween(range.lowerBound, .less, range.upperBound)
  }
}

extension Query {
  /// The property has a value, which comes before the other.
  public static func < <W: Comparable>(left: Self, right: W) -> Query<Bool> where T == W? {
    left.compare(.less, right)
  }
  /// The property has a value, which comes before the other or equals it.
  public static func <= <W: Comparable>(left: Self, right: W) -> Query<Bool> where T == W? {
    left.compare(.lessOrEqual, right)
  }
  /// The property has a value, which comes after the other.
  public static func > <W: Comparable>(left: Self, right: W) -> Query<Bool> where T == W? {
    left.compare(.greater, right)
  }
  /// The property has a value, which comes after the other or equals it.
  public static func >= <W: Comparable>(left: Self, right: W) -> Query<Bool> where T == W? {
    left.compare(.greaterOrEqual, right)
  }
  /// The property has a value, which equals one of the others.
  public func `in`<W: Equatable, S: Sequence>(_ values: S) -> Query<Bool>
  where T == W?, S.Element == W {
    isIn(Array(values))
  }
  /// The property has a value, which lies in the range, its ends included.
  public func contains<W: Comparable>(_ range: ClosedRange<W>) -> Query<Bool> where T == W? {
    isBetween(range.lowerBound, .lessOrEqual, range.upperBound)
  }
  /// The property has a value, which lies in the range, its upper end excluded.
  public func contains<W: Comparable>(_ range: Range<W>) -> Query<Bool> where T == W? {
    isBetween(range.lowerBound, .less, range.upperBound)
  }
}
