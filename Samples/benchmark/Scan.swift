import Leyden

/// Asks what it costs to look at every object.
struct Scan: Question {
  let name = "scan"

  func title(_ options: Options) -> String { "every one of \(options.notes) objects, no index" }

  func measure(_ report: Report) throws {
    let filled = try Filled(report.options.notes)
    let (store, plain, sqlite) = (filled.leyden, filled.plain, filled.sqlite)
    let all = store.objects(Note.self)
    guard all.where({ $0.rating == 3 }).count == plain.countRating(3),
      all.where({ $0.content.contains("quarry café") }).count
        == plain.countContaining("quarry café")
    else { throw Missing() }
    report.begin()

    try report.row(
      "sum of a property",
      leyden: { nanoseconds { use(all.sum(of: \.rating)) } },
      lmdb: { nanoseconds { plain.sumRatings() } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.sumRatings() } } })
    try report.row(
      "the same, object by object",
      leyden: {
        try store.read {
          nanoseconds {
            var sum = 0
            for note in store.objects(Note.self) { sum += note.rating }
            use(sum)
          }
        }
      }, lmdb: { nanoseconds { plain.sumRatings() } })
    try report.row(
      "count where an Int has a value",
      leyden: { nanoseconds { use(all.where { $0.rating == 3 }.count) } },
      lmdb: { nanoseconds { use(plain.countRating(3)) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { use(sqlite.countRating(3)) } } })
    try report.row(
      "count where a text contains another",
      leyden: { nanoseconds { use(all.where { $0.content.contains("quarry café") }.count) } },
      lmdb: { nanoseconds { use(plain.countContaining("quarry café")) } },
      sqlite: sqlite.map { sqlite in
        { nanoseconds { use(sqlite.countContaining("quarry café")) } }
      })
    try report.row(
      "copy all six properties",
      leyden: {
        try store.read { nanoseconds { use(store.objects(Note.self).map { NoteValue($0) }) } }
      }, lmdb: { nanoseconds { plain.copyAll() } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.copyAll() } } })
  }
}
