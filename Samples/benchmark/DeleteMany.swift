import Leyden

/// Asks what it costs to delete many objects at once.
struct DeleteMany: Question {
  let name = "delete"

  func title(_ options: Options) -> String {
    "every tenth of \(options.notes) objects with two indexes, in one write, without flushes"
  }

  func measure(_ report: Report) throws {
    let stores = try Filled(report.options.notes, isIndexed: true).stores
    let positions = stride(from: 0, to: report.options.notes, by: 10)
    let rows = positions.map { UInt64($0) + 1 }
    report.begin()
    try report.row(
      "all of these",
      leyden: {
        let copy = try stores.copy()
        let store = try copy.leyden()
        let objects = store.objects(IndexedNote.self)
        let chosen = positions.map { objects[$0] }
        return try nanoseconds { try store.write { try store.delete(chosen) } }
      },
      lmdb: {
        let copy = try stores.copy()
        let plain = try copy.plain()
        return nanoseconds { plain.delete(rows) }
      },
      sqlite: {
        let copy = try stores.copy()
        guard let sqlite = try copy.sqlite() else { return .nan }
        return nanoseconds { sqlite.delete(rows) }
      })
  }
}
