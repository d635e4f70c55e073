import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

final class CaseInsensitiveIndexTests: XCTestCase {
  enum Kind: String, PersistableEnum {
    case Small, LARGE
    static var emptyValue: Kind { .Small }
  }

  /// One text in four properties: plain, with either index, and with both.
  final class Word: Object {
    @Persisted(primaryKey: true) var identifier: Int
    @Persisted var plain: String?
    @Persisted(indexed: true) var ordered: String?
    @Persisted(index: .caseInsensitive) var folded: String?
    @Persisted(indexed: true, index: .caseInsensitive) var both: String?

    convenience init(_ identifier: Int, _ text: String?) {
      self.init()
      self.identifier = identifier
      set(text)
    }

    func set(_ text: String?) {
      plain = text
      ordered = text
      folded = text
      both = text
    }
  }

  private func words(_ texts: [String?]) throws -> Store {
    let store = try TemporaryDirectory().store(objectTypes: [Word.self])
    try store.write {
      for (number, text) in texts.enumerated() { try store.add(Word(number, text)) }
    }
    return store
  }

  private let properties: [(String, (Query<Word>) -> Query<String?>)] = [
    ("plain", { $0.plain }), ("ordered", { $0.ordered }), ("folded", { $0.folded }),
    ("both", { $0.both }),
  ]

  /// Asks the same of each property; the answers must be those of the plain one.
  @discardableResult
  private func ask(
    _ store: Store, _ note: String = "", line: UInt = #line,
    _ question: (Query<String?>) -> Query<Bool>
  ) -> [Int] {
    let words = store.objects(Word.self)
    let answers = properties.map { name, property in
      (name, words.where { question(property($0)) })
    }
    let expected = answers[0].1.map(\.identifier)
    for (name, found) in answers {
      XCTAssertEqual(
        found.map(\.identifier), expected, "\(note) \(name): \(found.explain())", line: line)
    }
    return expected
  }

  // MARK: Answers

  private static let texts = [
    "", "jar", "Jar", "JAR", "jars", "jär", "JA\u{308}R", "stra\u{DF}e", "STRASSE", "\u{1E9E}",
    "Σοφος", "ΣΟΦΟΣ", "h\u{331}", "H\u{331}x", "\u{1E96}", "H", "\u{130}", "i", "I", "\u{131}",
    "\u{149}\u{303}", "\u{1FBC}\u{342}", "\u{FB01}n", "FIN", "Волга", "волга", "🦉 Watch",
    "a*b", "*\u{345}", "x\u{345}", "\u{0}", "x\u{0}Y", String(repeating: "Long ", count: 60),
    String(repeating: "LONG ", count: 60), String(repeating: "long ", count: 60) + "!",
    String(repeating: "\u{C9}", count: 300), String(repeating: "\u{DF}", count: 200),
    String(repeating: "ss", count: 200),
  ]

