import Leyden

/// What a property or an element is in a ``World``.
enum Atom: Hashable {
  case null
  case int(Int)
  case text(String)
  /// An object, by its number.
  case link(Int)
  indirect case visit(VisitItem)
}

extension Atom {
  var links: [Int] {
    switch self {
    case .link(let number): [number]
    case .visit(let visit): visit.links
    default: []
    }
  }

  func leads(to gone: Set<Int>) -> Bool {
    if case .link(let number) = self { gone.contains(number) } else { false }
  }

  mutating func release(_ gone: Set<Int>) {
    switch self {
    case .link(let number): if gone.contains(number) { self = .null }
    case .visit(var visit):
      visit.release(gone)
      self = .visit(visit)
    default: break
    }
  }
}

/// What a property holds in a ``World``.
enum Held: Equatable {
  case one(Atom)
  case list([Atom])
  case set(Set<Atom>)
  case map([String: Atom])

  /// All objects that it leads to, and the same one more than once.
  var links: [Int] {
    switch self {
    case .one(let item): item.links
    case .list(let items): items.flatMap(\.links)
    case .set(let items): items.flatMap(\.links)
    case .map(let items): items.values.flatMap(\.links)
    }
  }

  /// Lets go of objects: links become nil, elements go, keys stay.
  mutating func release(_ gone: Set<Int>) {
    switch self {
    case .one(var item):
      item.release(gone)
      self = .one(item)
    case .list(let items):
      self = .list(
        items.filter { !$0.leads(to: gone) }.map { item in
          var item = item
          item.release(gone)
          return item
        })
    case .set(let items): self = .set(items.filter { !$0.leads(to: gone) })
    case .map(let items):
      self = .map(
        items.mapValues { item in
          var item = item
          item.release(gone)
          return item
        })
    }
  }
}

/// A change of one property.
enum Edit {
  case assign(Held)
  case insert([Atom], at: Int)
  case remove(Range<Int>)
  case replace(Int, Atom)
  case move(Int, Int)
  case swap(Int, Int)
  case removeAll
  case add(Atom)
  case take(Atom)
  case put(String, Atom)
  case drop(String)
}

extension Held {
  /// Makes the change.
  mutating func apply(_ edit: Edit) {
    switch (self, edit) {
    case (_, .assign(let held)): self = held
    case (.list(var items), _):
      switch edit {
      case .insert(let new, let position): items.insert(contentsOf: new, at: position)
      case .remove(let range): items.removeSubrange(range)
      case .replace(let position, let item): items[position] = item
      case .move(let from, let to): items.insert(items.remove(at: from), at: to)
      case .swap(let left, let right): items.swapAt(left, right)
      default: items = []
      }
      self = .list(items)
    case (.set(var items), .add(let item)):
      items.insert(item)
      self = .set(items)
    case (.set(var items), .take(let item)):
      items.remove(item)
      self = .set(items)
    case (.set, _): self = .set([])
    case (.map(var items), .put(let key, let item)):
      items[key] = item
      self = .map(items)
    case (.map(var items), .drop(let key)):
      items[key] = nil
      self = .map(items)
    case (.map, _): self = .map([:])
    default: break
    }
  }
}

/// Objects that lead to each other, as values: what a store of ships should hold.
struct World {
  /// One object.
  struct Node {
    let kind: Kind
    var held: [String: Held]
  }

  enum Kind: String, CaseIterable {
    case ship = "Ship"
    case crate = "Crate"
    case port = "Harbor"
  }

  /// All objects, by their numbers.
  var nodes: [Int: Node] = [:]

  /// The numbers of a kind's objects, rising.
  func numbers(_ kind: Kind) -> [Int] { nodes.filter { $0.value.kind == kind }.keys.sorted() }

  /// Whether a property of an object leads to another one.
  func leads(_ source: Int, _ property: String, to target: Int) -> Bool {
    nodes[source]?.held[property]?.links.contains(target) ?? false
  }

  /// Deletes objects with what they own; false where a rule forbids it, and then nothing is done.
  mutating func delete(_ numbers: [Int]) -> Bool {
    let doomed = doomed(by: numbers)
    guard !isHeld(doomed) else { return false }
    for number in doomed { nodes[number] = nil }
    for number in nodes.keys {
      for property in (nodes[number]?.held ?? [:]).keys {
        nodes[number]?.held[property]?.release(doomed)
      }
    }
    return true
  }

  /// Objects with all that they own.
  func doomed(by numbers: [Int]) -> Set<Int> {
    var doomed: Set<Int> = []
    var waiting = numbers
    while let number = waiting.popLast() {
      guard let node = nodes[number], doomed.insert(number).inserted else { continue }
      waiting += node.ties.filter { $0.rule == .cascade }.map(\.target)
    }
    return doomed
  }

  /// Whether one of some objects must not go without another one that is not among them.
  func isHeld(_ doomed: Set<Int>) -> Bool {
    doomed.contains { number in
      (nodes[number]?.ties ?? []).contains { $0.rule == .deny && !doomed.contains($0.target) }
    }
  }
}
