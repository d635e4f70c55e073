import Foundation
public import Leyden

/// A model with a property of every kind that leads to others, holds many values, or both.
public final class Ship: Object {
  /// Identifies the ship among all objects of the tests.
  @Persisted(primaryKey: true) public var number: Int
  /// A value.
  @Persisted(indexed: true) public var title: String
  /// A link.
  @Persisted public var home: Harbor?
  /// A link to an object of the same type.
  @Persisted public var sister: Ship?
  /// Objects that are the ship's own.
  @Persisted(deleteRule: .cascade) public var crates: List<Crate>
  /// Objects in an order, some more than once.
  @Persisted public var route: List<Harbor>
  /// Objects, each once.
  @Persisted public var friends: MutableSet<Ship>
  /// Objects under keys.
  @Persisted public var berths: Map<String, Harbor?>
  /// Anything.
  @Persisted public var flag: AnyValue
  /// Anything in an order.
  @Persisted public var notes: List<AnyValue>
  /// Anything under keys.
  @Persisted public var papers: Map<String, AnyValue>
  /// Texts and nil in an order.
  @Persisted public var words: List<String?>
  /// Numbers in an order.
  @Persisted public var numbers: List<Int>
  /// Texts, each once.
  @Persisted public var tags: MutableSet<String>
  /// Texts and nil, each once.
  @Persisted public var marks: MutableSet<String?>
  /// Numbers under keys.
  @Persisted public var counts: Map<String, Int>
  /// Texts and nil under keys.
  @Persisted public var texts: Map<String, String?>
  /// An embedded object.
  @Persisted public var latest: Visit?
  /// Embedded objects in an order.
  @Persisted public var visits: List<Visit>
  /// Embedded objects under keys.
  @Persisted public var planned: Map<String, Visit?>
  /// Ships that have this one as their sister.
  @Persisted(originProperty: "sister") public var sisters: LinkingObjects<Ship>
  /// Ships that have this one as their friend.
  @Persisted(originProperty: "friends") public var friendOf: LinkingObjects<Ship>
}

/// An object that others own, and that must not go while it is sealed.
public final class Crate: Object {
  /// Identifies the crate among all objects of the tests.
  @Persisted(primaryKey: true) public var number: Int
  /// A value.
  @Persisted public var weight: Double
  /// A crate that goes with this one: there may be circles.
  @Persisted(deleteRule: .cascade) public var twin: Crate?
  /// As long as this is there the crate cannot be deleted.
  @Persisted(deleteRule: .deny) public var seal: Harbor?
  /// The owners.
  @Persisted(originProperty: "crates") public var ships: LinkingObjects<Ship>
}

/// An object that many lead to.
public final class Harbor: Object {
  /// Identifies the port among all objects of the tests.
  @Persisted(primaryKey: true) public var number: Int
  /// A value.
  @Persisted public var name: String?
  /// Ships that are at home here.
  @Persisted(originProperty: "home") public var ships: LinkingObjects<Ship>
  /// Ships that come by, each once.
  @Persisted(originProperty: "route") public var visitors: LinkingObjects<Ship>
  /// Ships that have a berth here.
  @Persisted(originProperty: "berths") public var guests: LinkingObjects<Ship>
  /// Crates that are sealed here.
  @Persisted(originProperty: "seal") public var crates: LinkingObjects<Crate>
}

/// An embedded object with links and collections, and with another embedded object.
public final class Visit: EmbeddedObject {
  /// A value.
  @Persisted public var day: Int
  /// A link.
  @Persisted public var port: Harbor?
  /// Links in an order.
  @Persisted public var others: List<Harbor>
  /// Anything.
  @Persisted public var remark: AnyValue
  /// Objects that are the visit's own.
  @Persisted(deleteRule: .cascade) public var cargo: List<Crate>
  /// A ship that goes with the visit, which may be the visit's own ship.
  @Persisted(deleteRule: .cascade) public var tender: Ship?
  /// An embedded object.
  @Persisted public var stamp: Stamp?
  /// Embedded objects in an order.
  @Persisted public var stamps: List<Stamp>
  /// Texts under keys.
  @Persisted public var names: Map<String, String?>
}

/// An object that is embedded in an embedded one.
public final class Stamp: EmbeddedObject {
  /// A value.
  @Persisted public var text: String
  /// A link.
  @Persisted public var port: Harbor?
  /// An object that is the stamp's own.
  @Persisted(deleteRule: .cascade) public var crate: Crate?
  /// As long as this is there the stamp cannot be deleted.
  @Persisted(deleteRule: .deny) public var seal: Harbor?
}

extension Ship {
  /// The types of all objects that a store of ships has.
  public static let types: [Object.Type] = [Ship.self, Crate.self, Harbor.self]

  /// Makes an unmanaged ship.
  public convenience init(_ number: Int) {
    self.init()
    self.number = number
  }

  /// Fills a store with ships, crates and ports in several commits that add, change and delete: lists, sets
  /// and maps in records and in the table, long values in them, embedded objects, links everywhere.
  public static func fill(_ store: Store, count: Int = 8) throws {
    let ports = (0..<6).map { Harbor(1_000 + $0) }
    let ships = (0..<count).map { Ship($0) }
    try store.write {
      try store.add(ports)
      try store.add(ships)
    }
    for (number, ship) in ships.enumerated() {
      try store.write { ship.load(number, ports, ships) }
    }
    try store.write {
      try store.delete(ports[5])
      try store.delete(ships[count - 1])
      ships[0].numbers.remove(at: 3)
      ships[1].tags.remove("tag 1")
      ships[2].visits.removeFirst()
    }
  }

