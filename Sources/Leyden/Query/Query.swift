import Foundation

/// A condition, or a property in one, as a typed closure builds it.
///
///     store.objects(StoredNote.self).where { $0.title.contains("jar") && $0.pinned == true }
///
/// Inside `where`, `$0` is a `Query` of the model: its members are the model's stored properties,
/// and comparing them gives a `Query<Bool>`. Nothing is read while the closure runs. A key path to
/// anything but a stored property stops the program with a message.
///
/// Values are compared as Swift compares them, nil is in no order, and what is not a number neither,
/// also as a `Decimal`. Enumerations and custom types are compared by what they are stored as.
@dynamicMemberLookup
public struct Query<T> {
  fileprivate enum Node {
    case model(ModelType)
    case column(ModelType.Column)
    case condition(Expression)
  }

  fileprivate let node: Node

  /// The condition that `isIncluded` builds.
  package static func expression(
    _ isIncluded: (Query<T>) -> Query<Bool>
  ) -> Expression where T: Object {
    isIncluded(Query(node: .model(ModelType.of(T.self)))).condition
  }

  /// A stored property of the model.
  public subscript<V>(dynamicMember path: KeyPath<T, V>) -> Query<V> where T: Object {
    guard case .model(let model) = node, let column = model.column(for: path) else {
      preconditionFailure(
        "\(path) is not one stored property of \(T.self); a query can ask for those only")
    }
    return Query<V>(node: .column(column))
  }

  fileprivate var column: ModelType.Column {
    guard case .column(let column) = node else {
      preconditionFailure("A condition is compared with a value; compare a property instead")
    }
    return column
  }

  fileprivate func compare(_ comparison: Expression.Comparison, _ value: Any) -> Query<Bool> {
    // A comparison with true or false of a condition is the condition itself or its opposite.
    if case .condition(let condition) = node {
      let isTrue = value as? Bool ?? false
      return .condition(isTrue == (comparison == .equal) ? condition : condition.negated)
    }
    return .condition(.compare(Int(column.number), comparison, Self.constant(value)))
  }

  fileprivate static func constant(_ value: Any) -> StoredValue {
    guard let value = value as? any Persistable else {
      preconditionFailure("\(type(of: value)) cannot be stored, and so not be compared with")
    }
    return value.storedValue
  }

  /// What a condition, or a property that is true or false, says.
  fileprivate var truth: Expression {
    switch node {
    case .condition(let expression): expression
    case .column(let column): .compare(Int(column.number), .equal, .bool(true))
    case .model: .constant(true)
    }
  }

  fileprivate func match(
    _ match: Expression.TextMatch, _ text: String, _ options: StringOptions
  ) -> Query<Bool> {
    .condition(.text(Int(column.number), match, text, options))
  }
}

extension Query where T == Bool {
  fileprivate static func condition(_ expression: Expression) -> Query<Bool> {
    Query(node: .condition(expression))
  }

  fileprivate var condition: Expression { truth }

  /// Both hold.
  public static func && (left: Self, right: Self) -> Self {
    .condition(left.condition.and(right.condition))
  }

  /// At least one holds.
  public static func || (left: Self, right: Self) -> Self {
    .condition(left.condition.or(right.condition))
  }

  /// It does not hold.
  public static prefix func ! (query: Self) -> Self { .condition(query.condition.negated) }
}

extension Query where T: Equatable {
  /// The property equals the value; nil equals nil.
  public static func == (left: Self, right: T) -> Query<Bool> { left.compare(.equal, right) }

  /// The property does not equal the value; nil equals nil.
  public static func != (left: Self, right: T) -> Query<Bool> { left.compare(.notEqual, right) }

  /// The two properties, or what two conditions say, are equal.
  public static func == (left: Self, right: Self) -> Query<Bool> { left.compare(.equal, right) }

  /// The two properties, or what two conditions say, are not equal.
  public static func != (left: Self, right: Self) -> Query<Bool> { left.compare(.notEqual, right) }

