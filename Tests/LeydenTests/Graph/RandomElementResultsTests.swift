import Leyden
import LeydenTesting
import XCTest

/// An object whose values are asked in random steps.
final class Tray: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var list: List<Int?>
  @Persisted var set: MutableSet<Int?>
  @Persisted var map: Map<String, Int?>
  @Persisted var inside: TrayPart?
  @Persisted var parts: List<TrayPart>
}

/// An object inside another one, with values of its own.
final class TrayPart: EmbeddedObject {
  @Persisted var size: Int = 0
  @Persisted var list: List<Int?>
}

/// Results of values against the same steps on plain arrays: read at any time, in writes that end or are
/// cancelled, and told to observers by own commits and merged ones of another store.
final class RandomElementResultsTests: XCTestCase {
  func testResultsOfValuesAreWhatArraysAre() throws {
    try forEachSeed(40) { seed in
      let directory = try TemporaryDirectory()
      try ElementResultsProgram(
        seed, try directory.store(objectTypes: [Tray.self]),
        try directory.store(objectTypes: [Tray.self])
      ).run()
    }
  }
}

/// What a random program does.
private final class ElementResultsProgram {
  /// One step on results, and the same on an array.
  enum Step: CustomStringConvertible {
    case above(Int), none, sorted(Bool), distinct, limit(Int), offset(Int)

    var description: String {
      switch self {
      case .above(let bound): "above \(bound)"
      case .none: "not nil"
      case .sorted(let ascending): ascending ? "up" : "down"
      case .distinct: "distinct"
      case .limit(let count): "limit \(count)"
      case .offset(let count): "offset \(count)"
      }
    }

    func applied(to results: Results<Int?>) -> Results<Int?> {
      switch self {
      case .above(let bound): results.where { $0 > bound || $0 == nil }
      case .none: results.where { $0 != nil }
      case .sorted(let ascending): results.sorted(by: \.self, ascending: ascending)
      case .distinct: results.distinct(by: \.self)
      case .limit(let count): results.limit(count)
      case .offset(let count): results.offset(count)
      }
    }

    func applied(to values: [Int?]) -> [Int?] {
      switch self {
      case .above(let bound): values.filter { $0.map { $0 > bound } ?? true }
      case .none: values.filter { $0 != nil }
      case .sorted(let ascending):
        values.sorted { ascending ? $0 ?? .min < $1 ?? .min : $0 ?? .min > $1 ?? .min }
      case .distinct: values.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
      case .limit(let count): Array(values.prefix(count))
      case .offset(let count): Array(values.dropFirst(count))
      }
    }
  }

  /// What an observer of some results was told last.
  final class Asked {
    let name: String
    let results: Results<Int?>
    let expected: () -> [Int?]
    var seen: [Int?] = []
    var token: NotificationToken?
    var problems: [String] = []

    init(_ name: String, _ results: Results<Int?>, _ expected: @escaping () -> [Int?]) {
      self.name = name
      self.results = results
      self.expected = expected
      token = results.observe { [unowned self] change in
        switch change {
        case .initial(let results): seen = Array(results)
        case .update(let results, let deletions, let insertions, let modifications):
          let now = results.indices.map { results[$0] }
          do {
            try ChangeSetChecker(
              deletions: deletions, insertions: insertions, modifications: modifications
            ).check(old: seen, new: now)
          } catch { problems.append("\(error) from \(seen) to \(now)") }
          // A map's values are told by their keys.
          if seen == now, !name.hasPrefix("map") { problems.append("told of nothing") }
          seen = now
        case .error(let error): problems.append("\(error)")
        }
      }
    }
  }

  let seed: UInt64
  let store: Store
  let other: Store
  var generator: SeededGenerator
  var list: [Int?] = []
  var set: Set<Int?> = []
  var map: [String: Int?] = [:]
  var inner: [Int?] = []
  var part: [Int?] = []
  var asked: [Asked] = []

  init(_ seed: UInt64, _ store: Store, _ other: Store) {
    self.seed = seed
    self.store = store
    self.other = other
    generator = SeededGenerator(seed: seed)
  }

  func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
  func value() -> Int? { number(5) == 0 ? nil : number(12) }

  func steps() -> [Step] {
    (0..<number(5)).map { _ in
      switch number(6) {
      case 0: .above(number(10))
      case 1: .none
      case 2: .sorted(number(2) == 0)
      case 3: .distinct
      case 4: .limit(number(12))
      default: .offset(number(4))
      }
    }
  }

