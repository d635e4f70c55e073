import Foundation

/// Ends a stream whose reader has left, even while there is nothing to write.
package enum ReaderLoss {
  /// Ends the program with ``ExitStatus/brokenPipe`` as soon as nobody can read its output any more.
  ///
  /// That is so when standard output is a pipe or a socket without its other end. A thread of its own
  /// waits for it, without looking in between.
  package static func endProgramWhenNobodyReads() {
    Thread.detachNewThread {
      // Without a requested event only errors and hang-ups are reported.
      var output = pollfd(fd: STDOUT_FILENO, events: 0, revents: 0)
      while unsafe poll(&output, 1, -1) < 0, errno == EINTR {}
      // `exit` would run the clean-up of a thread that may be in the middle of something.
      _exit(ExitStatus.brokenPipe.rawValue)
    }
  }
}
