import CBaseline
import Foundation
import Leyden

/// Asks how long after a commit an observer is told.
struct Deliver: Question {
  let name = "deliver"
  private let commits = 60

  func title(_ options: Options) -> String {
    "from a commit's return to the callback of a sorted list, in one process"
  }

  func measure(_ report: Report) throws {
    report.begin()
    var counts = [1_000, 10_000, 100_000].filter { $0 <= report.options.notes }
    if report.options.asksForMillion { counts.append(1_000_000) }
    for count in counts { try measure(report, count) }
  }

  private func measure(_ report: Report, _ count: Int) throws {
    let filled = try Filled(count, withSQLite: false)
    let (writer, plain) = (filled.leyden, filled.plain)
    let reader = try filled.stores.leyden()
    var told: UInt64 = 0
    let token = reader.objects(Note.self).sorted(by: \.lastEdited).observe { change in
      if case .update = change { told = baseline_now() }
    }
    let order = plain.order(count)
    let objects = writer.objects(Note.self)
    let rows = filled.notes.positions(commits, seed: 3).map { Int($0) }
    var number = 0

    func measure(_ label: String, moves: Bool) throws {
      var times: [Double] = []
      var plainTimes: [Double] = []
      for row in rows {
        number += 1
        try writer.write {
          if moves {
            objects[row].lastEdited = Date(timeIntervalSinceReferenceDate: changedDate(number))
          } else {
            objects[row].title = changedTitle(number)
          }
        }
        let start = baseline_now()
        guard reader.refresh(), told >= start else { throw Missing() }
        times.append(Double(told - start))
        if moves {
          plain.change(row: row + 1, date: changedDate(number))
        } else {
          plain.change(row: row + 1, title: changedTitle(number))
        }
        plainTimes.append(nanoseconds { order.advance() })
      }
      report.row(label, leyden: median(times), lmdb: median(plainTimes))
    }

    try measure("\(count) objects, one changed", moves: false)
    try measure("\(count) objects, one moved", moves: true)
    token.invalidate()
  }
}

/// A date among those of the notes, another one for each number.
func changedDate(_ number: Int) -> Double { Double(number * 7_919 % 100_000) * 125 + 0.0625 }
