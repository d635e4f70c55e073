import Foundation
import Leyden
import TestSupport

/// A role that changes ships and harbors as lines of input say.
enum Sailing {
  /// Makes one commit for each line: commands with a `;` between them, such as `title 2 x; delete ship 1`.
  static func sail(_ store: Store) throws {
    say("ready")
    while let line = readLine() {
      try store.write {
        for command in line.components(separatedBy: "; ") {
          try run(command.components(separatedBy: " "), in: store)
        }
      }
      say(line)
    }
  }

  private static func run(_ words: [String], in store: Store) throws {
    let numbers = words.dropFirst().compactMap { Int($0) }
    let ship = numbers.first.flatMap { store.object(ofType: Ship.self, forPrimaryKey: $0) }
    let harbor = numbers.last.flatMap { store.object(ofType: Harbor.self, forPrimaryKey: $0) }
    let last = words.last ?? ""
    switch (words[0], words.count > 1 ? words[1] : "") {
    case ("empty", "ships"): try store.deleteAll(Ship.self)
    case ("empty", "harbors"): try store.deleteAll(Harbor.self)
    case ("empty", _): try store.deleteAll()
    case ("delete", "ship"): if let ship { try store.delete(ship) }
    case ("delete", "harbor"): if let harbor { try store.delete(harbor) }
    case ("add", "ship"): try store.add(Ship(numbers[0]))
    case ("add", "harbor"): try store.add(Harbor(numbers[0]))
    case ("name", _):
      store.object(ofType: Harbor.self, forPrimaryKey: numbers[0])?.name = last
    case ("title", _): ship?.title = last
    case ("home", _): ship?.home = harbor
    case ("number", _): ship?.numbers.append(numbers[1])
    case ("call", _): if let harbor { ship?.route.append(harbor) }
    case ("pass", _): ship?.route.remove(at: numbers[1])
    case ("turn", _): ship?.route.move(from: numbers[1], to: numbers[2])
    case ("rest", _): ship?.route.removeAll()
    case ("befriend", _):
      if let friend = store.object(ofType: Ship.self, forPrimaryKey: numbers[1]) {
        ship?.friends.insert(friend)
      }
    case ("berth", _):
      if last == "nil" { ship?.berths[words[2]] = nil } else { ship?.berths[words[2]] = harbor }
    case ("note", _): if let harbor { ship?.notes.append(.object(harbor)) }
    case ("paper", _): ship?.papers[words[2]] = harbor.map { .object($0) }
    case ("visit", _):
      let visit = Visit()
      visit.day = numbers[1]
      visit.port = harbor
      ship?.visits.append(visit)
    case ("day", _): ship?.visits[numbers[1]].day = numbers[2]
    default: throw StoreError.invalidValue(words.joined(separator: " "))
    }
  }
}
