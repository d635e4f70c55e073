import Foundation
import Leyden
import TestSupport

/// A process that is told of every change, and compares what it knows with what it should know.
enum LedgerObserver {
  /// Prints each problem, and how many changes it was told when the ledger is over.
  static func observe(_ which: String, seed: UInt64, _ path: String) throws {
    let store = try Torture.open(path)
    let mirror = try Mirror(which, of: store, seed: seed)
    say("ready")
    while !mirror.isOver {
      // A line now and then ends the process where nobody hears it any more.
      if !store.waitForChanges(timeout: .seconds(2)) { say("waiting") }
      for problem in mirror.newProblems() { say("problem \(problem)") }
      if let failure = store.failure { throw failure }
    }
    say("told \(mirror.calls)")
  }

  /// The rows as an observer knows them from its changes alone.
  final class Mirror {
    /// What the last call said of the counter.
    private final class Seen {
      var count = 0
      var isOver = false
    }

    private let which: String
    private let recorder: ChangeRecorder<Account, AccountValue>
    private let token: NotificationToken
    private let seen = Seen()
    private var ledger: Ledger
    private var reported = 0

    init(_ which: String, of store: Store, seed: UInt64) throws {
      self.which = which
      let seen = seen
      // One version for the ledger, and for the first calls of both observers.
      (ledger, recorder, token) = try store.read {
        let accounts = store.objects(Account.self)
        let observed =
          switch which {
          case "sorted": accounts.sorted(by: \.group)
          case "filtered": accounts.where { $0.group > 2 }
          default: accounts
          }
        let recorder = ChangeRecorder(observed, reading: \.value)
        recorder.isMerging = true
        recorder.keepsChanges = false
        let token = store.objects(Counter.self).observe { change in
          let counters: Results<Counter>
          switch change {
          case .initial(let all), .update(let all, _, _, _): counters = all
          case .error: return
          }
          seen.count = counters.first?.value ?? 0
          seen.isOver = counters.first?.isOver ?? false
        }
        return (try Ledger(seed: seed, store), recorder, token)
      }
    }

    /// How many changes there were.
    var calls: Int { recorder.changeCount }
    /// Whether everybody is to end.
    var isOver: Bool { seen.isOver }
    /// How many commits are known.
    var commits: Int { seen.count }
    /// How many accounts are known.
    var count: Int { recorder.values.count }

    /// What became wrong since the last call.
    func newProblems() -> [String] {
      ledger.advance(to: seen.count)
      var problems = recorder.violations.dropFirst(reported) + recorder.errors.map { "\($0)" }
      reported = recorder.violations.count
      let right = expected
      if recorder.values != right {
        problems.append("\(which) after \(seen.count): \(recorder.values), not \(right)")
      }
      return Array(problems)
    }

    private var expected: [AccountValue] {
      switch which {
      case "sorted":
        ledger.accounts.enumerated().sorted {
          ($0.element.group, $0.offset) < ($1.element.group, $1.offset)
        }.map(\.element)
      case "filtered": ledger.accounts.filter { $0.group > 2 }
      default: ledger.accounts
      }
    }
  }
}
