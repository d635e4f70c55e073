import LeydenStorage

/// The session's running write: beginning and ending it.
extension Session {
  /// Begins a write on the newest version; waits for other writers.
  package func beginWrite() throws(StoreError) {
    try check()
    guard !isReadOnly else { throw .readOnly }
    letGoOfAbandonedWrite()
    guard writer == nil else { throw .nestedWrite }
    if pins > 0 { dropPin() }
    do throws(StorageError) {
      let transaction = try openEnvironment.beginWrite()
      do throws(StorageError) {
        try checkActiveVersions(before: transaction)
        try refreshCatalog(in: transaction)
        writer = try Writer(transaction, session: self, catalog: catalog)
      } catch {
        transaction.abort()
        throw error
      }
    } catch {
      if pins > 0 { try takePin() }
      throw StoreError(error, at: core.url)
    }
    generation.advance()
  }

  /// Ends the write: what it changed is the next version, on disk.
  ///
  /// - Parameter prepare: Called where something changed, with everything in place and before it
  ///   is final.
  /// - Returns: The new version, or `nil` where nothing changed and so nothing was committed.
  /// - Throws: What a setter could not throw, or the commit's errors; the write is rolled back.
  package func commitWrite(_ prepare: Writer.Preparation? = nil) throws(StoreError) -> UInt64? {
    letGoOfAbandonedWrite()
    guard let writer else { throw .notInWriteTransaction }
    var version: UInt64?
    defer { endWrite(isCommitted: version != nil) }
    do {
      version = try writer.commit(author: author, prepare)
      return version
    } catch {
      writer.abort()
      throw error
    }
  }

  /// Forgets the write of a thread that ended inside of it.
  private func letGoOfAbandonedWrite() {
    if writer?.transaction.isAbandoned ?? false { cancelWrite() }
  }

  /// Ends the write as if it had not been.
  package func cancelWrite() {
    writer?.abort()
    endWrite(isCommitted: false)
  }

  private func endWrite(isCommitted: Bool) {
    writer = nil
    // What others committed before it was not told to who asked meanwhile.
    if !isCommitted { core.watcher.wake() }
    generation.advance()
    // A catalog that the write changed, or one that it saw and that was rolled back with it.
    if catalog.generation != core.catalog.generation { adopt(core.catalog) }
    if pins > 0 {
      do { try takePin() } catch { fail(error) }
    }
  }
}
