import CLMDB
import CLeyden
import Foundation
import Synchronization

extension Environment {
  /// A read transaction that is open, in any process.
  package struct Reader: Sendable, Hashable {
    /// The process's number.
    package let process: Int32
    /// The number of the transaction whose version it reads.
    package let transaction: UInt64
  }

  /// The read transactions of all processes that are open, after those of dead processes were freed.
  ///
  /// LMDB: `mdb_reader_list`, which writes a line for each slot: process, thread and transaction,
  /// or a dash where none is open.
  package func openReaders() -> [Reader] {
    guard isOfThisProcess, !file.hasLostMap else { return [] }
    _ = checkReaders()
    let lines = Lines()
    withExtendedLifetime(lines) {
      let context = unsafe Unmanaged.passUnretained(lines).toOpaque()
      unsafe file.whileOpen { unsafe mdb_reader_list($0, collectLine, context) }
    }
    return lines.text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      guard words.count == 3, let process = Int32(words[0]), let transaction = UInt64(words[2])
      else { return nil }
      return Reader(process: process, transaction: transaction)
    }
  }
}

extension Environment {
  /// How many versions are active when a write has been committed: from the oldest one that is read, in
  /// any process, to the write's.
  ///
  /// - Complexity: O(*n*) for *n* slots of readers.
  package func activeVersions(with write: WriteTransaction) -> Int {
    let newest = write.number
    let oldest = openReaders().map(\.transaction).min() ?? newest
    return Int(clamping: newest - min(oldest, newest)) + 1
  }
}

extension Environment {
  /// The process that is inside a write; `nil` where none is, or where that cannot be told.
  package var writingProcess: Int32? {
    guard isOfThisProcess, !isNameless, let thread = file.lockFile(in: directory)?.writingThread,
      thread != 0
    else { return nil }
    return leyden_process_of_thread(thread)
  }
}

/// What LMDB has written.
private final class Lines {
  var text = ""
}

// SAFETY: LMDB passes on the context that it was called with, which lives as long as the call.
private func collectLine(
  _ message: UnsafePointer<CChar>?, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let message = unsafe message, let context = unsafe context else { return 0 }
  unsafe Unmanaged<Lines>.fromOpaque(context).takeUnretainedValue().text += String(
    cString: message)
  return 0
}
