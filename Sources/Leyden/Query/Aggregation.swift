import Foundation

/// What values come to: those of one property over the rows of a query, or of what one object leads to.
package struct Aggregation {
  /// The smallest value; `nil` where there is none.
  package private(set) var minimum: StoredValue?
  /// The largest value; `nil` where there is none.
  package private(set) var maximum: StoredValue?
  /// The sum of whole numbers; `nil` where there are other values.
  package var wholeSum: Int128? { otherCount == 0 ? whole : nil }
  /// The mean of all numbers; `nil` where there are none.
  package var average: Double? {
    let count = wholeCount + floatingCount
    return count == 0 ? nil : (Double(whole) + floating) / Double(count)
  }

  // 2^64 numbers of 64 bits fit.
  private var whole: Int128 = 0
  private var wholeCount = 0
  private var floating = 0.0
  private var floatingCount = 0
  private var otherCount = 0

  /// Begins without a value.
  package init() {}

  /// Goes through values.
  package init(of values: [StoredValue]) {
    for value in values { add(value) }
  }

  /// Adds one value; null counts nowhere.
  package mutating func add(_ value: StoredValue) {
    switch value {
    case .null: return
    case .int(let number):
      whole += Int128(number)
      wholeCount += 1
    case .double(let number): if !addFloating(number) { return }
    case .float(let number): if !addFloating(Double(number)) { return }
    case .decimal(let number):
      if !addFloating(NSDecimalNumber(decimal: number).doubleValue) { return }
    case .bool, .string, .data, .date, .uuid, .objectId, .object, .structure: otherCount += 1
    }
    if minimum.map({ Self.isLess(value, $0) }) ?? true { minimum = value }
    if maximum.map({ Self.isLess($0, value) }) ?? true { maximum = value }
  }

  private static func isLess(_ left: StoredValue, _ right: StoredValue) -> Bool {
    // Whole numbers first: this is done for every row.
    if case .int(let left) = left, case .int(let right) = right { return left < right }
    return Expression.Comparison.less.holds(left, right)
  }

  /// - Returns: Whether it is a number.
  private mutating func addFloating(_ number: Double) -> Bool {
    floating += number
    floatingCount += 1
    otherCount += 1
    return !number.isNaN
  }
}
