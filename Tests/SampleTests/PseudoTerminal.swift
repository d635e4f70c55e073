import Foundation
import XCTest

/// A terminal without a screen: a program runs on one end, the test types and reads at the other.
final class PseudoTerminal {
  private let near: FileHandle
  private let far: FileHandle
  /// What the program wrote.
  let output: StreamReader

  init(rows: Int, columns: Int) throws {
    var (nearEnd, farEnd): (Int32, Int32) = (-1, -1)
    guard unsafe openpty(&nearEnd, &farEnd, nil, nil, nil) == 0 else {
      throw XCTSkip("there are no pseudo-terminals here")
    }
    near = FileHandle(fileDescriptor: nearEnd, closeOnDealloc: true)
    // Kept open as long as the test runs, or the end of the program would be an error here.
    far = FileHandle(fileDescriptor: farEnd, closeOnDealloc: true)
    for end in [nearEnd, farEnd] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    output = StreamReader(near)
    resize(rows: rows, columns: columns)
  }

  /// Starts a program with this terminal as its three streams.
  func start(_ program: SampleProgram) throws -> Process {
    let process = try program.process()
    process.standardInput = far
    process.standardOutput = far
    process.standardError = far
    try process.run()
    return process
  }

  func type(_ text: String) throws {
    try near.write(contentsOf: Data(text.utf8))
  }

  func resize(rows: Int, columns: Int) {
    var size = winsize()
    size.ws_row = UInt16(rows)
    size.ws_col = UInt16(columns)
    _ = unsafe ioctl(near.fileDescriptor, UInt(TIOCSWINSZ), &size)
  }

  /// The settings, as a text that can be compared.
  var settings: [UInt32] {
    var settings = termios()
    _ = unsafe tcgetattr(far.fileDescriptor, &settings)
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }
}
