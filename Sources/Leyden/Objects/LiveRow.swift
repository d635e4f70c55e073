import CLeyden
import Foundation
import LeydenStorage

/// A live object's way to its row: one per object.
package final class LiveRow: RowAccess {
  /// The store that the object belongs to.
  package let session: Session
  /// The row's number.
  package let row: UInt64
  /// The object's type, as the session's catalog has it.
  var binding: TypeBinding
  private let type: UInt32

  init(session: Session, binding: TypeBinding, type: UInt32, row: UInt64) {
    self.session = session
    self.binding = binding
    self.type = type
    self.row = row
    unsafe super.init(current: UnsafePointer(session.generation.pointer))
  }

  override package var identity: RowIdentity? {
    RowIdentity(store: session.core.uuid, type: type, row: row)
  }

  override package var exists: Bool {
    guard session.enter(self) else { return false }
    session.leave(self)
    return true
  }

  override package func enter(reading column: Int32) -> Bool {
    if session.enter(self) { return true }
    // What could not be read is noted where that was found.
    if session.failure == nil,
      session.missed.insert(ObjectIdentifier(binding.model.objectType)).inserted
    {
      let reason = session.isClosed ? "its store was closed" : "it was deleted"
      Log.note("\(binding.model.name) row \(row) was read after \(reason)")
    }
    return false
  }

  override package func leave() { session.leave(self) }

  override package func distantValue(_ column: Int32) -> StoredValue {
    session.distantValue(of: self, column: Int(column))
  }

  override package func set(_ value: StoredValue, column: Int32) {
    session.set(value, column: Int(column), of: self)
  }

  override package func object(
    _ column: Int32, row: UInt64, _ type: PersistedObject.Type
  ) -> PersistedObject? {
    guard let type = type as? Object.Type else { return nil }
    return session.object(type, row: row)
  }

  override package func object(_ reference: ObjectReference) -> PersistedObject? {
    session.object(reference)
  }

  override package func set(_ object: PersistedObject, column: Int32) {
    session.set(object, column: Int(column), of: self)
  }

  override package func set(_ collection: any PersistedCollection, column: Int32) {
    session.set(collection, column: Int(column), of: self)
  }

  /// Points the row state at a located record.
  ///
  /// - Returns: False where the catalog does not know the layout.
  func locate(at bytes: UnsafeRawBufferPointer, layout: UInt16) -> Bool {
    guard let known = binding.layout(layout), let base = bytes.baseAddress else { return false }
    unsafe state.pointee.base = unsafe base.assumingMemoryBound(to: UInt8.self)
    unsafe state.pointee.slots = unsafe known.slots
    unsafe state.pointee.slots_start = UInt32(RecordFormat.slotsStart(slots: known.count))
    unsafe state.pointee.length = UInt32(bytes.count)
    unsafe state.pointee.generation = session.generation.current
    return true
  }

  /// Forgets the located record.
  func forget() { unsafe state.pointee.generation = 0 }
}
