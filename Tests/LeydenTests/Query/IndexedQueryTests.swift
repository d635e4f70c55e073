import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// A model that holds each value as often as there are ways of finding it again.
final class Leaf: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var text: String = ""
  @Persisted(indexed: true) var indexedText: String = ""
  @Persisted(index: .caseInsensitive) var foldedText: String = ""
  @Persisted var code: String?
  @Persisted(indexed: true) var indexedCode: String?
  @Persisted(index: .caseInsensitive) var foldedCode: String?
  @Persisted var rank: Int = 7
  @Persisted(indexed: true) var indexedRank: Int = 7
  @Persisted var weight: Double
  @Persisted(indexed: true) var indexedWeight: Double
  @Persisted var when: Date
  @Persisted(indexed: true) var indexedWhen: Date

  convenience init(_ identifier: String) {
    self.init()
    self.identifier = identifier
  }

  /// Sets all texts.
  func set(text: String) { (self.text, indexedText, foldedText) = (text, text, text) }
  /// Sets all codes.
  func set(code: String?) { (self.code, indexedCode, foldedCode) = (code, code, code) }
  /// Sets all ranks.
  func set(rank: Int) { (self.rank, indexedRank) = (rank, rank) }
  /// Sets all weights.
  func set(weight: Double) { (self.weight, indexedWeight) = (weight, weight) }
  /// Sets all dates.
  func set(when: Date) { (self.when, indexedWhen) = (when, when) }
}

/// Where the same value is found: without an index, and with one of each kind.
///
/// The answers must be the same. All lists have one length: where a kind of index is for texts only,
/// the others repeat a path in its place.
enum Ways {
  static var texts: [(name: String, path: KeyPath<Leaf, String>)] {
    [
      ("plain", \Leaf.text), ("indexed", \Leaf.indexedText), ("ignoring case", \Leaf.foldedText),
    ]
  }
  static var codes: [(name: String, path: KeyPath<Leaf, String?>)] {
    [
      ("plain", \Leaf.code), ("indexed", \Leaf.indexedCode), ("ignoring case", \Leaf.foldedCode),
    ]
  }
  static var ranks: [(name: String, path: KeyPath<Leaf, Int>)] {
    [
      ("plain", \Leaf.rank), ("indexed", \Leaf.indexedRank), ("plain", \Leaf.rank),
    ]
  }
  static var weights: [(name: String, path: KeyPath<Leaf, Double>)] {
    [("plain", \Leaf.weight), ("indexed", \Leaf.indexedWeight), ("plain", \Leaf.weight)]
  }
  static var dates: [(name: String, path: KeyPath<Leaf, Date>)] {
    [
      ("plain", \Leaf.when), ("indexed", \Leaf.indexedWhen), ("plain", \Leaf.when),
    ]
  }
}

/// Questions whose answer must not depend on whether an index answers them.
final class IndexedQueryTests: XCTestCase {
  private var directory: TemporaryDirectory?

  override func tearDown() { directory = nil }

  private func store() throws -> Store {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    return try directory.store(objectTypes: [Leaf.self])
  }

  private func add(_ store: Store, _ texts: [String]) throws {
    try store.write {
      for (position, text) in texts.enumerated() {
        let leaf = Leaf("\(position)")
        leaf.set(text: text)
        try store.add(leaf)
      }
    }
  }

  func testCaseOutsideOfLatin() throws {
    let store = try store()
    try add(store, ["Байкал", "байкал", "Волга", "Grüner Weg", "night 🦉 watch"])

    for (name, path) in Ways.texts {
      func count(_ text: String, _ options: StringOptions) -> Int {
        store.objects(Leaf.self).where {
          $0[dynamicMember: path].contains(text, options: options)
        }.count
      }
      XCTAssertEqual(count("бай", .caseInsensitive), 2, name)
      XCTAssertEqual(count("БАЙ", .caseInsensitive), 2, name)
      XCTAssertEqual(count("GRÜNER", .caseInsensitive), 1, name)
      XCTAssertEqual(count("🦉 WATCH", .caseInsensitive), 1, name)
      XCTAssertEqual(count("бай", []), 1, name)
      let equal = store.objects(Leaf.self).where {
        $0[dynamicMember: path].equals("БАЙКАЛ", options: .caseInsensitive)
      }
      XCTAssertEqual(equal.map(\.identifier), ["0", "1"], name)
    }
  }

