public import Foundation
public import Leyden

/// A directory for stores that is removed when the test lets go of it.
///
///     let directory = try TemporaryDirectory()
///     let store = try directory.store(objectTypes: [StoredNote.self])
public final class TemporaryDirectory {
  /// The directory.
  public let url: URL

  /// Makes an empty directory with a name of its own.
  public init() throws {
    url = FileManager.default.temporaryDirectory
      .appendingPathComponent("leyden-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  // Failing to remove a temporary directory loses nothing that a test is about.
  deinit { try? FileManager.default.removeItem(at: url) }

  /// How a store in the directory is opened: without flushes, for speed.
  public func configuration(
    named name: String = "Test", objectTypes: [Object.Type]
  ) -> Store.Configuration {
    var configuration = Store.Configuration(
      fileURL: url.appendingPathComponent("\(name).leyden"), objectTypes: objectTypes)
    configuration.durability = .unsafe
    return configuration
  }

  /// Opens a store in the directory, and makes it the first time.
  ///
  /// The directory stays as long as the store, or anything that belongs to it.
  public func store(named name: String = "Test", objectTypes: [Object.Type]) throws -> Store {
    let store = try Store(configuration: configuration(named: name, objectTypes: objectTypes))
    store.session.belongings.append(self)
    return store
  }
}
