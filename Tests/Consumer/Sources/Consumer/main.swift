// Uses what a model is and has, as a program outside of the library's package sees it.

import Foundation
import Leyden

struct Failure: Error {
  let line: UInt
}

func check(_ condition: Bool, line: UInt = #line) throws {
  if !condition { throw Failure(line: line) }
}

func makeStore() throws -> Store {
  try Store(
    configuration: .init(
      inMemoryIdentifier: "consumer",
      objectTypes: [StoredNote.self, Shelf.self, Rack.self, Sample.self]))
}

func checkObjects(_ store: Store) throws {
  let rack = Rack()
  rack.identifier = "r1"
  rack.width = 80
  try check(rack.store == "cellar" && rack.changes == 1 && !rack.isOpen)
  try check(!rack.isManaged && !rack.isInvalidated && rack.persistentIdentifier.isTemporary)
  try store.write { try store.add(rack) }

  let same = store.object(ofType: Rack.self, forPrimaryKey: "r1")
  try check(same == rack && rack.isSameObject(as: same) && Set([rack]).contains(rack))
  try check(rack.isManaged && rack.makeDescription() == "a rack")
  try check(rack.objectSchema.name == "Rack" && rack.objectSchema.properties.count == 6)
  try store.write {
    rack["width"] = 90
    rack["description"] = "made of iron"
    rack["value"] = nil
  }
  try check(rack["width"] as? Int == 90 && rack.description == "made of iron")
  try store.write { try store.delete(rack) }
  try check(rack.isInvalidated && rack.width == nil && rack.store == "")
}

func checkTypes(_ store: Store) throws {
  let sample = try store.write { try store.add(Sample()) }
  try check(sample.color == .red && sample.temperature.degrees == 273.15 && sample.ratio == 0.5)
  try store.write {
    sample.otherColor = .green
    sample.large = .min
    sample.price = Decimal(string: "0.1")
    sample["color"] = "green"
    sample["temperature"] = 300
  }
  let samples = store.objects(Sample.self)
  try check(samples.where { $0.color == .green && $0.large == .min }.count == 1)
  try check(samples.max(of: \.price) == Decimal(string: "0.1"))
  try check(sample.temperature == Kelvin(degrees: 300))
  try check(sample.objectSchema.name == "SampleOfEverything")
  try check(sample.persistentIdentifier.typeName == "SampleOfEverything")
  try check(sample.description.contains("green"))
}

func checkIdentifiers(_ store: Store) throws {
  let identifier = try store.write {
    try store.create(StoredNote.self, value: ["identifier": "n0", "title": "Jars"])
      .persistentIdentifier
  }
  let data = try JSONEncoder().encode(identifier)
  try check(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
  try check(PersistentIdentifier(uri: identifier.uriRepresentation) == identifier)
  try check(store.object(for: identifier, as: StoredNote.self)?.title == "Jars")
  try check(identifier.typeName == "StoredNote")
}

func checkValues(_ store: Store) throws {
  let note = Note(identifier: "n1", title: "Leyden", lastEdited: Date())
  try check(StoredNote(value: note).value == note)
  let stored = try store.write {
    try store.add(value: note, as: StoredNote.self, update: .modified)
  }
  try check(stored.value == note && store.value(of: stored) == note)
  try check(store.values(of: StoredNote.self).contains(note))

  let copy = try JSONDecoder().decode(StoredNote.self, from: JSONEncoder().encode(stored))
  try check(copy.value.title == note.title && copy.mark == stored.mark && copy.pinned == nil)
}

let store = try makeStore()
try checkObjects(store)
try checkTypes(store)
try checkIdentifiers(store)
try checkValues(store)
print("\(store.objects(StoredNote.self).count) notes at version \(store.version)")
