import CLMDB
import CLeyden
import Foundation
import Synchronization

/// LMDB gives a file up where it could not write one of the two first pages, and where its map was
/// lost while it was moved: every transaction fails from then on, until the file is opened anew.
///
/// Nothing that was committed is lost thereby, and nothing that was not is there afterwards.
extension Environment {
  /// Calls `body` each time that the file was opened anew.
  package func whenOpenedAnew(_ body: @escaping @Sendable () -> Void) {
    openedAnew.withLock { $0 = body }
  }

  /// Finds out whether LMDB has given the file up; after a commit that failed, by the owner of
  /// `writer`.
  func noteFailedCommit() {
    do throws(LMDBError) { readers.end(try readers.begin { file }) } catch {
      if error == .panic { isGivenUp.store(true, ordering: .relaxed) }
    }
  }

  /// Opens the file anew where LMDB has given it up; the caller looks again.
  ///
  /// Two of LMDB's environments for one file in a process destroy each other's locks: the old one is
  /// closed before, and whoever reads it ends before that.
  ///
  /// - Throws: `.failed` where this thread reads itself, or another one does for five seconds; what
  ///   opening throws. The next call tries again.
  func openAnew() throws(StorageError) {
    if writer.isMine { return try openAnewAsWriter() }
    guard writer.tryLock() else {
      // Whoever has the lock is at it, or about to be.
      return writer.waitForChange(until: .now + .milliseconds(1))
    }
    defer { writer.unlock() }
    guard isGivenUp.load(ordering: .relaxed) else { return }
    try openAnewAsWriter()
  }

  private func openAnewAsWriter() throws(StorageError) {
    isGivenUp.store(true, ordering: .relaxed)
    // The files of a store without names are not found again.
    guard !isNameless else { throw givenUp }
    let deadline = ContinuousClock.now + Self.patience
    let old = file
    while true {
      let isDone = old.gate.whileClosed(until: deadline) { replaceIfUnused(old) }
      switch isDone {
      case .success(true)?:
        isGivenUp.store(false, ordering: .relaxed)
        return openedAnew.withLock { $0 }?() ?? ()
      case .success(false)?:
        // Who is about to begin fails, and is gone.
        usleep(1_000)
        if ContinuousClock.now > deadline { throw givenUp }
      case .failure(let error)?: throw error
      case nil: throw givenUp
      }
    }
  }

  /// Behind the gate: closes the file and opens it again, where nobody has a transaction of it, not
  /// even one that waits to be used again.
  private func replaceIfUnused(_ old: MappedFile) -> Result<Bool, StorageError> {
    readers.drain()
    guard old.gate.hasNoCells else { return .success(false) }
    do throws(StorageError) {
      try checkNotReplaced()
      old.close()
      var options = options
      options.mayCreate = false
      options.hasSignal = false
      let new = MappedFile(try OpenedFile(in: directory, options: options))
      _ = fileMonitor.withLock { install(new) }
      return .success(true)
    } catch { return .failure(error) }
  }

  private var givenUp: StorageError { .failed(.panic, operation: "use \(path)") }
}
