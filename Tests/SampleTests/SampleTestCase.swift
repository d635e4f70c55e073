import Foundation
import TestSupport
import XCTest

/// A test of the programs, with a directory of its own for stores and files.
class SampleTestCase: XCTestCase {
  private(set) var directory = URL(filePath: "/")

  override func setUpWithError() throws {
    directory = FileManager.default.temporaryDirectory
      .appending(path: "sample tests \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  override func tearDownWithError() throws {
    try FileManager.default.removeItem(at: directory)
  }

  /// Where the store of the test is, or will be.
  var storeURL: URL { directory.appending(path: "Notes.leyden") }

  /// A program with the test's store, a fixed time and numbered ids.
  func program(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) -> SampleProgram {
    var all = [
      "HOME": directory.path, "NOTES_STORE": storeURL.path, "NOTES_IDS": "sequence",
      "NOTES_NOW": "2026-01-31T12:00:00Z", "PATH": "/usr/bin:/bin", "TMPDIR": directory.path,
      "TZ": "UTC",
    ]
    all.merge(environment) { _, new in new }
    return SampleProgram(
      executable: SampleProgram.folder.appending(path: name), arguments: arguments,
      environment: all.filter { !$0.value.isEmpty }, directory: directory)
  }

  /// Runs `notes`.
  @discardableResult
  func notes(
    _ arguments: String..., environment: [String: String] = [:], input: String = ""
  ) throws -> SampleProgram.Outcome {
    try program("notes", arguments, environment: environment).run(input: Data(input.utf8))
  }

  /// Runs a line of shell in which `notes` and `notes-watch` are found.
  func shell(
    _ line: String, environment: [String: String] = [:]
  ) throws -> SampleProgram.Outcome {
    var program = program("notes", ["-c", line], environment: environment)
    program.environment["PATH"] = "\(SampleProgram.folder.path):/usr/bin:/bin"
    return try SampleProgram(
      executable: URL(filePath: "/bin/bash"), arguments: program.arguments,
      environment: program.environment.merging(sanitizerOptions) { own, _ in own },
      directory: directory
    ).run()
  }

  /// The names of what is in the test's directory.
  func filesInDirectory() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
  }
}
