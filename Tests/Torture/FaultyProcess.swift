import Foundation
import Leyden

/// The process that meets a fault: what it does with a store, and then twice more.
enum FaultyProcess {
  /// What it does before its first commit.
  enum Task: String {
    case nothing
    case compacting
    case copying
  }

  /// Where it copies the store to.
  static func copy(of path: String) -> String { "\(path)-copy.leyden" }

  /// Does its task, makes a commit, another one, and two more after opening the store again each time.
  ///
  /// Prints of each commit whether it returned, or its error. A fault happens once: three of the four
  /// have to succeed.
  static func run(_ task: Task, seed: UInt64, _ path: String) {
    let ledger = Ledger(seed: seed)
    var store: Store?
    report("first") {
      let opened = try Torture.open(path, durability: .full)
      store = opened
      switch task {
      case .nothing: break
      case .compacting: _ = try opened.compact()
      case .copying: try opened.writeCopy(to: URL(fileURLWithPath: copy(of: path)))
      }
      return try commit(ledger, opened)
    }
    report("second") {
      let opened = try store ?? Torture.open(path, durability: .full)
      store = opened
      return try commit(ledger, opened)
    }
    store?.close()
    store = nil
    for what in ["anew", "last"] {
      report(what) {
        let opened = try Torture.open(path, durability: .full)
        defer { opened.close() }
        return try commit(ledger, opened)
      }
    }
  }

  private static func commit(_ ledger: Ledger, _ store: Store) throws -> Int? {
    try store.write { try ledger.writeNext(in: store) }
  }

  private static func report(_ what: String, _ body: () throws -> Int?) {
    do { say("\(what) committed \(try body() ?? 0)") } catch let error as StoreError {
      say("\(what) error \(name(of: error))")
    } catch { say("\(what) untyped \(error)") }
  }

  /// The name of an error's case, and what else matters here.
  private static func name(of error: StoreError) -> String {
    let text = String(reflecting: error)
    let name = Mirror(reflecting: error).children.first?.label ?? text
    if case .failed(_, let reason) = error { return "\(name) \(reason.prefix(40))" }
    if case .corrupted(let what) = error { return "\(name) \(what.suffix(40))" }
    return name
  }
}
