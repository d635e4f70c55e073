import Foundation
import Leyden
import LeydenTesting

/// A spot as a plain value.
struct SpotValue: Equatable {
  var city = ""
  var number = 0
  var porter: String?
}

/// A porter as a plain value; objects are named by their keys.
struct PorterValue: Equatable {
  var name: String
  var age = 0
  var town = ""
  var best: String?
}

/// A trunk as a plain value; objects are named by their keys.
struct TrunkValue: Equatable {
  var identifier: String
  var rank = 0
  var note: String?
  var isOpen = false
  var owner: String?
  var inside: String?
  var address: SpotValue?
  var spots: [SpotValue] = []
  var numbers: [Int] = []
  var words: [String] = []
  var items: [String] = []
  var porters: [String] = []
  var tags: [String] = []
  var counts: [String: Int] = [:]
  var marks: [String: String?] = [:]
}

/// What a store of trunks holds, as plain values in the order of their creation.
struct TrunkWorld: Equatable {
  var porters: [PorterValue] = []
  var trunks: [TrunkValue] = []
  /// What the one depot holds; trunks may be there more than once.
  var depot: [String] = []

  func porter(_ name: String?) -> PorterValue? { porters.first { $0.name == name } }
  func trunk(_ identifier: String?) -> TrunkValue? {
    trunks.first { $0.identifier == identifier }
  }
  /// The trunks whose owner a porter is.
  func trunks(of porter: String) -> [TrunkValue] { trunks.filter { $0.owner == porter } }
  /// The trunks inside of one.
  func contents(of trunk: TrunkValue) -> [TrunkValue] {
    trunks.filter { $0.inside == trunk.identifier }
  }

  /// Takes a porter out of everything.
  mutating func delete(porter name: String) {
    porters.removeAll { $0.name == name }
    for index in porters.indices where porters[index].best == name { porters[index].best = nil }
    for index in trunks.indices {
      if trunks[index].owner == name { trunks[index].owner = nil }
      if trunks[index].address?.porter == name { trunks[index].address?.porter = nil }
      for spot in trunks[index].spots.indices where trunks[index].spots[spot].porter == name {
        trunks[index].spots[spot].porter = nil
      }
      trunks[index].items.removeAll { $0 == name }
      trunks[index].porters.removeAll { $0 == name }
      for (key, value) in trunks[index].marks where value == name {
        trunks[index].marks[key] = .some(nil)
      }
    }
  }

  /// Takes a trunk out of everything.
  mutating func delete(trunk identifier: String) {
    trunks.removeAll { $0.identifier == identifier }
    for index in trunks.indices where trunks[index].inside == identifier {
      trunks[index].inside = nil
    }
    depot.removeAll { $0 == identifier }
  }
}

extension Store {
  func porter(_ name: String?) -> Porter? {
    name.flatMap { object(ofType: Porter.self, forPrimaryKey: $0) }
  }

  func trunk(_ identifier: String?) -> Trunk? {
    identifier.flatMap { object(ofType: Trunk.self, forPrimaryKey: $0) }
  }
}

extension Porter {
  func take(_ value: PorterValue, _ store: Store) {
    age = value.age
    town = value.town
    best = store.porter(value.best)
  }
}

extension Trunk {
  /// Sets everything but the key, in a write.
  func take(_ value: TrunkValue, _ store: Store) {
    func spot(_ value: SpotValue) -> Spot {
      Spot(value.city, value.number, store.porter(value.porter))
    }
    rank = value.rank
    note = value.note
    isOpen = value.isOpen
    owner = store.porter(value.owner)
    inside = store.trunk(value.inside)
    address = value.address.map(spot)
    spots.removeAll()
    spots.append(contentsOf: value.spots.map(spot))
    numbers.removeAll()
    numbers.append(contentsOf: value.numbers)
    words.removeAll()
    words.append(contentsOf: value.words)
    items.removeAll()
    items.append(contentsOf: value.items.compactMap { store.porter($0) })
    porters.removeAll()
    porters.insert(contentsOf: value.porters.compactMap { store.porter($0) })
    tags.removeAll()
    tags.insert(contentsOf: value.tags)
    counts.removeAll()
    for (key, count) in value.counts { counts[key] = count }
    marks.removeAll()
    for (key, porter) in value.marks { marks[key] = .some(store.porter(porter)) }
  }

  /// Everything of the trunk that it holds itself.
  var value: TrunkValue {
    func value(_ spot: Spot) -> SpotValue {
      SpotValue(city: spot.city, number: spot.number, porter: spot.porter?.name)
    }
    var trunk = TrunkValue(identifier: identifier)
    trunk.rank = rank
    trunk.note = note
    trunk.isOpen = isOpen
    trunk.owner = owner?.name
    trunk.inside = inside?.identifier
    trunk.address = address.map(value)
    trunk.spots = spots.map(value)
    trunk.numbers = Array(numbers)
    trunk.words = Array(words)
    trunk.items = items.map(\.name)
    trunk.porters = porters.map(\.name)
    trunk.tags = Array(tags)
    for key in counts.keys { trunk.counts[key] = counts[key] }
    for key in marks.keys { trunk.marks[key] = .some((marks[key] ?? nil)?.name) }
    return trunk
  }
}

extension TrunkWorld {
  static let names = ["Ann", "Bob", "Cy", "Dé"]
  static let texts = ["", "a", "ab", "B", "é", "Ann"]
  static let numbers = [-1, 0, 1, 2, 3]

  /// A trunk of values from small sets, so that much is equal and much is missing.
  func randomTrunk(_ identifier: String, _ random: inout SeededGenerator) -> TrunkValue {
    func text(_ random: inout SeededGenerator) -> String {
      Self.texts.randomElement(using: &random) ?? ""
    }
    func number(_ random: inout SeededGenerator) -> Int {
      Self.numbers.randomElement(using: &random) ?? 0
    }
    func porter(_ random: inout SeededGenerator) -> String? {
      Int.random(in: 0..<3, using: &random) == 0 ? nil : porters.randomElement(using: &random)?.name
    }
    func many<Value>(_ random: inout SeededGenerator, _ one: (inout SeededGenerator) -> Value?)
      -> [Value]
    {
      let most = Int.random(in: 0..<12, using: &random) == 0 ? 20 : 3
      return (0..<Int.random(in: 0...most, using: &random)).compactMap { _ in one(&random) }
    }
    func spot(_ random: inout SeededGenerator) -> SpotValue {
      SpotValue(city: text(&random), number: number(&random), porter: porter(&random))
    }
    var trunk = TrunkValue(identifier: identifier)
    trunk.rank = number(&random)
    trunk.note = Bool.random(using: &random) ? nil : text(&random)
    trunk.isOpen = Bool.random(using: &random)
    trunk.owner = porter(&random)
    trunk.inside =
      Bool.random(using: &random) ? nil : trunks.randomElement(using: &random)?.identifier
    trunk.address = Bool.random(using: &random) ? nil : spot(&random)
    trunk.spots = Array(many(&random) { spot(&$0) }.prefix(4))
    trunk.numbers = many(&random) { number(&$0) }
    trunk.words = many(&random) { text(&$0) }
    trunk.items = many(&random) { porter(&$0) }
    let some = Set(many(&random) { porter(&$0) })
    trunk.porters = porters.map(\.name).filter(some.contains)
    trunk.tags = Array(Set(many(&random) { text(&$0) })).sorted()
    for key in many(&random, { text(&$0) }) { trunk.counts[key] = number(&random) }
    for key in many(&random, { text(&$0) }) { trunk.marks[key] = .some(porter(&random)) }
    return trunk
  }
}
