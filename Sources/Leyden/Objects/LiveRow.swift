import Foundation
import LeydenStorage

/// A live object's way to a row of its own: one per object.
package final class LiveRow: ManagedRow {
  /// The row's number.
  package let row: UInt64
  private let type: UInt32

  init(session: Session, binding: TypeBinding, type: UInt32, row: UInt64) {
    self.type = type
    self.row = row
    super.init(session: session, binding: binding)
  }

  override package var identity: RowIdentity? {
    RowIdentity(store: session.core.uuid, type: type, row: row)
  }

  override package var root: LiveRow { self }

  /// The row where it is one of the store that `core` is of; `nil` where it is another one's.
  ///
  /// A copy of a store has the same identifier, and other rows.
  package func key(in core: StoreCore) -> Writer.Key? {
    session.core === core ? Writer.Key(type: type, row: row) : nil
  }

  override package var exists: Bool {
    guard session.enter(self) else { return false }
    session.leave(self)
    return true
  }

  override package func enter(reading column: Int32) -> Bool {
    if session.enter(self) { return true }
    noteMissed("\(binding.model.name) row \(row)", "it was deleted")
    return false
  }

  override package func leave() { session.leave(self) }

  override func write(
    _ value: StoredValue, column: Int, _ writer: Writer
  ) throws(StoreError) {
    try writer.set(value, column: column, row: row, binding)
  }

  override func change(
    column: Int, _ writer: Writer,
    _ body: (WrittenCollection) throws(StoreError) -> Void
  ) throws(StoreError) {
    try body(try writer.collection(column, row: row, binding))
  }

  override func collectionKey(_ property: UInt32) -> CollectionKey? {
    CollectionKey(type: type, row: row, property: property)
  }
}
