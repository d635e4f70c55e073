import Foundation
import Leyden

/// An object that holds others in all ways, and values of any type.
final class Folder: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var title: String = ""
  @Persisted var place: Place?
  @Persisted var earlier: List<Place>
  @Persisted var byName: Map<String, Place?>
  @Persisted var next: Folder?
  @Persisted var people: List<Person>
  @Persisted var answer: AnyValue
  @Persisted var answers: List<AnyValue>
  @Persisted var answerSet: MutableSet<AnyValue>
  @Persisted var answersByName: Map<String, AnyValue>
}

/// An object inside others, with properties of all kinds.
final class Place: EmbeddedObject {
  @Persisted var street: String = ""
  @Persisted var city: String = "Leiden"
  @Persisted var number: Int?
  @Persisted var visits: List<Int>
  @Persisted var words: MutableSet<String>
  @Persisted var counts: Map<String, Int>
  @Persisted var host: Person?
  @Persisted var guests: List<Person>
  @Persisted var note: AnyValue
  @Persisted var room: Room?
  @Persisted var rooms: List<Room>
  @Persisted var roomsByName: Map<String, Room?>
}

/// An object inside one that is inside another.
final class Room: EmbeddedObject {
  @Persisted var name: String = ""
  @Persisted var size: Int = 0
  @Persisted var owner: Person?
  @Persisted var inner: Room?
}

/// An object whose embedded ones have rules for what they lead to.
final class Chest: Object {
  @Persisted(primaryKey: true) var name: String
  @Persisted var drawer: Drawer?
  @Persisted var drawers: List<Drawer>
}

/// An embedded object with delete rules.
final class Drawer: EmbeddedObject {
  @Persisted(deleteRule: .cascade) var owned: Person?
  @Persisted(deleteRule: .deny) var guarded: Label?
}

extension Folder {
  convenience init(_ name: String) {
    self.init()
    self.name = name
  }
}

extension Place {
  convenience init(_ street: String, city: String = "Leiden") {
    self.init()
    self.street = street
    self.city = city
  }
}

extension Room {
  convenience init(_ name: String, size: Int = 0) {
    self.init()
    self.name = name
    self.size = size
  }
}
