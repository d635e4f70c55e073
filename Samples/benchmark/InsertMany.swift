import CBaseline
import Leyden

/// Asks what it costs to add many objects at once.
struct InsertMany: Question {
  let name = "insert"

  func title(_ options: Options) -> String {
    "\(options.notes) objects in one write, without flushes"
  }

  func measure(_ report: Report) throws {
    let notes = Notes(report.options.notes)
    report.begin()
    try report.row(
      "all of them",
      leyden: {
        let stores = try Stores()
        let store = try stores.leyden()
        let objects = notes.objects()
        return try nanoseconds { try store.write { try store.add(objects) } }
      },
      lmdb: {
        let stores = try Stores()
        let plain = try stores.plain()
        return nanoseconds { plain.insert(notes) }
      },
      sqlite: {
        let stores = try Stores()
        guard let sqlite = try stores.sqlite() else { return .nan }
        return nanoseconds { sqlite.insert(notes) }
      })
  }
}
