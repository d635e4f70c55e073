import CLMDB

/// Stand-in.
package final class Environment: Sendable {
  /// Options.
  package struct Options: Sendable, Hashable {
    package var readOnly = false
    package var durability = Durability.full
    package var mayCreate = true
    package var mapSize: Int?
    package init(
      readOnly: Bool = false, durability: Durability = .full, mayCreate: Bool = true,
      mapSize: Int? = nil
    ) { self.readOnly = readOnly; self.durability = durability; self.mayCreate = mayCreate; self.mapSize = mapSize }
  }
  package static func open(at path: String, options: Options = Options()) throws(StorageError) -> Environment { fatalError() }
  package let path: String
  package let pageSize: Int
  package let isReadOnly: Bool
  package let durability: Durability
  package let signal: CommitSignal
  init() { fatalError() }
  package func beginRead() throws(StorageError) -> ReadTransaction { fatalError() }
  package func beginWrite() throws(StorageError) -> WriteTransaction { fatalError() }
  package func companion<T: AnyObject & Sendable>(
    _ make: (Environment) throws(StorageError) -> T
  ) throws(StorageError) -> T { fatalError() }
  package var fileSize: Int { fatalError() }
  package var usedBytes: Int { fatalError() }
  package var mapSize: Int { fatalError() }
  package func checkReaders() -> Int { fatalError() }
  /// Throws `.storeReplaced` when `path` no longer leads to the file that is open.
  package func checkNotReplaced() throws(StorageError) { fatalError() }
}

package class Transaction {
  package final let environment: Environment
  init(environment: Environment) { self.environment = environment }
  /// LMDB's number of the snapshot; a hint for diagnostics, not a version.
  package final var snapshotNumber: Int { fatalError() }
  package final func value(for key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) -> UnsafeRawBufferPointer? { fatalError() }
  package final func value(forRow row: UInt64, in table: Table) throws(StorageError) -> UnsafeRawBufferPointer? { fatalError() }
  package final func count(of table: Table) throws(StorageError) -> Int { fatalError() }
  package final func pages(of table: Table) throws(StorageError) -> Int { fatalError() }
  package final func cursor(in table: Table) throws(StorageError) -> Cursor { fatalError() }
  package final func table(named name: String) throws(StorageError) -> Table? { fatalError() }
}
package final class ReadTransaction: Transaction {
  package func end() { fatalError() }
}
package final class WriteTransaction: Transaction {
  package func makeTable(named name: String) throws(StorageError) -> Table { fatalError() }
  package func put(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) { fatalError() }
  package func put(_ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table) throws(StorageError) { fatalError() }
  package func insert(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) -> Bool { fatalError() }
  package func insert(_ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table) throws(StorageError) -> Bool { fatalError() }
  package func append(_ value: UnsafeRawBufferPointer, for key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) { fatalError() }
  package func append(_ value: UnsafeRawBufferPointer, forRow row: UInt64, in table: Table) throws(StorageError) { fatalError() }
  @discardableResult
  package func delete(_ key: UnsafeRawBufferPointer, in table: Table) throws(StorageError) -> Bool { fatalError() }
  @discardableResult
  package func delete(row: UInt64, in table: Table) throws(StorageError) -> Bool { fatalError() }
  package func removeAll(in table: Table) throws(StorageError) { fatalError() }
  /// Nested steps (LMDB child transactions): all calls go to the innermost open one.
  package func beginSavepoint() throws(StorageError) { fatalError() }
  package func commitSavepoint() throws(StorageError) { fatalError() }
  package func abortSavepoint() { fatalError() }
  package func commit() throws(StorageError) { fatalError() }
  package func abort() { fatalError() }
}
package struct Table: Sendable, Hashable {
  package let name: String
  let handle: MDB_dbi
}
package struct Cursor: ~Copyable {
  package mutating func first() throws(StorageError) -> Bool { fatalError() }
  package mutating func last() throws(StorageError) -> Bool { fatalError() }
  package mutating func next() throws(StorageError) -> Bool { fatalError() }
  package mutating func previous() throws(StorageError) -> Bool { fatalError() }
  package mutating func seek(_ key: UnsafeRawBufferPointer) throws(StorageError) -> Bool { fatalError() }
  package mutating func seek(row: UInt64) throws(StorageError) -> Bool { fatalError() }
  package var key: UnsafeRawBufferPointer { fatalError() }
  package var value: UnsafeRawBufferPointer { fatalError() }
  package var row: UInt64 { fatalError() }
}
package struct RowMark: Sendable, Hashable {
  package var next: UInt64
  package var block: UInt64
  package init(next: UInt64, block: UInt64) { self.next = next; self.block = block }
}
package final class CommitSignal: Sendable {
  package var ticket: UInt32 { fatalError() }
  package func wait(since ticket: UInt32, timeout: Duration) -> Bool { fatalError() }
  package func ring(version: UInt64) { fatalError() }
  /// Wakes every waiter without news: they return true, look, and find nothing. For stopping one.
  package func wake() { fatalError() }
  package var newestVersionHint: UInt64 { fatalError() }
  package var rowMark: RowMark? { fatalError() }
  package func setRowMark(_ mark: RowMark) { fatalError() }
}
