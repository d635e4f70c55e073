import Foundation
import Leyden
import LeydenTesting
import TestSupport

/// A store on a disk that is full: it says so, keeps what it has, lets rows be deleted, and goes on
/// when there is room again.
enum FullDisk {
  /// What the role ends with where this machine does not let it do what it should.
  static let notAllowed: Int32 = 77

  /// Runs both kinds of full disks: a file that may not grow, and a file system without room.
  ///
  /// - Parameters:
  ///   - seed: Which rows are deleted.
  ///   - size: How large the file may become, in bytes.
  /// - Returns: What was refused, and what was wrong.
  /// - Throws: What keeps it from being found out.
  static func run(seed: UInt64, size: Int) throws -> Findings {
    var findings = Findings()
    for kind in ["limit", "tmpfs"] {
      let directory = try TemporaryDirectory()
      let arguments =
        kind == "tmpfs"
        ? ["in-small-file-system", "\(size)", "\(seed)"] : ["fill", "\(size)", "\(seed)"]
      let child = try ChildProcess("leyden-torture", arguments + [directory.url.path])
      let lines = try child.remainingLines(within: .seconds(600))
      switch try child.wait(within: .seconds(600)) {
      case .exited(notAllowed): findings.note(kind, "skipped, not allowed here")
      case .exited(0): break
      case let ending: findings.problems.append("\(kind): \(ending), \(child.errorOutput)")
      }
      for line in lines {
        if line.hasPrefix("problem") { findings.problems.append("\(kind): \(line)") }
        if !line.hasPrefix("problem") { findings.note(kind, line) }
      }
    }
    return findings
  }

  /// Becomes a process that sees a small file system at `path`, and runs the role there.
  static func enterSmallFileSystem(size: Int, seed: String, _ path: String) {
    let program = BuildProducts.executable("leyden-torture")
    let script = """
      mount -t tmpfs -o size=\(size * 2) leyden "$0" 2>/dev/null || exit \(notAllowed)
      exec "$1" fill 0 "$2" "$0"
      """
    let words = [
      "sh", "-c",
      "unshare -rm true 2>/dev/null || exit \(notAllowed); exec unshare -rm sh -c '\(script)' "
        + "\"$0\" \"$1\" \"$2\"", path, program, seed,
    ]
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    unsafe execv("/bin/sh", &arguments)
    exit(notAllowed)
  }
}

/// The process that fills the disk, and prints how often something was refused.
final class DiskFiller {
  /// How large files may become; 0 where the file system is small instead.
  private let limit: Int
  private let directory: URL
  private let store: Store
  private var ledger: Ledger
  private var generator: SeededGenerator
  private var next = 0

  init(limit: Int, seed: UInt64, in path: String) throws {
    signal(SIGXFSZ, SIG_IGN)
    self.limit = limit
    directory = URL(fileURLWithPath: path)
    ledger = Ledger(seed: seed)
    generator = SeededGenerator(seed: seed)
    try Self.setLimit(limit)
    store = try Torture.open(directory.appendingPathComponent("Full.leyden").path)
  }

  func run() throws {
    let ballast = directory.appendingPathComponent("ballast")
    // Half of a small file system.
    if limit == 0 { try Data(count: Self.room(of: directory) / 2).write(to: ballast) }
    try fill()
    try delete("one by one", 1, times: 60)
    try fill()
    try delete("twenty at once", 20, times: 10, mayBeRefused: true)
    try fill()
    try delete("a third at once", ledger.accounts.count / 3, mayBeRefused: true)
    try fill()
    try delete("all at once", ledger.accounts.count)
    try fill()
    let reader = try Torture.open(directory.appendingPathComponent("Full.leyden").path)
    let refused = try reader.read { try refusals(of: 1, times: 60) }
    say("deleted while an old version is read: \(refused) of 60 refused")
    try delete("after it was read", 1, times: 20)
    try fill()
    // Room again: whatever was refused before goes on.
    if limit == 0 { try FileManager.default.removeItem(at: ballast) }
    try Self.setLimit(.max)
    for _ in 0..<10 where try !add(5, noteSize: 2_000) { say("problem no room after all") }
    try delete("with room", ledger.accounts.count / 2)
    check("at the end")
    store.close()
    let anew = try Torture.open(directory.appendingPathComponent("Full.leyden").path)
    for problem in ledger.problems(of: anew) { say("problem opened anew: \(problem)") }
  }

  private static func setLimit(_ size: Int) throws {
    guard size > 0 else { return }
    var limit = rlimit(rlim_cur: rlim_t(size), rlim_max: .max)
    guard unsafe setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
      exit(FullDisk.notAllowed)
    }
  }

  private static func room(of directory: URL) throws -> Int {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory.path)
    return (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
  }

  /// Adds rows until there is no room even for a small one.
  private func fill() throws {
    for (count, size) in [(1, 60_000), (50, 100), (1, 2_000), (1, 0)] {
      // A few more: what could not be written as a whole may leave room for another.
      var refusals = 0
      var rest = size > 10_000 ? 10 : Int.max
      while refusals < 3, rest > 0 {
        if try !add(count, noteSize: size) { refusals += 1 }
        rest -= 1
      }
    }
    check("full")
    say("full with \(ledger.accounts.count) rows")
  }

  /// Adds rows in one write; false where the disk is full.
  private func add(_ count: Int, noteSize: Int) throws -> Bool {
    let new = (0..<count).map { offset in
      var value = AccountValue(number: next + offset)
      value.group = Int.random(in: 0..<Ledger.groups, using: &generator)
      value.owner = Ledger.owners[Int.random(in: 0..<6, using: &generator)]
      value.note = Data(repeating: UInt8(truncatingIfNeeded: next), count: noteSize)
      return value
    }
    next += count
    do {
      try store.write { for value in new { try store.add(value: value, as: Account.self) } }
    } catch StoreError.diskFull { return false }
    ledger.accounts += new
    return true
  }

  /// Deletes rows anywhere, so many in each write, and says how often it was refused.
  private func delete(
    _ what: String, _ count: Int, times: Int = 1, mayBeRefused: Bool = false
  ) throws {
    let refusals = try refusals(of: count, times: times)
    check(what)
    say("deleted \(what): \(refusals) of \(times) refused")
    if refusals == 0 { return }
    // What is refused as a whole can be deleted in steps.
    if mayBeRefused { return try delete("what was refused, one by one", 1, times: 20) }
    say("problem \(refusals) times could not delete \(what)")
  }

  /// Deletes rows anywhere, so many in each write; returns how often the disk was too full for it.
  private func refusals(of count: Int, times: Int) throws -> Int {
    var refusals = 0
    for _ in 0..<times {
      let numbers = Set(ledger.accounts.shuffled(using: &generator).prefix(count).map(\.number))
      do {
        try store.write {
          if numbers.count == ledger.accounts.count { return try store.deleteAll(Account.self) }
          for number in numbers {
            if let account = store.object(ofType: Account.self, forPrimaryKey: number) {
              try store.delete(account)
            }
          }
        }
        ledger.accounts.removeAll { numbers.contains($0.number) }
      } catch StoreError.diskFull { refusals += 1 }
    }
    return refusals
  }

  private func check(_ when: String) {
    for problem in ledger.problems(of: store) { say("problem \(when): \(problem.prefix(200))") }
  }
}