  func testEveryQuestionHasTheSameAnswerWithAndWithoutTheIndex() throws {
    let store = try words(Self.texts.map(Optional.some) + [nil])
    let all: [StringOptions] = [
      [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]
    let starts = Self.texts.flatMap { [$0, String($0.prefix(1))] }
    var known: Set<[UInt8]> = []
    let needles = starts.filter { known.insert(Array($0.utf8)).inserted }

    for text in testScale(needles) {
      ask(store, text) { $0 == text }
      ask(store, text) { $0 != text }
      ask(store, text) { $0 >= text }
      ask(store, text) { $0.in([text, "JAR", "none"]) }
      for options in all {
        ask(store, text) { $0.equals(text, options: options) }
        ask(store, text) { $0.notEquals(text, options: options) }
        ask(store, text) { $0.starts(with: text, options: options) }
        ask(store, text) { $0.ends(with: text, options: options) }
        ask(store, text) { $0.contains(text, options: options) }
        for pattern in [text, "\(text)*", "\(text)?R"] {
          ask(store, pattern) { $0.like(pattern, options: options) }
        }
        ask(store, text) {
          $0.starts(with: text, options: options) && $0.equals("jar", options: .caseInsensitive)
        }
        ask(store, text) { $0.equals(text, options: options) || $0 == nil }
        ask(store, text) { !$0.starts(with: text, options: options) && $0 < "j" }
      }
    }
    ask(store) { $0 == nil }
    ask(store) { $0 != nil }
  }

  func testRandomTextsAreFoundAlike() throws {
    let parts = [
      "H", "h", "\u{331}", "\u{308}", "J", "\u{30C}", "\u{DF}", "ss", "S", "\u{3B1}", "\u{391}",
      "\u{345}", "\u{342}", "\u{130}", "I", "\u{307}", "\u{149}", "\u{303}", "*", "?",
    ]
    for seed in 0..<UInt64(testScale(20)) {
      var random = SeededGenerator(seed: seed)
      func text(_ length: ClosedRange<Int>) -> String {
        (0..<Int.random(in: length, using: &random)).map { _ in
          parts.randomElement(using: &random) ?? ""
        }.joined()
      }
      let store = try words((0..<40).map { _ in text(0...4) })
      for _ in 0..<30 {
        let needle = text(0...3)
        let options: StringOptions = Bool.random(using: &random) ? [] : .caseInsensitive
        ask(store, "seed \(seed)") { $0.starts(with: needle, options: options) }
        ask(store, "seed \(seed)") { $0.equals(needle, options: options) }
        ask(store, "seed \(seed)") { $0.like(needle, options: options) }
      }
    }
  }

  func testLetterCaseOutsideASCII() throws {
    let store = try words(["Байкал", "байкал", "Волга", "Grüner Weg", "night 🦉 watch"])

    for (needle, options, count) in [
      ("бай", .caseInsensitive, 2), ("БАЙ", .caseInsensitive, 2), ("GRÜNER", .caseInsensitive, 1),
      ("🦉 WATCH", .caseInsensitive, 1), ("бай", [], 1),
    ] as [(String, StringOptions, Int)] {
      XCTAssertEqual(ask(store) { $0.contains(needle, options: options) }.count, count, needle)
    }
    XCTAssertEqual(ask(store) { $0.starts(with: "БАЙ", options: .caseInsensitive) }, [0, 1])
    XCTAssertEqual(ask(store) { $0.equals("ВОЛГА", options: .caseInsensitive) }, [2])
    XCTAssertEqual(ask(store) { $0.like("NIGHT 🦉*", options: .caseInsensitive) }, [4])
  }

  func testTextsAreSortedAsSwiftSortsThem() throws {
    let sorted = [
      " x", "'x", "-x", "10", "9", "Pear", "Zinc", "_x", "ete", "oil", "pear", "zoo", "Öl", "éte",
      "öl",
    ]
    var random = SeededGenerator(seed: 7)
    let store = try words(sorted.shuffled(using: &random))
    let words = store.objects(Word.self)

    XCTAssertEqual(words.sorted(by: \.folded).map(\.folded), sorted)
    XCTAssertEqual(words.sorted(by: \.both).map(\.both), sorted)
    XCTAssertEqual(words.sorted(by: \.folded, ascending: false).map(\.folded), sorted.reversed())
    XCTAssertEqual(words.sorted(by: \.folded).explain(), "all 15 rows of Word; sort by folded")
    XCTAssertEqual(
      words.sorted(by: \.both).explain(), "15 rows in the order of the index on both")
    XCTAssertEqual(ask(store) { $0 >= "oil" }.count, 6)
  }

  func testAnswersFollowEveryChange() throws {
    let store = try words([])
    let found = store.objects(Word.self)
    let some = found.where { $0.folded.equals("X", options: .caseInsensitive) }
    for round in 0..<100 {
      let (first, second) = (Word(round * 3, "x"), Word(round * 3 + 1, "X"))
      try store.write { try store.add([first, second, Word(round * 3 + 2, "y")]) }
      XCTAssertEqual(some.count, 2)
      try store.write { first.set("z") }
      XCTAssertEqual(some.map(\.identifier), [second.identifier])
      try store.write { try store.delete(second) }
      XCTAssertEqual(some.count, 0)
      XCTAssertNil(some.first)
    }
    let codes = ["x", "z", "none"]
    XCTAssertEqual(
      ask(store) { $0.in(codes) }, ask(store) { $0 == "x" || $0 == "z" || $0 == "none" })
    let many = (0..<5_000).map(String.init) + ["z"]
    XCTAssertEqual(
      ask(store) { $0.in(many) },
      found.filter { many.contains($0.folded ?? "") }.map(\.identifier))
  }

  func testLongTextsAreComparedToTheirEnd() throws {
    let stem = String(repeating: "Ab-", count: 1_000)
    let lengths = [510, 511, 512, 513, 2_000, 70_000]
    let texts =
      lengths.map { String(repeating: "Q", count: $0 - 1) + "w" }
      + [stem.dropLast() + "y", stem.dropLast() + "z"].map(String.init)
      + [String(repeating: "🦉", count: 400)]
    let store = try words(texts)

    for (number, text) in texts.enumerated() {
      XCTAssertEqual(ask(store) { $0 == text }, [number])
      XCTAssertEqual(
        ask(store) { $0.equals(text.uppercased(), options: .caseInsensitive) }, [number])
      XCTAssertEqual(ask(store) { $0.equals(text.lowercased()) }.contains(number), number == 8)
    }
    let beginning = stem.prefix(600).lowercased()
    XCTAssertEqual(ask(store) { $0.starts(with: beginning, options: .caseInsensitive) }, [6, 7])
    XCTAssertEqual(ask(store) { $0.starts(with: String(stem.prefix(600))) }, [6, 7])
    XCTAssertEqual(
      store.objects(Word.self).sorted(by: \.folded).map(\.folded), texts.sorted())

    let words = Array(store.objects(Word.self))
    try store.write {
      words[6].set(texts[7].uppercased())
      try store.delete(words[7])
    }
    XCTAssertEqual(ask(store) { $0.equals(texts[6], options: .caseInsensitive) }, [])
    XCTAssertEqual(ask(store) { $0.equals(texts[7], options: .caseInsensitive) }, [6])
    XCTAssertEqual(ask(store) { $0 == texts[7] }, [])
  }

  // MARK: Explanations

  func testAnExplanationNamesTheIndexAndWhatItIsAskedFor() throws {
    let store = try words((0..<1_000).map { $0 % 2 == 0 ? "Jar \($0)" : "box \($0)" })
    let words = store.objects(Word.self)

    for (condition, explanation) in [
      (
        words.where { $0.folded.equals("JAR 8", options: .caseInsensitive) },
        "1 rows from the index: folded = \"jar 8\" ignoring case, each tested"
      ),
      (
        words.where { $0.folded.starts(with: "BOX 10", options: .caseInsensitive) },
        "5 rows from the index: folded begins with \"box 10\" ignoring case, each tested"
      ),
      (
        words.where { $0.folded.like("BOX 11*1", options: .caseInsensitive) },
        "6 rows from the index: folded begins with \"box 11\" ignoring case, each tested"
      ),
      (
        words.where { $0.folded == "Jar 8" },
        "1 rows from the index: folded = \"jar 8\" ignoring case, each tested"
      ),
      (
        words.where { $0.folded.starts(with: "Jar 22") },
        "56 rows from the index: folded begins with \"jar 2\" ignoring case, each tested"
      ),
      (
        words.where { $0.both == "Jar 8" },
        "1 rows from the index: both = \"Jar 8\""
      ),
      (
        words.where { $0.both.equals("JAR 8", options: .caseInsensitive) },
        "1 rows from the index: both = \"jar 8\" ignoring case, each tested"
      ),
      (words.where { $0.folded < "C" }, "all 1000 rows of Word, each tested"),
      (
        words.where { $0.folded.equals("jar 8", options: .diacriticInsensitive) },
        "all 1000 rows of Word, each tested"
      ),
      (
        words.where { $0.folded.contains("8", options: .caseInsensitive) },
        "all 1000 rows of Word, each tested"
      ),
      (
        words.where { $0.ordered.equals("jar 8", options: .caseInsensitive) },
        "all 1000 rows of Word, each tested"
      ),
    ] {
      XCTAssertEqual(condition.explain(), explanation)
    }
  }

  // MARK: Models

  private enum Wrong {
    final class Number: Object { @Persisted(index: .caseInsensitive) var count: Int }
    final class Bytes: Object { @Persisted(index: .caseInsensitive) var data: Data? }
    final class Full: Object { @Persisted(index: .fullText) var content: String = "x" }
  }

  func testAnIndexThatCannotBeIsRefusedWhenTheStoreIsOpened() throws {
    for (type, problem) in [
      (
        Wrong.Number.self,
        "Number.count: only what is stored as a text has an index caseInsensitive"
      ),
      (
        Wrong.Bytes.self, "Bytes.data: only what is stored as a text has an index caseInsensitive"
      ),
      (Wrong.Full.self, "Full.content: full-text indexes"),
    ] as [(Object.Type, String)] {
      XCTAssertThrowsError(try TemporaryDirectory().store(objectTypes: [type])) { error in
        XCTAssertEqual(error as? StoreError, .unsupported(problem))
      }
    }
  }

  final class Parcel: Object {
    @Persisted(primaryKey: true, index: .caseInsensitive) var code: String
    @Persisted(unique: true, index: .caseInsensitive) var address: String?
    @Persisted(index: .caseInsensitive) var kind: Kind

    convenience init(_ code: String, _ address: String?, _ kind: Kind) {
      self.init()
      self.code = code
      self.address = address
      self.kind = kind
    }
  }

  func testTheIndexStandsBesideOthersAndServesWhatIsStoredAsAText() throws {
    let store = try TemporaryDirectory().store(objectTypes: [Parcel.self])
    try store.write {
      try store.add([
        Parcel("a1", "Leiden", .Small), Parcel("A1", "LEIDEN", .LARGE), Parcel("b", nil, .LARGE),
      ])
    }
    let parcels = store.objects(Parcel.self)

    XCTAssertEqual(
      parcels.where { $0.code.equals("A1", options: .caseInsensitive) }.map(\.code), ["a1", "A1"])
    XCTAssertEqual(store.object(ofType: Parcel.self, forPrimaryKey: "A1")?.kind, .LARGE)
    XCTAssertEqual(
      parcels.where { $0.address.starts(with: "leid", options: .caseInsensitive) }.count, 2)
    let large = parcels.where { $0.kind.rawValue.equals("large", options: .caseInsensitive) }
    XCTAssertEqual(large.map(\.code), ["A1", "b"])
    XCTAssertTrue(large.explain().hasPrefix("2 rows from the index: kind"), large.explain())
    XCTAssertEqual(parcels.where { $0.kind == .LARGE }.count, 2)
    XCTAssertEqual(
      Parcel().objectSchema.properties.map(\.isIndexed), [true, true, true])
    // Case counts for what is unique.
    XCTAssertThrowsError(try store.write { try store.add(Parcel("c", "LEIDEN", .Small)) })
  }

  // MARK: Programs

  private enum Before {
    final class Thing: Object {
      @Persisted var code: String = ""
      @Persisted(indexed: true) var rank: Int = 0
    }
  }

  private enum After {
    final class Thing: Object {
      @Persisted(index: .caseInsensitive) var code: String = ""
      @Persisted(indexed: true) var rank: Int = 0
      @Persisted(index: .caseInsensitive) var label: String = "New Label"
    }
  }

  func testTheIndexIsBuiltOnRowsThatAreThereAndKeptByWhoDoesNotNameIt() throws {
    let directory = try TemporaryDirectory()
    do {
      let before = try directory.store(objectTypes: [Before.Thing.self])
      try before.write {
        for number in 0..<500 {
          let thing = Before.Thing()
          thing.code = number % 2 == 0 ? "Code \(number % 10)" : "CODE \(number % 10)"
          try before.add(thing)
        }
      }
    }

    for round in 0..<3 {
      let after = try directory.store(objectTypes: [After.Thing.self])
      let things = after.objects(After.Thing.self)
      let sevens = things.where { $0.code.equals("code 7", options: .caseInsensitive) }
      XCTAssertEqual(
        sevens.explain(),
        "\(50 + round) rows from the index: code = \"code 7\" ignoring case, each tested")
      XCTAssertEqual(sevens.count, 50 + round)
      // Rows from before the property have its default in the index too.
      XCTAssertEqual(
        things.where { $0.label.equals("NEW LABEL", options: .caseInsensitive) }.count, 500)
      after.close()

      let before = try directory.store(objectTypes: [Before.Thing.self])
      try before.write {
        let things = before.objects(Before.Thing.self)
        things[round].code = "cOdE 7"
        things[round].rank += 1
      }
      // It serves the program that does not name it as well.
      let found = before.objects(Before.Thing.self).where { $0.code == "cOdE 7" }
      XCTAssertTrue(found.explain().contains("ignoring case"), found.explain())
      XCTAssertEqual(found.count, round + 1)
      before.close()
    }
  }
}
