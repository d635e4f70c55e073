import CBaseline
import Leyden

/// Asks what it costs to change one object.
struct CommitOne: Question {
  let name = "commit"
  private let commits = 200

  func title(_ options: Options) -> String {
    "one changed title of \(options.notes) objects, each in a write of its own"
  }

  func measure(_ report: Report) throws {
    report.begin()
    try measure(report, "flushed twice (.full)", .full, baseline_full)
    try measure(report, "flushed once (.relaxed)", .relaxed, baseline_relaxed)
    try measure(report, "not flushed (.unsafe)", .unsafe, baseline_unsafe)
  }

  private func measure(
    _ report: Report, _ label: String, _ durability: Durability,
    _ plainDurability: baseline_durability
  ) throws {
    let filled = try Filled(report.options.notes, durability: (durability, plainDurability))
    let (store, plain, sqlite) = (filled.leyden, filled.plain, filled.sqlite)
    let rows = filled.notes.positions(commits, seed: 2).map { Int($0) }
    let objects = store.objects(Note.self)
    let changed = rows.map { objects[$0] }
    var number = 0
    try report.row(
      label, operations: commits,
      leyden: {
        try nanoseconds {
          for note in changed {
            number += 1
            try store.write { note.title = changedTitle(number) }
          }
        }
      },
      lmdb: {
        nanoseconds {
          for row in rows {
            number += 1
            plain.change(row: row + 1, title: changedTitle(number))
          }
        }
      },
      sqlite: sqlite.map { sqlite in
        {
          nanoseconds {
            for row in rows {
              number += 1
              sqlite.change(row: row + 1, title: changedTitle(number))
            }
          }
        }
      })
  }
}
