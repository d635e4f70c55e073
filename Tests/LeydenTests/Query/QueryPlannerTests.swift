import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class QueryPlannerTests: XCTestCase {
  /// The same properties as ``Plain``, with indexes.
  final class Indexed: Object, Row {
    @Persisted(primaryKey: true) var identifier: String
    @Persisted(indexed: true) var name: String = ""
    @Persisted(indexed: true) var rank: Int = 0
    @Persisted(indexed: true) var score: Int?
    @Persisted(indexed: true) var weight: Double
    @Persisted(indexed: true) var when: Date
    @Persisted(indexed: true, index: .caseInsensitive) var note: String?
    @Persisted(index: .caseInsensitive) var label: String = ""
    @Persisted(index: .caseInsensitive) var mark: String?
    @Persisted var plain: Int = 0

    override class var indexes: [CompoundIndex] { [CompoundIndex("plain", "rank")] }
  }

  final class Plain: Object, Row {
    @Persisted(primaryKey: true) var identifier: String
    @Persisted var name: String = ""
    @Persisted var rank: Int = 0
    @Persisted var score: Int?
    @Persisted var weight: Double
    @Persisted var when: Date
    @Persisted var note: String?
    @Persisted var label: String = ""
    @Persisted var mark: String?
    @Persisted var plain: Int = 0
  }

  protocol Row: Object {
    var identifier: String { get set }
    var name: String { get set }
    var rank: Int { get set }
    var score: Int? { get set }
    var weight: Double { get set }
    var when: Date { get set }
    var note: String? { get set }
    var label: String { get set }
    var mark: String? { get set }
    var plain: Int { get set }
  }

  private static let names = [
    "", "a", "ab", "abc", "b", "é", "e\u{301}", "z", "\u{0}", "a\u{0}b", "AB", "É", "\u{DF}",
    "sS", "H\u{331}", "\u{1E96}",
    String(repeating: "long ", count: 60), String(repeating: "long ", count: 60) + "!",
    String(repeating: "é", count: 300), String(repeating: "É", count: 300),
  ]

  private static func fill<Model: Row>(_ object: Model, _ random: inout SeededGenerator) {
    object.name = names.randomElement(using: &random) ?? ""
    object.rank = Int.random(in: -3...3, using: &random)
    object.score = Bool.random(using: &random) ? nil : Int.random(in: 0...4, using: &random)
    object.weight = [0, -0.0, 1.5, -7, .infinity, .nan].randomElement(using: &random) ?? 0
    object.when = Date(
      timeIntervalSinceReferenceDate: .random(in: -2...2, using: &random).rounded())
    object.note = Bool.random(using: &random) ? nil : names.randomElement(using: &random)
    object.label = names.randomElement(using: &random) ?? ""
    object.mark = Bool.random(using: &random) ? nil : names.randomElement(using: &random)
    object.plain = Int.random(in: 0...2, using: &random)
  }

  func testEveryAnswerIsTheSameWithAndWithoutIndexes() throws {
    let questions = Self.questions()
    for seed in 0..<UInt64(testScale(50)) {
      var random = SeededGenerator(seed: seed)
      let directory = try TemporaryDirectory()
      var store = try directory.store(objectTypes: [Indexed.self, Plain.self])
      for step in 0..<4 {
        try change(store, step, &random)
        for _ in 0..<5 {
          questions.randomElement(using: &random)?(store, "seed \(seed), step \(step)")
        }
        if Int.random(in: 0..<6, using: &random) == 0 {
          store.close()
          store = try directory.store(objectTypes: [Indexed.self, Plain.self])
        }
      }
      if seed % 10 == 0 { XCTAssertNoThrow(try store.verify(), "seed \(seed)") }
      if let failures = testRun?.totalFailureCount, failures > 0 { return }
    }
  }

  /// Does the same to both models.
  private func change(_ store: Store, _ step: Int, _ random: inout SeededGenerator) throws {
    let isCancelled = Int.random(in: 0..<5, using: &random) == 0
    var inner = random
    try store.beginWrite()
    for number in 0..<8 {
      random = inner
      try change(store, Indexed.self, "\(step)-\(number)", &random)
      random = inner
      try change(store, Plain.self, "\(step)-\(number)", &random)
      inner = random
    }
    if isCancelled { try store.cancelWrite() } else { try store.commitWrite() }
  }

  private func change<Model: Row>(
    _ store: Store, _ type: Model.Type, _ name: String, _ random: inout SeededGenerator
  ) throws {
    let all = store.objects(type)
    let choice = Int.random(in: 0..<10, using: &random)
    let position = Int.random(in: 0..<1_000, using: &random)
    let count = all.count
    if choice < 5 || count == 0 {
      let object = type.init()
      object.identifier = name
      Self.fill(object, &random)
      try store.add(object)
    } else if choice < 8 {
      Self.fill(all[position % count], &random)
    } else {
      try store.delete(all[position % count])
    }
  }

  /// A question to both models; fails where the answers differ.
  private typealias Question = (Store, String) -> Void

  private static func questions() -> [Question] {
    let date = Date(timeIntervalSinceReferenceDate: 0)
    var questions: [Question] = []
    for name in names {
      questions += [
        compare({ $0.name == name }, { $0.name == name }),
        compare({ $0.name < name }, { $0.name < name }),
        compare({ $0.name >= name }, { $0.name >= name }),
        compare({ $0.name.starts(with: name) }, { $0.name.starts(with: name) }),
        compare({ $0.note == name }, { $0.note == name }),
        compare({ $0.label == name }, { $0.label == name }),
        compare({ $0.label < name }, { $0.label < name }),
        compare({ $0.label.starts(with: name) }, { $0.label.starts(with: name) }),
        compare({ $0.mark.in([name, "AB"]) }, { $0.mark.in([name, "AB"]) }),
      ]
      for options in [.caseInsensitive, .diacriticInsensitive] as [StringOptions] {
        questions += [
          compare(
            { $0.note.equals(name, options: options) }, { $0.note.equals(name, options: options) }),
          compare(
            { $0.label.equals(name, options: options) },
            { $0.label.equals(name, options: options) }),
          compare(
            { $0.mark.starts(with: name, options: options) && $0.rank > 0 },
            { $0.mark.starts(with: name, options: options) && $0.rank > 0 }),
          compare(
            { $0.label.like(name + "*", options: options) || $0.mark == nil },
            { $0.label.like(name + "*", options: options) || $0.mark == nil }),
        ]
      }
    }
    questions += [
      compare({ $0.rank == 2 }, { $0.rank == 2 }),
      compare({ $0.rank > -2 && $0.rank <= 1 }, { $0.rank > -2 && $0.rank <= 1 }),
      compare({ $0.rank.in([1, 3, 9]) }, { $0.rank.in([1, 3, 9]) }),
      compare({ $0.score == nil }, { $0.score == nil }),
      compare({ $0.score > 2 }, { $0.score > 2 }),
      compare({ $0.score != 2 }, { $0.score != 2 }),
      compare({ $0.weight == 0 }, { $0.weight == 0 }),
      compare({ $0.weight < 1 }, { $0.weight < 1 }),
      compare({ $0.weight == .nan }, { $0.weight == .nan }),
      compare({ $0.weight < .nan }, { $0.weight < .nan }),
      compare({ $0.weight > 0 && $0.weight > 1 }, { $0.weight > 0 && $0.weight > 1 }),
      compare({ $0.weight.in([0, -0.0, .nan]) }, { $0.weight.in([0, -0.0, .nan]) }),
      compare({ $0.rank.in([1, 1, 2]) }, { $0.rank.in([1, 1, 2]) }),
      compare({ $0.rank == 1 && $0.rank == 2 }, { $0.rank == 1 && $0.rank == 2 }),
      compare({ $0.rank > .max }, { $0.rank > .max }),
      compare({ $0.rank < .min }, { $0.rank < .min }),
      compare({ $0.rank <= .max && $0.rank >= .min }, { $0.rank <= .max && $0.rank >= .min }),
      compare({ $0.rank > 1 && $0.rank < 1 }, { $0.rank > 1 && $0.rank < 1 }),
      compare({ $0.score <= 2 && $0.score > 0 }, { $0.score <= 2 && $0.score > 0 }),
      compare({ $0.score.in([1, 3, nil]) }, { $0.score.in([1, 3, nil]) }),
      compare({ $0.plain.in([0, 2]) && $0.rank < 1 }, { $0.plain.in([0, 2]) && $0.rank < 1 }),
      compare({ $0.when < date && $0.when > date }, { $0.when < date && $0.when > date }),
      compare({ $0.when >= date }, { $0.when >= date }),
      compare({ $0.plain == 1 && $0.rank > 0 }, { $0.plain == 1 && $0.rank > 0 }),
      compare(
        { $0.plain == 1 && $0.rank == 0 || $0.name == "a" },
        { $0.plain == 1 && $0.rank == 0 || $0.name == "a" }),
      compare(
        { !($0.rank == 1) && ($0.rank == 1 || $0.rank == 2) },
        { !($0.rank == 1) && ($0.rank == 1 || $0.rank == 2) }),
    ]
    for bound in [-7, -0.0, 0, 1.5, .infinity, -.infinity] as [Double] {
      questions += [
        compare({ $0.weight < bound }, { $0.weight < bound }),
        compare({ $0.weight <= bound }, { $0.weight <= bound }),
        compare({ $0.weight > bound }, { $0.weight > bound }),
        compare({ $0.weight >= bound }, { $0.weight >= bound }),
      ]
    }
    for ascending in [true, false] {
      questions += [
        compareOrder(\.name, \.name, ascending), compareOrder(\.rank, \.rank, ascending),
        compareOrder(\.score, \.score, ascending), compareOrder(\.weight, \.weight, ascending),
        compareOrder(\.when, \.when, ascending), compareOrder(\.note, \.note, ascending),
        compareOrder(\.label, \.label, ascending), compareOrder(\.mark, \.mark, ascending),
      ]
    }
    return questions
  }

  private static func compare(
    _ indexed: @escaping (Query<Indexed>) -> Query<Bool>,
    _ plain: @escaping (Query<Plain>) -> Query<Bool>, line: UInt = #line
  ) -> Question {
    { store, circumstance in
      let some = store.objects(Indexed.self).where(indexed)
      XCTAssertEqual(
        some.count, store.objects(Plain.self).where(plain).map(\.identifier).count,
        "\(circumstance): \(some.explain())", line: line)
      XCTAssertEqual(
        some.map(\.identifier), store.objects(Plain.self).where(plain).map(\.identifier),
        "\(circumstance): \(some.explain())", line: line)
    }
  }

  private static func compareOrder<V, W>(
    _ indexed: KeyPath<Indexed, V>, _ plain: KeyPath<Plain, W>, _ ascending: Bool,
    line: UInt = #line
  ) -> Question {
    { store, circumstance in
      let some = store.objects(Indexed.self).sorted(by: indexed, ascending: ascending)
      let others = store.objects(Plain.self).sorted(by: plain, ascending: ascending)
      XCTAssertEqual(
        some.map(\.identifier), others.map(\.identifier), "\(circumstance): \(some.explain())",
        line: line)
      XCTAssertEqual(
        some.first?.identifier, others.first?.identifier, circumstance, line: line)
      XCTAssertEqual(
        some.last?.identifier, others.last?.identifier, circumstance, line: line)
      XCTAssertEqual(
        some.offset(1).limit(3).map(\.identifier),
        Array(others.map(\.identifier).dropFirst().prefix(3)), circumstance, line: line)
    }
  }

  func testAnExplanationNamesIndexRangeAndRows() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Indexed.self])
    try store.write {
      for number in 0..<1_000 {
        let row = Indexed()
        row.identifier = "\(number)"
        row.rank = number
        try store.add(row)
      }
    }
    let rows = store.objects(Indexed.self)

    XCTAssertEqual(
      rows.where { $0.rank == 7 }.explain(), "1 rows from the index: rank = 7")
    XCTAssertEqual(
      rows.where { $0.rank > 7 && $0.rank < 20 }.sorted(by: \.name).explain(),
      "14 rows from the index: rank from 7 to 20, each tested; sort by name")
    XCTAssertEqual(
      rows.where { $0.rank > 7 && $0.rank < 20 }.explain(),
      "12 rows from the index: rank from 7 to 20")
    XCTAssertEqual(
      rows.where { $0.rank == 7 && $0.name == "" }.explain(),
      "1 rows from the index: rank = 7, each tested")
    XCTAssertEqual(
      rows.where { $0.rank != 7 }.explain(), "all 1000 rows of Indexed, each tested")
    XCTAssertEqual(
      rows.sorted(by: \.rank).limit(5).explain(),
      "the first 5 of 1000 rows in the order of the index on rank; then limit 5")
    XCTAssertEqual(
      rows.sorted(by: \.plain).limit(5).explain(),
      "all 1000 rows of Indexed; sort by plain; then limit 5")
    XCTAssertEqual(
      rows.sorted(by: \.rank).explain(), "1000 rows in the order of the index on rank")
    XCTAssertEqual(
      rows.where { $0.identifier == "12" }.explain(),
      "1 rows from the index: identifier = \"12\"")
    XCTAssertEqual(
      rows.where { $0.plain == 0 && $0.rank == 3 }.explain(),
      "1 rows from the index: plain = 0, rank = 3")
    XCTAssertEqual(rows.explain(), "all 1000 rows of Indexed")
  }
}
