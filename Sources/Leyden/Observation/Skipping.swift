import LeydenStorage

/// The observers that are not told of a write, from before its commit until after it.
struct Skipping {
  private let observers: [Observer]
  /// The version before the write: the newest one while the writer's lock is held.
  private let past: ReadTransaction
  private var calls: [(Observer, () -> Void)] = []

  /// Brings the observers up to the version before the write.
  init(_ observers: [Observer], _ session: Session) throws(StoreError) {
    self.observers = observers
    let past = try session.storage { () throws(StorageError) in
      try session.core.environment.beginRead()
    }
    self.past = past
    do throws(StoreError) {
      calls = try session.storage { () throws(StorageError) in
        let version = try ChangeLog.newestVersion(in: past)
        var calls: [(Observer, () -> Void)] = []
        for observer in observers where observer.hasBegun {
          let call = try observer.advance(session, to: version, in: past) {
            (old) throws(StorageError) in
            try session.changes(after: old, through: version, in: past)
          }
          if let call { calls.append((observer, call)) }
        }
        return calls
      }
    } catch {
      past.end()
      throw error
    }
  }

  /// Takes the observers over the write's own changes.
  func skip(
    _ changes: ObjectChangeSet, version: UInt64, _ session: Session, in transaction: Transaction
  ) throws(StorageError) {
    for observer in observers {
      try observer.skip(changes, version: version, session, in: transaction)
    }
  }

  /// Takes the observers back to before the write, which failed after all.
  func undo(_ session: Session) {
    for observer in observers where observer.hasBegun {
      do throws(StoreError) {
        try session.storage { () throws(StorageError) in
          try observer.restart(
            session, at: try ChangeLog.newestVersion(in: past), in: past)
        }
      } catch { observer.end(error) }
    }
  }

  /// Gives what is still to be told, or lets the version go.
  func end() -> (past: ReadTransaction, calls: [(Observer, () -> Void)])? {
    if calls.isEmpty {
      past.end()
      return nil
    }
    return (past, calls)
  }
}
