import ConsoleKit
import Leyden
import NotesKit

extension NotesSession {
  /// `notes rm ID…`: deletes all that are named, or, where one is not found, none.
  func remove() throws {
    let dataSource = try openForChanging()
    let removed = try dataSource.write {
      // All are found before the first is deleted: an id that is named twice is one note, and a
      // beginning that was ambiguous stays so.
      var notes: [StoredNote] = []
      for id in arguments.operands {
        let note = try dataSource.find(id)
        if !notes.contains(note) { notes.append(note) }
      }
      let values = notes.map(\.value)
      try dataSource.store.delete(notes)
      return values
    }
    report("Deleted \(removed.count) \(removed.count == 1 ? "note" : "notes").")
    try answer(changed: removed)
  }
}
