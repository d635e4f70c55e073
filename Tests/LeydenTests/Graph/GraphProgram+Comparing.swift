import Leyden
import TestSupport

/// What the store holds and says, against the world.
extension GraphProgram {
  /// The other side of a link: linking objects of a kind, and the property whose links they are.
  struct Inverse {
    let kind: World.Kind
    let name: String
    let source: World.Kind
    let origin: String
    let read: (Object) -> [Int]?
  }

  // MARK: Contents

  /// Compares all objects, what they hold and what leads to them.
  func compare(_ store: Store) throws {
    for kind in World.Kind.allCases {
      let objects = all(kind, store)
      let numbers = objects.map(\.number)
      guard numbers.sorted() == world.numbers(kind) else {
        throw fail("\(kind): \(numbers) and not \(world.numbers(kind))")
      }
      for (number, object) in objects {
        for field in fields(of: kind) {
          guard let found = field.read(object) else { continue }
          guard let expected = world.nodes[number]?.held[field.name], found == expected else {
            throw fail(
              "\(number).\(field.name): \(found) and not "
                + "\(world.nodes[number]?.held[field.name].map { "\($0)" } ?? "nil")")
          }
        }
        for inverse in inverses where inverse.kind == kind {
          let sources = all(inverse.source, store).map(\.number)
            .filter { world.leads($0, inverse.origin, to: number) }
          guard let found = inverse.read(object), found == sources else {
            throw fail(
              "\(number).\(inverse.name): \(inverse.read(object) ?? []) and not \(sources)")
          }
        }
      }
    }
  }

  /// All objects of a kind, in the order of their creation.
  private func all(_ kind: World.Kind, _ store: Store) -> [(number: Int, object: Object)] {
    switch kind {
    case .ship: store.objects(Ship.self).map { ($0.number, $0) }
    case .crate: store.objects(Crate.self).map { ($0.number, $0) }
    case .port: store.objects(Harbor.self).map { ($0.number, $0) }
    }
  }

  // MARK: The log

  /// Compares what the log says of some commits with how the world differs.
  ///
  /// Of several commits it may say that a collection changed which is as it was.
  func check(_ changes: ObjectChangeSet, _ before: World, isExact: Bool) throws {
    for kind in World.Kind.allCases {
      guard let type = store.session.core.catalog.type(named: kind.rawValue) else { continue }
      let rows = changes.types[type.id] ?? [:]
      var expected = 0
      for number in Set(before.numbers(kind) + world.numbers(kind)) {
        guard let row = self.rows[number] else { throw fail("\(number) has no row") }
        let change = rows[row]
        switch (before.nodes[number], world.nodes[number]) {
        case (nil, _?):
          expected += 1
          if change != .inserted { throw fail("\(number) is new, and the log: \(says(change))") }
        case (_?, nil):
          expected += 1
          if change != .deleted { throw fail("\(number) is gone, and the log: \(says(change))") }
        case (let old?, let new?):
          if change != nil { expected += 1 }
          try check(change, number, old, new, before, type, isExact: isExact)
        default: break
        }
      }
      if expected != rows.count { throw fail("the log names \(rows.count) rows of \(kind)") }
    }
  }

  private func says(_ change: ObjectChangeSet.Change?) -> String {
    change.map { "\($0)" } ?? "nothing"
  }

  private func check(
    _ change: ObjectChangeSet.Change?, _ number: Int, _ old: World.Node, _ new: World.Node,
    _ before: World, _ type: Catalog.StoredType, isExact: Bool
  ) throws {
    var ordinals: Set<Int> = []
    if case .modified(let properties) = change {
      ordinals = Set(properties.ordinals)
    } else if change != nil {
      throw fail("\(number) was there and is, and the log: \(says(change))")
    }
    func check(_ name: String, isChanged: Bool, mayBe: Bool) throws {
      guard let ordinal = type.property(named: name)?.ordinal else { return }
      let isNamed = ordinals.remove(ordinal) != nil
      if isNamed != isChanged, !(isNamed && (mayBe || !isExact)) {
        throw fail("\(number).\(name) \(isChanged ? "changed" : "did not change"), says nobody")
      }
    }
    for field in fields(of: old.kind) {
      try check(
        field.name, isChanged: old.held[field.name] != new.held[field.name],
        mayBe: renewed.contains(["\(number)", field.name]))
    }
    for inverse in inverses where inverse.kind == old.kind {
      func sources(_ world: World) -> Set<Int> {
        Set(world.nodes.keys.filter { world.leads($0, inverse.origin, to: number) })
      }
      try check(inverse.name, isChanged: sources(before) != sources(world), mayBe: false)
    }
    if !ordinals.isEmpty { throw fail("\(number): ordinals \(ordinals) changed, says the log") }
    if case .modified(let properties) = change, properties.isEmpty {
      throw fail("\(number) was modified in nothing")
    }
  }
}

extension GraphProgram.Inverse {
  static var all: [Self] {
    [
      Self(kind: .ship, name: "sisters", source: .ship, origin: "sister") {
        ($0 as? Ship)?.sisters.map(\.number)
      },
      Self(kind: .ship, name: "friendOf", source: .ship, origin: "friends") {
        ($0 as? Ship)?.friendOf.map(\.number)
      },
      Self(kind: .crate, name: "ships", source: .ship, origin: "crates") {
        ($0 as? Crate)?.ships.map(\.number)
      },
      Self(kind: .port, name: "ships", source: .ship, origin: "home") {
        ($0 as? Harbor)?.ships.map(\.number)
      },
      Self(kind: .port, name: "visitors", source: .ship, origin: "route") {
        ($0 as? Harbor)?.visitors.map(\.number)
      },
      Self(kind: .port, name: "guests", source: .ship, origin: "berths") {
        ($0 as? Harbor)?.guests.map(\.number)
      },
      Self(kind: .port, name: "crates", source: .crate, origin: "seal") {
        ($0 as? Harbor)?.crates.map(\.number)
      },
    ]
  }
}
