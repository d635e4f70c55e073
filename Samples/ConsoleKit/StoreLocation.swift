package import Foundation

/// Where a program's store is.
package struct StoreLocation: Sendable {
  /// The store's directory.
  package let url: URL
  /// Whether nobody chose it: only then are its parents made.
  private let isDefault: Bool

  /// Finds the store: `--store`, else the environment's `variable`, else `fileName` in the program's
  /// part of the XDG data directory.
  package init(
    _ arguments: ParsedArguments, variable: String, fileName: String, directory: String,
    environment: [String: String]
  ) throws(CommandError) {
    if let path = arguments.value("store") {
      guard !path.isEmpty else {
        throw .usage("The path behind --store is empty.", details: [("option", .string("--store"))])
      }
      self.init(url: URL(filePath: path), isDefault: false)
    } else if let path = environment[variable], !path.isEmpty {
      self.init(url: URL(filePath: path), isDefault: false)
    } else {
      let parent = try Self.dataDirectory(environment: environment, variable: variable)
      self.init(url: parent.appending(path: directory).appending(path: fileName), isDefault: true)
    }
  }

  private init(url: URL, isDefault: Bool) {
    self.url = url
    self.isDefault = isDefault
  }

  /// `XDG_DATA_HOME`, which counts only where it is absolute, else `~/.local/share`.
  private static func dataDirectory(
    environment: [String: String], variable: String
  ) throws(CommandError) -> URL {
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") { return URL(filePath: path) }
    guard let home = environment["HOME"], home.hasPrefix("/") else {
      throw .usage(
        "There is no home directory to look for the store in.",
        hint: "Say where it is: --store PATH, or set \(variable).")
    }
    return URL(filePath: home).appending(path: ".local/share")
  }

  /// Makes the parents of the default place; those of a place that somebody chose must exist.
  package func makeParents() throws(CommandError) {
    guard isDefault else { return }
    let parent = url.deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        .cannotCreate, message: "The directory \(parent.path) could not be made.",
        hint: "Choose another place with --store PATH.",
        details: [("path", .string(parent.path))])
    }
  }
}
