import Leyden
import LeydenTesting
import XCTest

/// An object with others in a list and in a map, asked in random steps.
final class Board: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var pins: List<Pin>
  @Persisted var chosen: Map<String, Spool?>
  @Persisted var under: Pin?
}

/// An object inside another one.
final class Pin: EmbeddedObject {
  @Persisted var tag: Int = 0
  @Persisted var size: Int = 0
  @Persisted var note: Int = 0
  @Persisted var spool: Spool?
  @Persisted var pins: List<Pin>
}

/// What pins and maps lead to.
final class Spool: Object {
  @Persisted(primaryKey: true) var tag: Int
  @Persisted var size: Int = 0
  @Persisted var note: Int = 0
}

/// Results of embedded objects, and of a map's objects, against the same steps on plain arrays.
final class RandomEmbeddedResultsTests: XCTestCase {
  func testResultsOfEmbeddedObjectsAreWhatArraysAre() throws {
    try forEachSeed(40) { seed in
      let directory = try TemporaryDirectory()
      try EmbeddedResultsProgram(
        seed, try directory.store(objectTypes: [Board.self]),
        try directory.store(objectTypes: [Board.self])
      ).run()
    }
  }
}

/// What an observer is to see of an element.
private struct Item: Equatable {
  var tag: Int
  var size: Int
  var note: Int
  /// The spool that a pin leads to, and its size; `nil` where there is none.
  var link: Int?
  var spool: Int?

  /// An entry of a map whose object is gone.
  static let gone = Item(tag: -1, size: -1, note: -1)

  init(tag: Int, size: Int, note: Int) {
    (self.tag, self.size, self.note) = (tag, size, note)
  }

  init(_ pin: Pin) {
    self.init(tag: pin.tag, size: pin.size, note: pin.note)
    (link, spool) = (pin.spool?.tag, pin.spool?.size)
  }

  init(_ spool: Spool?) {
    self = spool.map { Item(tag: $0.tag, size: $0.size, note: $0.note) } ?? .gone
  }
}

private enum Step: CustomStringConvertible {
  case above(Int), spoolAbove(Int), bySize(Bool), bySpool(Bool), distinct, limit(Int), offset(Int)

  var description: String {
    switch self {
    case .above(let bound): "above \(bound)"
    case .spoolAbove(let bound): "spool above \(bound)"
    case .bySize(let ascending): ascending ? "by size" : "by size down"
    case .bySpool(let ascending): ascending ? "by spool" : "by spool down"
    case .distinct: "distinct"
    case .limit(let count): "limit \(count)"
    case .offset(let count): "offset \(count)"
    }
  }

  func applied(to items: [Item]) -> [Item] {
    func sorted(_ ascending: Bool, _ key: (Item) -> Int) -> [Item] {
      items.enumerated().sorted {
        let (left, right) = (key($0.element), key($1.element))
        return left == right ? $0.offset < $1.offset : (left < right) == ascending
      }.map(\.element)
    }
    return switch self {
    case .above(let bound): items.filter { $0 != .gone && $0.size > bound }
    case .spoolAbove(let bound): items.filter { $0.spool.map { $0 > bound } ?? false }
    case .bySize(let ascending): sorted(ascending) { $0.size }
    case .bySpool(let ascending): sorted(ascending) { $0.spool ?? -1 }
    case .distinct:
      items.reduce(into: []) { all, item in
        if !all.contains(where: { $0.size == item.size }) { all.append(item) }
      }
    case .limit(let count): Array(items.prefix(count))
    case .offset(let count): Array(items.dropFirst(count))
    }
  }

  func applied(to pins: Results<Pin>) -> Results<Pin> {
    switch self {
    case .above(let bound): pins.where { $0.size > bound }
    case .spoolAbove(let bound): pins.where { $0.spool.size > bound }
    case .bySize(let ascending): pins.sorted(by: \.size, ascending: ascending)
    case .bySpool(let ascending): pins.sorted(by: \.spool?.size, ascending: ascending)
    case .distinct: pins.distinct(by: \.size)
    case .limit(let count): pins.limit(count)
    case .offset(let count): pins.offset(count)
    }
  }

  func applied(to spools: Results<Spool?>) -> Results<Spool?> {
    switch self {
    case .above(let bound), .spoolAbove(let bound): spools.where { $0.size > bound }
    case .bySize(let ascending), .bySpool(let ascending):
      spools.sorted(by: \.?.size, ascending: ascending)
    case .distinct: spools.distinct(by: \.?.size)
    case .limit(let count): spools.limit(count)
    case .offset(let count): spools.offset(count)
    }
  }

  /// The step for elements that lead to nothing.
  var plain: Step {
    switch self {
    case .spoolAbove(let bound): .above(bound)
    case .bySpool(let ascending): .bySize(ascending)
    default: self
    }
  }
}

/// What an observer was told last.
private final class Told {
  let name: String
  let now: () -> [Item]
  let expected: () -> [Item]
  /// What of an item is observed.
  let observed: (Item) -> Item
  var seen: [Item] = []
  var token: NotificationToken?
  var problems: [String] = []