  /// Gives it values that follow from a number.
  private func load(_ number: Int, _ ports: [Harbor], _ ships: [Ship]) {
    let isLong = number % 2 == 0
    title = "ship \(number)"
    home = ports[number % 6]
    sister = ships[(number + 1) % ships.count]
    for step in 0..<(isLong ? 3 : 20) {
      let crate = Crate(100 * number + step + 10_000)
      crate.seal = step == 0 && number < 3 ? ports[0] : nil
      crates.append(crate)
    }
    for step in 0..<(isLong ? 40 : 5) { route.append(ports[(number + step * step) % 6]) }
    friends.insert(contentsOf: ships.prefix(isLong ? ships.count : 2))
    for step in 0..<(isLong ? 20 : 3) { berths["berth \(step)"] = ports[step % 6] }
    flag = isLong ? .object(ports[1]) : .double(Double(number))
    let long = String(repeating: "long \(number) ", count: 60)
    notes.append(contentsOf: [
      .int(number), .object(ports[2]), .none, .string(long), .object(ships[0]), .bool(true),
    ])
    papers["a"] = .object(ports[3])
    papers["b"] = .data(Data(repeating: 7, count: isLong ? 400 : 10))
    words.append(contentsOf: [nil, "word", long, ""])
    for step in 0..<(isLong ? 30 : 2) { words.append(step % 4 == 0 ? nil : "word \(step)") }
    numbers.append(contentsOf: 0..<(isLong ? 500 : 9))
    tags.insert(contentsOf: (0..<(isLong ? 5 : 25)).map { "tag \($0)" })
    marks.insert(contentsOf: [nil, "", long] + (0..<(isLong ? 20 : 1)).map { "mark \($0)" })
    for step in 0..<(isLong ? 4 : 18) { counts["count \(step)"] = step }
    texts["é"] = long
    texts[long] = .some(nil)
    texts["c"] = "short"
    latest = Visit(number, ports)
    for step in 0..<(isLong ? 18 : 2) { visits.append(Visit(number + step, ports)) }
    planned["one"] = Visit(number + 1, ports)
    planned["two"] = .some(nil)
  }

  /// The values of all properties, as text.
  public var contents: String {
    let links: [Any?] = [home?.number, sister?.number]
    let lists = [
      list(crates) { $0.number }, list(route) { $0.number }, list(friends) { $0.number },
      list(numbers) { $0 }, list(words) { $0 ?? "nil" }, list(tags) { $0 },
      list(marks) { $0 ?? "nil" }, list(notes) { Self.text($0) }, list(visits) { $0.contents },
      list(sisters) { $0.number }, list(friendOf) { $0.number },
    ]
    let maps = [
      berths.keys.map { "\($0) \((berths[$0] ?? nil)?.number ?? -1)" },
      counts.keys.map { "\($0) \(counts[$0] ?? -1)" },
      texts.keys.map { "\($0) \((texts[$0] ?? nil) ?? "nil")" },
      papers.keys.map { "\($0) \(Self.text(papers[$0] ?? .none))" },
      planned.keys.map { "\($0) \((planned[$0] ?? nil)?.contents ?? "nil")" },
    ]
    return
      "\(number) \(title) \(links) \(Self.text(flag)) \(latest?.contents ?? "nil") \(lists) \(maps)"
  }

  // One look at each: a damaged collection may have fewer elements than it is said to have.
  private func list<S: Sequence>(_ all: S, _ text: (S.Element) -> Any) -> [String] {
    var texts: [String] = []
    for element in all { texts.append("\(text(element))") }
    return texts
  }

  private static func text(_ value: AnyValue) -> String {
    if case .object(let object) = value { return "\(object["number"] ?? 0)" }
    return "\(value.storedValue)"
  }
}

extension Crate {
  /// Makes an unmanaged crate.
  public convenience init(_ number: Int) {
    self.init()
    self.number = number
  }
}

extension Harbor {
  /// Makes an unmanaged port.
  public convenience init(_ number: Int) {
    self.init()
    self.number = number
  }

  /// The values of all properties that can be compared as texts.
  public var contents: String {
    "\(number) \(name ?? "nil") \(ships.map(\.number)) \(visitors.map(\.number)) "
      + "\(guests.map(\.number)) \(crates.map(\.number))"
  }
}

extension Visit {
  /// The values of all properties, as text.
  public var contents: String {
    var others: [Int] = []
    for port in self.others { others.append(port.number) }
    let names = self.names.keys.map { "\($0) \((self.names[$0] ?? nil) ?? "nil")" }
    return "\(day) \(port?.number ?? -1) \(others) \(stamp?.text ?? "nil") \(names)"
  }

  /// Makes an unmanaged visit with values that follow from a number.
  fileprivate convenience init(_ day: Int, _ ports: [Harbor]) {
    self.init()
    self.day = day
    port = ports[day % 6]
    others.append(contentsOf: [ports[0], ports[day % 6], ports[5]])
    remark = day % 2 == 0 ? .object(ports[day % 5]) : .string("remark \(day)")
    if day % 3 != 0 {
      let stamp = Stamp()
      stamp.text = "stamp \(day)"
      stamp.port = ports[(day + 1) % 6]
      self.stamp = stamp
    }
    names["a"] = day % 2 == 0 ? .some(nil) : "b"
  }
}
