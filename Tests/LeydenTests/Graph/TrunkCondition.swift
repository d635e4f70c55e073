import Foundation
import Leyden
import LeydenTesting

/// A condition on trunks, as a store is asked and in plain Swift.
struct TrunkCondition {
  let name: String
  let query: (Query<Trunk>) -> Query<Bool>
  /// Whether it holds for a trunk of a world.
  let holds: (TrunkValue, TrunkWorld) -> Bool

  /// A condition on what one path leads to, or several that are joined.
  static func random(_ random: inout SeededGenerator, _ store: Store, _ world: TrunkWorld)
    -> TrunkCondition
  {
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1, 2: return onNumber(&random)
    case 3: return onCount(&random)
    case 4, 5: return onText(&random)
    case 6: return onObject(&random, store, world)
    case 7:
      let (left, right) = (
        self.random(&random, store, world), self.random(&random, store, world)
      )
      return TrunkCondition(
        name: "(\(left.name) && \(right.name))", query: { left.query($0) && right.query($0) },
        holds: { left.holds($0, $1) && right.holds($0, $1) })
    case 8:
      let (left, right) = (
        self.random(&random, store, world), self.random(&random, store, world)
      )
      return TrunkCondition(
        name: "(\(left.name) || \(right.name))", query: { left.query($0) || right.query($0) },
        holds: { left.holds($0, $1) || right.holds($0, $1) })
    default:
      let condition = self.random(&random, store, world)
      return TrunkCondition(
        name: "!\(condition.name)", query: { !condition.query($0) },
        holds: { !condition.holds($0, $1) })
    }
  }
}

/// A way from a trunk to values: one, which may be nil, or those of a collection, any of which counts.
struct TrunkPath<Value> {
  let name: String
  let query: (Query<Trunk>) -> Query<Value>
  let values: (TrunkValue, TrunkWorld) -> [Value?]

  init(
    _ name: String, _ query: @escaping (Query<Trunk>) -> Query<Value>,
    one: @escaping (TrunkValue, TrunkWorld) -> Value?
  ) {
    self.init(name, query) { [one($0, $1)] }
  }

  init(
    _ name: String, _ query: @escaping (Query<Trunk>) -> Query<Value>,
    any values: @escaping (TrunkValue, TrunkWorld) -> [Value?]
  ) {
    self.name = name
    self.query = query
    self.values = values
  }
}

extension TrunkPath<Int> {
  static var all: [TrunkPath] {
    [
      TrunkPath("rank", { $0.rank }, one: { trunk, _ in trunk.rank }),
      TrunkPath("owner.age", { $0.owner.age }, one: { $1.porter($0.owner)?.age }),
      TrunkPath(
        "owner.best.age", { $0.owner.best.age },
        one: { $1.porter($1.porter($0.owner)?.best)?.age }),
      TrunkPath("inside.rank", { $0.inside.rank }, one: { $1.trunk($0.inside)?.rank }),
      TrunkPath(
        "inside.owner.age", { $0.inside.owner.age },
        one: { $1.porter($1.trunk($0.inside)?.owner)?.age }),
      TrunkPath(
        "address.number", { $0.address.number }, one: { trunk, _ in trunk.address?.number }),
      TrunkPath(
        "address.porter.age", { $0.address.porter.age },
        one: { $1.porter($0.address?.porter)?.age }),
      TrunkPath(
        "items.age", { $0.items.age },
        any: { trunk, world in trunk.items.map { world.porter($0)?.age } }),
      TrunkPath(
        "items.best.age", { $0.items.best.age },
        any: { trunk, world in trunk.items.map { world.porter(world.porter($0)?.best)?.age } }),
      TrunkPath(
        "porters.age", { $0.porters.age },
        any: { trunk, world in trunk.porters.map { world.porter($0)?.age } }),
      TrunkPath(
        "spots.number", { $0.spots.number }, any: { trunk, _ in trunk.spots.map(\.number) }),
      TrunkPath(
        "spots.porter.age", { $0.spots.porter.age },
        any: { trunk, world in trunk.spots.map { world.porter($0.porter)?.age } }),
      TrunkPath("contents.rank", { $0.contents.rank }, any: { $1.contents(of: $0).map(\.rank) }),
      TrunkPath(
        "contents.owner.age", { $0.contents.owner.age },
        any: { trunk, world in
          world.contents(of: trunk).map { world.porter($0.owner)?.age }
        }),
      TrunkPath(
        "owner.trunks.rank", { $0.owner.trunks.rank },
        any: { trunk, world in trunk.owner.map { world.trunks(of: $0).map(\.rank) } ?? [] }),
      TrunkPath(
        "counts[a]", { $0.counts["a"] }, one: { trunk, _ in trunk.counts["a"] }),
      TrunkPath(
        "counts.values", { $0.counts.values }, any: { trunk, _ in Array(trunk.counts.values) }),
      TrunkPath(
        "marks[ab].age", { $0.marks["ab"].age },
        one: { trunk, world in world.porter(trunk.marks["ab"] ?? nil)?.age }),
      TrunkPath(
        "marks.values.age", { $0.marks.values.age },
        any: { trunk, world in trunk.marks.values.map { world.porter($0)?.age } }),
    ]
  }

