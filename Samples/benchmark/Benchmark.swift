// Measures the library beside plain LMDB, and SQLite, doing the same work in the same run.
// Run it with `swift run -c release benchmark`; `--help` names the questions and options.
// Read GetByKey.swift first: each question is a file like it.

import Foundation

@main
struct Benchmark {
  static let questions: [any Question] = [
    ReadProperty(), GetByKey(), InsertMany(), CommitOne(), Scan(), Sort(), UseIndexes(),
    DeleteMany(), UseLists(), UseLinks(), Deliver(), DeliverToProcess(), ReadBesideWriter(), Open(),
  ]

  static func main() throws {
    // A process that is started by a question listens instead of asking.
    if let listener = Listener(arguments: CommandLine.arguments) { return try listener.run() }
    let options: Options
    do { options = try Options(Array(CommandLine.arguments.dropFirst())) } catch {
      print(error.description)
      exit(error.isHelp ? 0 : 2)
    }
    for question in questions where options.includes(question) {
      print("\n\(question.name): \(question.title(options))")
      try question.measure(Report(options))
    }
  }
}

/// One thing that a user of a database wants to know the speed of.
protocol Question: Sendable {
  /// What it is called on the command line.
  var name: String { get }
  /// What is measured, in one line.
  func title(_ options: Options) -> String
  /// Measures and prints.
  func measure(_ report: Report) throws
}
