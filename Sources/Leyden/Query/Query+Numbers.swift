public import Foundation

// Underscores: users never name these, the compiler chooses by them.

/// What has a smallest and a largest value: numbers, points in time, and their optionals.
public protocol _Ordered {}
/// What has a sum: numbers and their optionals.
public protocol _Number: _Ordered {}

extension Int: _Number {}
extension Int8: _Number {}
extension Int16: _Number {}
extension Int32: _Number {}
extension Int64: _Number {}
extension UInt8: _Number {}
extension UInt16: _Number {}
extension UInt32: _Number {}
extension Float: _Number {}
extension Double: _Number {}
extension Decimal: _Number {}
extension Date: _Ordered {}
extension Optional: _Ordered where Wrapped: _Ordered {}
extension Optional: _Number where Wrapped: _Number {}

extension Query where T: _CollectionProperty {
  /// How many elements the collection has.
  public var count: Query<Int> {
    let (steps, column) = value
    return Query<Int>(
      node: .operand(Operand.count([.each(column)], .constant(true)).after(steps)))
  }

  /// Whether the collection has no element.
  public var isEmpty: Query<Bool> { count == 0 }

  /// What each element is.
  var eachElement: Query<T._Element> { elements(T._Element.self) }
}

extension Query where T: _CollectionProperty, T._Element: _Ordered {
  /// The smallest element; no value where there is none.
  public var min: Query<T._Element> { eachElement.min }
  /// The largest element; no value where there is none.
  public var max: Query<T._Element> { eachElement.max }
}

extension Query where T: _CollectionProperty, T._Element: _Number {
  /// The sum of the elements; zero where there is none.
  ///
  /// A sum of whole numbers that 64 bits cannot hold is the largest or smallest number of 64 bits.
  public var sum: Query<T._Element> { eachElement.sum }
  /// The mean of the elements; no value where there is none.
  public var avg: Query<Double> { eachElement.avg }
}

extension Query where T: _Ordered {
  /// The smallest value over the objects of the collection that the property is reached through.
  public var min: Query<T> { total(.min) }
  /// The largest value over the objects of the collection that the property is reached through.
  public var max: Query<T> { total(.max) }
}

extension Query where T: _Number {
  /// The sum over the objects of the collection that the property is reached through.
  public var sum: Query<T> { total(.sum) }
  /// The mean over the objects of the collection that the property is reached through.
  public var avg: Query<Double> { total(.average) }
}

extension Query {
  /// What the values of the last collection on the way come to.
  private func total<Result>(_ function: Operand.Function) -> Query<Result> {
    guard case .value(let steps, let column) = node else {
      return Query<Result>(node: .operand(.total(function, operand)))
    }
    let start = steps.lastIndex { !$0.leadsToOne } ?? steps.endIndex
    let total = Operand.total(function, .column(column).after(steps[start...]))
    return Query<Result>(node: .operand(total.after(steps[..<start])))
  }
}

extension Query where T == Bool {
  /// How many objects fulfil the condition, of the first collection that it goes through.
  ///
  ///     .where { ($0.tags.weight > 2 && $0.tags.color == "red").count >= 3 }
  ///
  /// One object has to fulfil all of it. Of a condition that goes through no collection it is 1 or 0.
  public var count: Query<Int> { Query<Int>(node: .operand(truth.count)) }
}
