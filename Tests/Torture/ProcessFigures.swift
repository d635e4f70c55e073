import Foundation

/// What a process uses, as the system tells.
struct ProcessFigures {
  /// Memory in KiB, with the pages of the store's file.
  var resident = 0
  /// Memory in KiB that is the process's own.
  var heap = 0
  var threads = 0
  var descriptors = 0
  /// How often a thread has fallen asleep, and so was woken, and its nanoseconds of the processor.
  private var use: [String: (sleeps: Int, time: Int)] = [:]

  init(_ process: Int32) {
    let directory = "/proc/\(process)"
    let values = Self.values(in: "\(directory)/status")
    resident = values["VmRSS"] ?? 0
    heap = (values["RssAnon"] ?? 0) + (values["VmSwap"] ?? 0)
    threads = values["Threads"] ?? 0
    descriptors = Self.entries(of: "\(directory)/fd").count
    for thread in Self.entries(of: "\(directory)/task") {
      let directory = "\(directory)/task/\(thread)"
      let times = try? String(contentsOfFile: "\(directory)/schedstat", encoding: .utf8)
      use[thread] = (
        Self.values(in: "\(directory)/status")["voluntary_ctxt_switches"] ?? 0,
        times?.split(separator: " ").first.flatMap { Int($0) } ?? 0
      )
    }
  }

  /// How often its threads were woken since earlier figures, and their nanoseconds of the processor;
  /// without threads that have ended meanwhile.
  func use(since earlier: ProcessFigures) -> (sleeps: Int, time: Int) {
    use.reduce((0, 0)) { sum, entry in
      let before = earlier.use[entry.key] ?? (0, 0)
      return (sum.0 + entry.value.sleeps - before.sleeps, sum.1 + entry.value.time - before.time)
    }
  }

  /// The numbers of a status file by their names.
  private static func values(in path: String) -> [String: Int] {
    let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    var values: [String: Int] = [:]
    for line in status.split(separator: "\n") {
      let words = line.split { " \t:".contains($0) }
      if words.count > 1, let value = Int(words[1]) { values[String(words[0])] = value }
    }
    return values
  }

  /// The names in a directory.
  private static func entries(of path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
  }
}

/// How much a figure grows with another one: the slope of the line that fits best.
func slope(_ points: [(x: Double, y: Double)]) -> Double {
  let count = Double(points.count)
  let x = points.map(\.x).reduce(0, +) / count
  let y = points.map(\.y).reduce(0, +) / count
  let variance = points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
  guard variance > 0 else { return 0 }
  return points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / variance
}
