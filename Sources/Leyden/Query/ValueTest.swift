package import Foundation

/// A condition compiled for a value: an element of a collection, or a reference to an object.
package typealias ValueTest = (StoredValue) -> Bool

extension Expression {
  /// Compiles the condition for values of one store; it asks for the thing itself only.
  package func compiledForValue(of store: UUID) -> ValueTest {
    func equal(_ left: StoredValue, _ right: StoredValue) -> Bool {
      Comparison.equal.holds(left, right)
    }
    switch self {
    case .constant(let answer): return { _ in answer }
    case .compare(_, let comparison, let value): return { comparison.holds($0, value) }
    case .compareColumns(_, let comparison, _): return { comparison.holds($0, $0) }
    case .isIn(_, let values):
      let set = Set(values)
      return { value in
        // Of another type than a value of any type, a number may be equal all the same.
        set.contains(value) || values.contains { $0.type != value.type && equal($0, value) }
      }
    case .text(_, let match, let text, let options):
      let matcher = TextMatcher(match, text, options)
      return { value in
        guard case .string(let text) = value else { return false }
        return unsafe Array(text.utf8).withUnsafeBytes { unsafe matcher.matches($0) }
      }
    case .isObject(_, let objects):
      return Self.isObject(objects.filter { $0.store == store })
    case .along:
      // A value leads nowhere.
      let answer = answerOfNothing
      return { _ in answer }
    case .compareOperands(let left, let comparison, let right):
      return { value in
        let rights = right.values(of: value, in: store)
        return left.values(of: value, in: store).contains { left in
          rights.contains { comparison.holds(left, $0) }
        }
      }
    case .and(let parts):
      let tests = parts.map { $0.compiledForValue(of: store) }
      return { value in tests.allSatisfy { $0(value) } }
    case .or(let parts):
      let tests = parts.map { $0.compiledForValue(of: store) }
      return { value in tests.contains { $0(value) } }
    case .not(let part):
      let test = part.compiledForValue(of: store)
      return { !test($0) }
    }
  }

  /// Whether a value refers to one of some objects of the store.
  private static func isObject(_ objects: [RowIdentity]) -> ValueTest {
    // A link's type is that of the property, and so of the objects that it is compared with.
    let rows = Set(objects.map(\.row))
    let references = Set(objects.map { ObjectReference(type: $0.type, row: $0.row) })
    return { value in
      guard case .object(let reference) = value else { return false }
      return reference.type == 0
        ? rows.contains(reference.row) : references.contains(reference)
    }
  }
}

extension Operand {
  /// What is made of a value; it asks for the thing itself only.
  func values(of value: StoredValue, in store: UUID) -> [StoredValue] {
    switch self {
    case .constant(let constant): return [constant]
    case .column: return [value]
    case .along, .count: return valuesOfNothing
    case .total(let function, let operand):
      var total = Total(function)
      for value in operand.values(of: value, in: store) { total.add(value) }
      return [total.value]
    case .choice(let condition, let first, let second):
      let holds = condition.compiledForValue(of: store)(value)
      return holds ? first.values(of: value, in: store) : second.values(of: value, in: store)
    }
  }
}
