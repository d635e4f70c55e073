import Foundation
import Leyden

/// Has names that the library uses itself.
class Shelf: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted(indexed: true) var store: String = "cellar"
  @Persisted var changes: Int = 1
  @Persisted var value: Double?
}

/// Inherits its superclass's properties.
final class Rack: Shelf {
  @Persisted var description: String = "made of wood"
  @Persisted var width: Int?
  var isOpen = false

  override func makeDescription() -> String { "a rack" }
}

enum Color: String, PersistableEnum, Codable {
  case none, red, green
}

struct Kelvin: CustomPersistable, Hashable, Codable {
  var degrees: Double

  init(degrees: Double) { self.degrees = degrees }
  init(persistedValue: Double) { degrees = persistedValue }
  var persistableValue: Double { degrees }
}

/// A property of every type, and with every option that is not in use below.
final class Sample: Object {
  override class var storedName: String { "SampleOfEverything" }
  override class var indexes: [CompoundIndex] { [CompoundIndex("color", "small")] }

  @Persisted(primaryKey: true) var identifier: ObjectId = ObjectId.generate()
  @Persisted(unique: true) var number: Int64 = 64
  @Persisted var color: Color = .red
  @Persisted var otherColor: Color?
  @Persisted var temperature: Kelvin = Kelvin(degrees: 273.15)
  @Persisted var small: Int8
  @Persisted var medium: Int16
  @Persisted var large: Int32?
  @Persisted var byte: UInt8
  @Persisted var word: UInt16?
  @Persisted var double: UInt32
  @Persisted var ratio: Float = 0.5
  @Persisted var price: Decimal?
  @Persisted var owner: UUID?
  @Persisted var due: Date?
  @Persisted var flag: Bool = true
}

final class StoredNote: Object, Codable {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String = ""
  @Persisted(indexed: true) var lastEdited: Date
  @Persisted var rating: Double = 2.5
  @Persisted var count: Int
  @Persisted var pinned: Bool?
  @Persisted var picture: Data
  @Persisted var mark: UUID = UUID()
}

struct Note: Sendable, Hashable, Codable {
  var identifier: String
  var title: String
  var lastEdited: Date
}

extension StoredNote: ValueConvertible {
  convenience init(value note: Note) {
    self.init()
    identifier = note.identifier
    title = note.title
    lastEdited = note.lastEdited
  }

  var value: Note { Note(identifier: identifier, title: title, lastEdited: lastEdited) }
}
