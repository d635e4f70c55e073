package import CLeyden

// SAFETY: the row state is allocated and freed with the instance, and used by one isolation domain.
/// The way from a property wrapper to the store: the one call upward, from Model to Objects.
///
/// A managed object owns one subclass instance, which owns the row state that the object's property
/// wrappers point at. What is a plain load never comes here.
@safe
@usableFromInline
package class RowAccess {
  /// The row state, at a stable address for as long as this object lives.
  package final let state: UnsafeMutablePointer<leyden_row>

  /// Makes a row state that is not current, whose generation is compared with `current`.
  package init(current: UnsafePointer<UInt64>) {
    unsafe state = .allocate(capacity: 1)
    unsafe state.initialize(
      to: leyden_row(
        base: nil, slots: nil, slots_start: 0, length: 0, generation: 0, current: current,
        access: UnsafeRawPointer(state)))
    unsafe state.pointee.access = unsafe UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { unsafe state.deallocate() }

  /// Which row this is, or `nil` where it belongs to no store.
  package var identity: RowIdentity? { nil }

  /// The model of the object's type; `nil` where its class says it.
  package var model: ModelType? { nil }

  /// Whether the row is there in the version that the store shows.
  package var exists: Bool { true }

  /// Locates the record so that it can be read in place until ``leave()``.
  ///
  /// - Returns: Whether there is a record; if not, the property has its type's empty value.
  package func enter(reading column: Int32) -> Bool { false }

  /// Ends what ``enter(reading:)`` began.
  package func leave() {}

  /// The value of a column that has no bytes in the record.
  package func distantValue(_ column: Int32) -> StoredValue { .null }

  /// Changes a column within the running write.
  package func set(_ value: StoredValue, column: Int32) {}

  /// The object that a column leads to.
  package func object(
    _ column: Int32, row: UInt64, _ type: PersistedObject.Type
  ) -> PersistedObject? { nil }

  /// The object of a type that only the reference tells; `nil` where no model of the program is of it.
  package func object(_ reference: ObjectReference) -> PersistedObject? { nil }

  /// Lets a column lead to an object within the running write; one that is not in the store is added.
  package func set(_ object: PersistedObject, column: Int32) {}

  /// Gives a column's collection the elements of another one within the running write.
  package func set(_ collection: any PersistedCollection, column: Int32) {}
}

@available(*, unavailable)
extension RowAccess: Sendable {}
