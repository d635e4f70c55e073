import Foundation
import Synchronization

/// The terminal as a full-screen program has it: alternate screen, no echo, keys at once.
///
/// Whatever way the program ends, the user gets the terminal back as it was: by ``leave()``, at
/// `exit`, and when the program crashes. Ctrl-C and Ctrl-Z stay signals; ``TerminalEvents`` hears
/// them.
///
/// There is one terminal, and a crash has nobody to ask, so its state is global: whether it is ours,
/// which is atomic, and the shell's settings, which are written once, before that.
package final class Terminal {
  /// Takes the terminal over.
  ///
  /// - Throws: A ``CommandError`` where standard input is no terminal.
  package init() throws(CommandError) {
    var settings = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw CommandError(.inputOutput, message: "Standard input is not a terminal.")
    }
    unsafe shellSettings = settings
    atexit { giveBackTerminal() }
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGQUIT] {
      signal(number) {
        giveBackTerminal()
        signal($0, SIG_DFL)
        raise($0)
      }
    }
    enter()
  }

  deinit { leave() }

  /// Takes the terminal over, again after ``leave()`` or after somebody changed it meanwhile.
  package func enter() {
    guard var settings = unsafe shellSettings else { return }
    settings.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    settings.c_iflag &= ~tcflag_t(IXON | ICRNL)
    terminalIsOurs.store(true, ordering: .sequentiallyConsistent)
    _ = unsafe tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    write("\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J")
  }

  /// Gives the terminal back.
  package func leave() { giveBackTerminal() }

  /// How many rows and columns it has; 24 and 80 where it does not say.
  package var size: (rows: Int, columns: Int) {
    var size = winsize()
    guard unsafe ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
      return (24, 80)
    }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Writes text and control sequences.
  ///
  /// That a terminal is gone is told by ``TerminalEvents``, not here.
  package func write(_ text: String) {
    _ = StandardStreams.writeAll(text, to: STDOUT_FILENO)
  }
}

private let terminalIsOurs = Atomic<Bool>(false)

// SAFETY: written once, by `Terminal.init` before anything reads it.
// Begins without settings: room for empty ones would be three bytes too small (Swift 6.3 leaves out
// what is between the members of a structure of C).
nonisolated(unsafe) private var shellSettings: termios?

/// Shows the cursor and the normal screen, and restores the shell's settings.
///
/// A second call does nothing. It calls only what a signal handler may call.
private func giveBackTerminal() {
  guard terminalIsOurs.exchange(false, ordering: .sequentiallyConsistent) else { return }
  let sequence: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"
  _ = unsafe write(STDOUT_FILENO, sequence.utf8Start, sequence.utf8CodeUnitCount)
  guard var settings = unsafe shellSettings else { return }
  _ = unsafe tcsetattr(STDIN_FILENO, TCSANOW, &settings)
}
