import LeydenStorage

/// What a session refuses although the file would allow it.
extension Session {
  /// Throws `.tooManyVersions` where the write would make more versions active than there may be.
  func checkActiveVersions(before write: WriteTransaction) throws(StorageError) {
    guard let mostActiveVersions else { return }
    var active = write.environment.activeVersions(with: write)
    if active > mostActiveVersions {
      // What the notifier thread reads for a moment is nobody's business.
      active = core.announcer.whileNotReading { write.environment.activeVersions(with: write) }
    }
    if active > mostActiveVersions {
      throw .tooManyVersions(active: active, allowed: mostActiveVersions)
    }
  }

  /// Runs `body`, and fails it where the store is read without locks and somebody has written meanwhile.
  func unchanged<Result>(
    _ transaction: ReadTransaction, _ body: (Transaction) throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    let result = try body(transaction)
    if transaction.environment.isWatched { try transaction.environment.checkUnchanged() }
    return result
  }

  /// Throws where the store is read without locks and somebody has written to it: what was read may
  /// be anything then.
  package func checkUnchanged() throws(StoreError) {
    guard let environment = core.openEnvironment, environment.isWatched else { return }
    do { try environment.checkUnchanged() } catch {
      let error = StoreError(error, at: core.url)
      fail(error)
      throw error
    }
  }
}
