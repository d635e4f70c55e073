import Foundation
import XCTest

/// What `notes` writes, as a whole.
final class NotesTests: SampleTestCase {
  private typealias Outcome = SampleProgram.Outcome

  func testAddingPrintsTheIdAndCreatesTheStore() throws {
    let outcome = try notes("add", "Milk", "-b", "two bottles", "-k", "shopping, kitchen,,")

    XCTAssertEqual(outcome, Outcome(status: 0, output: "n1\n", errors: ""))
    XCTAssertEqual(try filesInDirectory(), ["Notes.leyden"])
  }

  func testAddingInJSONPrintsTheNote() throws {
    let outcome = try notes("--json", "add", "Milk", "-k", "a,b", "-k", "c")

    XCTAssertEqual(
      outcome.output,
      #"{"id":"n1","title":"Milk","content":"","keywords":["a","b","c"],"#
        + #""lastEdited":"2026-01-31T12:00:00Z"}"# + "\n")
  }

  func testTheListBeginsWithTheLastEditedNote() throws {
    try notes("add", "First", environment: ["NOTES_NOW": "2026-01-31T12:00:00Z"])
    try notes("add", "Second", environment: ["NOTES_NOW": "2026-01-31T13:00:00Z"])
    try notes("edit", "n1", "-b", "new", environment: ["NOTES_NOW": "2026-01-31T14:00:00Z"])

    let outcome = try notes("list")

    XCTAssertEqual(
      outcome.output,
      """
      n1\tFirst\tnew\t\t2026-01-31T14:00:00Z
      n2\tSecond\t\t\t2026-01-31T13:00:00Z

      """)
  }

  func testTheFormatsShowTheSameNote() throws {
    try notes("add", "Tab\tand \u{1B}[31mred", "-b", "one\ntwo", "-k", "a,b")
    let row =
      #"{"id":"n1","title":"Tab\tand \u001b[31mred","content":"one\ntwo","keywords":["a","b"],"#
      + #""lastEdited":"2026-01-31T12:00:00Z"}"#

    XCTAssertEqual(try notes("list", "--json").output, "[\(row)]\n")
    XCTAssertEqual(try notes("list", "--format", "ndjson").output, "\(row)\n")
    XCTAssertEqual(
      try notes("list", "--format=plain").output,
      "n1\tTab\\tand \\u{1b}[31mred\tone\\ntwo\ta,b\t2026-01-31T12:00:00Z\n")
    XCTAssertEqual(
      try notes("list", "--format", "table").output,
      """
      ID │ TITLE                  │ KEYWORDS │ EDITED
      ───┼────────────────────────┼──────────┼─────────────────
      n1 │ Tab\\tand \\u{1b}[31mred │ a, b     │ 2026-01-31 12:00

      """)
    XCTAssertEqual(try notes("list", "-q").output, "n1\n")
  }

  func testShowingANoteInJSONIsOneObject() throws {
    try notes("add", "Milk", "-b", "two bottles")

    XCTAssertEqual(
      try notes("show", "n1", "--json").output,
      #"{"id":"n1","title":"Milk","content":"two bottles","keywords":[],"#
        + #""lastEdited":"2026-01-31T12:00:00Z"}"# + "\n")
  }

  func testShowingANoteToPeopleKeepsItsLines() throws {
    try notes("add", "Milk", "-b", "one\ntwo \u{1B}", "-k", "shopping")

    XCTAssertEqual(
      try notes("show", "n1", "--format", "table").output,
      """
      ID        n1
      Title     Milk
      Keywords  shopping
      Edited    2026-01-31 12:00

      one
      two \\u{1b}

      """)
  }

  func testASearchLooksAtTitleKeywordsAndContentWhateverCaseAndAccents() throws {
    try notes("add", "Café")
    try notes("add", "Second", "-k", "CAFE")
    try notes("add", "Third", "-b", "in the cafè")
    try notes("add", "Fourth", "-b", "caf")

    let found = try notes("search", "cAfe", "-q")

    XCTAssertEqual(found.output.split(separator: "\n").sorted(), ["n1", "n2", "n3"])
    XCTAssertEqual(try notes("search", "🦉 WATCH", "--json").output, "[]\n")
  }

  func testASearchReachesBeyondASCII() throws {
    try notes("add", "night 🦉 watch")
    try notes("add", "Байкал")

    XCTAssertEqual(try notes("search", "🦉 WATCH", "-q").output, "n1\n")
    XCTAssertEqual(try notes("search", "БАЙ", "-q").output, "n2\n")
  }

  func testABackslashInAKeywordIsFound() throws {
    try notes("add", "Path", "-k", #"C:\temp"#)

    XCTAssertEqual(try notes("search", #":\T"#, "-q").output, "n1\n")
    XCTAssertEqual(try notes("show", "n1", "--json").output.contains(#"["C:\\temp"]"#), true)
  }

  func testTimesDoNotDependOnTheZone() throws {
    try notes("add", "Milk", environment: ["TZ": "Europe/Paris", "NOTES_NOW": ""])

    let lists = try ["UTC", "Asia/Kolkata", "America/Chicago", "Europe/Paris"].flatMap { zone in
      try ["json", "plain", "ndjson"].map {
        "\($0) " + (try notes("list", "--format", $0, environment: ["TZ": zone]).output)
      }
    }

    XCTAssertEqual(Set(lists).count, 3, "\(lists)")
    for list in lists {
      XCTAssertNotNil(list.firstMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z/), list)
    }
  }

  func testTheTextMayComeFromStandardInput() throws {
    try notes("add", "First", "-", input: "one\ntwo\n")
    try notes("add", "Second", "--stdin", input: "three")
    try notes("edit", "n2", "-b", "-", input: "four\n\n")

    XCTAssertTrue(try notes("show", "n1", "--json").output.contains(#""content":"one\ntwo""#))
    XCTAssertTrue(try notes("show", "n2", "--json").output.contains(#""content":"four\n""#))
  }

  func testEditingWithOptionsChangesOnlyWhatTheySay() throws {
    try notes("add", "Milk", "-b", "two bottles", "-k", "a")

    try notes("edit", "n1", "-t", "Bread", environment: ["NOTES_NOW": "2026-02-01T00:00:00Z"])

    XCTAssertEqual(
      try notes("list").output, "n1\tBread\ttwo bottles\ta\t2026-02-01T00:00:00Z\n")
  }

  func testAnEditThatChangesNothingIsNotStamped() throws {
    try notes("add", "Milk")

    let outcome = try notes(
      "edit", "n1", "-t", "Milk", "-v", environment: ["NOTES_NOW": "2026-02-01T00:00:00Z"])

    XCTAssertEqual(
      outcome, Outcome(status: 0, output: "n1\n", errors: "No changes; nothing was saved.\n"))
    XCTAssertTrue(try notes("list").output.contains("2026-01-31"))
  }

  func testRemovingPrintsWhatWasRemoved() throws {
    for title in ["First", "Second", "Third"] { try notes("add", title) }

    let outcome = try notes("rm", "n1", "n3", "n1")

    XCTAssertEqual(outcome, Outcome(status: 0, output: "n1\nn3\n", errors: ""))
    XCTAssertEqual(try notes("list", "-q").output, "n2\n")
  }

  func testABeginningStandsForAnIdThatNoOtherSharesIt() throws {
    let id = try notes("add", "Milk", environment: ["NOTES_IDS": ""]).output.dropLast()
    XCTAssertEqual(id.count, 36)

    let outcome = try notes("show", id.prefix(8).lowercased() + "…", "-q")

    XCTAssertEqual(outcome.output, id + "\n")
  }

  func testAStoreOnTheCommandLineWinsOverTheEnvironment() throws {
    let other = directory.appending(path: "Other.leyden").path

    try notes("--store", other, "add", "Milk")

    XCTAssertEqual(try filesInDirectory(), ["Other.leyden"])
    XCTAssertEqual(try notes("list", "-q", "--store=\(other)").output, "n1\n")
  }

  func testWithoutAnyOtherChoiceTheStoreIsInTheDataDirectory() throws {
    let data = directory.appending(path: "data")

    try notes("add", "Milk", environment: ["NOTES_STORE": "", "XDG_DATA_HOME": data.path])

    let names = try FileManager.default.contentsOfDirectory(atPath: data.path + "/notes")
    XCTAssertEqual(names, ["Notes.leyden"])
  }

  func testAVersionAndHelpAreAnswersNotErrors() throws {
    XCTAssertEqual(try notes("--version").status, 0)
    for arguments in [["--help"], ["-h"], ["help"], ["add", "--help"], ["help", "add"]] {
      let outcome = try program("notes", arguments).run()
      XCTAssertEqual(outcome.status, 0, "\(arguments)")
      XCTAssertTrue(outcome.output.contains("Examples:\n  notes add"), "\(arguments)")
      XCTAssertEqual(outcome.errors, "", "\(arguments)")
    }
  }
}
