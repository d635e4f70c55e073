import CBaseline
import Foundation
import Leyden

/// Asks what two indexes cost and what they are good for.
struct UseIndexes: Question {
  let name = "index"
  private let commits = 200
  private let newest = 20

  func title(_ options: Options) -> String {
    "\(options.notes) objects with indexes over an Int and a Date"
  }

  func measure(_ report: Report) throws {
    report.begin()
    try InsertMany.measure(report, "insert all of them in one write", isIndexed: true)
    let filled = try Filled(report.options.notes, isIndexed: true)
    try read(report, filled)
    try change(report, filled)
  }

  private func read(_ report: Report, _ filled: Filled) throws {
    let (plain, sqlite) = (filled.plain, filled.sqlite)
    let all = filled.leyden.objects(IndexedNote.self)
    // Dates are spread evenly over 12.5 million seconds.
    let dates = 6_000_000.0..<6_125_000
    let from = Date(timeIntervalSinceReferenceDate: dates.lowerBound)
    let to = Date(timeIntervalSinceReferenceDate: dates.upperBound)
    func inRange() -> [NoteValue] {
      all.where { $0.lastEdited >= from && $0.lastEdited < to }.values
    }
    func atTop() -> [NoteValue] {
      all.sorted(by: \.lastEdited, ascending: false).limit(newest).values
    }
    guard all.where({ $0.rating == 3 }).count == plain.countIndexed(rating: 3),
      inRange().count == plain.copy(dates),
      atTop().reduce(0, { $0 + $1.rating }) == plain.copyNewest(newest)
    else { throw Missing() }

    try report.row(
      "count where the Int has a value",
      leyden: { nanoseconds { use(all.where { $0.rating == 3 }.count) } },
      lmdb: { nanoseconds { use(plain.countIndexed(rating: 3)) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { use(sqlite.countRating(3)) } } })
    try report.row(
      "copy the values of a range, 1 %", leyden: { nanoseconds { use(inRange()) } },
      lmdb: { nanoseconds { use(plain.copy(dates)) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { use(sqlite.copy(dates)) } } })
    try report.row(
      "sort all by the Date",
      leyden: { nanoseconds { use(all.sorted(by: \.lastEdited).last) } },
      lmdb: { nanoseconds { plain.sortIndexed() } },
      sqlite: sqlite.map { sqlite in { nanoseconds { sqlite.sort() } } })
    try report.row(
      "copy the values of the newest \(newest)", leyden: { nanoseconds { use(atTop()) } },
      lmdb: { nanoseconds { use(plain.copyNewest(newest)) } },
      sqlite: sqlite.map { sqlite in { nanoseconds { use(sqlite.copyNewest(newest)) } } })
    try report.row(
      "first call of an observer of the sorted list",
      leyden: {
        nanoseconds { all.sorted(by: \.lastEdited).observe { use($0) }.invalidate() }
      }, lmdb: { nanoseconds { plain.sortIndexed() } })
  }

  private func change(_ report: Report, _ filled: Filled) throws {
    let rows = filled.notes.positions(commits, seed: 5).map { Int($0) }
    let objects = filled.leyden.objects(IndexedNote.self)
    let changed = rows.map { objects[$0] }
    var number = 0
    func edits(_ apply: (Int, Edit) throws -> Void) rethrows -> Double {
      try nanoseconds {
        for position in rows.indices {
          number += 1
          try apply(position, Edit(number))
        }
      }
    }
    try report.row(
      "change one in its own write, not flushed", operations: commits,
      leyden: {
        try edits { position, edit in
          try filled.leyden.write {
            changed[position].title = edit.title
            changed[position].rating = edit.rating
            changed[position].lastEdited = Date(timeIntervalSinceReferenceDate: edit.date)
          }
        }
      }, lmdb: { edits { filled.plain.edit(row: rows[$0] + 1, $1) } },
      sqlite: filled.sqlite.map { sqlite in { edits { sqlite.edit(row: rows[$0] + 1, $1) } } })
  }
}

/// New values for a note, other ones for each number.
struct Edit {
  let title: String
  let rating: Int
  let date: Double

  init(_ number: Int) {
    title = changedTitle(number)
    rating = number % 6
    date = changedDate(number)
  }
}
