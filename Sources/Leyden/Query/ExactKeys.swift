import Foundation
import LeydenStorage

extension QueryPlanner {
  /// The rows that fulfil a condition, where the keys of an index tell that by themselves: no record
  /// has to be read to know.
  ///
  /// So it is where every part of the condition says that a column has one of some values, or lies
  /// in a range of numbers, and an index begins with these columns. No more than `limit` ranges of
  /// keys are read.
  func exactRows(
    of condition: Expression, limit: Int, in transaction: Transaction
  ) throws(StorageError) -> Candidates? {
    let parts = condition.conjuncts
    for index in indexes where !index.foldsCase {
      guard let ranges = exactRanges(of: parts, limit: limit, in: index),
        let table = try transaction.table(named: index.stored.tableName)
      else { continue }
      let constraints = Constraints(parts, foldingCase: false)
      let words = index.columns.compactMap { column in
        constraints.byColumn[column].map { "\(binding.model.columns[column].name) \($0)" }
      }
      var found = try read(ranges, table, words, limit: .max, in: transaction)
      found?.areExact = true
      return found
    }
    return nil
  }

  /// The keys' beginnings, from a lower to an upper one, of just the rows that fulfil the parts.
  ///
  /// - Returns: Ranges that share no key; `nil` where the index's keys do not tell.
  private func exactRanges(
    of parts: [Expression], limit: Int, in index: UsableIndex
  ) -> [(lower: [UInt8], upper: [UInt8])]? {
    var open = parts
    var prefixes: [[UInt8]] = [[]]
    for (number, column) in index.columns.enumerated() where !open.isEmpty {
      let own = open.filter { $0.columns == [column] }
      open.removeAll { $0.columns == [column] }
      let hasMarker = index.stored.fields[number].hasMarker
      if let range = NumberRange(own) {
        guard open.isEmpty else { return nil }
        let (lower, upper) = range.bounds(hasMarker: hasMarker)
        return range.isEmpty ? [] : prefixes.map { ($0 + lower, $0 + upper) }
      }
      guard own.count == 1, let values = own[0].equalValues else { return nil }
      var keys: Set<[UInt8]> = []
      for value in values {
        var key = KeyEncoder()
        key.append(value, hasMarker: hasMarker)
        guard value.isTheOnlyOneOfItsKey, !key.shorten(from: 0, by: index.rule) else { return nil }
        keys.insert(key.bytes)
      }
      guard prefixes.count * keys.count <= limit else { return nil }
      prefixes = prefixes.flatMap { prefix in keys.map { prefix + $0 } }
    }
    return open.isEmpty ? prefixes.map { ($0, $0) } : nil
  }
}

/// The numbers from a lower to an upper one, both included, as keys have them.
private struct NumberRange {
  private var lower: UInt64
  private var upper: UInt64

  /// Whether no number is in it.
  var isEmpty: Bool { lower > upper }

  /// Takes comparisons of one column: one or two that bound it on different sides; `nil` for others.
  init?(_ parts: [Expression]) {
    guard case .compare(_, _, let first)? = parts.first, parts.count <= 2,
      let all = first.numbersOfItsKind
    else { return nil }
    (lower, upper) = (all.lowerBound, all.upperBound)
    var sides: Set<Bool> = []
    for part in parts {
      guard case .compare(_, let comparison, let value) = part, let bits = value.numberBits,
        let isLower = comparison.boundsBelow, sides.insert(isLower).inserted
      else { return nil }
      switch comparison {
      case .greater:
        guard bits < .max else { return nil }
        lower = bits + 1
      case .less:
        guard bits > 0 else { return nil }
        upper = bits - 1
      default: if isLower { lower = bits } else { upper = bits }
      }
    }
  }

  func bounds(hasMarker: Bool) -> (lower: [UInt8], upper: [UInt8]) {
    func key(_ number: UInt64) -> [UInt8] {
      var key = KeyEncoder()
      if hasMarker { key.appendPresence(true) }
      key.append(number)
      return key.bytes
    }
    return (key(lower), key(upper))
  }
}

extension Expression {
  /// The values one of which a column must have; `nil` for another condition.
  fileprivate var equalValues: [StoredValue]? {
    switch self {
    case .compare(_, .equal, let value): [value]
    case .isIn(_, let values): values
    default: nil
    }
  }
}

extension Expression.Comparison {
  /// Whether it is a bound from below or from above; `nil` where it is none.
  fileprivate var boundsBelow: Bool? {
    switch self {
    case .greater, .greaterOrEqual: true
    case .less, .lessOrEqual: false
    case .equal, .notEqual: nil
    }
  }
}

extension StoredValue {
  /// Whether another value has the same key, uncut, only where a query finds them equal.
  fileprivate var isTheOnlyOneOfItsKey: Bool {
    switch self {
    case .bool, .int, .string, .uuid: true
    case .float, .double, .date: numberBits != nil
    case .null, .data, .decimal, .objectId, .object, .structure: false
    }
  }

  /// The number as keys have it; `nil` for what is no number.
  fileprivate var numberBits: UInt64? {
    switch self {
    case .int(let number): KeyEncoder.bits(of: number)
    case .float(let number): number.isNaN ? nil : KeyEncoder.bits(of: Double(number))
    case .double(let number): number.isNaN ? nil : KeyEncoder.bits(of: number)
    case .date(let date):
      date.timeIntervalSinceReferenceDate.isNaN
        ? nil : KeyEncoder.bits(of: date.timeIntervalSinceReferenceDate)
    case .null, .bool, .string, .data, .uuid, .decimal, .objectId, .object, .structure: nil
    }
  }

  /// What all numbers of the value's kind have in keys; `nil` for what is no number.
  fileprivate var numbersOfItsKind: ClosedRange<UInt64>? {
    switch self {
    case .int: 0 ... .max
    case .float, .double, .date:
      KeyEncoder.bits(of: -Double.infinity)...KeyEncoder.bits(of: Double.infinity)
    case .null, .bool, .string, .data, .uuid, .decimal, .objectId, .object, .structure: nil
    }
  }
}
