import Foundation
import Leyden
import TestSupport

/// A property of a type of the ``World``, in a store.
struct Field {
  let name: String
  /// What an object has that was not told otherwise.
  let empty: Held
  /// What the elements, or the one value, may be.
  let items: Items
  /// Makes a change of a live or an unmanaged object.
  let apply: (Object, Edit, Finder) -> Void
  /// What the object holds; `nil` where it cannot be read.
  let read: (Object) -> Held?

  /// What may be in a property.
  enum Items {
    case ships, crates, ports, anything, texts, textsOrNil, numbers, visits
  }

  /// Finds or makes the object of a number.
  typealias Finder = (Int) -> Object
}

extension Field {
  /// The properties of each kind's objects.
  static func all() -> [World.Kind: [Field]] { [.ship: ship, .crate: crate, .port: port] }

  private static var ship: [Field] {
    [
      one("title", .texts, \Ship.title), one("home", .ports, \Ship.home),
      one("sister", .ships, \Ship.sister), one("flag", .anything, \Ship.flag),
      list("crates", .crates, \Ship.crates), list("route", .ports, \Ship.route),
      list("notes", .anything, \Ship.notes), list("words", .textsOrNil, \Ship.words),
      list("numbers", .numbers, \Ship.numbers), set("friends", .ships, \Ship.friends),
      set("tags", .texts, \Ship.tags), set("marks", .textsOrNil, \Ship.marks),
      map("berths", .ports, \Ship.berths), map("papers", .anything, \Ship.papers),
      map("counts", .numbers, \Ship.counts), map("texts", .textsOrNil, \Ship.texts),
      one("latest", .visits, \Ship.latest), list("visits", .visits, \Ship.visits),
      map("planned", .visits, \Ship.planned),
    ]
  }
  private static var crate: [Field] {
    [one("twin", .crates, \Crate.twin), one("seal", .ports, \Crate.seal)]
  }
  private static var port: [Field] { [one("name", .textsOrNil, \Harbor.name)] }

  private static func one<Owner: Object, Value: Persistable>(
    _ name: String, _ items: Items, _ path: ReferenceWritableKeyPath<Owner, Value>
  ) -> Field {
    let isText = items == .texts
    return Field(
      name: name, empty: .one(isText ? .text("") : .null), items: items,
      apply: { object, edit, find in
        guard let owner = object as? Owner, case .assign(.one(let item)) = edit else { return }
        owner[keyPath: path] = Value.make(item, find)
      },
      read: { object in
        guard let owner = object as? Owner else { return nil }
        return Atom.read(owner[keyPath: path]).map { .one($0) }
      })
  }

  private static func list<Owner: Object, Element: Persistable>(
    _ name: String, _ items: Items, _ path: ReferenceWritableKeyPath<Owner, List<Element>>
  ) -> Field {
    Field(
      name: name, empty: .list([]), items: items,
      apply: { object, edit, find in
        guard let owner = object as? Owner else { return }
        let list = owner[keyPath: path]
        func make(_ items: [Atom]) -> [Element] { items.map { Element.make($0, find) } }
        switch edit {
        case .assign(.list(let items)):
          let new = List<Element>()
          new.append(contentsOf: make(items))
          owner[keyPath: path] = new
        case .insert(let items, let position): list.insert(contentsOf: make(items), at: position)
        case .remove(let range): list.removeSubrange(range)
        case .replace(let position, let item): list[position] = Element.make(item, find)
        case .move(let from, let to): list.move(from: from, to: to)
        case .swap(let left, let right): list.swapAt(left, right)
        default: list.removeAll()
        }
      },
      read: { object in
        guard let owner = object as? Owner else { return nil }
        return .list(owner[keyPath: path].compactMap { Atom.read($0) })
      })
  }

  private static func set<Owner: Object, Element: Persistable & Hashable>(
    _ name: String, _ items: Items, _ path: ReferenceWritableKeyPath<Owner, MutableSet<Element>>
  ) -> Field {
    Field(
      name: name, empty: .set([]), items: items,
      apply: { object, edit, find in
        guard let owner = object as? Owner else { return }
        let set = owner[keyPath: path]
        switch edit {
        case .assign(.set(let items)):
          let new = MutableSet<Element>()
          new.insert(contentsOf: items.map { Element.make($0, find) })
          owner[keyPath: path] = new
        case .add(let item): set.insert(Element.make(item, find))
        case .take(let item): set.remove(Element.make(item, find))
        default: set.removeAll()
        }
      },
      read: { object in
        guard let owner = object as? Owner else { return nil }
        let items = owner[keyPath: path].compactMap { Atom.read($0) }
        return Set(items).count == items.count ? .set(Set(items)) : nil
      })
  }

