import CBaseline
import Foundation

/// The notes in SQLite.
// SAFETY: the C store lives as long as the instance.
@safe
final class SQLiteStore {
  private let store: OpaquePointer

  /// `nil` where the machine has no SQLite.
  init?(
    _ directory: URL, _ durability: baseline_durability = baseline_unsafe, isIndexed: Bool = false
  ) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    guard let store = unsafe baseline_sqlite_open(directory.path, durability, isIndexed) else {
      return nil
    }
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

  /// Changes three values of a note, two of them indexed.
  func edit(row: Int, _ edit: Edit) {
    unsafe baseline_sqlite_edit(store, UInt64(row), edit.title, Int64(edit.rating), edit.date)
  }

  func delete(_ rows: [UInt64]) { unsafe baseline_sqlite_delete(store, rows, rows.count) }

  func sumRatings() { use(unsafe baseline_sqlite_sum_ratings(store)) }
  func countRating(_ rating: Int) -> Int {
    unsafe baseline_sqlite_count_rating(store, Int64(rating))
  }
  func countContaining(_ text: String) -> Int {
    unsafe baseline_sqlite_count_containing(store, text)
  }
  func sort() { use(unsafe baseline_sqlite_sort(store)) }
  func copyAll() { use(unsafe baseline_sqlite_copy_all(store)) }
  func copy(_ dates: Range<Double>) -> Int {
    unsafe baseline_sqlite_copy_dates(store, dates.lowerBound, dates.upperBound)
  }
  func copyNewest(_ limit: Int) -> Int { unsafe Int(baseline_sqlite_copy_newest(store, limit)) }
}