  func run() throws {
    // They lead back to the program.
    defer { asked = [] }
    let tray = Tray()
    tray.inside = TrayPart()
    tray.parts.append(TrayPart())
    let live = try store.write { try store.add(tray) }
    let far = try XCTUnwrap(other.objects(Tray.self).first)
    let part = live.parts[0]
    let sources: [(String, Results<Int?>?, () -> [Int?])] = [
      ("list", live.list.results, { self.list }),
      ("set", live.set.results, { self.set.sorted { $0 ?? .min < $1 ?? .min } }),
      ("map", live.map.results, { self.map.sorted { $0.key < $1.key }.map(\.value) }),
      ("inside", live.inside?.list.results, { self.inner }),
      ("part", part.list.results, { self.part }),
    ]
    for (name, results, values) in sources {
      for _ in 0..<3 {
        let steps = steps()
        let all = steps.reduce(try XCTUnwrap(results)) { $1.applied(to: $0) }
        asked.append(
          Asked("\(name) \(steps)", all) { steps.reduce(values()) { $1.applied(to: $0) } })
      }
    }
    check("at the start", toldToo: true)
    for round in 0..<25 {
      let before = (list, set, map, inner, self.part)
      switch number(4) {
      case 0:
        try store.beginWrite()
        change(live)
        check("\(round), within a write", toldToo: false)
        change(live)
        check("\(round), within a write", toldToo: false)
        try store.cancelWrite()
        (list, set, map, inner, self.part) = before
        check("\(round), cancelled", toldToo: true)
      case 1:
        for _ in 0...number(3) { try other.write { change(far) } }
        if number(2) == 0 {
          check("\(round), others' commits", toldToo: false)
        }
        store.refresh()
        check("\(round), others' commits", toldToo: true)
      default:
        try store.write {
          change(live)
          if number(3) == 0 { check("\(round), within a write", toldToo: false) }
          change(live)
        }
        check("\(round), own commit", toldToo: true)
      }
    }
    try store.verify()
    try store.write { try store.delete(live) }
    (list, set, map, inner, self.part) = ([], [], [:], [], [])
    check("deleted", toldToo: true)
  }

  /// Makes a few changes of an object and of the arrays.
  func change(_ tray: Tray) {
    for _ in 0...number(4) {
      switch number(8) {
      case 0, 1: list = changed(tray.list, list)
      case 2:
        let value = value()
        if number(3) == 0 {
          tray.set.remove(value)
          set.remove(value)
        } else {
          tray.set.insert(value)
          set.insert(value)
        }
      case 3:
        let (key, value) = ("k\(number(8))", value())
        if number(3) == 0 {
          tray.map[key] = nil
          map[key] = nil
        } else {
          tray.map[key] = .some(value)
          map[key] = .some(value)
        }
      case 4: if let inside = tray.inside { inner = changed(inside.list, inner) }
      case 5:
        guard let at = tray.parts.indices.first(where: { tray.parts[$0].size == 0 }) else { return }
        part = changed(tray.parts[at].list, part)
      case 6:
        let other = TrayPart()
        other.size = 1
        tray.parts.insert(other, at: number(tray.parts.count + 1))
      default: tray.parts.move(from: 0, to: number(tray.parts.count))
      }
    }
  }

  func changed(_ list: List<Int?>, _ values: [Int?]) -> [Int?] {
    var values = values
    let value = value()
    switch values.isEmpty ? 0 : number(7) {
    case 0, 1:
      let at = number(values.count + 1)
      list.insert(value, at: at)
      values.insert(value, at: at)
    case 2:
      let at = number(values.count)
      list.remove(at: at)
      values.remove(at: at)
    case 3:
      let at = number(values.count)
      list[at] = value
      values[at] = value
    case 4:
      let (from, to) = (number(values.count), number(values.count))
      list.move(from: from, to: to)
      values.insert(values.remove(at: from), at: to)
    case 5:
      list.append(contentsOf: list)
      values += values
      if values.count > 40 {
        list.removeSubrange(10...)
        values.removeSubrange(10...)
      }
    default:
      let (left, right) = (number(values.count), number(values.count))
      list.swapAt(left, right)
      values.swapAt(left, right)
    }
    return values
  }

  func check(_ moment: String, toldToo: Bool) {
    for one in asked {
      let message = "seed \(seed), \(moment), \(one.name)"
      let expected = one.expected()
      let (results, numbers) = (one.results, expected.compactMap { $0 })
      XCTAssertEqual(Array(results), expected, message)
      XCTAssertEqual(results.count, expected.count, message)
      XCTAssertEqual(results.isEmpty, expected.isEmpty, message)
      XCTAssertEqual(results.first, expected.first, message)
      XCTAssertEqual(results.last, expected.last, message)
      XCTAssertEqual(results.endIndex, expected.count, message)
      XCTAssertEqual(results.min(), numbers.min(), message)
      XCTAssertEqual(results.max(), numbers.max(), message)
      XCTAssertEqual(results.sum(), numbers.reduce(0, +), message)
      XCTAssertEqual(results.index(of: 3), expected.firstIndex(of: 3), message)
      XCTAssertEqual(results.index(of: nil), expected.firstIndex(of: nil), message)
      XCTAssertEqual(
        results.index(matching: { $0 > 4 }), expected.firstIndex { $0.map { $0 > 4 } ?? false },
        message)
      XCTAssertEqual(Array(results.reversed()), expected.reversed(), message)
      if toldToo { XCTAssertEqual(one.seen, expected, "told: \(message)") }
      XCTAssertEqual(one.problems, [], message)
    }
  }
}