  private func compare(_ comparison: Expression.Comparison, _ other: Self) -> Query<Bool> {
    if case .column(let column) = node, case .column(let otherColumn) = other.node {
      return .condition(
        .compareColumns(Int(column.number), comparison, Int(otherColumn.number)))
    }
    let (left, right) = (truth, other.truth)
    let areEqual = Expression.or([
      .and([left, right]), .and([.not(left), .not(right)]),
    ])
    return .condition(comparison == .equal ? areEqual : .not(areEqual))
  }

  /// The property equals one of the values.
  public func `in`<S: Sequence>(_ values: S) -> Query<Bool> where S.Element == T {
    if case .condition = node {
      return .condition(.or(values.map { compare(.equal, $0).condition }))
    }
    return .condition(.isIn(Int(column.number), values.map { Self.constant($0) }))
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
    self >= range.lowerBound && self <= range.upperBound
  }
  /// The property lies in the range, its upper end excluded.
  public func contains(_ range: Range<T>) -> Query<Bool> {
    self >= range.lowerBound && self < range.upperBound
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
    .condition(.isIn(Int(column.number), values.map { Self.constant($0) }))
  }
  /// The property has a value, which lies in the range, its ends included.
  public func contains<W: Comparable>(_ range: ClosedRange<W>) -> Query<Bool> where T == W? {
    self >= range.lowerBound && self <= range.upperBound
  }
  /// The property has a value, which lies in the range, its upper end excluded.
  public func contains<W: Comparable>(_ range: Range<W>) -> Query<Bool> where T == W? {
    self >= range.lowerBound && self < range.upperBound
  }
}

extension Query where T: PersistableEnum {
  /// The property as what it is stored as.
  public var rawValue: Query<T.RawValue> { Query<T.RawValue>(node: .column(column)) }
}

extension Query where T: FailableCustomPersistable {
  /// The property as what it is stored as.
  public var persistableValue: Query<T.PersistedType> {
    Query<T.PersistedType>(node: .column(column))
  }
}

/// An optional enumeration.
public protocol _OptionalEnum { associatedtype RawValue }
extension Optional: _OptionalEnum where Wrapped: PersistableEnum {
  /// The raw type of the enumeration.
  public typealias RawValue = Wrapped.RawValue
}

extension Query where T: _OptionalEnum {
  /// The property as what it is stored as; nil where it is nil.
  public var rawValue: Query<T.RawValue?> { Query<T.RawValue?>(node: .column(column)) }
}

/// An optional custom type.
public protocol _OptionalCustom { associatedtype PersistedType }
extension Optional: _OptionalCustom where Wrapped: FailableCustomPersistable {
  /// The type that is stored.
  public typealias PersistedType = Wrapped.PersistedType
}

extension Query where T: _OptionalCustom {
  /// The property as what it is stored as; nil where it is nil.
  public var persistableValue: Query<T.PersistedType?> {
    Query<T.PersistedType?>(node: .column(column))
  }
}
/// What text operators apply to: `String` and its optional.
public protocol _Text {}
extension String: _Text {}
extension Optional: _Text where Wrapped: _Text {}

extension Query where T: _Text {
  /// The text is somewhere in the property; the empty text is in every text.
  public func contains(_ text: String, options: StringOptions = []) -> Query<Bool> {
    match(.contains, text, options)
  }
  /// The property begins with the text.
  public func starts(with text: String, options: StringOptions = []) -> Query<Bool> {
    match(.starts, text, options)
  }
  /// The property ends with the text.
  public func ends(with text: String, options: StringOptions = []) -> Query<Bool> {
    match(.ends, text, options)
  }
  /// The property follows the pattern: `*` stands for any text, `?` for one character.
  public func like(_ pattern: String, options: StringOptions = []) -> Query<Bool> {
    match(.like, pattern, options)
  }
  /// The property equals the text.
  public func equals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    match(.equals, text, options)
  }
  /// The property does not equal the text.
  public func notEquals(_ text: String, options: StringOptions = []) -> Query<Bool> {
    !equals(text, options: options)
  }
}