  /// Numbers that are made of a collection.
  static var made: [TrunkPath] {
    [
      TrunkPath("items.count", { $0.items.count }, one: { trunk, _ in trunk.items.count }),
      TrunkPath("tags.count", { $0.tags.count }, one: { trunk, _ in trunk.tags.count }),
      TrunkPath("counts.count", { $0.counts.count }, one: { trunk, _ in trunk.counts.count }),
      TrunkPath("contents.count", { $0.contents.count }, one: { $1.contents(of: $0).count }),
      TrunkPath(
        "owner.trunks.count", { $0.owner.trunks.count },
        one: { trunk, world in trunk.owner.map { world.trunks(of: $0).count } }),
      TrunkPath(
        "numbers.sum", { $0.numbers.sum }, one: { trunk, _ in trunk.numbers.reduce(0, +) }),
      TrunkPath("numbers.min", { $0.numbers.min }, one: { trunk, _ in trunk.numbers.min() }),
      TrunkPath(
        "items.age.max", { $0.items.age.max },
        one: { trunk, world in trunk.items.compactMap { world.porter($0)?.age }.max() }),
      TrunkPath(
        "items.age.sum", { $0.items.age.sum },
        one: { trunk, world in trunk.items.compactMap { world.porter($0)?.age }.reduce(0, +) }),
      TrunkPath(
        "inside.numbers.max", { $0.inside.numbers.max },
        one: { $1.trunk($0.inside)?.numbers.max() }),
      TrunkPath(
        "(items.age > 1).count", { ($0.items.age > 1).count },
        one: { trunk, world in
          trunk.items.filter { (world.porter($0)?.age ?? 0) > 1 }.count
        }),
      TrunkPath(
        "(items.age > 0 && items.name != Bob).count",
        { ($0.items.age > 0 && $0.items.name != "Bob").count },
        one: { trunk, world in
          trunk.items.filter { (world.porter($0)?.age ?? 0) > 0 && $0 != "Bob" }.count
        }),
      TrunkPath(
        "(porters.age > 0 || rank > 1).count", { ($0.porters.age > 0 || $0.rank > 1).count },
        one: { trunk, world in
          trunk.porters.filter { (world.porter($0)?.age ?? 0) > 0 || trunk.rank > 1 }.count
        }),
      TrunkPath(
        "(!(contents.isOpen) && owner == nil).count",
        { (!$0.contents.isOpen && $0.owner == nil).count },
        one: { trunk, world in
          trunk.owner == nil ? world.contents(of: trunk).filter { !$0.isOpen }.count : 0
        }),
    ]
  }
}

