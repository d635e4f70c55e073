import Foundation
import LeydenTesting
import TestSupport

/// Everything that takes bytes apart gets bytes that nobody wrote: it has to say so, and to read what was
/// written as it was.
///
/// Each case is a number under a seed. Cases run in processes of their own, by the hundred; where one
/// ends by a signal the case is found and told, and it goes on behind it.
final class Decoders {
  /// What cases there are, and how many of them one process runs.
  static let kinds = [("values", 5_000), ("entries", 100)]
  /// How often a process says where it is.
  private static let interval = 50

  private let seed: UInt64
  private var counts: [String: Int] = [:]
  private var problems: [String] = []

  init(seed: UInt64) { self.seed = seed }

  /// Runs cases of all kinds until the time is over, and at least one process for each kind.
  func run(for duration: Duration) throws -> Findings {
    let beginning = ContinuousClock.now
    var next = Self.kinds.map { _ in 0 }
    repeat {
      for (place, (kind, size)) in Self.kinds.enumerated() where problems.count < 10 {
        next[place] = try run(kind, next[place], next[place] + size)
      }
    } while ContinuousClock.now - beginning < duration && problems.count < 10
    var findings = Findings(problems: problems)
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) { findings.note(name, count) }
    return findings
  }

  /// Runs cases in one process.
  ///
  /// - Returns: The case to go on with.
  private func run(_ kind: String, _ first: Int, _ end: Int) throws -> Int {
    let (begun, ending) = try runChild(kind, first, end)
    if ending == .exited(0) { return end }
    for number in begun..<min(begun + Self.interval, end) {
      let (_, ending) = try runChild(kind, number, number + 1)
      if ending != .exited(0) {
        problems.append("\(kind), seed \(seed), case \(number): \(ending)")
        return number + 1
      }
    }
    problems.append("\(kind), seed \(seed), from case \(begun): \(ending), and not again alone")
    return begun + Self.interval
  }

  private func runChild(
    _ kind: String, _ first: Int, _ end: Int
  ) throws -> (begun: Int, ChildProcess.Ending) {
    let child = try ChildProcess(
      "leyden-torture", ["decode", kind, "\(seed)", "\(first)", "\(end)"])
    var begun = first
    for line in try child.remainingLines(within: .seconds(300)) {
      let words = line.split(separator: " ")
      if words.first == "at" { begun = words.last.flatMap { Int($0) } ?? begun }
      if words.first == "problem" { problems.append("\(kind), seed \(seed), \(line.dropFirst(8))") }
      if words.first == "counted", words.count == 3 {
        counts["\(kind), \(words[1])", default: 0] += Int(words[2]) ?? 0
      }
    }
    return (begun, try child.wait())
  }

  /// What a process does with its cases: says how they ended, and what was wrong.
  static func decode(_ kind: String, seed: UInt64, _ cases: Range<Int>) throws {
    let entries = kind == "entries" ? try DamagedEntries(seed: seed) : nil
    var outcomes: [String: Int] = [:]
    for number in cases {
      if number % interval == 0 || number == cases.lowerBound { say("at \(number)") }
      var random = RandomBytes(seed: seed, case: number)
      var decoding = Decoding(random: random)
      do {
        if let entries {
          outcomes[try entries.run(&random), default: 0] += 1
        } else {
          outcomes[try decoding.run(number), default: 0] += 1
        }
      } catch { say("problem case \(number): \(error)") }
    }
    for (outcome, count) in outcomes { say("counted \(outcome) \(count)") }
  }
}

/// What a case found to be wrong.
struct WrongDecoding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
