import Foundation
import LeydenStorage

/// What is made of a record to be compared, compiled: calls its last argument with each value until that
/// returns false, and returns what it returned last; true where there is no value.
typealias RowValues = (
  StoredRecord, Transaction, (StoredValue) throws(StorageError) -> Bool
) throws(StorageError) -> Bool

extension Operand {
  /// Compiles the operand for records of a bound type; the session has the types that it leads to.
  func compiled(for binding: TypeBinding, in session: Session) -> RowValues {
    switch self {
    case .constant(let value):
      return { (_, _, body) throws(StorageError) in try body(value) }
    case .column(Expression.itself):
      return { (record, _, body) throws(StorageError) in try body(record.reference) }
    case .column(let column):
      return { (record, transaction, body) throws(StorageError) in
        try body(try record.value(column, in: transaction))
      }
    case .along(let step, let operand):
      return PathReader(step, binding, session).values(operand)
    case .count(let steps, let condition):
      let counter = Self.counter(steps[...], condition, binding, session)
      return { (record, transaction, body) throws(StorageError) in
        try body(.int(Int64(try counter(record, transaction))))
      }
    case .total(let function, let operand):
      let values = operand.compiled(for: binding, in: session)
      return { (record, transaction, body) throws(StorageError) in
        var total = Total(function)
        _ = try values(record, transaction) { (value) in
          total.add(value)
          return true
        }
        return try body(total.value)
      }
    case .choice(let condition, let first, let second):
      let test = condition.compiled(for: binding, in: session)
      let values = first.compiled(for: binding, in: session)
      let others = second.compiled(for: binding, in: session)
      return { (record, transaction, body) throws(StorageError) in
        try test(record, transaction)
          ? try values(record, transaction, body) : try others(record, transaction, body)
      }
    }
  }

  /// Counts what the last of some steps leads to.
  private static func counter(
    _ steps: ArraySlice<PathStep>, _ condition: Expression, _ binding: TypeBinding,
    _ session: Session
  ) -> (StoredRecord, Transaction) throws(StorageError) -> Int {
    guard let step = steps.first else {
      let test = condition.compiled(for: binding, in: session)
      return { (record, transaction) throws(StorageError) in
        try test(record, transaction) ? 1 : 0
      }
    }
    let reader = PathReader(step, binding, session)
    guard steps.count > 1, let target = reader.target else { return reader.counter(condition) }
    let inner = counter(steps.dropFirst(), condition, target, session)
    return { (record, transaction) throws(StorageError) in
      var count = 0
      try reader.forEach(of: record, readsObjects: true, in: transaction) {
        (reached) throws(StorageError) in
        if case .object(let object) = reached { count += try inner(object, transaction) }
        return true
      }
      return count
    }
  }
}

extension Expression {
  /// Compiles a comparison: true where it is of some value of each side.
  static func compare(
    _ left: @escaping RowValues, _ comparison: Comparison, _ right: @escaping RowValues
  ) -> RowTest {
    { (record, transaction) throws(StorageError) in
      var rights: [StoredValue] = []
      _ = try right(record, transaction) { (value) in
        rights.append(value)
        return true
      }
      return try !left(record, transaction) { (value) in
        !rights.contains { comparison.holds(value, $0) }
      }
    }
  }
}

/// What several values come to.
struct Total {
  private let function: Operand.Function
  private var all = Aggregation()
  private var decimal = Decimal(0)
  private var float: Float = 0
  private var double = 0.0
  private var last = StoredValue.null

  init(_ function: Operand.Function) { self.function = function }

  /// Adds a value; null counts nowhere.
  mutating func add(_ value: StoredValue) {
    if value != .null { last = value }
    switch (function, value) {
    case (.sum, .float(let number)): float += number
    case (.sum, .double(let number)): double += number
    case (.sum, .decimal(let number)): decimal += number
    default: all.add(value)
    }
  }

  /// The smallest or largest value or the mean, null where there is none; or the sum, of which numbers that
  /// the type cannot hold are its largest or smallest.
  var value: StoredValue {
    switch function {
    case .min: return all.minimum ?? .null
    case .max: return all.maximum ?? .null
    case .average: return all.average.map { .double($0) } ?? .null
    case .sum: break
    }
    switch last {
    case .float: return .float(float)
    case .double: return .double(double)
    case .decimal: return .decimal(decimal)
    default: return .int(Int64(clamping: all.wholeSum ?? 0))
    }
  }
}
