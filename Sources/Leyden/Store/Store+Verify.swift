import LeydenStorage

extension Store {
  /// Checks everything that the store holds, and throws where anything is wrong.
  ///
  /// Pages, checksums, values, indexes, the log: see Docs/Reliability.md. It looks at the newest
  /// version, within a write at the version that the write began with, while others read and write;
  /// it changes nothing, and survives every damage of the file. For a file that is suspect
  /// ``verificationReport(limit:)`` says what is wrong where.
  ///
  /// - Throws: ``StoreError/corrupted(_:)``, which names the first findings;
  ///   ``StoreError/newerFormat(_:found:)`` for what only a newer version of the library knows;
  ///   ``StoreError/closed``, ``StoreError/tooManyReaders`` and what the system reports, such as a page
  ///   that the medium does not give.
  /// - Complexity: O(*n* log *n*) for *n* objects and index entries; about a byte of memory for each
  ///   object, and one long value at a time. The pages of the version that is looked at are not used
  ///   again meanwhile, so that the file of a store that is written to grows.
  public func verify() throws(StoreError) {
    let (report, refusal) = try verifying(limit: 10)
    if let refusal { throw refusal }
    guard report.isClean else { throw .corrupted(report.description) }
  }

  private func verifying(limit: Int) throws(StoreError) -> (VerificationReport, StoreError?) {
    guard !session.isClosed else { throw .closed }
    return try session.storage { () throws(StorageError) in
      let verifier = try Verifier(session.core.environment, limit: limit)
      try verifier.run()
      let refusal = verifier.snapshot.refusal.map { StoreError($0, at: session.core.url) }
      return (verifier.report, refusal)
    }
  }

  /// Checks everything that the store holds, and tells what is wrong with it.
  ///
  /// As ``verify()``, which throws where this one has findings.
  ///
  /// - Parameter limit: How many findings the report holds; further ones are counted.
  /// - Returns: What was looked at and what is wrong.
  /// - Throws: What makes it impossible to go on, as ``verify()``.
  public func verificationReport(limit: Int = 1_000) throws(StoreError) -> VerificationReport {
    try verifying(limit: limit).0
  }
}
