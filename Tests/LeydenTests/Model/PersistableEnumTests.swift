import Foundation
import Leyden
import LeydenTesting
import XCTest

private enum Grade: Int, PersistableEnum, Comparable {
  case low = -5
  case middle = 0
  case high = 9

  // An order of its own, the other way round.
  static func < (left: Grade, right: Grade) -> Bool { left.rawValue > right.rawValue }
}

private enum Colour: String, PersistableEnum {
  case red, green, blue
  case none = ""
  static var emptyValue: Colour { .none }
}

private enum Width: UInt8, PersistableEnum { case narrow = 3, wide = 255 }

private final class Shirt: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var grade: Grade
  @Persisted var colour = Colour.green
  @Persisted(indexed: true) var lining: Colour?
  @Persisted var best: Grade?
  @Persisted var width = Width.wide

  convenience init(_ name: String, _ grade: Grade, _ colour: Colour, _ lining: Colour?) {
    self.init()
    self.name = name
    self.grade = grade
    self.colour = colour
    self.lining = lining
    best = grade
  }
}

/// The shirts of a program without the enumerations, or with other cases.
private final class RawShirt: Object {
  override class var storedName: String { "Shirt" }
  @Persisted(primaryKey: true) var name: String
  @Persisted var grade: Int
  @Persisted var colour: String = "green"
  @Persisted(indexed: true) var lining: String?
  @Persisted var best: Int?
  @Persisted var width: UInt8 = 255
}

final class PersistableEnumTests: XCTestCase {
  private func shirts(in directory: TemporaryDirectory) throws -> Store {
    let store = try directory.store(objectTypes: [Shirt.self])
    try store.write {
      try store.add(Shirt("a", .low, .red, nil))
      try store.add(Shirt("b", .middle, .green, .blue))
      try store.add(Shirt("c", .high, .blue, .red))
    }
    return store
  }

  func testCasesAreKept() throws {
    let directory = try TemporaryDirectory()
    try shirts(in: directory).close()

    let store = try directory.store(objectTypes: [Shirt.self])

    let shirts = store.objects(Shirt.self)
    XCTAssertEqual(shirts.map(\.grade), [.low, .middle, .high])
    XCTAssertEqual(shirts.map(\.colour), [.red, .green, .blue])
    XCTAssertEqual(shirts.map(\.lining), [nil, .blue, .red])
    XCTAssertEqual(shirts.map(\.best), [.low, .middle, .high])
    XCTAssertEqual(shirts.map(\.width), [.wide, .wide, .wide])
  }

  func testAnUnsetPropertyHasTheDeclaredDefaultOrTheEmptyCase() {
    let shirt = Shirt()

    XCTAssertEqual(shirt.grade, .low)
    XCTAssertEqual(shirt.colour, .green)
    XCTAssertNil(shirt.lining)
    XCTAssertEqual(Grade.emptyValue, .low)
    XCTAssertEqual(Colour.emptyValue, .none)
  }

  func testCasesAreStoredAsTheirRawValues() throws {
    let directory = try TemporaryDirectory()
    let store = try shirts(in: directory)
    let raw = try directory.store(objectTypes: [RawShirt.self])

    XCTAssertEqual(raw.objects(RawShirt.self).map(\.grade), [-5, 0, 9])
    XCTAssertEqual(raw.objects(RawShirt.self).map(\.lining), [nil, "blue", "red"])
    XCTAssertEqual(
      store.objects(Shirt.self)[0].objectSchema.properties.map(\.type),
      [.string, .int, .string, .string, .int, .uint8])
  }

  func testARawValueThatNoCaseHasReadsAsEmptyAndStays() throws {
    let directory = try TemporaryDirectory()
    let store = try shirts(in: directory)
    let raw = try directory.store(objectTypes: [RawShirt.self])
    let rawShirt = try XCTUnwrap(raw.objects(RawShirt.self).last)
    try raw.write {
      rawShirt.grade = 77
      rawShirt.colour = "mauve"
      rawShirt.lining = "mauve"
      rawShirt.best = 78
    }
    let shirt = try XCTUnwrap(store.objects(Shirt.self).last)

    XCTAssertEqual(shirt.grade, .low)
    XCTAssertEqual(shirt.colour, .none)
    XCTAssertNil(shirt.lining)
    XCTAssertNil(shirt.best)
    try store.write { shirt.width = .narrow }
    XCTAssertEqual(rawShirt.grade, 77)
    XCTAssertEqual(rawShirt.colour, "mauve")
    XCTAssertEqual(rawShirt.lining, "mauve")
    XCTAssertEqual(store.objects(Shirt.self).where { $0.grade == .low }.map(\.name), ["a"])
    XCTAssertEqual(store.objects(Shirt.self).where { $0.lining == nil }.map(\.name), ["a"])
  }