extension TrunkPath<String> {
  static var all: [TrunkPath] {
    [
      TrunkPath("owner.name", { $0.owner.name }, one: { trunk, _ in trunk.owner }),
      TrunkPath("owner.town", { $0.owner.town }, one: { $1.porter($0.owner)?.town }),
      TrunkPath(
        "owner.best.name", { $0.owner.best.name }, one: { $1.porter($0.owner)?.best }),
      TrunkPath("address.city", { $0.address.city }, one: { trunk, _ in trunk.address?.city }),
      TrunkPath("spots.city", { $0.spots.city }, any: { trunk, _ in trunk.spots.map(\.city) }),
      TrunkPath("items.name", { $0.items.name }, any: { trunk, _ in trunk.items }),
      TrunkPath(
        "items.town", { $0.items.town },
        any: { trunk, world in trunk.items.map { world.porter($0)?.town } }),
      TrunkPath("porters.name", { $0.porters.name }, any: { trunk, _ in trunk.porters }),
      TrunkPath(
        "counts.keys", { $0.counts.keys }, any: { trunk, _ in Array(trunk.counts.keys) }),
      TrunkPath(
        "marks[a].name", { $0.marks["a"].name }, one: { trunk, _ in trunk.marks["a"] ?? nil }),
      TrunkPath(
        "contents.identifier", { $0.contents.identifier },
        any: { $1.contents(of: $0).map(\.identifier) }),
    ]
  }
}

extension TrunkCondition {
  private static func onPath<Value>(
    _ path: TrunkPath<Value>, _ name: String, _ ask: @escaping (Query<Value>) -> Query<Bool>,
    _ holds: @escaping (Value?) -> Bool
  ) -> TrunkCondition {
    TrunkCondition(
      name: "\(path.name) \(name)", query: { ask(path.query($0)) },
      holds: { path.values($0, $1).contains(where: holds) })
  }

