/// What a query asks of each row: the one tree that every way of saying a condition becomes.
///
/// Columns are those of the model that is asked; constants have the column's type, or are null.
package indirect enum Expression: Sendable, Hashable {
  /// In place of a column: the thing itself that is asked, an object or a value.
  package static let itself = -1

  /// An order comparison.
  package enum Comparison: Sendable, Hashable {
    case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual
  }

  /// How a text is looked for in another one.
  package enum TextMatch: Sendable, Hashable {
    case contains, starts, ends, equals, like
  }

  /// True or false for every row.
  case constant(Bool)
  /// A property compared with a constant. Null is equal to null only, and is not in any order.
  case compare(Int, Comparison, StoredValue)
  /// Two properties of one type compared.
  case compareColumns(Int, Comparison, Int)
  /// A property that equals one of several constants.
  case isIn(Int, [StoredValue])
  /// A text looked for in a text property.
  case text(Int, TextMatch, String, StringOptions)
  /// A property that leads to one of some objects.
  case isObject(Int, [RowIdentity])
  /// A condition on what a step leads to: on some of it where that may be many, and with null for every
  /// property where it is nothing.
  case along(PathStep, Expression)
  /// What is made of properties, compared: so that it is true of some value of each.
  case compareOperands(Operand, Comparison, Operand)
  /// All of them.
  case and([Expression])
  /// At least one of them.
  case or([Expression])
  /// Not so.
  case not(Expression)

  /// The columns that the answer depends on.
  package var columns: Set<Int> {
    switch self {
    case .constant: []
    case .compare(let column, _, _), .isIn(let column, _), .text(let column, _, _, _): [column]
    case .isObject(let column, _): [column]
    case .compareColumns(let left, _, let right): [left, right]
    case .along(let step, _): [step.column]
    case .compareOperands(let left, _, let right): left.columns.union(right.columns)
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.columns) }
    case .not(let part): part.columns
    }
  }
}

// Conditions that are joined one by one stay one level deep: who follows a tree follows its depth on
// the stack, and a program may join thousands.
extension Expression {
  /// Both hold.
  package func and(_ other: Expression) -> Expression {
    func parts(_ expression: Expression) -> [Expression] {
      if case .and(let parts) = expression { parts } else { [expression] }
    }
    return .and(parts(self) + parts(other))
  }

  /// At least one holds.
  package func or(_ other: Expression) -> Expression {
    func parts(_ expression: Expression) -> [Expression] {
      if case .or(let parts) = expression { parts } else { [expression] }
    }
    return .or(parts(self) + parts(other))
  }

  /// It does not hold.
  package var negated: Expression {
    if case .not(let expression) = self { expression } else { .not(self) }
  }
}

/// How texts are compared.
public struct StringOptions: OptionSet, Sendable, Hashable {
  /// The bits.
  public let rawValue: Int
  /// Makes a set of options from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }
  /// Upper and lower case are one: "GRÜN" and "grün".
  public static let caseInsensitive = StringOptions(rawValue: 1)
  /// Letters with and without marks are one: "é" and "e".
  public static let diacriticInsensitive = StringOptions(rawValue: 2)
}
