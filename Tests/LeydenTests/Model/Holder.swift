import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A model with the four kinds of property that one scalar type can be: plain, optional, indexed,
/// optional and indexed.
final class Holder<Value: Scalar & Hashable>: Object {
  @Persisted var position: Int
  @Persisted var value: Value
  @Persisted var optional: Value?
  @Persisted(indexed: true) var indexed: Value
  @Persisted(indexed: true) var optionalIndexed: Value?

  convenience init(_ position: Int, _ value: Value?) {
    self.init()
    self.position = position
    self.value = value ?? Value.emptyValue
    indexed = self.value
    optional = value
    optionalIndexed = value
  }
}

/// Checks of one scalar type against plain Swift.
struct HolderChecks<Value: Scalar & Hashable> {
  typealias Model = Holder<Value>
  let values: [Value]
  private let directory: TemporaryDirectory
  private let places: [(position: Int, value: Value?)]
  private let note: String

  /// Stores the values, and nil after every third one.
  init(_ values: [Value], note: String = "") throws {
    self.values = values
    self.note = "\(Value.self) \(note)"
    directory = try TemporaryDirectory()
    var stored: [Value?] = []
    for (position, value) in values.enumerated() {
      stored.append(value)
      if position % 3 == 2 { stored.append(nil) }
    }
    places = stored.enumerated().map { ($0.offset, $0.element) }
  }

  private func store() throws -> Store { try directory.store(objectTypes: [Model.self]) }

  private func positions(_ results: Results<Model>) -> [Int] { results.map(\.position) }

  private func expected(_ isIncluded: (Value?) -> Bool) -> [Int] {
    places.filter { isIncluded($0.value) }.map(\.position)
  }

  private func assertHeld(_ objects: [Model], _ what: String) {
    for (object, place) in zip(objects, places) {
      let value = place.value ?? Value.emptyValue
      for held in [object.value, object.indexed] {
        XCTAssertTrue(
          held.storedValue.isIdentical(to: value.storedValue),
          "\(note), \(what): \(held) in place of \(value)")
      }
      for held in [object.optional, object.optionalIndexed] {
        XCTAssertTrue(
          held.storedValue.isIdentical(to: place.value.storedValue),
          "\(note), \(what): \(String(describing: held)) in place of \(String(describing: value))")
      }
    }
  }

  /// What is stored is read: by the objects that were added, by others, and after opening again.
  func assertValuesAreKept() throws {
    let objects = places.map { Model($0.position, $0.value) }
    assertHeld(objects, "unmanaged")
    do {
      let store = try store()
      try store.write { try store.add(objects) }

      assertHeld(objects, "added")
      try store.read { assertHeld(objects, "read at one version") }
      try store.write { for object in objects { object.position += 0 } }
      assertHeld(Array(store.objects(Model.self)), "read")
      store.close()
    }
    assertHeld(Array(try store().objects(Model.self)), "opened again")
  }

  /// Setting a value to what it is makes no version, setting it to another one does.
  func assertOnlyOtherValuesAreChanges() throws {
    let store = try store()
    guard let object = store.objects(Model.self).first else { return XCTFail(note) }
    for value in values {
      try store.write {
        object.value = value
        object.optional = value
      }
      let version = store.version

      try store.write {
        object.value = value
        object.optional = nil
        object.optional = value
      }

      XCTAssertEqual(store.version, version, "\(note): \(value)")
    }
    try store.write {
      object.value = places[0].value ?? Value.emptyValue
      object.optional = places[0].value
    }
  }

  /// Equality, membership and tests for nil, with and without an index, as Swift has them.
  func assertEqualityQueries() throws {
    let objects = try store().objects(Model.self)
    for value in values {
      let text = "\(note): \(value)"
      let equal = expected { ($0 ?? Value.emptyValue) == value }
      let different = expected { ($0 ?? Value.emptyValue) != value }
      XCTAssertEqual(positions(objects.where { $0.value == value }), equal, text)
      XCTAssertEqual(positions(objects.where { $0.value != value }), different, text)
      XCTAssertEqual(positions(objects.where { $0.indexed == value }), equal, text)
      XCTAssertEqual(positions(objects.where { $0.indexed != value }), different, text)
      XCTAssertEqual(
        positions(objects.where { $0.optional == value }), expected { $0 == value }, text)
      XCTAssertEqual(
        positions(objects.where { $0.optionalIndexed == value }), expected { $0 == value }, text)
      XCTAssertEqual(
        positions(objects.where { $0.optional != value }), expected { $0 != value }, text)
    }
    XCTAssertEqual(positions(objects.where { $0.optional == nil }), expected { $0 == nil }, note)
    XCTAssertEqual(positions(objects.where { $0.optional != nil }), expected { $0 != nil }, note)
    XCTAssertEqual(
      positions(objects.where { $0.optionalIndexed == nil }), expected { $0 == nil }, note)
    let some = values.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
    let members = expected { some.contains($0 ?? Value.emptyValue) }
    XCTAssertEqual(positions(objects.where { $0.value.in(some) }), members, note)
    XCTAssertEqual(positions(objects.where { $0.indexed.in(some) }), members, note)
    let equalToItself = expected { ($0 ?? Value.emptyValue) == ($0 ?? Value.emptyValue) }
    XCTAssertEqual(positions(objects.where { $0.value == $0.indexed }), equalToItself, note)
  }

