import XCTest

@testable import ConsoleKit

final class ParsedArgumentsTests: XCTestCase {
  private let syntax = Syntax(
    program: "tool", summary: "Does things.",
    options: [.init("store", value: "PATH", help: "Where."), .init("quiet", "q", help: "Less.")],
    commands: [
      .init(
        "put", operands: "NAME", operandCount: 1...2, summary: "Puts.",
        options: [
          .init("key", "k", value: "KEY", help: "A key."), .init("all", "a", help: "All."),
        ],
        examples: ["tool put x"]),
      .init("get", summary: "Gets.", examples: ["tool get"]),
    ], notes: "")

  private func parse(_ line: String) throws -> ParsedArguments {
    let words = line.split(separator: " ").map(String.init)
    guard case .run(let arguments) = try ParsedArguments.parse(words, syntax: syntax) else {
      throw CommandError(.failure, message: "asks for help")
    }
    return arguments
  }

  func testOptionsMayStandAnywhereAndAreSpelledInSeveralWays() throws {
    for line in [
      "--store s put a b -k x -q -a", "put -aqkx a --store=s b", "-q put a -k x --all b --store s",
    ] {
      let arguments = try parse(line)
      XCTAssertEqual(arguments.command, "put", line)
      XCTAssertEqual(arguments.operands, ["a", "b"], line)
      XCTAssertEqual(arguments.value("store"), "s", line)
      XCTAssertEqual(arguments.value("key"), "x", line)
      XCTAssertTrue(arguments.has("quiet") && arguments.has("all"), line)
    }
  }

  func testTwoHyphensEndTheOptionsAndOneIsAnOperand() throws {
    XCTAssertEqual(try parse("put -- -q --").operands, ["-q", "--"])
    XCTAssertEqual(try parse("put - -q").operands, ["-"])
    XCTAssertEqual(try parse("put a -k -").value("key"), "-")
  }

  func testTheLastValueCountsAndAllAreKept() throws {
    let arguments = try parse("put a -k x -k y")

    XCTAssertEqual(arguments.value("key"), "y")
    XCTAssertEqual(arguments.values("key"), ["x", "y"])
    XCTAssertFalse(arguments.has("store"))
  }

  func testWhatCannotBeUnderstoodIsAUsageError() {
    for line in [
      "", "pot a", "put", "put a b c", "put a -k", "put a --key", "put a -z", "put a --zzz",
      "get --all", "put a --all=yes", "-a put a",
    ] {
      XCTAssertThrowsError(try parse(line), line) { error in
        XCTAssertEqual((error as? CommandError)?.status, .usage, line)
      }
    }
  }

  func testASuggestionIsNearOrAbsent() {
    XCTAssertEqual(suggestion(for: "pt", among: ["put", "get"]), "Did you mean “put”?")
    XCTAssertEqual(suggestion(for: "lsit", among: ["list", "edit"]), "Did you mean “list”?")
    XCTAssertEqual(suggestion(for: "sea", among: ["show", "search"]), "Did you mean “search”?")
    XCTAssertNil(suggestion(for: "frobnicate", among: ["put", "get"]))
  }
}
