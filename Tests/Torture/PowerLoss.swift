import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// A machine that loses its power while a process writes: what may be on the disk then.
///
/// A library that is preloaded (`Tests/Recorder`) writes down each write to `data.mdb` and each flush. From
/// that come the files that a disk may hold at any moment: all that was flushed, and of the writes since
/// then any, each whole or only some of its sectors. Every one of them has to open as the last commit that
/// returned, or the one that was under way; after commits without the last flush, or as the one before.
final class PowerLoss {
  /// One thing that the process did.
  private struct Event {
    enum Kind: UInt64 {
      case write = 1
      case flushedWrite, flush, length, acknowledgement
    }

    let kind: Kind
    /// Where in the file, or how long it is, or the number of the commit.
    let number: Int
    var bytes: ArraySlice<UInt8> = []
  }

  private static let commits = 12
  private static let statesOfOneRun = 60
  private static let sector = 512
  private static var library: String {
    BuildProducts.directory.appendingPathComponent("libleyden-recorder.so").path
  }

  private let seed: UInt64
  private let directory: TemporaryDirectory
  private var random: RandomBytes
  private var problems: [String] = []
  private var states = 0
  private var runs = 0
  private var torn = 0
  private var outcomes: [String: Int] = [:]

  init(seed: UInt64) throws {
    self.seed = seed
    directory = try TemporaryDirectory()
    random = RandomBytes(seed: seed, case: 0)
  }

