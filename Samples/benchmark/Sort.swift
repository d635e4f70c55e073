import Leyden

/// Asks what it costs to sort all objects.
struct Sort: Question {
  let name = "sort"

  func title(_ options: Options) -> String { "\(options.notes) objects, no index" }

  func measure(_ report: Report) throws {
    let filled = try Filled(report.options.notes)
    let (store, plain, sqlite) = (filled.leyden, filled.plain, filled.sqlite)
    let all = store.objects(Note.self)
    report.begin()

    try report.row(
      "by a Date", leyden: { nanoseconds { use(all.sorted(by: \.lastEdited).last) } },
      lmdb: { nanoseconds { plain.sort() } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.sort() } } })
    try report.row(
      "by a String of 43 bytes", leyden: { nanoseconds { use(all.sorted(by: \.title).last) } })
    try report.row(
      "by a Date, of those with one rating of six",
      leyden: {
        nanoseconds { use(all.where { $0.rating == 3 }.sorted(by: \.lastEdited).last) }
      })
  }
}
