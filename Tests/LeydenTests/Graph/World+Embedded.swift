import Leyden

/// Tells an embedded object from others; equal ones may be two.
final class Identity: Hashable {
  static func == (left: Identity, right: Identity) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

/// An embedded object as a value.
struct VisitItem: Hashable {
  var identity = Identity()
  var day = 0
  var port = Atom.null
  var others: [Atom] = []
  var remark = Atom.null
  var cargo: [Atom] = []
  var tender = Atom.null
  var stamp: StampItem?
  var stamps: [StampItem] = []

  /// All objects that it leads to, and the same one more than once.
  var links: [Int] { parts.flatMap { $0.ties.map(\.target) } }

  /// It and what lies in it.
  var parts: [Part] {
    let own =
      [Tie](port, "port") + Array(remark, "remark") + Array(tender, "tender", .cascade)
      + others.flatMap { [Tie]($0, "others") } + cargo.flatMap { [Tie]($0, "cargo", .cascade) }
    return [Part(identity: identity, ties: own)] + ([stamp].compactMap { $0 } + stamps).map(\.part)
  }

  /// Lets go of objects.
  mutating func release(_ gone: Set<Int>) {
    port.release(gone)
    remark.release(gone)
    tender.release(gone)
    others.removeAll { $0.leads(to: gone) }
    cargo.removeAll { $0.leads(to: gone) }
    stamp?.release(gone)
    for position in stamps.indices { stamps[position].release(gone) }
  }

  /// Another one with the same values.
  func copy() -> VisitItem {
    var copy = self
    copy.identity = Identity()
    copy.stamp?.identity = Identity()
    for position in stamps.indices { copy.stamps[position].identity = Identity() }
    return copy
  }

  /// Is one that was there before, with other values: so an update does it.
  mutating func replace(_ old: VisitItem) {
    identity = old.identity
    if let stamp = old.stamp { self.stamp?.identity = stamp.identity }
    for (position, stamp) in old.stamps.enumerated() where position < stamps.count {
      stamps[position].identity = stamp.identity
    }
  }
}

/// An embedded object in another one as a value.
struct StampItem: Hashable {
  var identity = Identity()
  var port = Atom.null
  var crate = Atom.null
  var seal = Atom.null

  var part: Part {
    Part(
      identity: identity,
      ties: [Tie](port, "port") + Array(crate, "crate", .cascade) + Array(seal, "seal", .deny))
  }

  mutating func release(_ gone: Set<Int>) {
    port.release(gone)
    crate.release(gone)
    seal.release(gone)
  }
}

/// A link and its delete rule.
struct Tie: Hashable {
  let property: String
  let target: Int
  let rule: DeleteRule
}

/// One embedded object without those in it.
struct Part {
  let identity: Identity
  let ties: [Tie]
}

extension [Tie] {
  fileprivate init(_ atom: Atom, _ property: String, _ rule: DeleteRule = .nullify) {
    self = atom.links.map { Tie(property: property, target: $0, rule: rule) }
  }
}

extension Held {
  /// The atoms that are held.
  var atoms: [Atom] {
    switch self {
    case .one(let item): [item]
    case .list(let items): items
    case .set(let items): Array(items)
    case .map(let items): Array(items.values)
    }
  }

  /// All embedded objects.
  var parts: [Part] {
    atoms.flatMap { (atom) -> [Part] in
      if case .visit(let visit) = atom { visit.parts } else { [] }
    }
  }

  /// What is held after an update of what was held: embedded objects stay the same in their places.
  func updating(_ old: Held) -> Held {
    func update(_ new: Atom, _ old: Atom?) -> Atom {
      guard case .visit(var visit) = new, case .visit(let old) = old else { return new }
      visit.replace(old)
      return .visit(visit)
    }
    return switch (self, old) {
    case (.one(let new), .one(let old)): .one(update(new, old))
    case (.list(let new), .list(let old)):
      .list(new.enumerated().map { update($1, $0 < old.count ? old[$0] : nil) })
    case (.map(let new), .map(let old)):
      .map(Dictionary(uniqueKeysWithValues: new.map { ($0, update($1, old[$0])) }))
    default: self
    }
  }
}

extension World.Node {
  /// What the object leads to and its delete rules are about, embedded objects included.
  var ties: [Tie] {
    let own = held.flatMap { (property, held) -> [Tie] in
      switch property {
      case "crates", "twin": held.links.map { Tie(property: property, target: $0, rule: .cascade) }
      case "seal": held.links.map { Tie(property: property, target: $0, rule: .deny) }
      default: []
      }
    }
    return own + held.values.flatMap { $0.parts.flatMap(\.ties) }
  }
}

extension World {
  /// What embedded objects led to that are gone when an object holds other things.
  struct Loss {
    /// What they owned.
    var owned: [Int] = []
    /// Whether one of them must not go.
    var isDenied = false
  }

  /// Finds what is lost when properties of an object hold something else.
  func loss(_ number: Int, _ held: [String: Held]) -> Loss {
    func parts(_ held: [Held]) -> [ObjectIdentifier: Set<Tie>] {
      Dictionary(
        held.flatMap(\.parts).map { (ObjectIdentifier($0.identity), Set($0.ties)) }
      ) { $0.union($1) }
    }
    let old = parts(held.keys.compactMap { nodes[number]?.held[$0] })
    let new = parts(Array(held.values))
    let taken = new.flatMap { (part, ties) in ties.subtracting(old[part] ?? []).map(\.target) }
    let lost = old.filter { new[$0.key] == nil }.flatMap(\.value)
      .filter { !taken.contains($0.target) }
    let owned = Set(lost.filter { $0.rule == .cascade }.map(\.target)).sorted()
    let doomed = doomed(by: owned)
    let isDenied = lost.contains { $0.rule == .deny && !doomed.contains($0.target) }
    return Loss(owned: owned, isDenied: isDenied || isHeld(doomed))
  }
}
