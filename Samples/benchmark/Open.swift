import Leyden

/// Asks what it costs to open a store.
struct Open: Question {
  let name = "open"

  func title(_ options: Options) -> String { "a store of \(options.notes) objects, and close it" }

  func measure(_ report: Report) throws {
    let stores = try Filled(report.options.notes).stores
    report.begin()
    try report.row(
      "with a read of the version",
      leyden: { try nanoseconds { use(try stores.leyden().version) } },
      lmdb: { try nanoseconds { _ = try stores.plain() } },
      sqlite: try stores.sqlite() == nil ? nil : { try nanoseconds { _ = try stores.sqlite() } })
  }
}
