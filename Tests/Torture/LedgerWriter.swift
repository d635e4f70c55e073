import Foundation
import Leyden
import LeydenStorage

/// A process that makes one commit after the other.
enum LedgerWriter {
  /// After so many commits a writer looks for the oldest version that is read.
  private static let interval = 32

  /// Makes the next commits, and prints of each its number and the microseconds that it waited for its
  /// turn, when it has returned; until the ledger is over.
  ///
  /// Prints "active" and how many versions are from the oldest that is read, in any process, to the
  /// newest, whenever these are more than ever.
  static func write(seed: UInt64, to path: String) throws {
    // Both kinds of commits, as in a store that several programs use.
    let store = try Torture.open(path, durability: getpid() % 4 == 0 ? .full : .unsafe)
    let ledger = Ledger(seed: seed)
    var mostActive = 0
    while true {
      let before = ContinuousClock.now
      try store.beginWrite()
      let wait = ContinuousClock.now - before
      guard let number = try ledger.writeNext(in: store) else { return try store.cancelWrite() }
      let active = number % interval == 0 ? activeVersions(of: store) : 0
      try store.commitWrite()
      if active > mostActive {
        mostActive = active
        say("active \(active)")
      }
      say("\(number) \(wait.microseconds)")
    }
  }

  /// Within a write: what it finds in use.
  private static func activeVersions(of store: Store) -> Int {
    guard let write = store.session.writer?.transaction else { return 0 }
    return write.environment.activeVersions(with: write)
  }
}