  init<Element>(
    _ name: String, _ results: Results<Element>, _ keyPaths: [String]?,
    _ item: @escaping (Element) -> Item, _ expected: @escaping () -> [Item]
  ) {
    self.name = name
    self.expected = expected
    now = { results.map(item) }
    observed = { item in
      var item = item
      // A pin's own properties only, without what its link leads to.
      item.spool = nil
      if keyPaths != nil { (item.note, item.link) = (0, nil) }
      return item
    }
    token = results.observe(keyPaths: keyPaths) { [unowned self] change in
      switch change {
      case .initial: seen = now()
      case .update(_, let deletions, let insertions, let modifications):
        let (old, new) = (seen.map(observed), now().map(observed))
        do {
          try ChangeSetChecker(
            deletions: deletions, insertions: insertions, modifications: modifications
          ).check(old: old, new: new)
          let left = old.indices.filter { !deletions.contains($0) }.map { old[$0].tag }
          let right = new.indices.filter { !insertions.contains($0) }.map { new[$0].tag }
          // Of a list itself, one in the place of another is a modification.
          if left != right, !name.hasPrefix("map"), !name.contains("[]") {
            problems.append("not the same elements")
          }
        } catch { problems.append("\(error) from \(old) to \(new)") }
        if old == new, !name.hasPrefix("map") { problems.append("told of nothing") }
        seen = now()
      case .error(let error): problems.append("\(error)")
      }
    }
  }
}

/// What a random program does.
private final class EmbeddedResultsProgram {
  let seed: UInt64
  let store: Store
  let other: Store
  var generator: SeededGenerator
  var told: [Told] = []
  var tags = 0

  init(_ seed: UInt64, _ store: Store, _ other: Store) {
    self.seed = seed
    self.store = store
    self.other = other
    generator = SeededGenerator(seed: seed)
  }

  func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

  func steps() -> [Step] {
    (0..<number(4)).map { _ in
      switch number(7) {
      case 0: .above(number(6))
      case 1: .spoolAbove(number(6))
      case 2: .bySize(number(2) == 0)
      case 3: .bySpool(number(2) == 0)
      case 4: .distinct
      case 5: .limit(number(8))
      default: .offset(number(3))
      }
    }
  }

  func run() throws {
    let board = try store.write {
      let board = Board()
      board.under = Pin()
      for tag in 0..<5 { try store.add(spool(tag)) }
      return try store.add(board)
    }
    let far = try XCTUnwrap(other.objects(Board.self).first)
    let pins = try XCTUnwrap(board.pins.results)
    let under = try XCTUnwrap(board.under?.pins.results)
    let chosen = try XCTUnwrap(board.chosen.results)
    for keyPaths in [nil, ["tag", "size"]] {
      for (name, results) in [("pins", pins), ("under", under)] {
        for _ in 0..<3 {
          let steps = steps()
          told.append(
            Told(
              "\(name) \(steps) \(keyPaths == nil)", steps.reduce(results) { $1.applied(to: $0) },
              keyPaths, { Item($0) }
            ) { steps.reduce(results.map { Item($0) }) { $1.applied(to: $0) } })
        }
      }
      for _ in 0..<3 {
        let steps = steps().map(\.plain)
        told.append(
          Told(
            "map \(steps) \(keyPaths == nil)", steps.reduce(chosen) { $1.applied(to: $0) },
            keyPaths, { Item($0) }
          ) { steps.reduce(chosen.map { Item($0) }) { $1.applied(to: $0) } })
      }
    }
    for round in 0..<25 {
      switch number(4) {
      case 0:
        try store.beginWrite()
        try change(board, store)
        try change(board, store)
        check("\(round), within a write", toldToo: false)
        try store.cancelWrite()
        check("\(round), cancelled", toldToo: true)
      case 1:
        for _ in 0...number(3) { try other.write { try change(far, other) } }
        store.refresh()
        check("\(round), others' commits", toldToo: true)
      default:
        try store.write { try change(board, store) }
        check("\(round), own commit", toldToo: true)
      }
    }
    try store.verify()
    try store.write { try store.delete(board) }
    check("deleted", toldToo: true)
  }

  func spool(_ tag: Int) -> Spool {
    let spool = Spool()
    spool.tag = tag
    spool.size = number(8)
    return spool
  }

  func change(_ board: Board, _ store: Store) throws {
    for _ in 0...number(4) {
      let spools = store.objects(Spool.self)
      let list = number(2) == 0 ? board.pins : try XCTUnwrap(board.under).pins
      let spool = spools.isEmpty ? nil : spools[number(spools.count)]
      switch list.isEmpty ? 0 : number(11) {
      case 0, 1:
        let pin = Pin()
        tags += 1
        (pin.tag, pin.size) = (tags, number(8))
        if number(2) == 0 { pin.spool = spool }
        list.insert(pin, at: number(list.count + 1))
      case 2: list.remove(at: number(list.count))
      case 3: list.move(from: number(list.count), to: number(list.count))
      case 4: list[number(list.count)].size = number(8)
      case 5: list[number(list.count)].note = number(8)
      case 6: list[number(list.count)].spool = number(3) == 0 ? nil : spool
      case 7: spool?.size = number(8)
      case 8: spool?.note = number(8)
      case 9: board.chosen["k\(number(5))"] = number(4) == 0 ? .some(nil) : .some(spool)
      default:
        if number(3) == 0, let spool {
          try store.delete(spool)
        } else {
          tags += 1
          try store.add(self.spool(100 + tags))
        }
      }
    }
  }

  func check(_ moment: String, toldToo: Bool) {
    for one in told {
      let message = "seed \(seed), \(moment), \(one.name)"
      let expected = one.expected()
      XCTAssertEqual(one.now(), expected, message)
      if toldToo {
        XCTAssertEqual(
          one.seen.map(one.observed), expected.map(one.observed), "told: \(message)")
      }
      XCTAssertEqual(one.problems, [], message)
    }
  }
}
