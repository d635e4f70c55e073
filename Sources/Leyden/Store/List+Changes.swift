public import Foundation
import LeydenStorage

// An object that the store does not have is added with the change. As with properties, a change of a managed
// list outside a write stops the program, and one that breaks a rule fails the write.
extension List {
  // MARK: Adding

  /// Puts an element behind all.
  ///
  /// An object that the store does not have is added. A change of a managed list outside a write stops the
  /// program, and one that breaks a rule fails the write: a primary key that is there already, an
  /// owner that was deleted.
  public func append(_ element: Element) { append(contentsOf: CollectionOfOne(element)) }

  /// Puts elements behind all, in their order.
  public func append<S: Sequence>(contentsOf elements: S) where S.Element == Element {
    let elements = Array(elements)
    guard let handle else { return own.append(contentsOf: elements) }
    handle.change(with: elements) { (writer, list, values) throws(StoreError) in
      try writer.append(values, list)
    }
  }

  /// Puts an element before the one at a position, or behind all.
  public func insert(_ element: Element, at position: Int) {
    insert(contentsOf: CollectionOfOne(element), at: position)
  }

  /// Puts elements before the one at a position, or behind all, in their order.
  public func insert<S: Swift.Collection>(contentsOf elements: S, at position: Int)
  where S.Element == Element {
    let elements = Array(elements)
    guard let handle else {
      check(position..<position)
      return own.insert(contentsOf: elements, at: position)
    }
    change(handle, at: position..<position, with: elements) {
      (writer, list, values) throws(StoreError) in
      try writer.insert(values, at: position, list)
    }
  }

  // MARK: Removing

  /// Removes the element at a position.
  public func remove(at position: Int) { removeSubrange(position..<position + 1) }

  /// Removes the elements at positions.
  public func remove(atOffsets positions: IndexSet) {
    let ranges = Array(positions.rangeView)
    let all = (ranges.first?.lowerBound ?? 0)..<(ranges.last?.upperBound ?? 0)
    guard let handle else {
      check(all)
      for range in ranges.reversed() { own.removeSubrange(range) }
      return
    }
    change(handle, at: all, removing: positions.count) { (writer, list, _) throws(StoreError) in
      try writer.remove(ranges, list)
    }
  }

  /// Removes the elements at positions.
  public func removeSubrange(_ range: Range<Int>) {
    guard let handle else {
      check(range)
      return own.removeSubrange(range)
    }
    change(handle, at: range, removing: range.count) { (writer, list, _) throws(StoreError) in
      try writer.remove([range], list)
    }
  }

  /// Removes the elements at positions.
  public func removeSubrange<R: RangeExpression>(_ range: R) where R.Bound == Int {
    removeSubrange(range.relative(to: 0..<count))
  }

  /// Removes the first element; an empty list stops the program.
  public func removeFirst() { removeFirst(1) }

  /// Removes the first elements; a list that is shorter stops the program.
  public func removeFirst(_ number: Int) { removeSubrange(0..<number) }

  /// Removes the last element; an empty list stops the program.
  public func removeLast() { removeLast(1) }

  /// Removes the last elements; a list that is shorter stops the program.
  public func removeLast(_ number: Int) {
    // Where the owner is gone the change itself says so.
    let count = handle.map { $0.countIfPresent ?? number } ?? own.count
    precondition(
      number >= 0 && number <= count,
      "\(number) elements are to be removed, and there are \(count)")
    removeSubrange(count - number..<count)
  }

  /// Removes all elements.
  public func removeAll() {
    guard let handle else { return own.removeAll() }
    handle.change { (writer, list, _) throws(StoreError) in try writer.removeAll(list) }
    promised = 0
  }

  /// Removes the elements that fulfil a condition.
  public func removeAll(where isRemoved: (Element) throws -> Bool) rethrows {
    var positions = IndexSet()
    for (position, element) in fixed.enumerated() where try isRemoved(element) {
      positions.insert(position)
    }
    remove(atOffsets: positions)
  }

  // MARK: Moving and replacing

  /// Moves an element to the position that it has afterwards.
  public func move(from: Int, to: Int) {
    guard let handle else {
      check(from..<from + 1)
      check(to..<to + 1)
      return own.insert(own.remove(at: from), at: to)
    }
    change(handle, at: from..<from + 1, to..<to + 1) { (writer, list, _) throws(StoreError) in
      try writer.move(from: from, to: to, list)
    }
  }

  /// Moves elements, in their order, before the element that is at a position now, or behind all.
  public func move(fromOffsets positions: IndexSet, toOffset position: Int) {
    let all = (positions.first ?? 0)..<((positions.last ?? -1) + 1)
    guard let handle else {
      check(all)
      check(position..<position)
      let moved = positions.map { own[$0] }
      for range in positions.rangeView.reversed() { own.removeSubrange(range) }
      return own.insert(
        contentsOf: moved, at: position - positions.count(in: 0..<Swift.max(position, 0)))
    }
    change(handle, at: all, position..<position) { (writer, list, _) throws(StoreError) in
      try writer.move(Array(positions), before: position, list)
    }
  }

  /// Exchanges two elements.
  public func swapAt(_ left: Int, _ right: Int) {
    guard let handle else {
      check(left..<left + 1)
      check(right..<right + 1)
      return own.swapAt(left, right)
    }
    change(handle, at: left..<left + 1, right..<right + 1) {
      (writer, list, _) throws(StoreError) in try writer.swap(left, right, list)
    }
  }

  /// Puts an element in place of the one at a position.
  public func replace(index: Int, object: Element) {
    guard let handle else {
      check(index..<index + 1)
      return own[index] = object
    }
    if handle.holds(object, at: index) { return }
    change(handle, at: index..<index + 1, with: [object], removing: 1) {
      (writer, list, values) throws(StoreError) in
      try writer.replace(at: index, with: values[0], list)
    }
  }

  /// Puts elements in place of those at positions.
  public func replaceSubrange<C: Swift.Collection>(_ range: Range<Int>, with elements: C)
  where C.Element == Element {
    let elements = Array(elements)
    guard let handle else {
      check(range)
      return own.replaceSubrange(range, with: elements)
    }
    change(handle, at: range, with: elements, removing: range.count) {
      (writer, list, values) throws(StoreError) in
      try writer.replace(range, with: values, list)
    }
  }

  /// Puts elements in place of those at positions.
  public func replaceSubrange<R: RangeExpression, C: Swift.Collection>(
    _ range: R, with elements: C
  ) where R.Bound == Int, C.Element == Element {
    replaceSubrange(range.relative(to: 0..<count), with: elements)
  }

  // MARK: Managed lists

  /// Changes a managed list at positions that have to be there: otherwise the program stops, or the write
  /// fails where they were there when they were asked for, and somebody else has shortened the list.
  private func change(
    _ handle: CollectionHandle, at range: Range<Int>, _ other: Range<Int>? = nil,
    with elements: [Element] = [], removing removed: Int = 0,
    _ body: (Writer, WrittenCollection, [StoredValue]) throws(StoreError) -> Void
  ) {
    let count = check(range)
    if let other { check(other) }
    let end = Swift.max(range.upperBound, other?.upperBound ?? 0)
    handle.change(with: elements, replacing: range) {
      (writer, list, values) throws(StoreError) in
      if let count, end > count { throw .invalidValue(problem(end, count: count)) }
      try body(writer, list, values)
    }
    if let count { promised = Swift.max(count - removed, 0) + elements.count }
  }
}
