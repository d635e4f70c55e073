import Foundation
import Leyden
import LeydenTesting
import TestSupport
import XCTest

/// Short random programs over objects that lead to each other, against plain arrays: asked in writes and
/// after them, sorted and observed through links, over two stores of one file.
final class RandomGraphQueryTests: XCTestCase {
  func testEveryProgramEndsAsItDoesWithArrays() throws {
    for seed in 1...UInt64(testScale(110)) {
      var program = try Program(seed: seed)
      if let problem = try program.run() { return XCTFail("seed \(seed): \(problem)") }
    }
  }
}

/// A question about trunks.
private struct Question {
  var name = ""
  var isOfDepot = false
  var results: (Store) -> Results<Trunk> = { $0.objects(Trunk.self) }
  var expected: (TrunkWorld) -> [TrunkValue] = { $0.trunks }

  /// A condition or two, and sometimes an order and what follows it.
  static func random(_ random: inout SeededGenerator, _ store: Store, _ world: TrunkWorld)
    -> Question
  {
    var question = Question()
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      question.name = "depot"
      question.isOfDepot = true
      question.results = { store in
        store.objects(Depot.self).first?.trunks.results ?? store.objects(Trunk.self)
      }
      question.expected = { world in world.depot.compactMap { world.trunk($0) } }
    case 1:
      let name = world.porters.randomElement(using: &random)?.name
      guard name != nil else { break }
      question.name = "trunks of \(name ?? "")"
      question.results = { store in
        store.porter(name)?.trunks.results ?? store.objects(Trunk.self).limit(0)
      }
      question.expected = { world in name.map { world.trunks(of: $0) } ?? [] }
    default: break
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let condition = TrunkCondition.random(&random, store, world)
      question = question.then(condition.name, { $0.where(condition.query) }) { trunks, world in
        trunks.filter { condition.holds($0, world) }
      }
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) { question = question.sorted(&random) }
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      return question.then("limit 2", { $0.limit(2) }) { trunks, _ in Array(trunks.prefix(2)) }
    case 1:
      return question.then("distinct", { $0.distinct(by: \.owner?.age) }) { trunks, world in
        var seen: Set<Int?> = []
        return trunks.filter { seen.insert(world.porter($0.owner)?.age).inserted }
      }
    default: return question
    }
  }

  private func sorted(_ random: inout SeededGenerator) -> Question {
    let isAscending = Bool.random(using: &random)
    func sorted(
      _ name: String, _ path: KeyPath<Trunk, Int?>,
      _ value: @escaping (TrunkValue, TrunkWorld) -> Int?
    ) -> Question {
      then(
        "by \(name) \(isAscending)", { $0.sorted(by: path, ascending: isAscending) }
      ) { trunks, world in
        let values = trunks.map { value($0, world) ?? .min }
        return trunks.indices.sorted { left, right in
          let (first, second) = isAscending ? (left, right) : (right, left)
          return values[left] == values[right] ? left < right : values[first] < values[second]
        }.map { trunks[$0] }
      }
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return sorted("owner.age", \.owner?.age) { $1.porter($0.owner)?.age }
    case 1:
      return sorted("address.number", \.address?.number) { trunk, _ in trunk.address?.number }
    case 2:
      return sorted("inside.owner.age", \.inside?.owner?.age) {
        $1.porter($1.trunk($0.inside)?.owner)?.age
      }
    default: return sorted("inside.rank", \.inside?.rank) { $1.trunk($0.inside)?.rank }
    }
  }

  private func then(
    _ name: String, _ step: @escaping (Results<Trunk>) -> Results<Trunk>,
    _ expect: @escaping ([TrunkValue], TrunkWorld) -> [TrunkValue]
  ) -> Question {
    let (results, expected) = (results, expected)
    var next = self
    next.name += "; \(name)"
    next.results = { step(results($0)) }
    next.expected = { expect(expected($0), $0) }
    return next
  }
}

/// An observer of trunks, which checks what it is told.
private final class Witness {
  /// A trunk as it was seen: what it holds, and what others are that it may be sorted by.
  struct Seen: Equatable {
    let own: TrunkValue
    let contents: [String]
    let related: [Int?]
  }

  let question: Question
  private(set) var seen: [Seen] = []
  private(set) var problems: [String] = []
  private var token: NotificationToken?

  init(_ question: Question, _ store: Store) {
    self.question = question
    token = question.results(store).observe { [unowned self] change in take(change) }
  }