  /// Both directions, with and without an index: equal values in order of creation, nil first
  /// ascending.
  func assertSorting(by isBefore: @escaping (Value, Value) -> Bool) throws {
    let objects = try store().objects(Model.self)
    func sorted<Key>(_ key: (Value?) -> Key, _ isBefore: (Key, Key) -> Bool) -> [Int] {
      places.sorted { left, right in
        if isBefore(key(left.value), key(right.value)) { return true }
        if isBefore(key(right.value), key(left.value)) { return false }
        return left.position < right.position
      }.map(\.position)
    }
    func nilFirst(_ left: Value?, _ right: Value?) -> Bool {
      guard let right else { return false }
      guard let left else { return true }
      return isBefore(left, right)
    }
    let ascending = sorted({ $0 ?? Value.emptyValue }, isBefore)
    let descending = sorted({ $0 ?? Value.emptyValue }, { isBefore($1, $0) })
    XCTAssertEqual(positions(objects.sorted(by: \.value)), ascending, note)
    XCTAssertEqual(positions(objects.sorted(by: \.indexed)), ascending, note)
    XCTAssertEqual(positions(objects.sorted(by: \.value, ascending: false)), descending, note)
    XCTAssertEqual(positions(objects.sorted(by: \.indexed, ascending: false)), descending, note)
    let optionals = sorted({ $0 }, nilFirst)
    XCTAssertEqual(positions(objects.sorted(by: \.optional)), optionals, note)
    XCTAssertEqual(positions(objects.sorted(by: \.optionalIndexed)), optionals, note)
    XCTAssertEqual(
      positions(objects.sorted(by: \.optional, ascending: false)),
      sorted({ $0 }, { nilFirst($1, $0) }), note)
  }
}

extension HolderChecks where Value: Comparable {
  /// Comparisons and ranges as Swift has them, nil in none, with and without an index.
  func assertOrderQueries() throws {
    let objects = try store().objects(Model.self)
    for value in values {
      let text = "\(note): \(value)"
      func same(
        _ query: (Query<Value>) -> Query<Bool>, _ optional: (Query<Value?>) -> Query<Bool>,
        _ isIncluded: (Value) -> Bool, line: UInt = #line
      ) {
        let all = expected { isIncluded($0 ?? Value.emptyValue) }
        XCTAssertEqual(positions(objects.where { query($0.value) }), all, text, line: line)
        XCTAssertEqual(positions(objects.where { query($0.indexed) }), all, text, line: line)
        let present = expected { $0.map(isIncluded) ?? false }
        XCTAssertEqual(
          positions(objects.where { optional($0.optional) }), present, text, line: line)
        XCTAssertEqual(
          positions(objects.where { optional($0.optionalIndexed) }), present, text, line: line)
      }
      same({ $0 < value }, { $0 < value }, { $0 < value })
      same({ $0 <= value }, { $0 <= value }, { $0 <= value })
      same({ $0 > value }, { $0 > value }, { $0 > value })
      same({ $0 >= value }, { $0 >= value }, { $0 >= value })
      guard let other = values.first(where: { $0 >= value }) else { continue }
      let (closed, open) = (value...other, value..<other)
      same({ $0.contains(closed) }, { $0.contains(closed) }, { closed.contains($0) })
      same({ $0.contains(open) }, { $0.contains(open) }, { open.contains($0) })
    }
  }

  /// All checks of a type whose values are all in one order.
  func assertAll() throws {
    try assertValuesAreKept()
    try assertOnlyOtherValuesAreChanges()
    try assertEqualityQueries()
    try assertOrderQueries()
    try assertSorting(by: <)
  }
}
