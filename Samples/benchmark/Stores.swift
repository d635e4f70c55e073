import CBaseline
import Foundation
import Leyden

/// A directory with one store of each engine, removed with the instance.
final class Stores {
  let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("leyden-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  // What cannot be removed from a temporary directory spoils no figure.
  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Opens the library's store, and makes it the first time.
  func leyden(_ durability: Durability = .unsafe) throws -> Store {
    try Store(configuration: Self.configuration(in: directory, durability))
  }

  /// How the library's store in a directory is opened.
  static func configuration(
    in directory: URL, _ durability: Durability = .unsafe
  ) -> Store.Configuration {
    var configuration = Store.Configuration(
      fileURL: directory.appendingPathComponent("Notes.leyden"), objectTypes: [Note.self])
    configuration.durability = durability
    return configuration
  }

  /// Opens the store of plain LMDB, and makes it the first time.
  func plain(_ durability: baseline_durability = baseline_unsafe) throws -> PlainStore {
    try PlainStore(directory.appendingPathComponent("plain"), durability)
  }

  /// Opens SQLite's database, and makes it the first time; `nil` where there is no SQLite.
  func sqlite(_ durability: baseline_durability = baseline_unsafe) throws -> SQLiteStore? {
    try SQLiteStore(directory.appendingPathComponent("sqlite"), durability)
  }
}