  func testSettingTheSameCaseIsNoChange() throws {
    let store = try shirts(in: try TemporaryDirectory())
    let shirt = try XCTUnwrap(store.objects(Shirt.self).first)
    let version = store.version

    try store.write {
      shirt.grade = .low
      shirt.colour = .red
      shirt.lining = nil
    }

    XCTAssertEqual(store.version, version)
  }

  func testQueriesGoByTheStoredForm() throws {
    let store = try shirts(in: try TemporaryDirectory())
    func names(_ isIncluded: (Query<Shirt>) -> Query<Bool>) -> [String] {
      store.objects(Shirt.self).where(isIncluded).map(\.name)
    }

    XCTAssertEqual(names { $0.grade == .middle }, ["b"])
    XCTAssertEqual(names { $0.grade != .middle }, ["a", "c"])
    XCTAssertEqual(names { $0.grade > .low }, ["b", "c"])
    XCTAssertEqual(names { $0.best < .high }, ["a", "b"])
    XCTAssertEqual(names { $0.colour.in([.red, .blue]) }, ["a", "c"])
    XCTAssertEqual(names { $0.lining == nil }, ["a"])
    XCTAssertEqual(names { $0.lining == .red }, ["c"])
    XCTAssertEqual(names { $0.lining != nil && $0.width == .wide }, ["b", "c"])
    XCTAssertEqual(names { $0.lining.in([nil, .red]) }, ["a", "c"])
    XCTAssertEqual(names { $0.lining.in([.red, .green]) }, ["c"])
    XCTAssertEqual(names { $0.lining.in(Set<Colour>([.red, .green])) }, ["c"])
    XCTAssertEqual(names { $0.lining.rawValue.in(["blue", "x"]) }, ["b"])
  }

  func testTheRawValueCanBeAskedFor() throws {
    let store = try shirts(in: try TemporaryDirectory())
    func names(_ isIncluded: (Query<Shirt>) -> Query<Bool>) -> [String] {
      store.objects(Shirt.self).where(isIncluded).map(\.name)
    }

    XCTAssertEqual(names { $0.grade.rawValue >= 0 }, ["b", "c"])
    XCTAssertEqual(names { $0.colour.rawValue.contains("re") }, ["a", "b"])
    XCTAssertEqual(names { $0.lining.rawValue.starts(with: "b") }, ["b"])
    XCTAssertEqual(names { $0.lining.rawValue == nil }, ["a"])
    XCTAssertEqual(names { $0.best.rawValue < 9 }, ["a", "b"])
  }

  func testSortingGoesByTheStoredForm() throws {
    let store = try shirts(in: try TemporaryDirectory())
    let shirts = store.objects(Shirt.self)

    XCTAssertEqual(shirts.sorted(by: \.grade).map(\.name), ["a", "b", "c"])
    XCTAssertEqual(shirts.sorted(by: \.colour).map(\.name), ["c", "b", "a"])
    XCTAssertEqual(shirts.sorted(by: \.lining).map(\.name), ["a", "b", "c"])
    XCTAssertEqual(shirts.sorted(by: \.lining, ascending: false).map(\.name), ["c", "b", "a"])
  }

  func testObserversFollowAQueryOnCases() throws {
    let store = try shirts(in: try TemporaryDirectory())
    var calls: [String] = []
    let token = store.objects(Shirt.self).where { $0.colour == .red }.observe { change in
      guard case .update(_, let deletions, let insertions, let modifications) = change else {
        return
      }
      calls.append("-\(deletions) +\(insertions) ~\(modifications)")
    }
    let shirts = Array(store.objects(Shirt.self))

    try store.write { shirts[1].colour = .red }
    try store.write { shirts[0].grade = .high }
    try store.write { shirts[0].colour = .none }

    XCTAssertEqual(calls, ["-[] +[1] ~[]", "-[] +[] ~[0]", "-[0] +[] ~[]"])
    token.invalidate()
  }

  func testACaseAsPrimaryKey() throws {
    final class Palette: Object {
      @Persisted(primaryKey: true) var colour: Colour
      @Persisted var count = 0
    }
    let directory = try TemporaryDirectory()
    let store = try directory.store(objectTypes: [Palette.self])
    let palette = Palette()
    palette.colour = .blue

    try store.write { try store.add(palette) }

    XCTAssertEqual(store.object(ofType: Palette.self, forPrimaryKey: Colour.blue), palette)
    XCTAssertEqual(store.object(ofType: Palette.self, forPrimaryKey: "blue"), palette)
    XCTAssertNil(store.object(ofType: Palette.self, forPrimaryKey: Colour.red))
  }

  func testTheDescriptionShowsTheStoredForm() {
    XCTAssertEqual(
      Shirt("x", .high, .red, nil).description,
      #"Shirt { name = "x"; grade = 9; colour = "red"; lining = nil; best = 9; width = 255 }"#)
  }
}
