import Foundation
import TestSupport
import XCTest

/// A program of the samples, run as a child process with an environment of its own.
///
/// The environment holds nothing that the test did not put there, so that no setting of the machine
/// decides a test.
struct SampleProgram {
  /// How a program ended, and what it wrote.
  struct Outcome: Equatable {
    var status: Int32
    var output: String
    var errors: String
  }

  /// How long any program may take; far more than it needs, so that only a hang is cut short.
  static let timeLimit: Duration = .seconds(30)

  /// The folder of the built programs: the one that holds the test bundle.
  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  let executable: URL
  var arguments: [String] = []
  var environment: [String: String] = [:]
  var directory: URL

  /// Runs the program to its end.
  func run(input: Data = Data()) throws -> Outcome {
    let process = try process()
    let (inputPipe, outputPipe, errorPipe) = (Pipe(), Pipe(), Pipe())
    process.standardInput = inputPipe
    process.standardOutput = outputPipe
    process.standardError = errorPipe
    let output = StreamReader(outputPipe.fileHandleForReading)
    let errors = StreamReader(errorPipe.fileHandleForReading)
    let end = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in end.signal() }
    try process.run()
    try inputPipe.fileHandleForWriting.write(contentsOf: input)
    try inputPipe.fileHandleForWriting.close()
    if end.wait(timeout: .now() + Double(Self.timeLimit.components.seconds)) == .timedOut {
      kill(process.processIdentifier, SIGKILL)
      XCTFail("\(executable.lastPathComponent) \(arguments) did not end")
    }
    return Outcome(
      status: process.terminationStatus, output: output.rest(), errors: errors.rest())
  }

  /// A process that was not started yet.
  func process() throws -> Process {
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = environment.merging(sanitizerOptions) { own, _ in own }
    process.currentDirectoryURL = directory
    return process
  }
}
