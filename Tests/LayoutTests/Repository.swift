import Foundation

/// The files of this package, as the layout tests read them.
enum Repository {
  /// The top of the package, found from where this file was compiled.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The regular files in a folder and in those below it, in the order of their paths.
  ///
  /// Hidden files are left out. A folder that does not exist has none.
  static func files(in folder: String, withExtension fileExtension: String? = nil) -> [URL] {
    let enumerator = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey],
      options: .skipsHiddenFiles)
    let files = (enumerator?.compactMap { $0 as? URL } ?? []).filter { file in
      let isFile = (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) ?? false
      return isFile && (fileExtension == nil || file.pathExtension == fileExtension)
    }
    return files.sorted { $0.path < $1.path }
  }

  /// A file's path from the top of the package.
  static func path(of file: URL) -> String {
    String(file.standardizedFileURL.path.dropFirst(root.standardizedFileURL.path.count + 1))
  }
}
