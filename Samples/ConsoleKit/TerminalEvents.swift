import Foundation
import Synchronization

/// A key that a full-screen program understands.
package enum Key: Equatable, Sendable {
  /// A printable character.
  case character(Character)
  /// An arrow or a key of the block above the arrows.
  case up, down, pageUp, pageDown, home, end
}

/// Waits for whatever happens next: a key, a signal, or word from another thread.
///
/// Signals and other threads write a byte into a pipe; one `poll` waits for that pipe and the
/// keyboard together, so nothing has to look twice a second whether something happened.
package final class TerminalEvents {
  /// Something that happened.
  package enum Event: Equatable, Sendable {
    /// Keys were typed.
    case keys([Key])
    /// One of ``signals`` came.
    case signal(Int32)
    /// ``Waker/wake()`` was called, once or more often.
    case wake
    /// The terminal is gone.
    case hangUp
  }

  /// Lets another thread wake ``next()``.
  package struct Waker: Sendable {
    /// Makes ``next()`` return ``Event/wake``.
    package func wake() { notify(wakeByte) }
  }

  /// The signals that become events.
  package static let signals = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT]

  private let pipeEnd: Int32

  /// Starts to listen.
  ///
  /// There is one set of signals and one keyboard, hence one instance in a program.
  package init() throws(CommandError) {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else {
      throw CommandError(.inputOutput, message: "No pipe could be made.")
    }
    pipeEnd = ends[0]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // A full pipe must not hold up a signal handler, nor an empty one its reader.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    notificationPipe.store(ends[1], ordering: .sequentiallyConsistent)
    for number in Self.signals { listen(to: number) }
  }

  /// What other threads wake this with.
  package var waker: Waker { Waker() }

  /// Waits for the next events, in the order: signals and wake-ups, keys.
  package func next() -> [Event] {
    var sources = [
      pollfd(fd: pipeEnd, events: Int16(POLLIN), revents: 0),
      pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
    ]
    while unsafe poll(&sources, nfds_t(sources.count), -1) < 0, errno == EINTR {}
    var events: [Event] = []
    if sources[0].revents != 0 {
      // The order of the first appearance; a burst of the same signal is one event.
      for byte in Self.read(from: pipeEnd) {
        let event: Event = byte == wakeByte ? .wake : .signal(Int32(byte))
        if !events.contains(event) { events.append(event) }
      }
    }
    if sources[1].revents != 0 {
      let bytes = Self.read(from: STDIN_FILENO)
      events.append(bytes.isEmpty ? .hangUp : .keys(Self.keys(in: bytes)))
    }
    return events
  }

  /// Stops this process as Ctrl-Z does, and returns when it goes on.
  package func stop() {
    signal(SIGTSTP, SIG_DFL)
    raise(SIGTSTP)
    listen(to: SIGTSTP)
  }

  private func listen(to number: Int32) {
    signal(number) { notify(UInt8($0)) }
  }

  private static func read(from descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = unsafe Foundation.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }

  /// The keys in what a terminal sent; what is not understood is left out.
  static func keys(in bytes: [UInt8]) -> [Key] {
    let sequences: [(String, Key)] = [
      ("[A", .up), ("[B", .down), ("OA", .up), ("OB", .down), ("[5~", .pageUp), ("[6~", .pageDown),
      ("[H", .home), ("[F", .end), ("[1~", .home), ("[4~", .end),
    ]
    var keys: [Key] = []
    var rest = String(decoding: bytes, as: UTF8.self)[...]
    while let character = rest.popFirst() {
      if character == "\u{1B}" {
        guard let sequence = sequences.first(where: { rest.hasPrefix($0.0) }) else { continue }
        rest.removeFirst(sequence.0.count)
        keys.append(sequence.1)
      } else {
        keys.append(.character(character))
      }
    }
    return keys
  }
}

// No signal has the number 0.
private let wakeByte: UInt8 = 0

private let notificationPipe = Atomic<Int32>(-1)

/// Writes one byte into the pipe that ``TerminalEvents`` reads.
///
/// It calls only what a signal handler may call.
private func notify(_ byte: UInt8) {
  let savedError = errno
  var byte = byte
  // A full pipe means that the reader is about to wake anyway.
  _ = unsafe write(notificationPipe.load(ordering: .sequentiallyConsistent), &byte, 1)
  errno = savedError
}
