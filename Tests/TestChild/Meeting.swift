import Foundation
import Leyden
import LeydenStorage
import TestSupport

/// Lets system calls fail, and says what comes of it; for a process with `leyden-faults` preloaded.
enum Meeting {
  private typealias Order = @convention(c) (UnsafePointer<CChar>?) -> Void

  /// Runs one of the scripts below.
  static func run(_ script: String, _ path: String) throws {
    switch script {
    case "first page": try meetFirstPage(path)
    case "first page while reading": try meetFirstPageWhileReading(path)
    case "first page and opening": try meetFirstPageAndOpening(path)
    case "first page, threads": try meetFirstPageWithThreads(path)
    case "moving the map": try meetMap(path)
    case "verify": try verify(path)
    case "delete": say(Copying.outcome { try Store.deleteFiles(for: configuration(path)) })
    case "open": say(Copying.outcome { try open(path).objects(Card.self).count })
    default: exit(64)
    }
  }

  /// Orders what is to happen to the calls from now on; `nil` for nothing.
  private static func order(_ order: String?) {
    guard let symbol = unsafe dlsym(nil, "leyden_faults_order") else { exit(78) }
    let function = unsafe unsafeBitCast(symbol, to: Order.self)
    guard let order else { return function(nil) }
    unsafe order.withCString { unsafe function($0) }
  }

  private static func configuration(_ path: String) -> Store.Configuration {
    Store.Configuration(
      fileURL: URL(fileURLWithPath: path), objectTypes: [Card.self, Item.self])
  }

  private static func open(_ path: String) throws -> Store {
    try Store(configuration: configuration(path))
  }

  private static func add(_ identifier: String, to store: Store) {
    say(
      "\(identifier) \(Copying.outcome { try store.write { try store.add(Card(identifier)) }.rank })"
    )
  }

  private static func tell(_ store: Store) throws {
    say(store.objects(Card.self).map(\.identifier).joined(separator: " "))
    try store.verify()
    if let failure = store.failure { throw failure }
  }

  private static func meetFirstPage(_ path: String) throws {
    let store = try open(path)
    let other = try open(path)
    let held = try store.write { try store.add(Card("a")) }
    var changes: [String] = []
    let token = other.objects(Card.self).observe { change in
      switch change {
      case .initial: break
      case .update(_, _, let insertions, _): changes.append("\(insertions)")
      case .error(let error): changes.append("\(error)")
      }
    }
    for turn in 0..<3 {
      order("eio:1:meta")
      add("failed \(turn)", to: store)
      say(other.objects(Card.self).count)
      say(held.title.isEmpty && store.failure == nil)
      other.refresh()
      add("\(turn)", to: turn == 1 ? other : store)
      other.refresh()
    }
    order(nil)
    say(changes.joined(separator: " "))
    token.invalidate()
    try tell(store)
    store.close()
    other.close()
    try tell(open(path))
  }

  private static func meetFirstPageWhileReading(_ path: String) throws {
    let store = try open(path)
    let other = try open(path)
    try store.write { try store.add(Card("a")) }
    try store.read {
      let card = store.objects(Card.self).first
      order("eio:1:meta")
      add("failed", to: other)
      // What is being read goes on being read, and so nothing is written meanwhile.
      add("refused", to: other)
      say(card?.identifier ?? "")
    }
    add("b", to: other)
    try tell(store)
  }

  private static func meetFirstPageAndOpening(_ path: String) throws {
    let store = try open(path)
    try store.write { try store.add(Card("a")) }
    order("eio:1+:meta,open")
    add("failed", to: store)
    add("refused", to: store)
    add("refused", to: store)
    order(nil)
    add("b", to: store)
    try tell(store)
  }

  /// While others read and write again and again, the first page fails to be written now and then.
  private static func meetFirstPageWithThreads(_ path: String) throws {
    let store = try open(path)
    try store.write { try store.add(Item(0)) }
    let threads = 4
    let ends = DispatchSemaphore(value: 0)
    for number in 0..<threads {
      Thread {
        do {
          let store = try open(path)
          for turn in 0..<200 {
            if number < 2 {
              _ = try? store.write { try store.add(Card("\(number).\(turn)")) }
            } else {
              try store.read {
                let cards = store.objects(Card.self)
                if cards.count != cards.map(\.identifier).count { say("not one version") }
              }
            }
          }
        } catch { say(error) }
        ends.signal()
      }.start()
    }
    var isDone = 0
    while isDone < threads {
      order("eio:\(isDone + 2):meta")
      if ends.wait(timeout: .now() + 0.01) == .success { isDone += 1 }
    }
    order(nil)
    let count = store.objects(Card.self).count
    try store.write { try store.add(Card("end")) }
    say(store.objects(Card.self).count - count)
    try store.verify()
  }

  /// The map is lost while it is made larger.
  private static func meetMap(_ path: String) throws {
    let options = Environment.Options(durability: .unsafe, mapSize: 1 << 20)
    let environment = try Environment.open(at: path, options: options)
    environment.whenOpenedAnew { say("anew") }
    let value = [UInt8](repeating: 1, count: 1_000)
    order("eio:1:mmap")
    for row in 0..<UInt64(2_000) {
      let write = try environment.beginWrite()
      let table = try write.makeTable(named: "rows")
      unsafe try value.withUnsafeBytes { unsafe try write.put($0, forRow: row, in: table) }
      try write.commit()
    }
    let read = try environment.beginRead()
    say(try read.table(named: "rows").map { try read.count(of: $0) } ?? 0)
  }

  /// Verifies while one page after the other cannot be read.
  private static func verify(_ path: String) throws {
    let store = try open(path)
    try store.write { for number in 0..<200 { try store.add(Card("\(number)")) } }
    var outcomes: [String: Int] = [:]
    var number = 1
    var isMet = true
    while isMet {
      order("eio:\(number):pread")
      let outcome = Copying.outcome { try store.verify() }
      outcomes[outcome, default: 0] += 1
      isMet = outcome != "()"
      number += 1
    }
    order("eio:5:pread")
    let report = try store.verificationReport()
    say(report.isClean)
    say(report.findings.contains { $0.description.contains("cannot be read: Input/output error") })
    order(nil)
    say(outcomes.keys.sorted().joined(separator: " "))
    say(number > 10)
    try store.verify()
  }
}
