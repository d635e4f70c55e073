import Foundation
import TestSupport

/// A ``Listener`` as another process sees it.
final class ListenerProcess {
  let way: String
  private let path: String
  private(set) var child: ChildProcess
  /// The last commit that it was told of.
  private(set) var told = -1
  /// What it said to be wrong.
  private(set) var problems: [String] = []

  init(_ way: String, _ path: String) throws {
    self.way = way
    self.path = path
    child = try ChildProcess("leyden-torture", ["listen", way, path])
  }

  /// Kills it, and starts another one.
  func startAnew() throws {
    child.signal(SIGKILL)
    try child.wait()
    told = -1
    child = try ChildProcess("leyden-torture", ["listen", way, path])
  }

  /// Takes what it has said.
  func hear() throws { for line in try child.linesSoFar() { note(line) } }

  /// Waits until it has been told of a commit.
  ///
  /// - Throws: What `ChildProcess` throws where nothing more comes for a minute.
  func wait(for commit: Int) throws {
    try hear()
    while told < commit { note(try child.requiredLine(within: .seconds(60))) }
  }

  /// Ends it.
  func end() throws {
    child.closeInput()
    for line in try child.remainingLines() { note(line) }
    let ending = try child.wait()
    if ending != .exited(0) { problems.append("\(way): \(ending), \(child.errorOutput)") }
  }

  private func note(_ line: String) {
    guard line.hasPrefix("told "), let commit = Int(line.dropFirst(5)) else {
      return problems.append("\(way): \(line)")
    }
    // Several threads of it may tell.
    told = max(told, commit)
  }
}
