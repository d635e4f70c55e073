import CBaseline
import Foundation
import Leyden

/// A directory with one store of each engine, removed with the instance.
final class Stores {
  let directory: URL
  /// Whether there are two indexes beside the primary key's.
  let isIndexed: Bool

  init(isIndexed: Bool = false) throws {
    self.isIndexed = isIndexed
    directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("leyden-benchmark-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
  }

  // What cannot be removed from a temporary directory spoils no figure.
  deinit { try? FileManager.default.removeItem(at: directory) }

  /// Copies of the stores, which nobody has open.
  func copy() throws -> Stores {
    let copy = try Stores(isIndexed: isIndexed)
    try FileManager.default.removeItem(at: copy.directory)
    try FileManager.default.copyItem(at: directory, to: copy.directory)
    return copy
  }

  /// Opens the library's store, and makes it the first time.
  func leyden(_ durability: Durability = .unsafe) throws -> Store {
    try Store(configuration: configuration(durability))
  }

  /// How the library's store is opened.
  func configuration(_ durability: Durability = .unsafe) -> Store.Configuration {
    Self.configuration(
      in: directory, durability, of: isIndexed ? IndexedNote.self : Note.self)
  }

  /// How the library's store in a directory is opened.
  static func configuration(
    in directory: URL, _ durability: Durability = .unsafe, of type: Object.Type = Note.self
  ) -> Store.Configuration {
    var configuration = Store.Configuration(
      fileURL: directory.appendingPathComponent("Notes.leyden"), objectTypes: [type])
    configuration.durability = durability
    return configuration
  }

  /// Opens the store of plain LMDB, and makes it the first time.
  func plain(_ durability: baseline_durability = baseline_unsafe) throws -> PlainStore {
    try PlainStore(
      directory.appendingPathComponent("plain"), durability, isIndexed: isIndexed)
  }

  /// Opens SQLite's database, and makes it the first time; `nil` where there is no SQLite.
  func sqlite(_ durability: baseline_durability = baseline_unsafe) throws -> SQLiteStore? {
    try Self.sqlite(in: directory, durability, isIndexed: isIndexed)
  }

  /// Opens SQLite's database in a directory.
  static func sqlite(
    in directory: URL, _ durability: baseline_durability = baseline_unsafe, isIndexed: Bool = false
  ) throws -> SQLiteStore? {
    try SQLiteStore(
      directory.appendingPathComponent("sqlite"), durability, isIndexed: isIndexed)
  }
}
