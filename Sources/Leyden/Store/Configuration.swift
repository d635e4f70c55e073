public import Foundation
import LeydenStorage

/// How safely a commit is on disk when it returns.
public enum Durability: Sendable, Hashable {
  /// Everything that was acknowledged survives a loss of power.
  case full
  /// A loss of power may take the last commit; what is there is consistent.
  case relaxed
  /// Nothing is flushed: for data that can be made again. A killed process loses nothing; a loss of
  /// power may damage the store.
  case unsafe
}

extension Store {
  /// Where a store is, which models it has, and how it is opened.
  public struct Configuration: Sendable {
    /// The store's directory, by convention `Name.leyden`; `nil` for the default location.
    ///
    /// The directory is made where it does not exist; its parent must exist, except for the default
    /// location: the XDG data directory (Application Support on Apple platforms), in a folder with
    /// the program's name.
    ///
    /// Setting it clears ``inMemoryIdentifier``.
    public var fileURL: URL? {
      didSet { if fileURL != nil { inMemoryIdentifier = nil } }
    }
    /// The name of a store that has no files and is private to the process; `nil` for one in a
    /// directory.
    ///
    /// All stores of one identifier show the same data, which is gone with the last of them that is
    /// open: the next one is empty. ``durability`` has no meaning for it. Setting it clears
    /// ``fileURL``.
    public var inMemoryIdentifier: String? {
      didSet { if inMemoryIdentifier != nil { fileURL = nil } }
    }
    /// The models.
    public var objectTypes: [Object.Type]
    /// The application's number for its schema; a store that has a higher one is refused.
    public var schemaVersion: UInt64 = 0
    /// Whether the store is opened for reading only: then nothing is made or changed.
    public var readOnly = false
    /// Whether the store is on a medium that nobody can write, such as an image, and is read without
    /// any lock: no file is made or changed, and no right to write is needed.
    ///
    /// The store is ``readOnly`` then. Opening throws ``StoreError/alreadyOpen(_:)`` where another
    /// process has it open with locks. Where somebody writes to it later, calls throw
    /// ``StoreError/storeReplaced(_:)``. On file systems that are refused otherwise it works too.
    public var immutable = false
    /// How safely a commit is on disk.
    public var durability = Durability.full
    /// Asked whether to compact the store when this process opens its file and no process has it open:
    /// with the size of the file and of what it uses of that, in bytes.
    ///
    /// Not asked for a new store, one in memory or one that is read only. Other processes that open the
    /// store wait meanwhile; the block must not open it. Where compacting fails, a line in the log says
    /// so, and the store is opened as it is.
    public var shouldCompactOnLaunch: (@Sendable (Int, Int) -> Bool)?
    /// How many versions may be active at a time: from the oldest one that anybody reads, in any
    /// process, to the one that a write makes.
    ///
    /// The file grows with each of them. A write of this store that would exceed the number throws
    /// ``StoreError/tooManyVersions(active:allowed:)`` when it begins. `nil` allows any number; 1 refuses
    /// each write while somebody reads.
    public var maximumNumberOfActiveVersions: Int?
    /// Whose name the log notes with each commit.
    public var author: String?

    /// Not possible yet: opening with a key throws ``StoreError/unsupported(_:)``, so that nothing is
    /// ever stored in the clear that was meant to be encrypted.
    public var encryptionKey: Data?

    /// Configures a store in a directory.
    public init(fileURL: URL? = nil, objectTypes: [Object.Type] = []) {
      self.fileURL = fileURL
      self.objectTypes = objectTypes
    }

    /// Configures a store without files.
    public init(inMemoryIdentifier: String, objectTypes: [Object.Type] = []) {
      self.inMemoryIdentifier = inMemoryIdentifier
      self.objectTypes = objectTypes
    }

    private static let defaults = Locked(Configuration())

    /// What `Store()` opens.
    public static var defaultConfiguration: Configuration {
      get { defaults.withLock { $0 } }
      set { defaults.withLock { $0 = newValue } }
    }

    /// Where the store is, given or by default.
    ///
    /// Makes the default location's parents where `mayCreate` says so.
    func resolvedURL(mayCreate: Bool) throws(StoreError) -> URL {
      if let fileURL { return fileURL }
      let name = ProcessInfo.processInfo.processName
      let directory: URL
      #if os(Linux)
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
          directory = URL(fileURLWithPath: path)
        } else {
          directory = URL(fileURLWithPath: NSHomeDirectory() + "/.local/share")
        }
      #else
        directory = URL.applicationSupportDirectory
      #endif
      let parent = directory.appendingPathComponent(name)
      if mayCreate {
        do {
          try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        } catch { throw .permissionDenied(parent) }
      }
      return parent.appendingPathComponent("default.leyden")
    }

    /// Opens what is configured.
    ///
    /// - Returns: The core, and the environment that has to be held until a session of it has begun.
    func openCore() throws(StoreError) -> (core: StoreCore, environment: Environment) {
      guard encryptionKey == nil else { throw .unsupported("encryption") }
      if let inMemoryIdentifier {
        guard !readOnly, !immutable else {
          throw .unsupported("an in-memory store that is read only")
        }
        return try StoreCore.open(inMemory: inMemoryIdentifier)
      }
      let options = options
      return try StoreCore.open(
        at: try resolvedURL(mayCreate: !options.readOnly), options: options,
        compactingWhere: shouldCompactOnLaunch)
    }

    var options: Environment.Options {
      var options = Environment.Options(readOnly: readOnly, isImmutable: immutable)
      options.mayCreate = !options.readOnly
      options.durability =
        switch durability {
        case .full: .full
        case .relaxed: .relaxed
        case .unsafe: .unsafe
        }
      return options
    }
  }
}
