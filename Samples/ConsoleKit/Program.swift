import Foundation

/// The frame that every program runs in: streams, signals, command line, errors, exit code.
package enum Program {
  /// Runs a program from its command line to its end.
  ///
  /// 1. Standard streams and signals are prepared.
  /// 2. The command line is taken apart; help and version are answered here.
  /// 3. `body` runs.
  /// 4. What it wrote is flushed; an error is reported on standard error.
  /// 5. The program ends with the exit code of the error, or the one that `body` returned.
  package static func run(
    _ syntax: Syntax, _ body: (ParsedArguments, Output) throws -> ExitStatus
  ) -> Never {
    StandardStreams.prepare()
    endOnSignals()
    // Until the command line is understood, this is the best guess at how errors are wanted.
    var errorsAreJSON = CommandLine.arguments.contains("--json")
    do {
      let output = Output()
      var status = ExitStatus.success
      switch try ParsedArguments.parse(commandLine(), syntax: syntax) {
      case .show(let text):
        try output.line(text)
      case .run(let arguments):
        errorsAreJSON = try OutputFormat(arguments, onTerminal: false).isJSON
        status = try body(arguments, output)
      }
      try output.flush()
      exit(status.rawValue)
    } catch {
      exit(report(error, by: syntax.program, asJSON: errorsAreJSON).rawValue)
    }
  }

  /// Reports an error on standard error, and returns what to exit with.
  package static func report(
    _ error: any Error, by program: String, asJSON: Bool
  ) -> ExitStatus {
    let error = CommandError(error)
    // A reader who has left wants to hear no more.
    guard error.status != .brokenPipe else { return error.status }
    if asJSON {
      StandardStreams.complain(error.json.text)
    } else {
      StandardStreams.complain("\(program): \(error.message.escapedForTerminalKeepingLines)")
      if let hint = error.hint { StandardStreams.complain(hint.escapedForTerminalKeepingLines) }
    }
    return error.status
  }

  /// The arguments behind the program's name.
  ///
  /// `CommandLine.arguments` would put U+FFFD in the place of invalid bytes, and they would be
  /// stored so.
  private static func commandLine() throws(CommandError) -> [String] {
    var arguments: [String] = []
    for position in 1..<max(Int(CommandLine.argc), 1) {
      // SAFETY: the system hands over `argc` strings that live as long as the process.
      guard let bytes = unsafe CommandLine.unsafeArgv[position] else { continue }
      guard let argument = unsafe String(validatingCString: bytes) else {
        throw CommandError(
          .badInput, message: "Argument \(position) is not valid UTF-8.",
          hint: "Use a UTF-8 terminal and locale, or give the text on standard input.",
          details: [("position", .integer(position))])
      }
      arguments.append(argument)
    }
    return arguments
  }

  /// Ends the program with 128 and the signal's number on Ctrl-C and TERM.
  ///
  /// Nothing has to be undone: a write that was not committed does not exist, and LMDB frees the lock
  /// of a process that is gone.
  private static func endOnSignals() {
    for number in [SIGINT, SIGTERM] {
      signal(number) { _exit(128 + $0) }
    }
  }
}
