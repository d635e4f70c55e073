import LeydenStorage

extension ChangeReader where Element == CommitNotice {
  /// Reads what is committed after `version`, until the session ends.
  ///
  /// It uses nothing of a session, and keeps the file open itself: any isolation domain may have it,
  /// also where the store is released.
  static func commits(
    of core: StoreCore, after version: UInt64, _ ending: Ending
  ) -> ChangeReader {
    var last = version
    return ChangeReader(core.watcher) { () throws(StoreError) in
      guard let environment = ending.environment else { throw .closed }
      do throws(StorageError) {
        let transaction = try environment.beginRead()
        defer { transaction.end() }
        let newest = try ChangeLog.newestVersion(in: transaction)
        guard newest > last else { return nil }
        let types = try ChangeLog.changedTypes(
          after: last, through: newest, core: core, in: transaction)
        last = newest
        return CommitNotice(version: StoreVersion(number: newest), changedTypes: types)
      } catch { throw StoreError(error, at: core.url) }
    }
  }
}
