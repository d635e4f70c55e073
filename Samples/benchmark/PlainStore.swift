import CBaseline
import Foundation

/// The notes in plain LMDB.
// SAFETY: the C store lives as long as the instance; one thread at a time uses an instance, and the
// environment that instances share is any thread's.
@safe
final class PlainStore: @unchecked Sendable {
  private let store: OpaquePointer
  /// The instance whose environment this one reads.
  private let owner: PlainStore?

  init(
    _ directory: URL, _ durability: baseline_durability = baseline_unsafe, isIndexed: Bool = false
  ) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    unsafe store = baseline_lmdb_open(directory.path, durability, isIndexed)
    owner = nil
  }

  /// The same store for reading on another thread: LMDB opens a file once in a process.
  init(sharing owner: PlainStore) {
    unsafe store = baseline_lmdb_share(owner.store)
    self.owner = owner
  }

  deinit {
    if owner == nil {
      unsafe baseline_lmdb_close(store)
    } else {
      unsafe baseline_lmdb_unshare(store)
    }
  }

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

  /// Changes three values of a note, two of them indexed.
  func edit(row: Int, _ edit: Edit) {
    unsafe baseline_lmdb_edit(store, UInt64(row), edit.title, Int64(edit.rating), edit.date)
  }

  func delete(_ rows: [UInt64]) { unsafe baseline_lmdb_delete(store, rows, rows.count) }

  func sumRatings() { use(unsafe baseline_lmdb_sum_ratings(store)) }
  func countRating(_ rating: Int) -> Int {
    unsafe baseline_lmdb_count_rating(store, Int64(rating))
  }
  func countContaining(_ text: String) -> Int { unsafe baseline_lmdb_count_containing(store, text) }
  func sort() { use(unsafe baseline_lmdb_sort(store)) }
  func copyAll() { use(unsafe baseline_lmdb_copy_all(store)) }

  // By the indexes.
  func countIndexed(rating: Int) -> Int {
    unsafe baseline_lmdb_count_indexed(store, Int64(rating))
  }
  func copy(_ dates: Range<Double>) -> Int {
    unsafe baseline_lmdb_copy_dates(store, dates.lowerBound, dates.upperBound)
  }
  func sortIndexed() { use(unsafe baseline_lmdb_sort_indexed(store)) }
  func copyNewest(_ limit: Int) -> Int { unsafe Int(baseline_lmdb_copy_newest(store, limit)) }

  func readHeldRating(_ times: Int) { use(unsafe baseline_lmdb_read_held_rating(store, 1, times)) }
  func readHeldDate(_ times: Int) { use(unsafe baseline_lmdb_read_held_date(store, 1, times)) }
  func readHeldTitle(_ times: Int) { use(unsafe baseline_lmdb_read_held_title(store, 1, times)) }
  func readRating(_ times: Int) { use(unsafe baseline_lmdb_read_rating(store, 1, times)) }

  /// A list of so many numbers.
  func list(_ count: Int) -> PlainList { unsafe PlainList(self, store, count) }

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

/// A list of numbers in plain LMDB.
// SAFETY: the C list lives as long as the instance, which keeps its store open.
@safe
final class PlainList {
  private let store: PlainStore
  private let list: OpaquePointer

  fileprivate init(_ store: PlainStore, _ handle: OpaquePointer, _ count: Int) {
    self.store = store
    unsafe list = baseline_list_create(handle, count)
  }

  deinit { unsafe baseline_list_destroy(list) }

  /// Commits what `body` changes and returns the time that it measured.
  func write(_ body: () -> Double) -> Double {
    unsafe baseline_list_begin(list)
    defer { unsafe baseline_list_end(list) }
    return body()
  }

  func sum(_ positions: [UInt32]) {
    use(unsafe baseline_list_sum(list, positions, positions.count))
  }
  func insert(_ positions: [UInt32]) {
    unsafe baseline_list_insert(list, positions, positions.count)
  }
  func remove(_ positions: [UInt32]) {
    unsafe baseline_list_remove(list, positions, positions.count)
  }
  func move(_ positions: [UInt32]) { unsafe baseline_list_move(list, positions, positions.count) }
}
