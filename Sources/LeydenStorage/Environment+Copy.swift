import CLeyden
import Foundation

extension Environment {
  /// A copy that nothing was written to for as long was abandoned.
  private static let abandoned: TimeInterval = 3600

  /// Makes a store at `path` with all that `source` sees.
  ///
  /// 1. Make it beside its place, under another name, and flush it.
  /// 2. Give it its name, which nothing may have meanwhile.
  ///
  /// Whatever fails, nothing is left at `path`; what a killed process left beside it is removed by the
  /// next copy to the same place.
  ///
  /// - Parameters:
  ///   - source: What is copied.
  ///   - path: The directory to make.
  ///   - finish: Changes the copy before anybody sees it.
  /// - Throws: `.fileExists` where anything is at `path`; `.fileNotFound` with the parent's path where
  ///   that is missing; `.diskFull`, `.permissionDenied` and what else the system reports.
  package static func writeCopy(
    of source: Transaction, to path: String,
    finish: (WriteTransaction) throws(StorageError) -> Void
  ) throws(StorageError) {
    var target = path
    while target.count > 1, target.hasSuffix("/") { target.removeLast() }
    if StoreDirectory.exists(target) { throw .fileExists(path: target) }
    let parent = try StoreDirectory(at: StoreDirectory.parent(of: target), mayCreate: false)
    let name = target.split(separator: "/").last.map(String.init) ?? target
    StoreFiles.removeAbandoned(in: parent.path, prefix: "\(name).new-", after: abandoned)
    let unfinished = "\(target).new-\(UUID().uuidString)"
    do throws(StorageError) {
      try StoreCopy.make(of: source, at: unfinished, finish: finish)
      try StoreDirectory(at: unfinished, mayCreate: false).sync()
      guard unsafe leyden_rename_new(AT_FDCWD, unfinished, target) == 0 else {
        if errno == EEXIST || errno == ENOTEMPTY { throw .fileExists(path: target) }
        throw .system(errno, at: target, operation: "create")
      }
    } catch {
      _ = try? StoreFiles.delete(at: unfinished)
      _ = unsafe rmdir(unfinished)
      throw error
    }
    // It is complete; who may not read the parent cannot make the name last either.
    try? parent.sync()
  }
}

extension StoreFiles {
  /// Removes stores whose makers were killed before they had their names, or had lost them.
  ///
  /// Theirs are names that go on with a UUID, after nothing or a number: others are somebody's stores.
  /// Those are abandoned to which nothing was written for `patience`. Failing here loses nothing: the
  /// next one tries again.
  static func removeAbandoned(in parent: String, prefix: String, after patience: TimeInterval) {
    let manager = FileManager.default
    func isOld(_ path: String) -> Bool {
      guard let attributes = try? manager.attributesOfItem(atPath: path),
        let date = attributes[.modificationDate] as? Date
      else { return true }
      return date.timeIntervalSinceNow < -patience
    }
    func isOurs(_ name: String) -> Bool {
      let rest = name.dropFirst(prefix.count)
      return name.hasPrefix(prefix) && UUID(uuidString: String(rest.suffix(36))) != nil
        && rest.dropLast(36).allSatisfy { $0.isNumber || $0 == "-" }
    }
    for name in (try? manager.contentsOfDirectory(atPath: parent)) ?? [] where isOurs(name) {
      let path = "\(parent)/\(name)"
      guard isOld(path), isOld("\(path)/\(StoreDirectory.Name.data)") else { continue }
      if case .absent? = try? delete(at: path) { _ = unsafe rmdir(path) }
    }
  }
}
