/// A way from an object to others, or to values that it holds.
package enum PathStep: Sendable, Hashable {
  /// To the one object that a link or an embedded object's property leads to.
  case one(Int)
  /// To each element of a list or a set, each value of a map, each of linking objects.
  case each(Int)
  /// To each key of a map.
  case keys(Int)
  /// To the value that a map has under a key.
  case entry(Int, String)

  /// The property that it goes by.
  package var column: Int {
    switch self {
    case .one(let column), .each(let column), .keys(let column), .entry(let column, _): column
    }
  }

  /// Whether it leads to one thing, or to nothing; else to any number of things.
  var leadsToOne: Bool {
    switch self {
    case .one, .entry: true
    case .each, .keys: false
    }
  }
}

/// What is made of an object's properties to be compared.
///
/// It may be any number of values, where it goes through a collection.
package indirect enum Operand: Sendable, Hashable {
  /// What several numbers come to.
  package enum Function: Sendable, Hashable {
    case min, max, sum, average
  }

  /// A constant.
  case constant(StoredValue)
  /// A property, or the thing itself.
  case column(Int)
  /// The same of each thing that a step leads to.
  case along(PathStep, Operand)
  /// How many things the steps lead to that fulfil a condition.
  case count([PathStep], Expression)
  /// What values come to.
  case total(Function, Operand)
  /// One or the other, by a condition.
  case choice(Expression, Operand, Operand)

  /// The columns that it depends on.
  var columns: Set<Int> {
    switch self {
    case .constant: []
    case .column(let column): [column]
    case .along(let step, _): [step.column]
    case .count(let steps, let condition):
      steps.first.map { [$0.column] } ?? condition.columns
    case .total(_, let operand): operand.columns
    case .choice(let condition, let first, let second):
      condition.columns.union(first.columns).union(second.columns)
    }
  }
}

extension Expression {
  /// The condition, asked of what steps lead to.
  func after(_ steps: some BidirectionalCollection<PathStep>) -> Expression {
    steps.reversed().reduce(self) { .along($1, $0) }
  }

  /// The answer where there is nothing to ask: every property is null, and every collection missing.
  var answerOfNothing: Bool {
    switch self {
    case .constant(let answer): answer
    case .compare(_, let comparison, let value): comparison.holds(.null, value)
    case .compareColumns(_, let comparison, _): comparison.holds(.null, .null)
    case .isIn(_, let values): values.contains(.null)
    case .text, .isObject: false
    case .along(let step, let condition): step.leadsToOne && condition.answerOfNothing
    case .compareOperands(let left, let comparison, let right):
      left.valuesOfNothing.contains { left in
        right.valuesOfNothing.contains { comparison.holds(left, $0) }
      }
    case .and(let parts): parts.allSatisfy(\.answerOfNothing)
    case .or(let parts): parts.contains(where: \.answerOfNothing)
    case .not(let part): !part.answerOfNothing
    }
  }
}

extension Operand {
  /// What it is where there is nothing to make it of.
  var valuesOfNothing: [StoredValue] {
    switch self {
    case .constant(let value): [value]
    case .column, .count, .total: [.null]
    case .along(let step, let operand): step.leadsToOne ? operand.valuesOfNothing : []
    case .choice(let condition, let first, let second):
      condition.answerOfNothing ? first.valuesOfNothing : second.valuesOfNothing
    }
  }

  /// The operand, made of what steps lead to.
  func after(_ steps: some BidirectionalCollection<PathStep>) -> Operand {
    steps.reversed().reduce(self) { .along($1, $0) }
  }
}
