public import Foundation

/// Every file below a directory with what is in it, to see that nothing was touched.
public struct DirectoryContents: Sendable, Equatable {
  /// The files' contents by their paths; directories are nil.
  public let files: [String: Data?]

  /// Reads a directory.
  public init(of url: URL) {
    var files: [String: Data?] = [:]
    let names = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
    for name in names {
      files[name] = .some(try? Data(contentsOf: url.appendingPathComponent(name)))
    }
    self.files = files
  }
}
