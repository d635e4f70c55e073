import CLMDB
import Foundation

/// The one write at a time, from begin to commit on one thread.
///
/// The first failure of LMDB decides: whatever comes after it throws the same error, and nothing
/// but `abort()` is left to do. One that is neither committed nor aborted is aborted when it is
/// released, which has to be on its thread.
///
/// LMDB: `mdb_txn_begin`, `mdb_txn_commit`, `mdb_txn_abort`.
@safe
package final class WriteTransaction: Transaction {
  // SAFETY: `handle` is the innermost of `levels`. LMDB moves the kept cursor with every change of
  // its table, and frees it with the transaction that it was opened in.

  /// A transaction and what belongs to it: the outermost one, and a child for each savepoint.
  @safe
  private struct Level {
    // SAFETY: Used for as long as the level is in `levels`.
    let handle: OpaquePointer
    let number: UInt64
    let madeBefore: Int
    var failure: StorageError?
  }

  private var levels: [Level] = []
  private var nextLevel: UInt64 = 1
  /// Tables that this write made or opened first; its own until it is committed.
  private var made: [Table] = []
  private var opensTables = false
  /// Whether it only takes entries away, and so may use the room that is kept for such writes.
  package var onlyDeletes = false
  /// Whether its thread ended inside of it: it was undone then.
  package private(set) var isAbandoned = false
  /// A cursor for the table whose keys were looked up last.
  private var keys: (table: MDB_dbi, cursor: OpaquePointer)?

  override init(environment: Environment, file: MappedFile, handle: OpaquePointer) {
    unsafe super.init(environment: environment, file: file, handle: handle)
    unsafe push(handle)
    unsafe environment.runningWrite = Unmanaged.passUnretained(self)
  }

  deinit { abort() }

  // MARK: Ends

  /// Makes everything that was done the next version, as durable as the environment is.
  ///
  /// - Throws: The first failure of the transaction; `.mapFull`, `.diskFull` or `.failed` if the
  ///   commit itself fails. In each case nothing was done and the transaction has ended.
  package func commit() throws(StorageError) {
    precondition(levels.count <= 1, "A write is committed while a savepoint is open.")
    if let failure = levels.last?.failure {
      abort()
      throw failure
    }
    let root = unsafe try requireUsable()
    if !onlyDeletes { try requireReserve() }
    dropKeptCursor()
    let entries = unsafe Environment.entryCount(of: root)
    unsafe handle = nil
    let code = unsafe mdb_txn_commit(root)
    levels = []
    if code == MDB_SUCCESS {
      if environment.durability == .full { FileSystem.flush(file.descriptor) }
      file.tables.publish(made, entries: entries)
    }
    // Before the lock is given back: the next write has to find the room that this one lacked.
    let failure = code == MDB_SUCCESS ? nil : failed(code, operation: "commit to")
    if failure != nil { environment.noteFailedCommit() }
    finish()
    if let failure { throw failure }
  }

  /// Ends the transaction where it would take the room that deleting needs.
  private func requireReserve() throws(StorageError) {
    let hasReserve: Bool
    do { hasReserve = try environment.hasReserve() } catch {
      abort()
      throw error
    }
    if !hasReserve {
      abort()
      throw .diskFull
    }
  }

  /// Undoes everything.
  ///
  /// Does nothing once the transaction has ended.
  package func abort() {
    guard let root = levels.first else { return }
    unsafe keys = nil
    levels = []
    unsafe handle = nil
    // In a child of the process the lock and the pages are the parent's.
    guard environment.isOfThisProcess else { return }
    precondition(environment.writer.isMine, "A write ends on the thread on which it began.")
    unsafe mdb_txn_abort(root.handle)
    finish()
  }

  /// Undoes everything, because the thread ends.
  fileprivate func abandon() {
    isAbandoned = true
    abort()
  }

  private func finish() {
    if opensTables { file.tables.endOpening() }
    made = []
    unsafe environment.runningWrite = nil
    environment.endWriting()
  }

  // MARK: Savepoints

  /// Begins a step that can be undone without the rest.
  ///
  /// Steps nest.
  ///
  /// Cursors opened before it can be used again after it.
  package func beginSavepoint() throws(StorageError) {
    let parent = unsafe try requireUsable()
    dropKeptCursor()
    var child: OpaquePointer?
    let code = unsafe mdb_txn_begin(file.handle, parent, 0, &child)
    guard code == MDB_SUCCESS, let child = unsafe child else {
      throw failed(code, operation: "begin a step of a write to")
    }
    unsafe push(child)
  }

  /// Makes the innermost step a part of what surrounds it.
  ///
  /// - Throws: The step's first failure, or that of its commit; the step is undone then, and the
  ///   transaction can go on.
  package func commitSavepoint() throws(StorageError) {
    precondition(levels.count > 1, "No savepoint is open.")
    if let failure = levels.last?.failure {
      abortSavepoint()
      throw failure
    }
    let child = unsafe try requireUsable()
    dropKeptCursor()
    let step = levels.removeLast()
    let code = unsafe mdb_txn_commit(child)
    surface()
    guard code != MDB_SUCCESS else { return }
    made.removeSubrange(step.madeBefore...)
    noteMapFull(code)
    throw environment.failure(code, operation: "commit a step of a write to")
  }

  /// Undoes the innermost step.
  package func abortSavepoint() {
    precondition(levels.count > 1, "No savepoint is open.")
    dropKeptCursor()
    let step = levels.removeLast()
    unsafe mdb_txn_abort(step.handle)
    made.removeSubrange(step.madeBefore...)
    surface()
  }

  private func push(_ handle: OpaquePointer) {
    let level = unsafe Level(handle: handle, number: nextLevel, madeBefore: made.count)
    nextLevel += 1
    levels.append(level)
    surface()
  }

  /// Lets all calls go to the innermost level.
  private func surface() {
    unsafe handle = levels.last?.handle
    level = levels.last?.number ?? 0
  }

  // MARK: Kept cursor

  /// Who adds a key that must be new looks it up first: the cursor stands on its page then.
  override func keyCursor(in table: Table) -> OpaquePointer? {
    let number = self.handle(of: table)
    if let keys = unsafe keys, unsafe keys.table == number { return unsafe keys.cursor }
    dropKeptCursor()
    guard let handle = unsafe handle, contains(table) else { return nil }
    var cursor: OpaquePointer?
    guard unsafe mdb_cursor_open(handle, number, &cursor) == MDB_SUCCESS,
      let cursor = unsafe cursor
    else { return nil }
    unsafe keys = unsafe (number, cursor)
    return unsafe cursor
  }

  /// The kept cursor if it is one of the table.
  func keptCursor(in table: Table) -> OpaquePointer? {
    guard let keys = unsafe keys, unsafe keys.table == handle(of: table) else { return nil }
    return unsafe keys.cursor
  }

  private func dropKeptCursor() {
    guard let kept = unsafe keys else { return }
    unsafe keys = nil
    if environment.isOfThisProcess { unsafe mdb_cursor_close(kept.cursor) }
  }

  // MARK: Tables

  override func openTable(named name: String) -> Table? {
    made.last { $0.name == name } ?? super.openTable(named: name)
  }

  /// Returns the table of that name, made first if the environment has none.
  ///
  /// Other transactions see it when this one is committed; if it is aborted the table is void.
  package func makeTable(named name: String) throws(StorageError) -> Table {
    try makeTable(named: name, flags: 0)
  }

  /// As the other one; the flags say how a table of another program is made.
  func makeTable(named name: String, flags: UInt32) throws(StorageError) -> Table {
    if let table = try table(named: name) { return table }
    let transaction = unsafe try requireUsable()
    if !opensTables {
      file.tables.beginOpening()
      opensTables = true
    }
    var dbi: MDB_dbi = 0
    let code = unsafe mdb_dbi_open(transaction, name, UInt32(MDB_CREATE) | flags, &dbi)
    guard code == MDB_SUCCESS else { throw failed(code, operation: "make table \(name) of") }
    let table = unsafe Table(
      name: name, handle: dbi, firstSeen: mdb_txn_id(transaction), owner: file.tables.identity)
    made.append(table)
    return table
  }

  // MARK: State

  /// Returns the innermost level's handle, or throws why nothing can be done with it.
  func requireUsable() throws(StorageError) -> OpaquePointer {
    guard let handle = unsafe handle else { throw .closed }
    try environment.requireSameProcess()
    if let failure = levels.last?.failure { throw failure }
    return unsafe handle
  }

  /// Notes a failure of the innermost level and returns the one to throw: the first.
  override func failed(_ code: Int32, operation: String) -> StorageError {
    noteMapFull(code)
    let failure = environment.failure(code, operation: operation)
    // A key, a value or a table that does not fit is refused before anything happens.
    guard ![MDB_BAD_VALSIZE, MDB_BAD_DBI, EINVAL].contains(code), !levels.isEmpty else {
      return failure
    }
    let first = levels[levels.count - 1].failure ?? failure
    levels[levels.count - 1].failure = first
    return first
  }

  private func noteMapFull(_ code: Int32) {
    if code == MDB_MAP_FULL { environment.requireGrowth() }
  }

  func isOpen(level: UInt64) -> Bool { levels.contains { $0.number == level } }
}

/// Undoes the write of a thread that ends inside of it, so that nobody waits for ever for its lock.
///
/// Called on that thread; LMDB wants a write to end where it began.
func endAbandonedWrite(_ writing: UnsafeRawPointer) {
  let environment = unsafe Unmanaged<Environment>.fromOpaque(writing).takeUnretainedValue()
  unsafe environment.runningWrite?.takeUnretainedValue().abandon()
}

extension Transaction {
  /// Whether the cursors opened at a level are to be closed by us: LMDB frees those of a write.
  final func ownsCursors(of level: UInt64) -> Bool {
    guard let write = self as? WriteTransaction else { return environment.isOfThisProcess }
    return environment.isOfThisProcess && write.isOpen(level: level)
  }
}
