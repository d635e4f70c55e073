package import Foundation

/// The three streams that every program is started with.
package enum StandardStreams {
  /// Makes sure that descriptors 0, 1 and 2 are taken, and that a reader who leaves is an error
  /// instead of a signal.
  ///
  /// A program may be started with some of them closed. The next file that it opens would take the
  /// number, and messages would be written into it. So each closed one becomes `/dev/null`, opened
  /// the wrong way round: reading from it or writing to it fails as it does on a closed one.
  package static func prepare() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Whether standard input is a terminal.
  package static var inputIsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether standard output is a terminal.
  package static var outputIsTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// The columns to write in: `COLUMNS`, else the terminal's, else 80.
  package static func outputWidth(environment: [String: String]) -> Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return 80
    }
    return Int(size.ws_col)
  }

  /// Writes a line to standard error.
  ///
  /// Nobody can be told when that fails.
  package static func complain(_ line: String) {
    _ = writeAll(line + "\n", to: STDERR_FILENO)
  }

  /// Reads standard input to its end.
  package static func readInput() throws(CommandError) -> Data {
    do {
      return try FileHandle.standardInput.readToEnd() ?? Data()
    } catch {
      throw CommandError(.inputOutput, message: "Standard input could not be read.")
    }
  }

  /// Writes all of `text`, and returns 0 or the number of the error.
  static func writeAll(_ text: String, to descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        // SAFETY: the range stays inside the buffer, which lives as long as this closure.
        let rest = unsafe UnsafeBufferPointer(rebasing: bytes[written...])
        let count = unsafe write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          written += count
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }
}
