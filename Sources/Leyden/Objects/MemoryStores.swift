import CLeyden
import LeydenStorage

/// The in-memory stores of this process that are open, by identifier.
enum MemoryStores {
  private struct Key: Hashable {
    let identifier: String
    /// A child made by `fork` has none of its parent's.
    let process: UInt64
  }

  private struct Entry {
    weak var environment: Environment?
  }

  private static let entries = Locked<[Key: Entry]>([:])

  /// Returns the environment of an identifier, made first where none is open.
  static func environment(for identifier: String) throws(StorageError) -> Environment {
    let key = Key(identifier: identifier, process: leyden_fork_generation())
    return try entries.withLock { (entries) throws(StorageError) in
      if let environment = entries[key]?.environment { return environment }
      entries = entries.filter { $0.value.environment != nil }
      let environment = try Environment.openInMemory()
      entries[key] = Entry(environment: environment)
      return environment
    }
  }
}