  private func take(_ change: ObservedChange<Results<Trunk>>) {
    switch change {
    case .initial(let results): seen = look(results)
    case .error(let error): problems.append("\(error)")
    case .update(let results, let deletions, let insertions, let modifications):
      let new = look(results)
      check(new, Set(deletions), Set(insertions), Set(modifications))
      seen = new
    }
  }

  private func look(_ results: Results<Trunk>) -> [Seen] {
    results.map { trunk in
      Seen(
        own: trunk.value, contents: trunk.contents.map(\.identifier),
        related: [trunk.owner?.age, trunk.inside?.rank, trunk.inside?.owner?.age])
    }
  }

  private func check(
    _ new: [Seen], _ deletions: Set<Int>, _ insertions: Set<Int>, _ modifications: Set<Int>
  ) {
    let told = "-\(deletions.sorted()) +\(insertions.sorted()) ~\(modifications.sorted())"
    let stayed = seen.indices.filter { !deletions.contains($0) }
    let there = new.indices.filter { !insertions.contains($0) }
    guard stayed.map({ seen[$0].own.identifier }) == there.map({ new[$0].own.identifier }) else {
      return problems.append("\(told) does not give the new list")
    }
    for (old, now) in zip(stayed, there) {
      let differs = seen[old].own != new[now].own || seen[old].contents != new[now].contents
      if differs != modifications.contains(old) {
        problems.append("\(told): \(seen[old].own.identifier) differs: \(differs)")
      }
    }
    if !modifications.isSubset(of: stayed) { problems.append("\(told): gone and modified") }
    if deletions.isEmpty, insertions.isEmpty, modifications.isEmpty {
      problems.append("called for nothing")
    }
    // Of all, only what differs in anything moves; in a list of its own order others may.
    guard !question.isOfDepot else { return }
    let gone = Set(deletions.map { seen[$0].own.identifier })
    for moved in insertions where gone.contains(new[moved].own.identifier) {
      let old = seen.first { $0.own.identifier == new[moved].own.identifier }
      if old == new[moved] { problems.append("\(told): \(new[moved].own.identifier) moved") }
    }
  }

  /// What is wrong with what it knows by now.
  func problem(_ world: TrunkWorld) -> String? {
    if let first = problems.first { return first }
    let expected = question.expected(world)
    let known = seen.map(\.own)
    return known.map(\.identifier) == expected.map(\.identifier)
      ? nil : "\(known.map(\.identifier)) for \(expected.map(\.identifier))"
  }
}

