import Foundation
package import LeydenStorage

/// A condition compiled for one model: a closure over a record's bytes that makes no object and,
/// for numbers, no value.
package typealias RowTest = (StoredRecord, Transaction) throws(StorageError) -> Bool

extension Expression {
  /// Compiles the condition for records of a bound type; the session has the types that it leads to.
  package func compiled(for binding: TypeBinding, in session: Session) -> RowTest {
    switch self {
    case .constant(let answer):
      return { (_, _) throws(StorageError) in answer }
    case .compare(Self.itself, _, _), .compareColumns(Self.itself, _, _), .isIn(Self.itself, _),
      .text(Self.itself, _, _, _), .isObject(Self.itself, _):
      let test = compiledForValue(of: binding.store)
      return { (record, _) throws(StorageError) in test(record.reference) }
    case .compare(let column, let comparison, let value)
    where binding.model.columns[column].type == .anyValue:
      return { (record, transaction) throws(StorageError) in
        comparison.holds(try record.value(column, in: transaction), value)
      }
    case .isIn(let column, let values) where binding.model.columns[column].type == .anyValue:
      return { (record, transaction) throws(StorageError) in
        let value = try record.value(column, in: transaction)
        return values.contains { Comparison.equal.holds(value, $0) }
      }
    case .compare(let column, let comparison, let value):
      return Self.compare(column, comparison, value)
    case .isObject(let column, let objects):
      let test = Expression.isObject(Self.itself, objects).compiledForValue(of: binding.store)
      return { (record, transaction) throws(StorageError) in
        test(try record.value(column, in: transaction))
      }
    case .along(let step, let condition):
      return PathReader(step, binding, session).test(condition)
    case .compareOperands(let left, let comparison, let right):
      return Self.compare(
        left.compiled(for: binding, in: session), comparison,
        right.compiled(for: binding, in: session))
    case .compareColumns(let left, let comparison, let right):
      return { (record, transaction) throws(StorageError) in
        comparison.holds(
          try record.value(left, in: transaction), try record.value(right, in: transaction))
      }
    case .isIn(let column, let values):
      let set = Set(values)
      return { (record, transaction) throws(StorageError) in
        set.contains(try record.value(column, in: transaction))
      }
    case .text(let column, let match, let text, let options):
      return Self.text(column, TextMatcher(match, text, options))
    case .and(let parts):
      let tests = parts.map { $0.compiled(for: binding, in: session) }
      return { (record, transaction) throws(StorageError) in
        for test in tests where try !test(record, transaction) { return false }
        return true
      }
    case .or(let parts):
      let tests = parts.map { $0.compiled(for: binding, in: session) }
      return { (record, transaction) throws(StorageError) in
        for test in tests where try test(record, transaction) { return true }
        return false
      }
    case .not(let part):
      let test = part.compiled(for: binding, in: session)
      return { (record, transaction) throws(StorageError) in try !test(record, transaction) }
    }
  }

  /// Numbers are compared in their slots; everything else, and rows whose record lacks the
  /// property, by value.
  private static func compare(
    _ column: Int, _ comparison: Comparison, _ value: StoredValue
  ) -> RowTest {
    func test<Number: Comparable>(
      _ number: Number, _ read: @escaping (UInt64) -> Number
    ) -> RowTest {
      { (record, transaction) throws(StorageError) in
        guard let slot = record.slot(column), !record.view.isNull(slot) else {
          return comparison.holds(try record.value(column, in: transaction), value)
        }
        return comparison.holds(read(record.view.word(slot)), number)
      }
    }
    switch value {
    case .int(let number): return test(number) { Int64(bitPattern: $0) }
    case .float(let number): return test(Double(number)) { Double(bitPattern: $0) }
    case .double(let number): return test(number) { Double(bitPattern: $0) }
    case .date(let date):
      return test(date.timeIntervalSinceReferenceDate) { Double(bitPattern: $0) }
    case .bool(let truth): return test(truth ? 1 : 0 as UInt64) { $0 == 0 ? 0 : 1 }
    case .string(let text) where comparison == .equal || comparison == .notEqual:
      let equal = Self.text(column, TextMatcher(.equals, text, []))
      guard comparison == .notEqual else { return equal }
      return { (record, transaction) throws(StorageError) in try !equal(record, transaction) }
    case .decimal(let number):
      let number = StoredDecimal(number)
      return { (record, transaction) throws(StorageError) in
        guard let slot = record.slot(column),
          let stored = unsafe StoredDecimal(bytes: record.view.bytes(slot))
        else { return comparison.holds(try record.value(column, in: transaction), value) }
        return comparison.holds(stored, number)
      }
    case .null, .string, .data, .uuid, .objectId, .object, .structure:
      return { (record, transaction) throws(StorageError) in
        comparison.holds(try record.value(column, in: transaction), value)
      }
    }
  }

  private static func text(_ column: Int, _ matcher: TextMatcher) -> RowTest {
    { (record, transaction) throws(StorageError) in
      if let slot = record.slot(column), record.view.largeReference(slot) == nil {
        return unsafe !record.view.isNull(slot) && matcher.matches(record.view.bytes(slot))
      }
      guard case .string(let text) = try record.value(column, in: transaction) else {
        return false
      }
      return unsafe Array(text.utf8).withUnsafeBytes { unsafe matcher.matches($0) }
    }
  }
}

extension Expression.Comparison {
  /// Whether two numbers stand in this relation.
  @inline(__always)
  func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .equal: left == right
    case .notEqual: left != right
    case .less: left < right
    case .lessOrEqual: left <= right
    case .greater: left > right
    case .greaterOrEqual: left >= right
    }
  }

  /// Whether two values stand in this relation; null is equal to null, and in no order.
  func holds(_ left: StoredValue, _ right: StoredValue) -> Bool {
    switch (left, right) {
    case (.int(let a), .int(let b)): holds(a, b)
    case (.float(let a), .float(let b)): holds(a, b)
    case (.double(let a), .double(let b)): holds(a, b)
    case (.date(let a), .date(let b)): holds(a, b)
    case (.string(let a), .string(let b)): holds(a, b)
    case (.bool(let a), .bool(let b)): holds(a ? 1 : 0, b ? 1 : 0)
    case (.uuid(let a), .uuid(let b)): holds(a.uuidString, b.uuidString)
    case (.decimal(let a), .decimal(let b)): holds(StoredDecimal(a), StoredDecimal(b))
    case (.objectId(let a), .objectId(let b)): holds(a, b)
    default:
      if left.isNumber, right.isNumber {
        holdsAmongNumbers(left, right)
      } else {
        switch self {
        case .equal: left == right
        case .notEqual: left != right
        case .less, .lessOrEqual, .greater, .greaterOrEqual: false
        }
      }
    }
  }
}

extension Expression.Comparison {
  /// Whether two numbers of different types stand in this relation, by their values.
  private func holdsAmongNumbers(_ left: StoredValue, _ right: StoredValue) -> Bool {
    var keys = (KeyEncoder(), KeyEncoder())
    guard !left.isNaN, !right.isNaN else { return self == .notEqual }
    keys.0.append(anyValue: left)
    keys.1.append(anyValue: right)
    return holds(SortKey(keys.0.bytes), SortKey(keys.1.bytes))
  }
}

extension StoredValue {
  /// Whether it is a number, of whatever type.
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .float, .double, .decimal: true
    default: false
    }
  }

  fileprivate var isNaN: Bool {
    switch self {
    case .float(let number): number.isNaN
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    default: false
    }
  }
}
