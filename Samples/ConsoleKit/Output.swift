import Foundation

/// Standard output, gathered into large pieces.
///
/// A stream calls ``flush()`` after each line; everything else is flushed at the end of the program.
package final class Output {
  // Large enough that ten thousand rows need few system calls, small enough to be no burden.
  private static let capacity = 64 * 1024

  private var text = ""

  /// Starts with nothing written.
  package init() {}

  /// Adds a line.
  ///
  /// - Throws: A ``CommandError`` where what had gathered could not be written: silent with
  ///   ``ExitStatus/brokenPipe`` where the reader has left.
  package func line(_ line: String) throws(CommandError) {
    text += line
    text += "\n"
    if text.utf8.count >= Self.capacity { try flush() }
  }

  /// Writes what has gathered.
  package func flush() throws(CommandError) {
    guard !text.isEmpty else { return }
    let failure = StandardStreams.writeAll(text, to: STDOUT_FILENO)
    text = ""
    switch failure {
    case 0: return
    case EPIPE: throw CommandError(.brokenPipe, message: "The reader of the output has left.")
    default:
      let reason = unsafe String(cString: strerror(failure))
      throw CommandError(
        .inputOutput, message: "Standard output could not be written: \(reason).",
        details: [("errno", .integer(Int(failure)))])
    }
  }
}
