import Foundation
import Leyden
import LeydenStorage
import LeydenTesting
import TestSupport
import XCTest

/// A random program on a store of ships, and the ``World`` that the store should be afterwards.
final class GraphProgram {
  /// What a program found to be wrong.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let directory: TemporaryDirectory
  private let fields = Field.all()
  let inverses = Inverse.all
  private var stores: [Store]
  var generator: SeededGenerator
  var world = World()
  /// The row of each object that was ever seen.
  private(set) var rows: [Int: UInt64] = [:]
  /// Properties with embedded objects that were given some, which may be a change even where they are equal.
  var renewed: Set<[String]> = []
  /// How many commits there were, deletions that were denied, changes that were, changes with which objects went, and
  /// objects when the most were there.
  var figures = (commits: 0, denials: 0, refusals: 0, losses: 0, objects: 0)
  /// Whether a change was refused that cannot throw: then the write fails.
  var isRefused = false
  private var nextNumber = 0
  /// Objects of the running operation that are not in the store yet.
  private var fresh: [Int: (kind: World.Kind, object: Object)] = [:]
  private var nodes: [Int: World.Node] = [:]
  private var past: (version: StoreVersion, world: World)?

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory()
    let first = try directory.store(objectTypes: Ship.types)
    stores = [first, try directory.store(objectTypes: [Ship.self, Crate.self])]
  }

  /// The store that the next operation uses.
  var store: Store { stores[0] }

  /// The properties of a kind's objects.
  func fields(of kind: World.Kind) -> [Field] { fields[kind] ?? [] }

  func random(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

  func fail(_ text: String) -> Failure { Failure(description: text) }

  /// Runs some writes, and compares.
  func run() throws {
    for _ in 0..<random(8) + 3 {
      if random(3) == 0 { stores.swapAt(0, 1) }
      try write()
      if random(12) == 0 {
        stores[0].close()
        stores[0] = try directory.store(objectTypes: Ship.types)
      }
      if random(6) == 0 { past = (store.version, world) }
    }
    try compare(store)
    try compare(stores[1])
    try checkMerged()
    let report = try store.verificationReport()
    guard report.isClean else { throw fail(report.description) }
    letGoOfFresh()
    stores.forEach { $0.close() }
  }

  private func write() throws {
    let before = world
    let version = store.version
    renewed = []
    isRefused = false
    try store.beginWrite()
    do {
      for _ in 0..<random(7) + 1 where !isRefused { try operate() }
      if random(5) == 0, !isRefused { try compare(store) }
    } catch {
      if store.isInWriteTransaction { try store.cancelWrite() }
      throw error
    }
    if random(6) == 0 {
      try store.cancelWrite()
      world = before
      return
    }
    if isRefused {
      world = before
      do { try store.commitWrite() } catch StoreError.deleteDenied { return }
      throw fail("a write was made that a rule denies")
    }
    try store.commitWrite()
    figures.commits += 1
    figures.objects = max(figures.objects, world.nodes.count)
    noteRows()
    let changed = store.version > version
    let changes = try changes(after: version)
    try check(changes, before, isExact: true)
    if changed, changes.isEmpty { throw fail("a write that changed nothing made a version") }
  }

  private func noteRows() {
    for (number, node) in world.nodes where rows[number] == nil {
      rows[number] = object(number, node.kind)?.access?.identity?.row
    }
  }

  private func changes(after version: StoreVersion) throws -> ObjectChangeSet {
    let session = store.session
    let newest = store.version
    return try XCTUnwrap(
      session.withTransaction { (transaction) throws(StorageError) in
        try session.changes(after: version.number, through: newest.number, in: transaction)
      })
  }

  /// Changes of several commits are those between the first version and the last one.
  private func checkMerged() throws {
    guard let past else { return }
    try check(try changes(after: past.version), past.world, isExact: false)
  }

  // MARK: Operations

  /// The live object of a number; `nil` where there is none.
  func object(_ number: Int, _ kind: World.Kind) -> Object? {
    switch kind {
    case .ship: store.object(ofType: Ship.self, forPrimaryKey: number)
    case .crate: store.object(ofType: Crate.self, forPrimaryKey: number)
    case .port: store.object(ofType: Harbor.self, forPrimaryKey: number)
    }
  }

  func find(_ number: Int) -> Object {
    if let object = fresh[number]?.object { return object }
    let found = world.nodes[number].flatMap { object(number, $0.kind) }
    XCTAssertNotNil(found, "object \(number) is not there")
    return found ?? Harbor(-1)
  }

  private func operate() throws {
    letGoOfFresh()
    switch random(20) {
    case 0..<5: try add()
    case 5..<14: try edit()
    case 14..<16: try upsert()
    case 16..<19: try delete((0..<random(4) + 1).compactMap { _ in anyNumber() })
    default:
      if random(4) == 0 {
        try delete(World.Kind.allCases.flatMap { world.numbers($0) }) { try $0.deleteAll() }
      } else {
        try delete(world.numbers(.crate)) { try $0.deleteAll(Crate.self) }
      }
    }
  }

  /// Breaks the circles of objects that did not come into the store: what they lead to would be kept for good.
  private func letGoOfFresh() {
    for (kind, object) in fresh.values where !object.isManaged {
      for field in fields(of: kind) { field.apply(object, .assign(field.empty), find) }
    }
    (fresh, nodes) = ([:], [:])
  }

  private func anyNumber() -> Int? { pick(world.nodes.keys.sorted()) }

  func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[random(elements.count)]
  }

  /// Makes an object that is not in the store.
  private func makeFresh(_ kind: World.Kind, _ number: Int? = nil) -> Int {
    let number = number ?? nextNumber
    nextNumber = max(nextNumber, number + 1)
    let object: Object =
      switch kind {
      case .ship: Ship(number)
      case .crate: Crate(number)
      case .port: Harbor(number)
      }
    fresh[number] = (kind, object)
    let empty = fields(of: kind).map { ($0.name, $0.empty) }
    nodes[number] = World.Node(kind: kind, held: Dictionary(uniqueKeysWithValues: empty))
    return number
  }

  /// Adds objects that lead to each other and to others; those that nothing leads to are not added.
  private func add() throws {
    let count = random(4) + 1
    let numbers = (0..<count).map { _ in makeFresh(pick(World.Kind.allCases) ?? .ship) }
    fill(numbers)
    try add(numbers[0], .error)
  }

  /// Gives random values to new objects.
  private func fill(_ numbers: [Int]) {
    for number in numbers {
      guard let (kind, object) = fresh[number] else { continue }
      for field in fields(of: kind) where random(3) == 0 {
        let value = held(field)
        nodes[number]?.held[field.name] = value
        field.apply(object, .assign(value), find)
      }
    }
  }

  private func add(_ root: Int, _ policy: UpdatePolicy) throws {
    guard let object = fresh[root]?.object, let node = nodes[root] else { return }
    var outcome = Outcome.done
    if policy == .error {
      take([root])
    } else {
      nodes[root] = nil
      var held = node.held
      for (name, old) in world.nodes[root]?.held ?? [:] { held[name] = held[name]?.updating(old) }
      outcome = note(held, of: root)
    }
    do {
      let added = try store.add(object, update: policy)
      guard added === object, object.isManaged || outcome != .done || world.nodes[root] == nil
      else { throw fail("another object is live") }
      if outcome != .done { throw fail("an update was made that a rule denies") }
    } catch StoreError.deleteDenied {
      if outcome == .done { throw fail("an update was denied that no rule denies") }
      figures.refusals += 1
      isRefused = outcome == .broken
    }
  }

  /// Puts new objects into the world, with all that they lead to.
  func take(_ roots: [Int]) {
    var waiting = roots
    while let number = waiting.popLast() {
      guard let node = nodes.removeValue(forKey: number) else { continue }
      world.nodes[number] = node
      for held in node.held.values { waiting += held.links }
    }
  }

  /// Gives an object that is there all values of a new one.
  private func upsert() throws {
    guard let number = anyNumber(), let kind = world.nodes[number]?.kind else { return try add() }
    var numbers = [makeFresh(kind, number)]
    if random(2) == 0 { numbers.append(makeFresh(.port)) }
    fill(numbers)
    for field in fields(of: kind) where field.items == .visits {
      renewed.insert(["\(number)", field.name])
    }
    try add(number, random(2) == 0 ? .modified : .all)
  }

  private func edit() throws {
    let isEmbedded = random(3) == 0
    guard let number = isEmbedded ? pick(world.numbers(.ship)) : anyNumber(),
      let node = world.nodes[number],
      let field = pick(fields(of: node.kind).filter { !isEmbedded || $0.items == .visits }),
      let live = object(number, node.kind)
    else { return }
    if field.items == .visits { renewed.insert(["\(number)", field.name]) }
    if field.items == .visits, random(2) == 0, let ship = live as? Ship {
      return try change(in: field, of: ship)
    }
    for _ in 0..<random(3) + 1 where !isRefused {
      guard let now = world.nodes[number]?.held[field.name] else { return }
      let edit = edit(of: now, field)
      var new = now
      new.apply(edit)
      field.apply(live, edit, find)
      try settle(new, field, of: number, live)
    }
  }

  private func delete(
    _ numbers: [Int], _ body: ((Store) throws -> Void)? = nil
  ) throws {
    let before = world
    let isAllowed = world.delete(numbers)
    do {
      if let body {
        try body(store)
      } else {
        let objects = Set(numbers).sorted().compactMap { number in
          before.nodes[number].flatMap { object(number, $0.kind) }
        }
        if objects.count == 1 { try store.delete(objects[0]) } else { try store.delete(objects) }
      }
      if !isAllowed { throw fail("a deletion that a rule denies was made") }
    } catch StoreError.deleteDenied {
      if isAllowed { throw fail("a deletion was denied that no rule denies") }
      world = before
      figures.denials += 1
    }
  }

  // MARK: Values

  private func edit(of held: Held, _ field: Field) -> Edit {
    if random(6) == 0 { return .assign(self.held(field)) }
    switch held {
    case .one: return .assign(self.held(field))
    case .list(let items):
      let many = random(10) == 0 ? 25 : random(3) + 1
      guard !items.isEmpty, random(3) > 0 else {
        return .insert((0..<many).map { _ in item(field) }, at: random(items.count + 1))
      }
      let (some, other) = (random(items.count), random(items.count))
      switch random(8) {
      case 0..<3:
        return .remove(some..<min(items.count, some + random(random(3) == 0 ? 30 : 2) + 1))
      case 3: return .replace(some, item(field))
      case 4 where field.items == .visits && random(2) == 0:
        return .replace(some, copy(items[other]))
      case 4: return .move(some, other)
      case 5: return .swap(some, other)
      case 6: return .removeAll
      default: return .insert([item(field)], at: items.count)
      }
    case .set(let items):
      switch random(6) {
      case 0: return .removeAll
      case 1, 2: return items.isEmpty ? .add(item(field)) : .take(item(field))
      default: return .add(item(field))
      }
    case .map(let items):
      switch random(6) {
      case 0: return .removeAll
      case 1, 2: return .drop(pick(items.keys.sorted()) ?? key())
      default: return .put(key(), item(field))
      }
    }
  }

  private func held(_ field: Field) -> Held {
    let count = random(8) == 0 ? random(30) : random(4)
    switch field.empty {
    case .one: return .one(item(field))
    case .list: return .list((0..<count).map { _ in item(field) })
    case .set: return .set(Set((0..<count).map { _ in item(field) }))
    case .map:
      return .map(Dictionary((0..<count).map { _ in (key(), item(field)) }) { first, _ in first })
    }
  }

  private static let long = String(repeating: "long ", count: 80)
  private static let middle = String(repeating: "middle ", count: 20)

  private func key() -> String {
    switch random(12) {
    case 0: Self.long
    case 1: "key \(random(40))"
    default: "k\(random(5))"
    }
  }

  func text() -> String {
    switch random(14) {
    case 0: Self.long + "\(random(2))"
    case 1, 2: Self.middle + "\(random(4))"
    case 3: ""
    case 4: String(repeating: "very long ", count: 300)
    case 5..<8: "word \(random(40))"
    default: "w\(random(4))"
    }
  }

  private func item(_ field: Field) -> Atom {
    let isOptional =
      switch field.empty {
      case .list, .set: false
      default: true
      }
    switch field.items {
    case .ships: return link(.ship, isOptional: isOptional)
    case .crates: return link(.crate, isOptional: isOptional)
    case .ports: return link(.port, isOptional: isOptional)
    case .texts: return .text(text())
    case .textsOrNil: return random(4) == 0 ? .null : .text(text())
    case .numbers: return .int(random(6))
    case .anything:
      switch random(6) {
      case 0: return .null
      case 1: return .int(random(3))
      case 2: return .text(text())
      default: return link(pick(World.Kind.allCases) ?? .port, isOptional: true)
      }
    case .visits:
      return isOptional && random(4) == 0 ? .null : .visit(visit())
    }
  }

  /// A link to an object; where there must be one, it is made.
  func link(_ kind: World.Kind, isOptional: Bool) -> Atom {
    let known = world.numbers(kind) + nodes.filter { $0.value.kind == kind }.keys.sorted()
    if isOptional, random(4) == 0 { return .null }
    if let number = pick(known) { return .link(number) }
    return isOptional ? .null : .link(makeFresh(kind))
  }
}
