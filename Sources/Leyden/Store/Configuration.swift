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
    public var fileURL: URL?
    /// The models.
    public var objectTypes: [Object.Type]
    /// Whether the store is opened for reading only: then nothing is made or changed.
    public var readOnly = false
    /// How safely a commit is on disk.
    public var durability = Durability.full
    /// Whose name the log notes with each commit.
    public var author: String?

    /// Configures a store in a directory.
    public init(fileURL: URL? = nil, objectTypes: [Object.Type] = []) {
      self.fileURL = fileURL
      self.objectTypes = objectTypes
    }

    private static let defaults = Locked(Configuration())

    /// What `Store()` opens.
    public static var defaultConfiguration: Configuration {
      get { defaults.withLock { $0 } }
      set { defaults.withLock { $0 = newValue } }
    }

    /// Where the store is, given or by default.
    func resolvedURL() throws(StoreError) -> URL {
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
      if !readOnly {
        do {
          try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        } catch { throw .permissionDenied(parent) }
      }
      return parent.appendingPathComponent("default.leyden")
    }

    var options: Environment.Options {
      var options = Environment.Options()
      options.readOnly = readOnly
      options.mayCreate = !readOnly
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
