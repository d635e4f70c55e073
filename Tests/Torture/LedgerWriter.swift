import Foundation
import Leyden

/// A process that makes one commit after the other.
enum LedgerWriter {
  /// Makes the next commits, and prints of each its number and the microseconds that it waited for its
  /// turn, when it has returned; until the ledger is over.
  static func write(seed: UInt64, to path: String) throws {
    // Both kinds of commits, as in a store that several programs use.
    let store = try Torture.open(path, durability: getpid() % 4 == 0 ? .full : .unsafe)
    let ledger = Ledger(seed: seed)
    while true {
      let before = ContinuousClock.now
      try store.beginWrite()
      let wait = ContinuousClock.now - before
      guard let number = try ledger.writeNext(in: store) else { return try store.cancelWrite() }
      try store.commitWrite()
      say("\(number) \(wait.microseconds)")
    }
  }
}
