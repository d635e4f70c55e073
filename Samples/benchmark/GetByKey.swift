import Leyden

/// Asks what it costs to get an object by its primary key.
struct GetByKey: Question {
  let name = "get"
  private let reads = 20_000

  func title(_ options: Options) -> String {
    "an object by its primary key, \(reads) random ones of \(options.notes) in one read"
  }

  func measure(_ report: Report) throws {
    let filled = try Filled(report.options.notes)
    let notes = filled.notes
    let (store, plain, sqlite) = (filled.leyden, filled.plain, filled.sqlite)
    let order = notes.positions(reads, seed: 1)
    let keys = order.map { notes.identifier(Int($0)) }
    report.begin()

    try report.row(
      "and one property", operations: reads,
      leyden: {
        try store.read {
          try nanoseconds {
            var sum = 0
            for key in keys { sum += try store.note(key).rating }
            use(sum)
          }
        }
      }, lmdb: { nanoseconds { plain.get(notes, order, all: false) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.get(notes, order, all: false) } } })
    try report.row(
      "and all six properties", operations: reads,
      leyden: {
        try store.read {
          try nanoseconds { for key in keys { use(NoteValue(try store.note(key))) } }
        }
      }, lmdb: { nanoseconds { plain.get(notes, order, all: true) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.get(notes, order, all: true) } } })
    try report.row(
      "and one property, outside of read", operations: reads,
      leyden: {
        try nanoseconds {
          var sum = 0
          for key in keys { sum += try store.note(key).rating }
          use(sum)
        }
      })
  }
}

extension Store {
  /// The note with a key that is known to be there.
  fileprivate func note(_ key: String) throws -> Note {
    guard let note = object(ofType: Note.self, forPrimaryKey: key) else { throw Missing() }
    return note
  }
}

/// A note is not where it was put: the figures would mean nothing.
struct Missing: Error {}
