import CBaseline
import Foundation
import Leyden

/// Asks how long after a commit an observer is told in another process.
struct DeliverToProcess: Question {
  let name = "process"
  static let commits = 100

  func title(_ options: Options) -> String {
    "from the commit to the callback of a sorted list of \(options.notes) in another process"
  }

  func measure(_ report: Report) throws {
    let filled = try Filled(report.options.notes, withSQLite: false)
    let (store, plain, notes) = (filled.leyden, filled.plain, filled.notes)
    let objects = store.objects(Note.self)
    let rows = notes.positions(Self.commits, seed: 4).map { Int($0) }
    var number = 0
    report.begin()

    let leyden = try Self.measure(.leyden, filled.stores.directory, notes.count, rows) { row in
      number += 1
      try store.beginWrite()
      objects[row].title = changedTitle(number)
      let start = baseline_now()
      try store.commitWrite()
      return start
    }
    let lmdb = try Self.measure(.plain, filled.stores.directory, notes.count, rows) { row in
      number += 1
      return plain.change(row: row + 1, title: changedTitle(number))
    }
    report.row("from its start", leyden: leyden.fromStart, lmdb: lmdb.fromStart)
    report.row("from its return", leyden: leyden.fromReturn, lmdb: lmdb.fromReturn)
  }

  /// Commits while another process listens; medians.
  private static func measure(
    _ engine: Listener.Engine, _ directory: URL, _ count: Int, _ rows: [Int],
    _ commit: (Int) throws -> UInt64
  ) throws -> (fromStart: Double?, fromReturn: Double?) {
    let listener = try ListeningProcess(engine, directory, count)
    defer { listener.end() }
    _ = try listener.nextTime()
    var fromStart: [Double] = []
    var fromReturn: [Double] = []
    for row in rows {
      // The other process goes back to sleep after a callback; that takes less than this.
      usleep(2_000)
      let start = try commit(row)
      let end = baseline_now()
      let told = try listener.nextTime()
      fromStart.append(Double(told) - Double(start))
      fromReturn.append(Double(told) - Double(end))
    }
    return (median(fromStart), median(fromReturn))
  }
}
