import Foundation
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
  static let timeLimit: Duration = .seconds(60)

  /// The folder of the built programs: the one that holds the test bundle.
  static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

  let executable: URL
  var arguments: [String] = []
  var environment: [String: String] = [:]
  var directory: URL

  /// Runs the program to its end.
  func run(input: Data = Data()) throws -> Outcome {
    let process = try process()
    let inputPipe = Pipe()
    let output = PipeReader()
    let errors = PipeReader()
    process.standardInput = inputPipe
    process.standardOutput = output.pipe
    process.standardError = errors.pipe
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
    process.environment = environment
    process.currentDirectoryURL = directory
    return process
  }
}

/// Reads a pipe on a thread of its own, and gives what came when it is asked for.
final class PipeReader: @unchecked Sendable {
  // SAFETY: `text` and `isAtEnd` are only touched under `condition`.
  let pipe = Pipe()
  private let condition = NSCondition()
  private var text = ""
  private var isAtEnd = false

  init() {
    let handle = pipe.fileHandleForReading
    Thread.detachNewThread { [self] in
      var isOpen = true
      var undecoded = Data()
      while isOpen {
        let piece = handle.availableData
        isOpen = !piece.isEmpty
        undecoded += piece
        // A character may be cut in two by the end of a piece.
        let decoded = String(validating: undecoded, as: UTF8.self)
        if let decoded { undecoded = Data(); add(decoded, isLast: !isOpen) }
      }
      add(String(decoding: undecoded, as: UTF8.self), isLast: true)
    }
  }

  private func add(_ piece: String, isLast: Bool) {
    condition.withLock {
      text += piece
      isAtEnd = isLast
      condition.broadcast()
    }
  }

  /// Waits until something is found in what came, and returns that; `nil` at the end of the pipe or
  /// after the time limit.
  func wait<Found>(for find: (inout String) -> Found?) -> Found? {
    let deadline = Date() + Double(SampleProgram.timeLimit.components.seconds)
    return condition.withLock {
      while true {
        if let found = find(&text) { return found }
        if isAtEnd || !condition.wait(until: deadline) { return nil }
      }
    }
  }

  /// The next line, without its end.
  func line() -> String? {
    wait { text in
      guard let end = text.firstIndex(of: "\n") else { return nil }
      defer { text = String(text[text.index(after: end)...]) }
      return String(text[..<end])
    }
  }

  /// All that comes until the end of the pipe.
  func rest() -> String {
    let deadline = Date() + Double(SampleProgram.timeLimit.components.seconds)
    return condition.withLock {
      while !isAtEnd, condition.wait(until: deadline) {}
      defer { text = "" }
      return text
    }
  }
}
