import Leyden
import NotesKit

/// Hears the changes of a store, whichever process makes them.
///
/// 1. An observer is registered; it gets the notes as they are before `observe` returns.
/// 2. `waitForChanges` blocks until somebody commits something, and calls the observer on this thread.
/// 3. What the observer got is handed on. Then again from 2.
///
/// Everything happens on the thread that called ``run(timeout:deliver:)``: an open store belongs to
/// one thread. It holds no version of the store while it waits, however long that is.
struct NoteFeed {
  /// Why a feed came to its end.
  enum Ending: Sendable {
    case stopped, timedOut
  }

  let dataSource: NoteDataSource

  /// Delivers the notes and then each change, until `deliver` returns `false`, or `timeout` has passed
  /// since the last delivery.
  func run(
    timeout: Duration?, deliver: (NoteChange) throws -> Bool
  ) throws -> Ending {
    var heard: [Result<NoteChange, StoreError>] = []
    var identifiers: [String] = []
    let token = dataSource.storedNotes.observe { change in
      switch change {
      case .initial(let notes):
        let initial = NoteChange(initial: notes.values)
        initial.apply(to: &identifiers) { $0.identifier }
        heard.append(.success(initial))
      case .update(let notes, let deletions, let insertions, let modifications):
        heard.append(
          .success(
            NoteChange(
              deletions: deletions, insertions: insertions, modifications: modifications,
              identifiers: &identifiers, noteAt: { notes[$0].value })))
      case .error(let error):
        heard.append(.failure(error))
      }
    }
    defer { token.invalidate() }

    let clock = ContinuousClock()
    var deadline = timeout.map { clock.now + $0 }
    while true {
      for change in heard {
        guard try deliver(change.get()) else { return .stopped }
        deadline = timeout.map { clock.now + $0 }
      }
      heard.removeAll()
      // A commit that left the notes as they are wakes this too, and does not put the end off.
      if let deadline, deadline <= clock.now { return .timedOut }
      _ = dataSource.store.waitForChanges(timeout: deadline.map { $0 - clock.now })
      if let failure = dataSource.store.failure { throw failure }
    }
  }
}
