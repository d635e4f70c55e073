import CLeyden
import LeydenStorage

/// Objects of the class, whose property wrappers lie at known places.
extension ModelType {
  /// A property's value in an object, managed or not.
  package func value(of column: Column, in object: PersistedObject) -> StoredValue {
    unsafe withAddress(of: column, in: object) { unsafe column.wrapper.storedValue(at: $0) }
      ?? .null
  }

  /// Puts the value of a column of an object into a slot of a record.
  ///
  /// - Throws: ``StorageError/valueTooLarge(bytes:)``.
  func encode(
    _ column: Int, of object: PersistedObject, in slot: Int, of record: MutableRecord
  ) throws(StorageError) {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    unsafe try wrappers[column].access.encode(start + wrappers[column].offset, slot, record)
  }

  /// Makes an unmanaged object live: its wrappers point at `access` from now on.
  package func bind(_ object: PersistedObject, to access: RowAccess) {
    let start = unsafe Unmanaged.passUnretained(object).toOpaque()
    for column in wrappers.indices {
      unsafe wrappers[column].access.bind(
        start + wrappers[column].offset, access.state, Int32(column))
    }
    object.access = access
  }

  /// Gives the columns back that an object took while another one was being made, and its own
  /// defaults to it.
  ///
  /// This is how a model object that is made by a plain property's default stays out of the way.
  package func release(_ object: PersistedObject) {
    unsafe leyden_thread_state().pointee.binding.next -= Int32(columns.count)
    for column in columns {
      unsafe column.wrapper.release(
        at: address(of: column, in: object), value: column.makeDefault())
    }
  }

  func address(of column: Column, in object: PersistedObject) -> UnsafeMutableRawPointer {
    unsafe Unmanaged.passUnretained(object).toOpaque() + column.offset
  }

  /// Calls `body` with the address of a column's wrapper; of one that is made for the call where the object
  /// has no memory for it.
  ///
  /// - Returns: `nil` for a column of a dynamic type in an object that belongs to no store.
  func withAddress<Result>(
    of column: Column, in object: PersistedObject, _ body: (UnsafeMutableRawPointer) -> Result
  ) -> Result? {
    guard isDynamic else { return unsafe body(address(of: column, in: object)) }
    guard let access = object.access else { return nil }
    var result: Result?
    unsafe column.wrapper.withWrapper(of: access.state, column: column.number) {
      result = unsafe body($0)
    }
    return result
  }
}
