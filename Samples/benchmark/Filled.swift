import CBaseline
import Leyden

/// Every engine's store, open, with the same notes in it: where most questions begin.
struct Filled {
  let stores: Stores
  let notes: Notes
  let leyden: Store
  let plain: PlainStore
  /// `nil` where there is no SQLite.
  let sqlite: SQLiteStore?

  init(
    _ count: Int, isIndexed: Bool = false, withSQLite: Bool = true,
    durability: (leyden: Durability, others: baseline_durability) = (.unsafe, baseline_unsafe)
  ) throws {
    stores = try Stores(isIndexed: isIndexed)
    notes = Notes(count)
    leyden = try stores.leyden(durability.leyden)
    plain = try stores.plain(durability.others)
    sqlite = withSQLite ? try stores.sqlite(durability.others) : nil
    try leyden.add(notes, isIndexed: isIndexed)
    plain.insert(notes)
    sqlite?.insert(notes)
  }
}

extension Store {
  /// Adds all notes in one write.
  func add(_ notes: Notes, isIndexed: Bool) throws {
    try write {
      if isIndexed { try add(notes.objects(IndexedNote.self)) } else { try add(notes.objects()) }
    }
  }
}