  /// Records runs, and opens what may be left of them, until the time is over.
  func run(for duration: Duration) throws -> Findings {
    let beginning = ContinuousClock.now
    repeat {
      try record(runs % 2 == 0 ? .full : .relaxed)
      runs += 1
    } while ContinuousClock.now - beginning < duration && problems.isEmpty
    var findings = Findings(problems: problems)
    findings.note("runs", runs)
    findings.note("states", states)
    findings.note("of these with torn writes", torn)
    for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) {
      findings.note(outcome, count)
    }
    return findings
  }

  /// Lets a process commit, and looks at what may be on the disk at some moments.
  private func record(_ durability: Durability) throws {
    let url = directory.url.appendingPathComponent("\(runs).leyden")
    let file = directory.url.appendingPathComponent("\(runs).events")
    defer {
      try? FileManager.default.removeItem(at: url)
      try? FileManager.default.removeItem(at: file)
    }
    let store = try Torture.open(url.path, durability: .full)
    let ledger = Ledger(seed: seed)
    let before = random.number(below: 120) + 1
    for _ in 0..<before { _ = try store.write { try ledger.writeNext(in: store) } }
    store.close()
    let data = Array(try Data(contentsOf: url.appendingPathComponent("data.mdb")))

    let name = durability == .full ? "full" : "relaxed"
    let child = try ChildProcess(
      "leyden-torture", ["commit-recorded", name, "\(seed)", "\(Self.commits)", url.path],
      environment: ["LD_PRELOAD": Self.library, "LEYDEN_RECORD": file.path])
    guard try child.wait() == .exited(0) else {
      return problems.append("the recorded process failed: \(child.errorOutput)")
    }
    let events = Self.events(in: Array(try Data(contentsOf: file)))
    guard events.contains(where: { $0.kind == .flush }) else {
      return problems.append("nothing was recorded")
    }
    for _ in 0..<Self.statesOfOneRun {
      let moment = random.number(below: events.count + 1)
      let state = state(data, Array(events[..<moment]))
      let acknowledged = events[..<moment].last { $0.kind == .acknowledgement }?.number ?? before
      try check(state, acknowledged, durability, "\(name), run \(runs), event \(moment)")
    }
  }

  /// What the disk may hold after some events.
  private func state(_ data: [UInt8], _ events: [Event]) -> [UInt8] {
    var data = data
    let flushed = events.lastIndex { $0.kind == .flush } ?? -1
    var isTorn = false
    for (place, event) in events.enumerated() {
      switch event.kind {
      case .flush, .acknowledgement: break
      case .length: data += [UInt8](repeating: 0, count: max(0, event.number - data.count))
      case .write, .flushedWrite:
        if place <= flushed || event.kind == .flushedWrite {
          Self.put(event.bytes, at: event.number, in: &data)
        } else if !random.isOnce(in: 3) {
          let isWhole = !random.isOnce(in: 3)
          isTorn = isTorn || !isWhole
          putSectors(of: event, isWhole, in: &data)
        }
      }
    }
    states += 1
    if isTorn { torn += 1 }
    return data
  }

  private func putSectors(of event: Event, _ isWhole: Bool, in data: inout [UInt8]) {
    var start = event.number
    let end = event.number + event.bytes.count
    while start < end {
      let next = min(end, (start / Self.sector + 1) * Self.sector)
      if isWhole || random.isOnce(in: 2) {
        let first = event.bytes.startIndex + start - event.number
        Self.put(event.bytes[first..<first + next - start], at: start, in: &data)
      }
      start = next
    }
  }

  private static func put(_ bytes: ArraySlice<UInt8>, at start: Int, in data: inout [UInt8]) {
    let missing = start + bytes.count - data.count
    if missing > 0 { data += [UInt8](repeating: 0, count: missing) }
    data.replaceSubrange(start..<start + bytes.count, with: bytes)
  }

  private func check(
    _ data: [UInt8], _ acknowledged: Int, _ durability: Durability, _ context: String
  ) throws {
    let url = directory.url.appendingPathComponent("state.leyden")
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    try Data(data).write(to: url.appendingPathComponent("data.mdb"))
    do {
      let store = try Torture.open(url.path)
      defer { store.close() }
      let count = store.objects(Counter.self).first?.value ?? 0
      let least = durability == .full ? acknowledged : acknowledged - 1
      if !(least...acknowledged + 1).contains(count) {
        problems.append("\(context): \(count) commits, and \(acknowledged) had returned")
      }
      problems += try Torture.problems(of: store, seed: seed).map {
        "\(context): \($0.prefix(300))"
      }
      var ledger = Ledger(seed: seed)
      ledger.advance(to: count)
      problems += ledger.problems(of: store).map { "\(context): \($0.prefix(300))" }
      let name =
        count < acknowledged ? "one commit lost" : count > acknowledged ? "one more" : "as returned"
      outcomes["\(durability), \(name)", default: 0] += 1
    } catch { problems.append("\(context): the store does not open: \(error)") }
  }

  private static func events(in bytes: [UInt8]) -> [Event] {
    func number(_ start: Int) -> Int {
      Int(
        truncatingIfNeeded: bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    var events: [Event] = []
    var start = 0
    while start + 24 <= bytes.count {
      let end = start + 24 + number(start + 16)
      if let kind = Event.Kind(rawValue: UInt64(number(start))) {
        events.append(
          Event(kind: kind, number: number(start + 8), bytes: bytes[start + 24..<end]))
      }
      start = end
    }
    return events
  }

  // MARK: The process

  /// Makes commits, and records each one's number when it has returned.
  static func commit(_ durability: String, seed: UInt64, _ count: Int, _ path: String) throws {
    guard let file = ProcessInfo.processInfo.environment["LEYDEN_RECORD"],
      let record = FileHandle(forWritingAtPath: file)
    else { throw CocoaError(.fileNoSuchFile) }
    let store = try Torture.open(path, durability: durability == "full" ? .full : .relaxed)
    let ledger = Ledger(seed: seed)
    for _ in 0..<count {
      let number = try store.write { try ledger.writeNext(in: store) } ?? 0
      var event: [UInt8] = []
      for value in [Event.Kind.acknowledgement.rawValue, UInt64(number), 0] {
        event += (0..<8).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
      }
      try record.seekToEnd()
      try record.write(contentsOf: event)
    }
  }
}
