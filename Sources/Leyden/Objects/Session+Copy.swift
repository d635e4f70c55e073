package import Foundation
import LeydenStorage

extension Session {
  /// Makes a store with what the newest version holds, within a write with what it has changed.
  package func writeCopy(to url: URL) throws(StoreError) {
    try check()
    guard url.isFileURL else { throw .unsupported("a copy at \(url), which is not on a disk") }
    if let writer {
      return try writer.showAsCommitted(author: author) { (transaction) throws(StoreError) in
        try Self.copy(transaction, to: url)
      }
    }
    let transaction = try storage { () throws(StorageError) in try openEnvironment.beginRead() }
    defer { transaction.end() }
    try Self.copy(transaction, to: url)
  }

  private static func copy(_ source: Transaction, to url: URL) throws(StoreError) {
    do {
      try Environment.writeCopy(of: source, to: url.path) { (copy) throws(StorageError) in
        // What was read without locks is right only if nobody has written.
        try source.environment.checkUnchanged()
        try Incarnation.renew(in: copy)
      }
    } catch { throw StoreError(error, at: url) }
  }

  /// Gives the store a file without unused pages.
  ///
  /// - Returns: False, and nothing was done, where another process has it open.
  package func compact(removingUnused: Bool) throws(StoreError) -> Bool {
    try check()
    guard !isReadOnly else { throw .readOnly }
    return try storage { () throws(StorageError) in
      let environment = try openEnvironment
      guard removingUnused else {
        return try environment.compact { (copy) throws(StorageError) in
          try Incarnation.renew(in: copy)
        }
      }
      return try compactRemovingUnused(environment)
    }
  }

  private func compactRemovingUnused(_ environment: Environment) throws(StorageError) -> Bool {
    var unused: UnusedParts?
    var removed = ObjectChangeSet()
    var version: UInt64?
    let isDone = try environment.compact(
      changes: { (transaction) throws(StorageError) in
        let parts = try UnusedParts(
          of: try Catalog.read(in: transaction), models: core.models, in: transaction)
        guard !parts.isEmpty else { return .init() }
        unused = parts
        removed = try parts.changeSet(in: transaction)
        return try parts.changes(in: transaction)
      },
      finish: { (copy) throws(StorageError) in
        try Incarnation.renew(in: copy)
        guard let unused else { return }
        try unused.retire(in: copy)
        let next = try ChangeLog.newestVersion(in: copy) + 1
        try ChangeLog.append(removed, version: next, date: Date(), author: author, in: copy)
        version = next
      })
    if isDone, let version { environment.signal.ring(version: version) }
    return isDone
  }
}

/// What tells one run of a store's history from another that continues the same versions.
enum Incarnation {
  /// Makes another one, for a file that takes the place of one or is a copy of it.
  static func renew(in transaction: WriteTransaction) throws(StorageError) {
    guard let meta = try transaction.table(named: MetaEntry.table) else { return }
    try MetaEntry.set(MetaEntry.incarnation, to: .random(in: 1 ... .max), in: meta, transaction)
  }
}

extension Writer {
  /// Runs `body` while the transaction shows what a commit would make of it, and takes that back.
  ///
  /// - Throws: What a commit would throw, and what `body` throws; the write can go on.
  func showAsCommitted(
    author: String?, _ body: (WriteTransaction) throws(StoreError) -> Void
  ) throws(StoreError) {
    if let failure { throw failure }
    try flush()
    try checkUnique()
    try storage { () throws(StorageError) in try transaction.beginSavepoint() }
    let noted = changes
    defer {
      changes = noted
      transaction.abortSavepoint()
      // Pages that were changed meanwhile are those of before again.
      noteChange()
    }
    try storage { () throws(StorageError) in
      try noteModifications()
      guard !changes.isEmpty else { return }
      try ChangeLog.append(
        changes, version: version, date: Date(), author: author, in: transaction)
      try rows.save(in: meta, transaction)
    }
    try body(transaction)
  }
}
