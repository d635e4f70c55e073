import Foundation
import Leyden
import LeydenTesting
import XCTest

/// Random changes of embedded objects, compared with the same changes of plain values.
final class RandomEmbeddedTests: EmbeddedTestCase {
  private struct RoomValue: Hashable {
    var name = ""
    var size = 0
    var owner: String?
  }

  private struct PlaceValue: Hashable {
    var street = ""
    var visits: [Int] = []
    var guests: [String] = []
    var rooms: [RoomValue] = []
    var room: RoomValue?
  }

  private struct FolderValue: Hashable {
    var place: PlaceValue?
    var earlier: [PlaceValue] = []
    var byName: [String: PlaceValue?] = [:]
  }

  func testEmbeddedObjectsHoldWhatPlainValuesDo() throws {
    try forEachSeed(12) { seed in
      var random = SeededGenerator(seed: seed)
      let store = try Store(
        configuration: .init(
          inMemoryIdentifier: "embedded \(seed) \(UUID())",
          objectTypes: [Folder.self, Sheet.self]))
      var mirror = FolderValue()
      let folder = try store.write {
        for name in Self.names { try store.add(Person(name)) }
        return try store.add(Folder("a"))
      }
      for step in 0..<25 {
        var next = mirror
        let isUndone = random.next() % 5 == 0
        do {
          try store.write {
            for _ in 0..<(1 + random.next() % 4) {
              try change(folder, &next, in: store, &random)
            }
            XCTAssertEqual(value(of: folder), next, "seed \(seed), step \(step), within the write")
            if isUndone { throw CancellationError() }
          }
          mirror = next
        } catch is CancellationError {}
        XCTAssertEqual(value(of: folder), mirror, "seed \(seed), step \(step)")
      }
      XCTAssertNoThrow(try store.verify(), "seed \(seed)")
    }
  }

  private static let names = ["Ann", "Bob", "Cid"]

  private func change(
    _ folder: Folder, _ mirror: inout FolderValue, in store: Store,
    _ random: inout SeededGenerator
  ) throws {
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(max(limit, 1))) }
    let value = PlaceValue(street: String(repeating: "street ", count: number(90)))
    let count = mirror.earlier.count
    switch number(9) {
    case 0:
      folder.place = place(value)
      mirror.place = value
    case 1:
      folder.place = nil
      mirror.place = nil
    case 2:
      let position = number(count + 1)
      folder.earlier.insert(place(value), at: position)
      mirror.earlier.insert(value, at: position)
    case 3 where count > 0:
      let position = number(count)
      folder.earlier.remove(at: position)
      mirror.earlier.remove(at: position)
    case 4 where count > 0:
      let (from, to) = (number(count), number(count))
      folder.earlier.move(from: from, to: to)
      mirror.earlier.insert(mirror.earlier.remove(at: from), at: to)
    case 5 where count > 0:
      // A copy of another one.
      let (from, to) = (number(count), number(count))
      folder.earlier[to] = folder.earlier[from]
      mirror.earlier[to] = mirror.earlier[from]
    case 6:
      let key = "key \(number(4))"
      folder.byName[key] = .some(place(value))
      mirror.byName[key] = .some(value)
    case 7:
      let key = "key \(number(4))"
      folder.byName[key] = nil
      mirror.byName[key] = nil
    default:
      for (place, path) in places(of: folder, mirror) {
        guard number(2) == 0 else { continue }
        try change(place, &mirror[keyPath: path], in: store, &random)
      }
    }
  }

  private func change(
    _ place: Place, _ mirror: inout PlaceValue, in store: Store, _ random: inout SeededGenerator
  ) throws {
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(max(limit, 1))) }
    let name = Self.names[number(3)]
    let person = try XCTUnwrap(store.object(ofType: Person.self, forPrimaryKey: name))
    switch number(7) {
    case 0:
      place.street = "\(number(1_000))"
      mirror.street = place.street
    case 1:
      let numbers = Array(0..<number(40))
      place.visits.append(contentsOf: numbers)
      mirror.visits += numbers
    case 2:
      place.guests.append(person)
      mirror.guests.append(name)
    case 3:
      let room = RoomValue(name: "\(number(9))", size: number(9), owner: name)
      place.room = self.room(room, person)
      mirror.room = room
      place.rooms.append(self.room(room, person))
      mirror.rooms.append(room)
    case 4 where !mirror.rooms.isEmpty:
      let position = number(mirror.rooms.count)
      place.rooms[position].size += 1
      mirror.rooms[position].size += 1
      place.rooms.swapAt(position, 0)
      mirror.rooms.swapAt(position, 0)
    case 5:
      place.room?.owner = nil
      mirror.room?.owner = nil
    default:
      place.visits.removeAll()
      mirror.visits = []
      if !mirror.guests.isEmpty {
        place.guests.remove(at: 0)
        mirror.guests.removeFirst()
      }
    }
  }

  /// All embedded objects, each with the way to its value.
  private func places(
    of folder: Folder, _ mirror: FolderValue
  ) -> [(Place, WritableKeyPath<FolderValue, PlaceValue>)] {
    var all: [(Place, WritableKeyPath<FolderValue, PlaceValue>)] = []
    if let place = folder.place { all.append((place, \.place[or: PlaceValue()])) }
    for (position, place) in folder.earlier.enumerated() {
      all.append((place, \.earlier[position]))
    }
    for (key, place) in folder.byName {
      if let place = place ?? nil { all.append((place, \.byName[key, or: nil][or: PlaceValue()])) }
    }
    return all
  }

  private func place(_ value: PlaceValue) -> Place {
    let place = Place(value.street)
    place.visits.append(contentsOf: value.visits)
    return place
  }

  private func room(_ value: RoomValue, _ owner: Person) -> Room {
    let room = Room(value.name, size: value.size)
    room.owner = owner
    return room
  }

  private func value(of folder: Folder) -> FolderValue {
    var value = FolderValue(
      place: folder.place.map(self.value), earlier: folder.earlier.map(self.value))
    for (key, place) in folder.byName { value.byName[key] = .some((place ?? nil).map(self.value)) }
    return value
  }

  private func value(of place: Place) -> PlaceValue {
    PlaceValue(
      street: place.street, visits: Array(place.visits), guests: place.guests.map(\.name),
      rooms: place.rooms.map(value), room: place.room.map(value))
  }

  private func value(of room: Room) -> RoomValue {
    RoomValue(name: room.name, size: room.size, owner: room.owner?.name)
  }
}

extension Optional {
  fileprivate subscript(or value: Wrapped) -> Wrapped where Wrapped: Hashable {
    get { self ?? value }
    set { self = newValue }
  }
}

extension Dictionary {
  fileprivate subscript(key: Key, or value: Value) -> Value where Value: Hashable {
    get { self[key] ?? value }
    set { self[key] = newValue }
  }
}
