import Foundation
import Leyden
import LeydenStorage
import LeydenTesting

/// A process that is told of a ledger's commits in one way, and has nothing else to do.
///
/// It says "told" with the number of the last commit that it knows of, from the first one that it finds;
/// and ends with its input.
enum Listener {
  /// The ways that the library has; after a second they find what nobody rang for.
  static let ways = ["waiting", "tasks", "notifications"]
  /// Nothing but the bell, with a time-out that nobody sees the end of.
  static let bell = "bell"
  /// No store, but tasks that ran: what the runtime's pool of threads costs by itself.
  static let pool = "pool"

  static func listen(_ way: String, _ path: String) throws {
    if way == pool {
      // As one that knows of everything.
      for _ in 0..<3 { Task.detached { say("told \(Int.max)") } }
      return waitForEndOfInput()
    }
    let store = try Torture.open(path)
    switch way {
    case "waiting":
      endWithInput()
      let tokens = observers(of: store)
      while store.waitForChanges() {}
      withExtendedLifetime(tokens) {}
    case "tasks":
      store.close()
      for sequence in ["counter", "sorted", "commits"] {
        Task.detached { try await iterate(sequence, path) }
      }
      waitForEndOfInput()
    case "notifications":
      let token = NotificationCenter.default.addObserver(
        forName: .leydenStoreDidChange, object: nil, queue: nil
      ) { _ in
        // On the thread that posts: with a store of its own.
        do { tell(try Torture.open(path)) } catch { say("problem \(error)") }
      }
      tell(store)
      waitForEndOfInput()
      NotificationCenter.default.removeObserver(token)
    default:
      endWithInput()
      let signal = try store.session.core.environment.signal
      while true {
        let ticket = signal.ticket
        tell(store)
        _ = signal.wait(since: ticket, timeout: .seconds(3_600))
      }
    }
  }

  private static func endWithInput() {
    let thread = Thread { waitForEndOfInput() }
    thread.start()
  }

  private static func waitForEndOfInput() {
    while readLine() != nil {}
    exit(0)
  }

  private static func tell(_ store: Store) { tell(store.objects(Counter.self)) }

  private static func tell(_ counters: Results<Counter>) {
    say("told \(counters.first?.value ?? 0)")
  }

  private static func observers(of store: Store) -> [NotificationToken] {
    let accounts = store.objects(Account.self)
    return [
      accounts.sorted(by: \.owner).observe { _ in }, store.observe { _, _ in },
      accounts.where { $0.group > 2 }.observe { _ in },
      store.objects(Counter.self).observe { change in
        switch change {
        case .initial(let counters), .update(let counters, _, _, _): tell(counters)
        case .error(let error): say("problem \(error)")
        }
      },
    ]
  }

  private static func iterate(_ sequence: String, _ path: String) async throws {
    let store = try Torture.open(path)
    switch sequence {
    case "commits": for await _ in store.commits {}
    case "sorted": for await _ in store.objects(Account.self).sorted(by: \.owner).changes {}
    default: for await change in store.objects(Counter.self).changes { tell(change.collection) }
    }
  }
}
