import CLeyden
import LeydenStorage

/// A live object's way to its record: to a row of its own, or into its owner's record.
package class ManagedRow: RowAccess {
  /// The store that the object belongs to.
  package final let session: Session
  /// The object's type, as the session's catalog has it.
  final var binding: TypeBinding

  init(session: Session, binding: TypeBinding) {
    self.session = session
    self.binding = binding
    unsafe super.init(current: UnsafePointer(session.generation.pointer))
  }

  override package var model: ModelType? { binding.model }

  /// The row whose record holds the object: its own, or the outermost owner's.
  package var root: LiveRow { preconditionFailure("\(Self.self) is in no row") }

  /// What tells an embedded object from others; 0 for one with a row.
  package var number: UInt64 { 0 }

  /// In how many others an embedded object lies; 0 for one with a row.
  var depth: Int { 0 }

  /// Whether both lead to the same record of the same session.
  package final func isSame(as other: ManagedRow) -> Bool {
    session === other.session && number == other.number && root.row == other.root.row
  }

  /// Changes a column within a write; a value that is equal already changes nothing.
  func write(
    _ value: StoredValue, column: Int, _ writer: Writer
  ) throws(StoreError) {}

  /// Lets `body` change the collection of a column within a write.
  func change(
    column: Int, _ writer: Writer,
    _ body: (WrittenCollection) throws(StoreError) -> Void
  ) throws(StoreError) {}

  /// Where those of a property's elements are that do not lie in the record; `nil` where all do.
  func collectionKey(_ property: UInt32) -> CollectionKey? { nil }

  override package var exists: Bool {
    guard enter(reading: 0) else { return false }
    leave()
    return true
  }

  override package func distantValue(_ column: Int32) -> StoredValue {
    session.distantValue(of: self, column: Int(column))
  }

  override package func set(_ value: StoredValue, column: Int32) {
    session.set(value, column: Int(column), of: self)
  }

  override package func set(_ object: PersistedObject, column: Int32) {
    session.set(object, column: Int(column), of: self)
  }

  override package func set(_ collection: any PersistedCollection, column: Int32) {
    session.set(collection, column: Int(column), of: self)
  }

  override package func object(_ reference: ObjectReference) -> PersistedObject? {
    binding.model.isDynamic ? session.dynamicObject(reference) : session.object(reference)
  }

  /// The object that a column leads to; `row` is the number of an embedded one in a collection.
  override package func object(
    _ column: Int32, row: UInt64, _ type: PersistedObject.Type
  ) -> PersistedObject? {
    if let type = type as? EmbeddedObject.Type {
      return embedded(type, column: Int(column), number: row)
    }
    guard let type = type as? Object.Type else { return nil }
    guard type == DynamicObject.self else { return session.object(type, row: row) }
    let target = binding.properties[Int(column)]?.target
    return target.flatMap { session.dynamicObject(ObjectReference(type: $0, row: row)) }
  }

  private func embedded(
    _ type: EmbeddedObject.Type, column: Int, number: UInt64
  ) -> PersistedObject? {
    var number = number
    if binding.properties[column]?.type == .embedded {
      guard let bytes = slotBytes(column) else { return nil }
      number = embeddedNumber(of: bytes)
    }
    guard let binding = embeddedBinding(of: type, column) else { return nil }
    return makeObject(
      type, access: EmbeddedRow(owner: self, column: column, number: number, binding))
  }

  private func embeddedBinding(of type: EmbeddedObject.Type, _ column: Int) -> TypeBinding? {
    guard type == DynamicEmbeddedObject.self else { return session.requiredBinding(of: type) }
    return binding.properties[column]?.target.flatMap { session.dynamicBinding($0) }
  }

  /// The bytes of a column of the located record; `nil` where it is null.
  final func slotBytes(_ column: Int) -> [UInt8]? {
    if let bytes = unsafe PersistedRow(state).bytes(Int32(column)) { return unsafe Array(bytes) }
    guard case .structure(let bytes) = distantValue(Int32(column)) else { return nil }
    return bytes
  }

  /// Points the row state at a located record.
  ///
  /// - Returns: False where the catalog does not know the layout.
  final func locate(at bytes: UnsafeRawBufferPointer, layout: UInt16) -> Bool {
    guard let known = binding.layout(layout), let base = bytes.baseAddress else { return false }
    unsafe state.pointee.base = unsafe base.assumingMemoryBound(to: UInt8.self)
    unsafe state.pointee.slots = unsafe known.slots
    unsafe state.pointee.slots_start = UInt32(RecordFormat.slotsStart(slots: known.count))
    unsafe state.pointee.length = UInt32(bytes.count)
    unsafe state.pointee.generation = session.generation.current
    return true
  }

  /// The bytes of the located record; `nil` where none was ever located.
  final var located: UnsafeRawBufferPointer? {
    guard let base = unsafe state.pointee.base else { return nil }
    return unsafe UnsafeRawBufferPointer(start: base, count: Int(state.pointee.length))
  }

  /// The version of the located record of a row; `nil` where none was ever located.
  var version: UInt64? {
    guard let located = unsafe located, located.count >= RecordFormat.headerSize else {
      return nil
    }
    return unsafe UInt64(littleEndian: located.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
  }

  /// Forgets the located record.
  final func forget() { unsafe state.pointee.generation = 0 }

  /// Notes, once for each model, that an object was read that is gone.
  final func noteMissed(_ what: String, _ why: String) {
    // What could not be read is noted where that was found.
    guard session.failure == nil,
      session.missed.insert(ObjectIdentifier(binding.model.objectType)).inserted
    else { return }
    Log.note("\(what) was read after \(session.isClosed ? "its store was closed" : why)")
  }
}

/// What tells an embedded object from others, from its record.
func embeddedNumber(of record: [UInt8]) -> UInt64 {
  record.count < 16 ? 0 : record[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) }
}
