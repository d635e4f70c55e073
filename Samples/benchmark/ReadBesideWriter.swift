import CBaseline
import Leyden

/// Asks how fast several threads read while another one writes.
struct ReadBesideWriter: Question {
  let name = "readers"
  private static let readers = 4
  private static let reads = 20_000
  /// How many keys are read in one transaction.
  private static let batch = 100

  func title(_ options: Options) -> String {
    "\(Self.readers) threads read by primary key among \(options.notes) objects, "
      + "\(Self.batch) in a read, beside one that commits"
  }

  func measure(_ report: Report) throws {
    let filled = try Filled(report.options.notes)
    let notes = filled.notes
    let plain = filled.plain
    let orders = (0..<Self.readers).map {
      notes.positions(Self.reads, seed: UInt64($0) + 10)
    }
    report.begin()
    try report.row(
      "time by the reads of all of them", operations: Self.readers * Self.reads,
      leyden: {
        let configuration = filled.stores.configuration()
        return try Team.time(
          readers: orders.map { order in
            let keys = order.map { notes.identifier(Int($0)) }
            return {
              let store = try Store(configuration: configuration)
              return { try store.readRatings(of: keys) }
            }
          },
          writer: {
            let store = try Store(configuration: configuration)
            let objects = store.objects(Note.self)
            return { number in
              try store.write { objects[number % notes.count].title = changedTitle(number) }
            }
          })
      },
      lmdb: {
        try Team.time(
          readers: orders.map { order in
            {
              let plain = PlainStore(sharing: plain)
              return { Self.batches { plain.get(notes, Array(order[$0]), all: false) } }
            }
          },
          writer: {
            { number in plain.change(row: number % notes.count + 1, title: changedTitle(number)) }
          })
      },
      sqlite: filled.sqlite == nil
        ? nil
        : {
          let directory = filled.stores.directory
          return try Team.time(
            readers: orders.map { order in
              {
                let sqlite = try Stores.sqlite(in: directory)
                return { Self.batches { sqlite?.get(notes, Array(order[$0]), all: false) } }
              }
            },
            writer: {
              let sqlite = try Stores.sqlite(in: directory)
              return { number in
                sqlite?.change(row: number % notes.count + 1, title: changedTitle(number))
              }
            })
        })
  }

  /// Calls `body` with the positions of each transaction's keys.
  fileprivate static func batches(_ body: (Range<Int>) throws -> Void) rethrows {
    for start in stride(from: 0, to: reads, by: batch) { try body(start..<start + batch) }
  }
}

extension Store {
  fileprivate func readRatings(of keys: [String]) throws {
    try ReadBesideWriter.batches { batch in
      try read {
        var sum = 0
        for key in keys[batch] {
          sum += object(ofType: Note.self, forPrimaryKey: key)?.rating ?? 0
        }
        use(sum)
      }
    }
  }
}
