import Foundation
import Leyden
import NotesKit
import TestSupport
import XCTest

/// The lines of `notes-watch` while other processes write.
final class NotesWatchTests: SampleTestCase {
  private struct Line: Decodable {
    struct Row: Decodable {
      var id: String
      var title: String
    }
    var type: String
    var deletions: [Int]?
    var insertions: [Int]?
    var modifications: [Int]?
    var moves: [[Int]]?
    var rows: [Row]

    /// Applies this change to the rows before it.
    func applied(to rows: [Row]) -> [Row] {
      var result = rows.map { Optional($0) }
      for (position, row) in zip(modifications ?? [], self.rows.dropFirst((insertions ?? []).count))
      {
        result[position] = row
      }
      for position in (deletions ?? []).reversed() { result.remove(at: position) }
      for (position, row) in zip(insertions ?? [], self.rows) {
        result.insert(row, at: position)
      }
      return result.compactMap { $0 }
    }
  }

  private func decode(_ line: String?) throws -> Line {
    try JSONDecoder().decode(Line.self, from: Data(XCTUnwrap(line).utf8))
  }

  /// Starts the watcher and waits for its first line.
  private func watch(
    _ arguments: String...
  ) throws -> (process: Process, lines: StreamReader, initial: Line) {
    let process = try program("notes-watch", arguments).process()
    let output = Pipe()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    let lines = StreamReader(output.fileHandleForReading)
    try process.run()
    addTeardownBlock { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
    return (process, lines, try decode(lines.line()))
  }

  func testOnceWritesTheNotesAndEnds() throws {
    try notes("add", "Milk", "-k", "a")

    let outcome = try program("notes-watch", ["--once"]).run()

    XCTAssertEqual(
      outcome,
      .init(
        status: 0,
        output: #"{"type":"initial","rows":[{"id":"n1","title":"Milk","content":"","#
          + #""keywords":["a"],"lastEdited":"2026-01-31T12:00:00Z"}]}"# + "\n",
        errors: ""))
  }

  func testEachChangeOfAnotherProcessIsALine() throws {
    try notes("add", "First", environment: ["NOTES_NOW": "2026-01-31T12:00:01Z"])
    let (process, lines, initial) = try watch("--until", "4")
    XCTAssertEqual(initial.type, "initial")
    XCTAssertEqual(initial.rows.map(\.id), ["n1"])

    try notes("add", "Second", environment: ["NOTES_NOW": "2026-01-31T12:00:02Z"])
    let insertion = lines.line()
    try notes("edit", "n2", "-t", "2nd", environment: ["NOTES_NOW": "2026-01-31T12:00:03Z"])
    let modification = lines.line()
    try notes("edit", "n1", "-t", "1st", environment: ["NOTES_NOW": "2026-01-31T12:00:04Z"])
    let move = lines.line()
    try notes("rm", "n2")
    let deletion = lines.line()
    process.waitUntilExit()

    func row(_ id: String, _ title: String, _ second: Int) -> String {
      #"{"id":"\#(id)","title":"\#(title)","content":"","keywords":[],"#
        + #""lastEdited":"2026-01-31T12:00:0\#(second)Z"}"#
    }
    XCTAssertEqual(
      insertion,
      #"{"type":"change","deletions":[],"insertions":[0],"modifications":[],"moves":[],"#
        + #""rows":[\#(row("n2", "Second", 2))]}"#)
    XCTAssertEqual(
      modification,
      #"{"type":"change","deletions":[],"insertions":[],"modifications":[0],"moves":[],"#
        + #""rows":[\#(row("n2", "2nd", 3))]}"#)
    XCTAssertEqual(
      move,
      #"{"type":"change","deletions":[1],"insertions":[0],"modifications":[],"moves":[[1,0]],"#
        + #""rows":[\#(row("n1", "1st", 4))]}"#)
    XCTAssertEqual(
      deletion,
      #"{"type":"change","deletions":[1],"insertions":[],"modifications":[],"moves":[],"rows":[]}"#)
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testTheChangesTurnTheFirstLineIntoTheLastList() throws {
    try notes("add", "First")
    let (process, lines, initial) = try watch()
    var rows = initial.rows

    // Two writers at once, so that some commits are likely to be delivered together.
    let writers = try shell(
      """
      for i in 1 2 3 4 5 6 7 8; do notes add "a $i" -q; done & \
      for i in 1 2 3 4 5 6 7 8; do id=$(notes add "b $i"); notes edit $id -t "c $i"; done; wait; \
      notes rm n1 n2 n3; notes add last
      """, environment: ["NOTES_NOW": ""])
    XCTAssertEqual(writers.status, 0, writers.errors)
    while rows.first?.title != "last" {
      let change = try decode(lines.line())
      XCTAssertEqual(change.type, "change")
      rows = change.applied(to: rows)
    }
    process.terminate()
    process.waitUntilExit()

    let ids = try notes("list", "-q").output.split(separator: "\n").map(String.init)
    XCTAssertEqual(rows.map(\.id), ids)
  }

  func testDeletingAllNotesIsOneChangeOfAllPositions() throws {
    for title in ["a", "b", "c"] { try notes("add", title) }
    let (process, lines, _) = try watch("--until", "1")

    try notes("rm", "n1", "n2", "n3")

    let change = try decode(lines.line())
    XCTAssertEqual(change.deletions, [0, 1, 2])
    XCTAssertEqual((change.insertions ?? []) + (change.modifications ?? []), [])
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testEachLineOfAPipeIsWholeAndComesAtOnce() throws {
    try notes("add", "first")

    // The next note is added when the line of the last one came: a line that waits in a buffer would
    // hold everything up.
    let outcome = try shell(
      """
      timeout 25 notes-watch --until 10 | { n=0; while read -r line; do \
      n=$((n + 1)); [ $n -le 10 ] && notes add "note $n" > /dev/null; printf '%s\\n' "$line"; \
      done; }
      """)

    XCTAssertEqual(outcome.status, 0, outcome.errors)
    let changes = try outcome.output.split(separator: "\n").map { try decode(String($0)) }
    XCTAssertEqual(changes.map(\.type), ["initial"] + Array(repeating: "change", count: 10))
    XCTAssertEqual(changes.dropFirst().map { $0.rows.count }, Array(repeating: 1, count: 10))
  }

  func testAnEditThatChangesNothingIsNotHeard() throws {
    try notes("add", "Milk")
    let (process, lines, _) = try watch("--until", "1")

    try notes("edit", "n1", "-t", "Milk")
    try notes("add", "Bread")

    XCTAssertEqual(try decode(lines.line()).rows.map(\.title), ["Bread"])
    process.waitUntilExit()
    XCTAssertEqual(process.terminationStatus, 0)
  }

  func testWithoutAChangeItEndsAfterTheTimeout() throws {
    try notes("add", "Milk")

    let outcome = try program("notes-watch", ["--timeout", "0.1"]).run()

    XCTAssertEqual(outcome.status, 124)
    XCTAssertEqual(outcome.output.split(separator: "\n").count, 1)
  }

  func testASignalEndsItWithItsNumber() throws {
    try notes("add", "Milk")

    for (number, status) in [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)] {
      let (process, lines, _) = try watch()
      kill(process.processIdentifier, number)
      process.waitUntilExit()
      XCTAssertEqual(process.terminationStatus, status)
      XCTAssertEqual(lines.rest(), "")
    }
  }

  func testAWrongNumberIsAUsageError() throws {
    for arguments in [["--timeout", "soon"], ["--timeout", "-1"], ["--until", "0"], ["extra"]] {
      XCTAssertEqual(try program("notes-watch", arguments).run().status, 64, "\(arguments)")
    }
  }

  func testAWatcherThatIsKilledLeavesTheStoreUsable() throws {
    try notes("add", "Milk")
    let (process, _, _) = try watch()

    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()

    XCTAssertEqual(try notes("add", "Bread").status, 0)
    XCTAssertEqual(try notes("list", "-q").output.split(separator: "\n").count, 2)
  }

  func testHundredsOfKilledWatchersHoldNothing() throws {
    let other = directory.appending(path: "Other.leyden")
    let stores = try [storeURL, other].map { url in
      var configuration = NoteDataSource.configuration(url: url)
      configuration.durability = .unsafe
      let store = try Store(configuration: configuration)
      try store.write {
        for number in 0..<1_000 { try store.add(StoredNote(value: Note(title: "\(number)"))) }
      }
      return store
    }
    let store = stores[0]
    for _ in 0..<testScale(60) {
      let (process, _, initial) = try watch()
      XCTAssertEqual(initial.rows.count, 1_000)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    XCTAssertEqual(try notes("list", "-q").output.split(separator: "\n").count, 1_000)
    for store in stores {
      let note = try XCTUnwrap(store.objects(StoredNote.self).first)
      for number in 0..<testScale(2_000) { try store.write { note.content = "\(number)" } }
    }
    // The other one was read by nobody. A thread of this process may read for a moment, which one
    // reader that was not freed would exceed twenty times.
    let sizes = stores.map { $0.diagnostics.fileSize }
    XCTAssertLessThanOrEqual(sizes[0], sizes[1] + sizes[1] / 10 + (4 << 20))

    let living = try (0..<10).map { _ in try watch() }
    for number in 0..<testScale(20) {
      let (process, _, _) = try watch()
      try store.write { try store.add(StoredNote(value: Note(title: "new \(number)"))) }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let last = try store.write { try store.add(StoredNote(value: Note(title: "last"))) }
    for (process, lines, initial) in living {
      var rows = initial.rows
      while !rows.contains(where: { $0.id == last.identifier }) {
        rows = try decode(lines.line()).applied(to: rows)
      }
      let expected = store.objects(StoredNote.self).sorted(by: \.lastEdited, ascending: false)
      XCTAssertEqual(rows.map(\.id), expected.map(\.identifier))
      XCTAssertTrue(process.isRunning)
    }
    let processes = Set(living.map(\.process.processIdentifier) + [getpid()])
    XCTAssertTrue(store.diagnostics.readers.allSatisfy { processes.contains($0.processIdentifier) })
    XCTAssertNoThrow(try store.verify())
  }
}
