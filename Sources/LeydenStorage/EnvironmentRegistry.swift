import CLeyden

/// The environments that are open in this process: one per directory, the core's only global state.
///
/// Two of LMDB's environments for one file in a process destroy each other's locks, so that
/// another process may overwrite what is being read. Hence whoever opens a directory that is open,
/// by whatever path, gets the same environment; who comes while it is being opened or closed waits.
enum EnvironmentRegistry {
  /// What identifies an environment: a child of the process has none of its parent's.
  struct Key: Hashable {
    let directory: FileIdentity
    let process: UInt64
  }

  /// The place of one environment: from before it is opened until after it is closed.
  final class Entry: Sendable {
    let key: Key
    /// Guarded by the process's monitor.
    ///
    /// nil while opening and closing.
    fileprivate nonisolated(unsafe) weak var environment: Environment?

    fileprivate init(key: Key) { self.key = key }
  }

  // SAFETY: Guarded by the process's monitor.
  private nonisolated(unsafe) static var entries: [Key: Entry] = [:]

  /// Returns the open environment, or what `open` makes; never both at once.
  static func environment(
    for key: Key, open: (Entry) throws(StorageError) -> Environment
  ) throws(StorageError) -> (environment: Environment, isNew: Bool) {
    let monitor = Monitor.ofProcess
    // The last reference is not given up inside the lock, which closing takes.
    let found: (Environment?, Entry) = monitor.withLock {
      while let entry = unsafe entries[key] {
        if let environment = unsafe entry.environment { return (environment, entry) }
        monitor.wait()
      }
      let entry = Entry(key: key)
      unsafe entries[key] = entry
      return (nil, entry)
    }
    if let environment = found.0 { return (environment, false) }
    let entry = found.1
    do {
      let environment = try open(entry)
      monitor.withLock {
        unsafe entry.environment = environment
        monitor.broadcast()
      }
      return (environment, true)
    } catch {
      remove(entry)
      throw error
    }
  }

  /// Runs `body` while nobody in this process has the directory open or opens it.
  ///
  /// - Returns: nil, and `body` was not run, where it is open.
  static func whileClosed<Result>(
    _ key: Key, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result? {
    let monitor = Monitor.ofProcess
    // The last reference is not given up inside the lock, which closing takes.
    let found: (Environment?, Entry?) = monitor.withLock {
      while let entry = unsafe entries[key] {
        if let environment = unsafe entry.environment { return (environment, nil) }
        monitor.wait()
      }
      let entry = Entry(key: key)
      unsafe entries[key] = entry
      return (nil, entry)
    }
    guard let entry = found.1 else { return nil }
    defer { remove(entry) }
    return try body()
  }

  /// Lets the next one open the directory; after the environment is closed.
  static func remove(_ entry: Entry) {
    let monitor = Monitor.ofProcess
    monitor.withLock {
      if unsafe entries[entry.key] === entry { unsafe entries[entry.key] = nil }
      monitor.broadcast()
    }
  }
}