  private static func map<Owner: Object, Value: Persistable>(
    _ name: String, _ items: Items, _ path: ReferenceWritableKeyPath<Owner, Map<String, Value>>
  ) -> Field {
    Field(
      name: name, empty: .map([:]), items: items,
      apply: { object, edit, find in
        guard let owner = object as? Owner else { return }
        let map = owner[keyPath: path]
        switch edit {
        case .assign(.map(let items)):
          let new = Map<String, Value>()
          for (key, item) in items { new[key] = .some(Value.make(item, find)) }
          owner[keyPath: path] = new
        case .put(let key, let item): map[key] = .some(Value.make(item, find))
        case .drop(let key): map.removeObject(for: key)
        default: map.removeAll()
        }
      },
      read: { object in
        guard let owner = object as? Owner else { return nil }
        let map = owner[keyPath: path]
        var held: [String: Atom] = [:]
        for (key, value) in zip(map.keys, map.values) { held[key] = Atom.read(value) }
        return .map(held)
      })
  }
}

extension Persistable {
  /// The Swift value of an item.
  fileprivate static func make(_ item: Atom, _ find: Field.Finder) -> Self {
    if Self.self == AnyValue.self { return anyValue(item, find) as? Self ?? emptyValue }
    let value: Any? =
      switch item {
      case .null: nil
      case .int(let number): number
      case .text(let text): text
      case .link(let number): find(number)
      case .visit(let visit): Visit(visit, find)
      }
    return value as? Self ?? emptyValue
  }
}

private func anyValue(_ item: Atom, _ find: Field.Finder) -> AnyValue {
  switch item {
  case .int(let number): .int(number)
  case .text(let text): .string(text)
  case .link(let number): .object(find(number))
  default: .none
  }
}

extension Visit {
  /// An unmanaged visit.
  fileprivate convenience init(_ item: VisitItem, _ find: Field.Finder) {
    self.init()
    day = item.day
    port = Harbor?.make(item.port, find)
    others.append(contentsOf: item.others.map { Harbor.make($0, find) })
    remark = anyValue(item.remark, find)
    cargo.append(contentsOf: item.cargo.map { Crate.make($0, find) })
    tender = Ship?.make(item.tender, find)
    stamp = item.stamp.map { Stamp($0, find) }
    stamps.append(contentsOf: item.stamps.map { Stamp($0, find) })
  }
}

extension Stamp {
  /// An unmanaged stamp.
  convenience init(_ item: StampItem, _ find: Field.Finder) {
    self.init()
    port = Harbor?.make(item.port, find)
    crate = Crate?.make(item.crate, find)
    seal = Harbor?.make(item.seal, find)
  }
}

extension Atom {
  /// What a Swift value stands for; `nil` for what cannot be read.
  fileprivate static func read(_ value: Any) -> Atom? {
    switch value {
    case AnyValue.object(let object): .link(number(of: object))
    case let value as AnyValue: read(value.storedValue)
    case let value as Int: .int(value)
    case let value as String: .text(value)
    case let object as Object: .link(number(of: object))
    case let visit as Visit:
      .visit(
        VisitItem(
          day: visit.day, port: read(visit.port as Any) ?? .null,
          others: visit.others.compactMap { read($0) }, remark: read(visit.remark) ?? .null,
          cargo: visit.cargo.compactMap { read($0) }, tender: read(visit.tender as Any) ?? .null,
          stamp: visit.stamp.map(read), stamps: visit.stamps.map(read)))
    default: .null
    }
  }

  private static func read(_ stamp: Stamp) -> StampItem {
    StampItem(
      port: read(stamp.port as Any) ?? .null, crate: read(stamp.crate as Any) ?? .null,
      seal: read(stamp.seal as Any) ?? .null)
  }

  private static func read(_ value: StoredValue) -> Atom? {
    switch value {
    case .int(let number): .int(Int(number))
    case .string(let text): .text(text)
    default: .null
    }
  }

  private static func number(of object: Object) -> Int {
    switch object {
    case let ship as Ship: ship.number
    case let crate as Crate: crate.number
    case let port as Harbor: port.number
    default: -1
    }
  }
}