/// One program: a few writes, and questions after each.
private struct Program {
  private let directory = Result { try TemporaryDirectory() }
  private let seed: UInt64
  private var random: SeededGenerator
  private var world = TrunkWorld()
  private var names = 0
  private var stores: [Store] = []
  private var witnesses: [Witness] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    for _ in 0..<2 { stores.append(try directory.get().store(objectTypes: [Depot.self])) }
    let depot = Depot()
    depot.identifier = "depot"
    try stores[0].write { try stores[0].add(depot) }
  }

  /// Runs the program.
  ///
  /// - Returns: What was wrong.
  mutating func run() throws -> String? {
    for step in 0..<6 {
      let writer = stores[Int.random(in: 0...2, using: &random) / 2]
      if let problem = try write(to: writer) { return "step \(step): \(problem)" }
      if writer === stores[1], Bool.random(using: &random) { continue }
      stores[0].refresh()
      for _ in 0..<3 {
        let question = Question.random(&random, stores[0], world)
        if let problem = ask(question, stores[0], world) {
          return "step \(step): \(problem)"
        }
      }
      if let problem = check() { return "step \(step): \(problem)" }
      if step < 3 {
        let question = Question.random(&random, stores[0], world)
        witnesses.append(Witness(question, stores[0]))
      }
    }
    stores[0].refresh()
    return check() ?? stores.compactMap(\.failure).first.map { "\($0)" }
  }

  private func check() -> String? {
    for witness in witnesses {
      if let problem = witness.problem(world) {
        return "observed \(witness.question.name): \(problem)"
      }
    }
    return nil
  }

  private func ask(_ question: Question, _ store: Store, _ world: TrunkWorld) -> String? {
    let expected = question.expected(world)
    let results = question.results(store)
    let context = "\(question.name) (\(results.explain()))"
    let found = results.map { $0.value }
    if found != expected {
      return "\(context): \(found.map(\.identifier)) for \(expected.map(\.identifier))"
    }
    if results.count != expected.count { return "\(context): count" }
    if question.results(store).count != expected.count { return "\(context): first count" }
    if results.first?.identifier != expected.first?.identifier { return "\(context): first" }
    let ages = expected.compactMap { world.porter($0.owner)?.age }
    if results.sum(of: \.owner?.age) != ages.reduce(0, +) { return "\(context): sum" }
    if (results.min(of: \.owner?.age) ?? nil) != ages.min() { return "\(context): min" }
    return nil
  }

  private mutating func write(to store: Store) throws -> String? {
    let before = world
    try store.beginWrite()
    for _ in 0..<Int.random(in: 1...6, using: &random) { try change(store) }
    if Int.random(in: 0..<3, using: &random) == 0 {
      let question = Question.random(&random, store, world)
      if let problem = ask(question, store, world) { return "in the write, \(problem)" }
      try change(store)
      if let problem = ask(question, store, world) { return "later, \(problem)" }
    }
    if Int.random(in: 0..<6, using: &random) == 0 {
      world = before
      try store.cancelWrite()
    } else {
      try store.commitWrite()
    }
    return nil
  }

  /// Makes one change to a store and to the arrays.
  private mutating func change(_ store: Store) throws {
    let choice = Int.random(in: 0..<12, using: &random)
    if world.porters.count < 2 || choice == 0 { return try changePorter(store) }
    if world.trunks.isEmpty || choice <= 2 { return try addTrunk(store) }
    let index = world.trunks.indices.randomElement(using: &random) ?? 0
    let trunk = world.trunks[index]
    switch choice {
    case 3, 4: try changePorter(store)
    case 5:
      let value = world.randomTrunk(trunk.identifier, &random)
      world.trunks[index] = value
      store.trunk(trunk.identifier)?.take(value, store)
    case 6:
      let owner = world.porters.randomElement(using: &random)?.name
      world.trunks[index].owner = owner
      store.trunk(trunk.identifier)?.owner = store.porter(owner)
    case 7:
      let other = world.trunks.randomElement(using: &random)?.identifier
      world.trunks[index].inside = other
      store.trunk(trunk.identifier)?.inside = store.trunk(other)
    case 8:
      if let object = store.trunk(trunk.identifier) { try store.delete(object) }
      world.delete(trunk: trunk.identifier)
    case 9:
      let porter = world.porters.randomElement(using: &random)?.name
      guard let object = store.porter(porter) else { return }
      world.trunks[index].items.append(object.name)
      store.trunk(trunk.identifier)?.items.append(object)
    default: try changeDepot(store, trunk.identifier)
    }
  }

  private mutating func addTrunk(_ store: Store) throws {
    names += 1
    let value = world.randomTrunk("\(seed)-\(names)", &random)
    let trunk = try store.add(Trunk(value.identifier))
    trunk.take(value, store)
    world.trunks.append(value)
  }

  private mutating func changePorter(_ store: Store) throws {
    let name = TrunkWorld.names.randomElement(using: &random) ?? ""
    var value = PorterValue(name: name)
    value.age = TrunkWorld.numbers.randomElement(using: &random) ?? 0
    value.town = TrunkWorld.texts.randomElement(using: &random) ?? ""
    let best = world.porters.randomElement(using: &random)?.name
    value.best = Bool.random(using: &random) ? nil : best
    guard let index = world.porters.firstIndex(where: { $0.name == name }) else {
      world.porters.append(value)
      try store.add(Porter(name)).take(value, store)
      return
    }
    guard let porter = store.porter(name) else { return }
    if Int.random(in: 0..<5, using: &random) == 0 {
      try store.delete(porter)
      world.delete(porter: name)
    } else {
      porter.take(value, store)
      world.porters[index] = value
    }
  }

  private mutating func changeDepot(_ store: Store, _ trunk: String) throws {
    guard let depot = store.objects(Depot.self).first, let object = store.trunk(trunk) else {
      return
    }
    let count = world.depot.count
    switch Int.random(in: 0..<4, using: &random) {
    case 0 where count > 1:
      let (from, to) = (
        Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random)
      )
      world.depot.insert(world.depot.remove(at: from), at: to)
      depot.trunks.move(from: from, to: to)
    case 1 where count > 0:
      let position = Int.random(in: 0..<count, using: &random)
      world.depot.remove(at: position)
      depot.trunks.remove(at: position)
    default:
      let position = Int.random(in: 0...count, using: &random)
      world.depot.insert(trunk, at: position)
      depot.trunks.insert(object, at: position)
    }
  }
}
