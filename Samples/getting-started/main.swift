// Opens a store, observes a query, writes, and hears of its own write; the README shows this code.
// Run it: swift run getting-started (it makes Notes.leyden in the current directory)
// Read first: this file, then NotesKit/StoredNote.swift.

import Foundation
import Leyden

final class Note: Object {
  @Persisted(primaryKey: true) var identifier: String
  @Persisted var title: String = ""
}

let url = URL(filePath: "Notes.leyden")
let store = try Store(configuration: .init(fileURL: url, objectTypes: [Note.self]))
let jars = store.objects(Note.self)
  .where { $0.title.contains("JAR", options: .caseInsensitive) }
  .sorted(by: \.title)

let token = jars.observe { change in
  switch change {
  case .initial(let jars): print("notes about jars: \(jars.count)")
  case .update(_, let deletions, let insertions, let modifications):
    print("deleted \(deletions), inserted \(insertions), modified \(modifications)")
  case .error(let error): print(error)
  }
}

let note = Note()
note.identifier = UUID().uuidString
note.title = "A Leyden jar"
try store.write { try store.add(note) }
