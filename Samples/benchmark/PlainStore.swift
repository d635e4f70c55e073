import CBaseline
import Foundation

/// The notes in plain LMDB.
// SAFETY: the C store lives as long as the instance.
@safe
final class PlainStore {
  private let store: OpaquePointer

  init(_ directory: URL, _ durability: baseline_durability = baseline_unsafe) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    unsafe store = baseline_lmdb_open(directory.path, durability)
  }

  deinit { unsafe baseline_lmdb_close(store) }

  func insert(_ notes: Notes) { unsafe baseline_lmdb_insert(store, notes.all, notes.count) }

  func get(_ notes: Notes, _ order: [UInt32], all: Bool) {
    use(unsafe baseline_lmdb_get(store, notes.all, order, order.count, all))
  }

  /// Changes a note; returns when its commit began.
  @discardableResult
  func change(row: Int, title: String) -> UInt64 {
    unsafe baseline_lmdb_change_title(store, UInt64(row), title)
  }

  /// Changes a note; returns when its commit began.
  @discardableResult
  func change(row: Int, date: Double) -> UInt64 {
    unsafe baseline_lmdb_change_date(store, UInt64(row), date)
  }

  func sumRatings() { use(unsafe baseline_lmdb_sum_ratings(store)) }
  func countRating(_ rating: Int) -> Int {
    unsafe baseline_lmdb_count_rating(store, Int64(rating))
  }
  func countContaining(_ text: String) -> Int { unsafe baseline_lmdb_count_containing(store, text) }
  func sort() { use(unsafe baseline_lmdb_sort(store)) }
  func copyAll() { use(unsafe baseline_lmdb_copy_all(store)) }

  func readHeldRating(_ times: Int) { use(unsafe baseline_lmdb_read_held_rating(store, 1, times)) }
  func readHeldDate(_ times: Int) { use(unsafe baseline_lmdb_read_held_date(store, 1, times)) }
  func readHeldTitle(_ times: Int) { use(unsafe baseline_lmdb_read_held_title(store, 1, times)) }
  func readRating(_ times: Int) { use(unsafe baseline_lmdb_read_rating(store, 1, times)) }

  /// All rows by date, brought forward by the log.
  func order(_ count: Int) -> PlainOrder { unsafe PlainOrder(self, store, count) }
}

/// A sorted list of all rows over plain LMDB.
// SAFETY: the C list lives as long as the instance, which keeps its store open.
@safe
final class PlainOrder {
  private let store: PlainStore
  private let order: OpaquePointer

  fileprivate init(_ store: PlainStore, _ handle: OpaquePointer, _ count: Int) {
    self.store = store
    unsafe order = baseline_order_create(handle, count)
  }

  deinit { unsafe baseline_order_destroy(order) }

  /// Reads the newest commit.
  func advance() { use(unsafe baseline_order_advance(order)) }

  /// Reads commits of another process and writes the time of each to the standard output.
  func listen(_ times: Int) { unsafe baseline_order_listen(order, STDOUT_FILENO, times) }
}

/// The notes in SQLite.
// SAFETY: the C store lives as long as the instance.
@safe
final class SQLiteStore {
  private let store: OpaquePointer

  /// `nil` where the machine has no SQLite.
  init?(_ directory: URL, _ durability: baseline_durability = baseline_unsafe) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    guard let store = unsafe baseline_sqlite_open(directory.path, durability) else { return nil }
    unsafe self.store = store
  }

  deinit { unsafe baseline_sqlite_close(store) }

  func insert(_ notes: Notes) { unsafe baseline_sqlite_insert(store, notes.all, notes.count) }

  func get(_ notes: Notes, _ order: [UInt32], all: Bool) {
    use(unsafe baseline_sqlite_get(store, notes.all, order, order.count, all))
  }

  func change(row: Int, title: String) {
    unsafe baseline_sqlite_change_title(store, UInt64(row), title)
  }

  func sumRatings() { use(unsafe baseline_sqlite_sum_ratings(store)) }
  func countRating(_ rating: Int) -> Int {
    unsafe baseline_sqlite_count_rating(store, Int64(rating))
  }
  func countContaining(_ text: String) -> Int {
    unsafe baseline_sqlite_count_containing(store, text)
  }
  func sort() { use(unsafe baseline_sqlite_sort(store)) }
  func copyAll() { use(unsafe baseline_sqlite_copy_all(store)) }
}