  func testKeptResultsAnswerAsTheRowsAreNow() throws {
    let store = try store()
    for (name, path) in Ways.codes {
      let found = store.objects(Leaf.self).where { $0[dynamicMember: path] == "x" }
      for round in 0..<100 {
        let context = "\(name), round \(round)"
        let leaves = ["x", "x", "y"].enumerated().map { position, code in
          let leaf = Leaf("\(name) \(round) \(position)")
          leaf.set(code: code)
          return leaf
        }
        try store.write { try store.add(leaves) }
        XCTAssertEqual(found.count, 2, context)

        try store.write { leaves[0].set(code: "z") }
        XCTAssertEqual(found.count, 1, context)
        XCTAssertEqual(found.first, leaves[1], context)

        try store.write { try store.delete(leaves[1]) }
        XCTAssertEqual(found.count, 0, context)
        XCTAssertNil(found.first, context)
      }
    }
  }

  func testOneOfManyValuesIsWhatComparingWithEachGives() throws {
    let store = try store()
    try store.write {
      for number in 0..<300 {
        let leaf = Leaf("\(number)")
        leaf.set(code: number % 7 == 0 ? nil : "c\(number % 60)")
        leaf.set(rank: number * 31)
        try store.add(leaf)
      }
    }
    let leaves = store.objects(Leaf.self)
    let few = ["c1", "c2", "none"]
    let many = (0..<5_000).map { "c\($0 * 2)" }
    let numbers = (0..<5_000).map { $0 * 3 }

    for (name, path) in Ways.codes {
      for values in [few, many, []] {
        let expected = Array(leaves).filter { leaf in leaf.code.map(values.contains) ?? false }
        let found = leaves.where { $0[dynamicMember: path].in(values) }
        XCTAssertEqual(Array(found), expected, "\(name), \(values.count) values")
      }
      let each = leaves.where {
        $0[dynamicMember: path] == few[0] || $0[dynamicMember: path] == few[1]
          || $0[dynamicMember: path] == few[2]
      }
      XCTAssertEqual(
        Array(leaves.where { $0[dynamicMember: path].in(few) }), Array(each), name)
      let withNil = few.map(Optional.some) + [nil]
      XCTAssertEqual(
        Array(leaves.where { $0[dynamicMember: path].in(withNil) }),
        Array(leaves).filter { withNil.contains($0.code) }, name)
    }
    for (name, path) in Ways.ranks {
      XCTAssertEqual(
        Array(leaves.where { $0[dynamicMember: path].in(numbers) }),
        Array(leaves).filter { numbers.contains($0.rank) }, name)
    }
  }

  func testThousandsOfTermsAreAskedForAtOnce() throws {
    let configuration = try XCTUnwrap(directory ?? TemporaryDirectory())
    directory = configuration
    let store = try store()
    try store.write {
      for number in 0..<100 {
        let leaf = Leaf("\(number)")
        leaf.set(rank: number)
        try store.add(leaf)
      }
    }
    let settings = configuration.configuration(objectTypes: [Leaf.self])
    let problems = Locked<[String]>([])

    // A thread has a smaller stack than a process.
    let isDone = expectation(description: "asked")
    let thread = Thread {
      defer { isDone.fulfill() }
      guard let store = try? Store(configuration: settings) else { return }
      for (name, path) in Ways.ranks {
        let leaves = store.objects(Leaf.self)
        let either = leaves.where { leaf in
          (1..<3_000).reduce(leaf[dynamicMember: path] == 0) {
            $0 || leaf[dynamicMember: path] == $1 * 2
          }
        }
        let all = leaves.where { leaf in
          (1..<3_000).reduce(leaf[dynamicMember: path] != -1) {
            $0 && leaf[dynamicMember: path] != $1 * 2
          }
        }
        let nested = (0..<3_000).reduce(leaves) { results, number in
          results.where { $0[dynamicMember: path] != number * 2 }
        }
        let not = leaves.where { leaf in
          (0..<3_000).reduce(leaf[dynamicMember: path] == 4) { condition, _ in !condition }
        }
        let counts = [either.count, all.count, nested.count, not.count]
        if counts != [50, 51, 50, 1] { problems.withLock { $0.append("\(name): \(counts)") } }
      }
    }
    thread.stackSize = 1 << 19
    thread.start()
    wait(for: [isDone], timeout: 60)

    XCTAssertEqual(problems.withLock { $0 }, [])
  }