  private static func onNumber(_ random: inout SeededGenerator) -> TrunkCondition {
    let paths =
      Bool.random(using: &random) ? TrunkPath<Int>.all : TrunkPath<Int>.made
    guard let path = paths.randomElement(using: &random) else { preconditionFailure() }
    let (number, other) = (
      Int.random(in: -2...4, using: &random), Int.random(in: -2...4, using: &random)
    )
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return onPath(path, "== \(number)", { $0 == number }, { $0 == number })
    case 1: return onPath(path, "!= \(number)", { $0 != number }, { $0 != number })
    case 2:
      return onPath(path, "< \(number)", { $0 < number }, { $0.map { $0 < number } ?? false })
    case 3:
      return onPath(path, ">= \(number)", { $0 >= number }, { $0.map { $0 >= number } ?? false })
    case 4:
      return onPath(
        path, "in \(number), \(other)", { $0.in([number, other]) },
        { $0 == number || $0 == other })
    case 5:
      let range = min(number, other)...max(number, other)
      return onPath(
        path, "in \(range)", { $0.contains(range) }, { $0.map(range.contains) ?? false })
    case 6:
      // Paths with a collection in common are of one object: these have none.
      return TrunkCondition(
        name: "\(path.name) == rank", query: { path.query($0) == $0.rank },
        holds: { trunk, world in path.values(trunk, world).contains { $0 == trunk.rank } })
    default:
      let range = min(number, other)..<max(number, other)
      return onPath(
        path, "in \(range)", { $0.contains(range) }, { $0.map(range.contains) ?? false })
    }
  }

  private static func onText(_ random: inout SeededGenerator) -> TrunkCondition {
    let text = (TrunkWorld.texts + TrunkWorld.names).randomElement(using: &random) ?? ""
    guard let path = TrunkPath<String>.all.randomElement(using: &random) else {
      preconditionFailure()
    }
    switch Int.random(in: 0..<7, using: &random) {
    case 0: return onPath(path, "== \(text)", { $0 == text }, { $0 == text })
    case 1: return onPath(path, "!= \(text)", { $0 != text }, { $0 != text })
    case 2: return onPath(path, "< \(text)", { $0 < text }, { $0.map { $0 < text } ?? false })
    case 3:
      return onPath(
        path, "starts \(text)", { $0.starts(with: text) },
        { $0.map { $0.hasPrefix(text) || text.isEmpty } ?? false })
    case 4:
      return onPath(
        path, "in \(text), Bob", { $0.in([text, "Bob"]) }, { $0 == text || $0 == "Bob" })
    case 5:
      return onPath(path, "not \(text)", { $0.notEquals(text) }, { $0 != text })
    default:
      return onPath(
        path, "contains \(text)", { $0.contains(text) },
        { $0.map { text.isEmpty || $0.contains(text) } ?? false })
    }
  }

  private static func onCount(_ random: inout SeededGenerator) -> TrunkCondition {
    let text = TrunkWorld.texts.randomElement(using: &random) ?? ""
    let number = TrunkWorld.numbers.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<9, using: &random) {
    case 0:
      return TrunkCondition(
        name: "numbers contain \(number)", query: { $0.numbers.contains(number) },
        holds: { trunk, _ in trunk.numbers.contains(number) })
    case 1:
      return TrunkCondition(
        name: "numbers contain any", query: { $0.numbers.containsAny(in: [number, 3]) },
        holds: { trunk, _ in trunk.numbers.contains { [number, 3].contains($0) } })
    case 2:
      return TrunkCondition(
        name: "words contain \(text)", query: { $0.words.contains(text) },
        holds: { trunk, _ in trunk.words.contains(text) })
    case 3:
      return TrunkCondition(
        name: "tags contain \(text)", query: { $0.tags.contains(text) },
        holds: { trunk, _ in trunk.tags.contains(text) })
    case 4:
      return TrunkCondition(
        name: "items empty", query: { $0.items.isEmpty },
        holds: { trunk, _ in trunk.items.isEmpty })
    case 5:
      return TrunkCondition(
        name: "inside.isOpen", query: { $0.inside.isOpen },
        holds: { $1.trunk($0.inside)?.isOpen ?? false })
    case 6:
      return TrunkCondition(
        name: "numbers.avg > \(number)", query: { $0.numbers.avg > Double(number) },
        holds: { trunk, _ in
          !trunk.numbers.isEmpty
            && Double(trunk.numbers.reduce(0, +)) / Double(trunk.numbers.count) > Double(number)
        })
    case 7:
      return TrunkCondition(
        name: "items.name == owner.name", query: { $0.items.name == $0.owner.name },
        holds: { trunk, _ in trunk.items.contains { $0 == trunk.owner } })
    default:
      return TrunkCondition(
        name: "note == \(text)", query: { $0.note == text },
        holds: { trunk, _ in trunk.note == text })
    }
  }

  private static func onObject(
    _ random: inout SeededGenerator, _ store: Store, _ world: TrunkWorld
  ) -> TrunkCondition {
    let name = world.porters.randomElement(using: &random)?.name
    let trunk = world.trunks.randomElement(using: &random)?.identifier
    // What is not in the store is in nothing.
    let porter = store.porter(name) ?? Porter("Ann")
    let other = store.trunk(trunk) ?? Trunk("none")
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      return TrunkCondition(
        name: "owner is \(name ?? "")", query: { $0.owner == porter },
        holds: { trunk, _ in name != nil && trunk.owner == name })
    case 1:
      return TrunkCondition(
        name: "owner is nil", query: { $0.owner == nil },
        holds: { trunk, _ in trunk.owner == nil })
    case 2:
      return TrunkCondition(
        name: "owner is not \(name ?? "")", query: { $0.owner != porter },
        holds: { trunk, _ in name == nil || trunk.owner != name })
    case 3:
      return TrunkCondition(
        name: "items have \(name ?? "")", query: { $0.items.contains(porter) },
        holds: { trunk, _ in name.map { trunk.items.contains($0) } ?? false })
    case 4:
      return TrunkCondition(
        name: "porters have \(name ?? "")", query: { $0.porters.containsAny(in: [porter]) },
        holds: { trunk, _ in name.map { trunk.porters.contains($0) } ?? false })
    case 5:
      return TrunkCondition(
        name: "contents have \(trunk ?? "")", query: { $0.contents.contains(other) },
        holds: { value, world in trunk != nil && world.trunk(trunk)?.inside == value.identifier }
      )
    case 6:
      return TrunkCondition(
        name: "marks[a] is \(name ?? "")", query: { $0.marks["a"] == porter },
        holds: { trunk, _ in name != nil && (trunk.marks["a"] ?? nil) == name })
    case 7:
      return TrunkCondition(
        name: "address is nil", query: { $0.address == nil },
        holds: { trunk, _ in trunk.address == nil })
    case 8:
      return TrunkCondition(
        name: "inside in \(trunk ?? ""), nil", query: { $0.inside.in([other, nil]) },
        holds: { value, _ in value.inside == nil || (trunk != nil && value.inside == trunk) })
    default:
      return TrunkCondition(
        name: "spots.porter is \(name ?? "")", query: { $0.spots.porter == porter },
        holds: { trunk, _ in name != nil && trunk.spots.contains { $0.porter == name } })
    }
  }
}
