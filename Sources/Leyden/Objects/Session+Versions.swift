package import LeydenStorage

/// Which version a session shows, and reading it.
extension Session {
  /// Keeps the newest version until the matching ``unpin()``; nested calls keep the same one.
  package func pin() throws(StoreError) {
    try check()
    if pins == 0, writer == nil { try takePin() }
    pins += 1
  }

  /// Lets the version go that ``pin()`` took.
  package func unpin() {
    // Closing the store within the block let everything go already.
    guard pins > 0 else { return }
    pins -= 1
    if pins == 0 { dropPin() }
  }

  /// Whether a version is kept, so that newer ones are not seen.
  package var keepsVersion: Bool { pins > 0 }

  /// Runs `body` while the store shows a version that was kept, and then lets that go.
  ///
  /// A version that was kept before moves to the newest one.
  package func show(_ past: ReadTransaction, _ body: () -> Void) {
    if pins > 0 { dropPin() }
    pins += 1
    pinned = past
    generation.advance()
    body()
    // Closing the store within the block let everything go already.
    guard pins > 0 else { return }
    pins -= 1
    dropPin()
    guard pins > 0 else { return }
    do { try takePin() } catch { fail(error) }
  }

  func takePin() throws(StoreError) {
    pinned = try storage { () throws(StorageError) in try openEnvironment.beginRead() }
    generation.advance()
  }

  func dropPin() {
    pinned?.end()
    pinned = nil
    generation.advance()
  }

  /// Runs `body` in the transaction that a read sees now: the running write's, the kept version's,
  /// or one of its own on the newest version.
  package func withTransaction<Result>(
    _ body: (Transaction) throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    try check()
    return try storage { () throws(StorageError) in
      if let writer { return try body(writer.transaction) }
      if let pinned { return try unchanged(pinned, body) }
      let transaction = try openEnvironment.beginRead()
      defer { transaction.end() }
      return try unchanged(transaction, body)
    }
  }

  /// The newest version that a read sees now; within a write the version that it started from.
  package func version() throws(StoreError) -> UInt64 {
    try withTransaction { (transaction) throws(StorageError) in
      try ChangeLog.newestVersion(in: transaction)
    }
  }

  /// Runs a call of the storage layer, with its errors translated.
  package func storage<Result>(
    _ body: () throws(StorageError) -> Result
  ) throws(StoreError) -> Result {
    do { return try body() } catch { throw StoreError(error, at: core.url) }
  }
}
