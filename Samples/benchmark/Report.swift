import CBaseline
import Foundation

/// Runs the same work in each engine and prints the medians side by side.
struct Report {
  let options: Options

  init(_ options: Options) { self.options = options }

  /// One engine's work: does it, and returns the nanoseconds of the part that counts.
  typealias Work = () throws -> Double

  /// Prints the head of a question's rows.
  func begin() {
    print(Self.line("", "Leyden", "plain LMDB", "ratio", "SQLite"))
  }

  /// Measures one row.
  ///
  /// The engines take turns, so that what else the machine does meets all of them. Each time is
  /// divided by the number of operations that the work does.
  func row(
    _ label: String, operations: Int = 1, leyden: @escaping Work, lmdb: Work? = nil,
    sqlite: Work? = nil
  ) throws {
    var times: [[Double]] = [[], [], []]
    for _ in 0..<options.repetitions {
      for (engine, work) in [leyden, lmdb, sqlite].enumerated() {
        if let work { times[engine].append(try work() / Double(operations)) }
      }
    }
    row(label, leyden: median(times[0]), lmdb: median(times[1]), sqlite: median(times[2]))
  }

  /// Prints one row of nanoseconds.
  func row(_ label: String, leyden: Double?, lmdb: Double?, sqlite: Double? = nil) {
    // A time that ends before it begins, as that of another process may, has no ratio.
    let ratio = leyden.flatMap { leyden in lmdb.flatMap { min(leyden, $0) > 0 ? leyden / $0 : nil }
    }
    print(
      Self.line(
        label, leyden.map(Self.text) ?? "–", lmdb.map(Self.text) ?? "–",
        ratio.map { Self.text($0, digits: $0 < 10 ? 2 : 1) } ?? "–",
        sqlite.map(Self.text) ?? "–"))
    // Seen at once, also where the output goes to a file.
    fflush(nil)
  }

  private static func line(_ label: String, _ columns: String...) -> String {
    "  " + label.padding(toLength: 44, withPad: " ", startingAt: 0)
      + columns.map { String(repeating: " ", count: max(1, 12 - $0.count)) + $0 }.joined()
  }

  private static func text(_ nanoseconds: Double) -> String {
    switch nanoseconds.magnitude {
    case ..<1_000: "\(text(nanoseconds, digits: nanoseconds.magnitude < 10 ? 2 : 0)) ns"
    case ..<1_000_000: "\(text(nanoseconds / 1e3, digits: 2)) µs"
    default: "\(text(nanoseconds / 1e6, digits: 2)) ms"
    }
  }

  private static func text(_ value: Double, digits: Int) -> String {
    value.formatted(.number.precision(.fractionLength(digits)).grouping(.never))
  }
}

/// The middle of some figures; `nil` where there are none.
func median(_ figures: [Double]) -> Double? {
  figures.isEmpty ? nil : figures.sorted()[figures.count / 2]
}

/// How many nanoseconds `body` takes.
func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
  let start = baseline_now()
  try body()
  return Double(baseline_now() - start)
}

/// Keeps a result from being left out because nobody uses it.
@inline(never)
func use<Value>(_ value: Value) {}
