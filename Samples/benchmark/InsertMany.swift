import Leyden

/// Asks what it costs to add many objects at once.
struct InsertMany: Question {
  let name = "insert"

  func title(_ options: Options) -> String {
    "\(options.notes) objects in one write, without flushes"
  }

  func measure(_ report: Report) throws {
    report.begin()
    try Self.measure(report, "all of them", isIndexed: false)
  }

  /// Measures one row, with or without indexes beside the primary key's.
  static func measure(_ report: Report, _ label: String, isIndexed: Bool) throws {
    let notes = Notes(report.options.notes)
    try report.row(
      label,
      leyden: {
        let stores = try Stores(isIndexed: isIndexed)
        let store = try stores.leyden()
        return try isIndexed
          ? store.timeToAdd(notes.objects(IndexedNote.self)) : store.timeToAdd(notes.objects())
      },
      lmdb: {
        let stores = try Stores(isIndexed: isIndexed)
        let plain = try stores.plain()
        return nanoseconds { plain.insert(notes) }
      },
      sqlite: {
        let stores = try Stores(isIndexed: isIndexed)
        guard let sqlite = try stores.sqlite() else { return .nan }
        return nanoseconds { sqlite.insert(notes) }
      })
  }
}

extension Store {
  fileprivate func timeToAdd(_ objects: [some Object]) throws -> Double {
    try nanoseconds { try write { try add(objects) } }
  }
}
