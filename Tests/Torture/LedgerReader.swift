import Leyden

/// A process that reads everything, again and again.
enum LedgerReader {
  /// Prints that it is there and each problem, until the ledger is over.
  static func read(seed: UInt64, _ store: Store) throws {
    say("ready")
    var isOver = false
    while !isOver {
      for problem in try Torture.problems(of: store, seed: seed) { say("problem \(problem)") }
      isOver = store.objects(Counter.self).first?.isOver ?? false
      // A line now and then ends the process where nobody hears it any more.
      if !store.waitForChanges(timeout: .seconds(2)) { say("waiting") }
    }
  }
}
