/// How a program ended, as its exit code tells the caller.
///
/// The codes from 64 on follow `sysexits.h`; those from 128 on are 128 and the signal's number.
package enum ExitStatus: Int32, Sendable {
  /// All went well.
  case success = 0
  /// A failure that none of the other cases names.
  case failure = 1
  /// The user called it off.
  case cancelled = 2
  /// What was asked for does not exist.
  case notFound = 3
  /// An ambiguous name, a value that must be unique, or an edit that somebody else overtook.
  case conflict = 4
  /// The store is busy: locked, or all its reader slots are taken.
  case busy = 5
  /// The store is damaged, or of a version that this program does not know.
  case unreadableStore = 6
  /// The command line was wrong.
  case usage = 64
  /// What was given to store or to read cannot be used.
  case badInput = 65
  /// The store or a file could not be created.
  case cannotCreate = 73
  /// Reading or writing failed, or the disk is full.
  case inputOutput = 74
  /// Nothing happened for as long as the caller wanted to wait.
  case timedOut = 124
  /// The terminal went away (SIGHUP).
  case hungUp = 129
  /// Ctrl-C (SIGINT).
  case interrupted = 130
  /// The reader of the output went away (SIGPIPE).
  case brokenPipe = 141
  /// SIGTERM.
  case terminated = 143

  /// The word that stands for this status in `"code"` of an error in JSON.
  package var code: String {
    switch self {
    case .success: "ok"
    case .failure: "failed"
    case .cancelled: "cancelled"
    case .notFound: "not_found"
    case .conflict: "conflict"
    case .busy: "busy"
    case .unreadableStore: "unreadable_store"
    case .usage: "usage"
    case .badInput: "bad_input"
    case .cannotCreate: "cannot_create"
    case .inputOutput: "io"
    case .timedOut: "timed_out"
    case .hungUp: "hung_up"
    case .interrupted: "interrupted"
    case .brokenPipe: "broken_pipe"
    case .terminated: "terminated"
    }
  }
}
