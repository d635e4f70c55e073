extension Store {
  /// Whether a write of this store is running.
  public var isInWriteTransaction: Bool { session.writer != nil }

  /// Runs `body` as one atomic change and waits until it is on disk.
  ///
  /// Either everything that `body` did becomes the next version, or, where `body` throws, none of
  /// it does. One write runs at a time, in this process and in all others; the call waits its turn.
  /// A write that changed nothing makes no version. Observers are told after it, before the call
  /// returns.
  ///
  ///     try store.write {
  ///       try store.add(note)
  ///     }
  ///
  /// - Parameters:
  ///   - tokens: Observations of this store that are not told of this commit, because the caller has
  ///     shown it already. What is due to them from before is told first; of this commit they hear
  ///     nothing, and of all others exactly.
  ///   - body: The change. It must not start another write, but may cancel this one.
  /// - Returns: What `body` returned.
  /// - Throws: What `body` threw, unchanged; ``StoreError/nestedWrite``, ``StoreError/readOnly``;
  ///   ``StoreError/wrongStore`` for a token of another store; ``StoreError/closed``, also where
  ///   `body` closed the store; what a setter in `body` could not throw; else ``StoreError/mapFull`` or ``StoreError/diskFull(_:)`` from the commit.
  /// - Complexity: O(*n* log *m*) for *n* changed objects in a store of *m*, and one disk flush.
  @discardableResult
  public func write<Result>(
    withoutNotifying tokens: [NotificationToken] = [], _ body: () throws -> Result
  ) throws -> Result {
    try notifier.deliver(to: tokens)
    try session.beginWrite()
    let result: Result
    do { result = try body() } catch {
      session.cancelWrite()
      notifier.deliver()
      throw error
    }
    if isInWriteTransaction {
      try commitWrite(withoutNotifying: tokens)
    } else if session.isClosed {
      // Closing took everything back, which the caller would not learn otherwise.
      throw StoreError.closed
    }
    return result
  }

  /// Begins a write on the newest version; waits for other writers.
  ///
  /// ``commitWrite()`` or ``cancelWrite()`` must follow on the same thread.
  ///
  /// - Throws: ``StoreError/nestedWrite`` within a write of any store on this thread,
  ///   ``StoreError/readOnly``.
  public func beginWrite() throws(StoreError) { try session.beginWrite() }

  /// Makes what was changed since ``beginWrite()`` the next version, and tells the observers.
  ///
  /// - Parameter tokens: Observations of this store that are not told of this commit; what others
  ///   committed before the write is told to them all the same, when it is over.
  /// - Throws: ``StoreError/notInWriteTransaction``; ``StoreError/wrongStore`` for a token of another
  ///   store; what a setter could not throw; the commit's errors. The write is over and rolled back
  ///   then.
  public func commitWrite(
    withoutNotifying tokens: [NotificationToken] = []
  ) throws(StoreError) {
    try notifier.commitWrite(withoutNotifying: tokens)
  }

  /// Takes back everything since ``beginWrite()``; objects that were added are invalidated.
  ///
  /// - Throws: ``StoreError/notInWriteTransaction``.
  public func cancelWrite() throws(StoreError) {
    guard isInWriteTransaction else { throw .notInWriteTransaction }
    session.cancelWrite()
    notifier.deliver()
  }
}
