import ConsoleKit
import NotesKit

/// Writes the notes and their changes as lines of JSON, each as soon as it is known.
struct LineWatch {
  private let options: WatchOptions
  private let output: Output

  init(_ options: WatchOptions, output: Output) {
    self.options = options
    self.output = output
  }

  /// Writes until the options say to end.
  func run() throws -> ExitStatus {
    let feed = NoteFeed(dataSource: try options.openNotes())
    if !options.isOnce { ReaderLoss.endProgramWhenNobodyReads() }
    var changeCount = 0
    let ending = try feed.run(timeout: options.timeout) { change in
      try output.line(change.json.text)
      try output.flush()
      if change.isInitial { return !options.isOnce }
      changeCount += 1
      return changeCount != options.changeLimit
    }
    return ending == .timedOut ? .timedOut : .success
  }
}

extension NoteChange {
  /// The line that the help of the program describes.
  fileprivate var json: JSON {
    let rows = JSON.array((insertions.map(\.note) + modifications.map(\.note)).map(\.json))
    if isInitial { return .object([("type", .string("initial")), ("rows", rows)]) }
    return .object([
      ("type", .string("change")),
      ("deletions", .integers(deletions)),
      ("insertions", .integers(insertions.map(\.position))),
      ("modifications", .integers(modifications.map(\.positionBefore))),
      ("moves", .array(moves.map { .integers([$0.from, $0.to]) })),
      ("rows", rows),
    ])
  }
}