  func testStepsApplyInTheOrderOfTheirCalls() throws {
    let rows = [("c1", "red", 10), ("c2", "red", 30), ("c3", "blue", 10), ("c4", "red", 20)]
    for (codeWay, code) in Ways.codes {
      for (rankWay, rank) in Ways.ranks {
        tearDown()
        let store = try store()
        let context = "code \(codeWay), rank \(rankWay)"
        try store.write {
          for (identifier, code, rank) in rows {
            let leaf = Leaf(identifier)
            leaf.set(code: code)
            leaf.set(rank: rank)
            try store.add(leaf)
          }
        }
        let leaves = store.objects(Leaf.self)
        func names(_ results: Results<Leaf>) -> [String] { results.map(\.identifier) }
        let sorted = leaves.sorted(by: rank, ascending: false)
        let newest = sorted.distinct(by: code)
        XCTAssertEqual(names(sorted), ["c2", "c4", "c1", "c3"], context)
        XCTAssertEqual(names(newest), ["c2", "c3"], context)
        XCTAssertEqual(
          names(leaves.distinct(by: code).sorted(by: rank, ascending: false)), ["c1", "c3"],
          context)
        XCTAssertEqual(names(sorted.limit(1).distinct(by: code)), ["c2"], context)
        XCTAssertEqual(names(sorted.distinct(by: code).limit(1).offset(0)), ["c2"], context)

        let recorder = ChangeRecorder(newest) { [$0.code ?? "", "\($0.rank)"] }
        let (c2, c4) = (leaves[1], leaves[3])
        try store.write {
          c2.set(rank: 20)
          c4.set(rank: 30)
        }
        XCTAssertEqual(names(newest), ["c4", "c3"], context)
        XCTAssertEqual(recorder.changes, ["-[0] +[0] ~[]"], context)
      }
    }
  }

  func testTextsAreInTheOrderOfSwift() throws {
    let inOrder = [
      " x", "'x", "-x", "10", "9", "Pear", "Zinc", "_x", "ete", "oil", "pear", "zoo", "Öl", "éte",
      "öl",
    ]
    var random = SeededGenerator(seed: 7)
    let store = try store()
    try add(store, inOrder.shuffled(using: &random))
    let leaves = store.objects(Leaf.self)

    XCTAssertEqual(inOrder, inOrder.sorted())
    for (name, path) in Ways.texts {
      XCTAssertEqual(leaves.sorted(by: path).map(\.text), inOrder, name)
      XCTAssertEqual(
        leaves.sorted(by: path, ascending: false).map(\.text), inOrder.reversed(), name)
      XCTAssertEqual(leaves.where { $0[dynamicMember: path] >= "oil" }.count, 6, name)
      for bound in inOrder {
        XCTAssertEqual(
          leaves.where { $0[dynamicMember: path] < bound }.sorted(by: path).map(\.text),
          inOrder.filter { $0 < bound }, "\(name), \(bound)")
        let range = min(bound, "zoo")...max(bound, "zoo")
        XCTAssertEqual(
          leaves.where { $0[dynamicMember: path].contains(range) }.count,
          inOrder.filter { range.contains($0) }.count, "\(name), \(bound)")
      }
    }
    XCTAssertEqual(
      try leaves.sorted(by: [SortDescriptor(\.indexedText, comparator: .lexical)]).map(\.text),
      inOrder)
  }

  func testADayWithAClockChange() throws {
    let seconds = [1_710_050_400, 1_710_133_199.999, 1_710_133_200, 1_710_050_399]
    let dates = seconds.map { Date(timeIntervalSince1970: $0) }
    let store = try store()
    try store.write {
      for (position, date) in dates.enumerated() {
        let leaf = Leaf("\(position)")
        leaf.set(when: date)
        try store.add(leaf)
      }
    }

    for (name, path) in Ways.dates {
      func names(_ condition: (Query<Leaf>) -> Query<Bool>) -> [String] {
        store.objects(Leaf.self).where(condition).map(\.identifier)
      }
      let (start, end) = (dates[0], dates[2])
      XCTAssertEqual(names { $0[dynamicMember: path].contains(start..<end) }, ["0", "1"], name)
      XCTAssertEqual(
        names { $0[dynamicMember: path].contains(start...end) }, ["0", "1", "2"], name)
      XCTAssertEqual(names { $0[dynamicMember: path] == dates[1] }, ["1"], name)
    }
  }
}
