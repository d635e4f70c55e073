package import LeydenStorage

/// The past of one observer of an object: the values that it was last told.
///
/// It keeps the values themselves, as old values are told for every change, the writer's own
/// included: the memory of an observed object is that of its observed properties.
package struct ObjectHistory {
  /// A property with another value than before.
  package struct Difference {
    package let column: ModelType.Column
    package let old: StoredValue
    package let new: StoredValue
  }

  /// One step.
  package enum Step {
    /// The object is there, with these differences; at least one.
    case change([Difference])
    /// The object is gone.
    case deleted
  }

  private let objectType: Object.Type
  private let row: UInt64
  private let columns: [ModelType.Column]
  private var version: UInt64
  /// The observed columns' values; `nil` where the object was gone.
  private var values: [StoredValue]?
  /// Whether the values were seen within a write: what the log says does not begin with them.
  package private(set) var isOfWrite: Bool

  /// Begins with an object as it is now, changes of the running write included.
  ///
  /// - Throws: What reading may run into.
  package init(
    _ object: Object, _ row: LiveRow, columns: [ModelType.Column]
  ) throws(StoreError) {
    let session = row.session
    objectType = type(of: object)
    self.row = row.row
    self.columns = columns
    isOfWrite = session.writer != nil
    try session.pin()
    defer { session.unpin() }
    version = try session.version()
    let model = ModelType.of(objectType)
    values = row.exists ? columns.map { model.value(of: $0, in: object) } : nil
    // A value that could not be read looks empty.
    try session.check()
  }

  /// Whether the object was there when last looked at.
  package var isThere: Bool { values != nil }

  /// Brings the past forward to what `transaction` sees.
  ///
  /// - Returns: The step, or `nil` where nothing is to be told.
  package mutating func advance(
    _ session: Session, to version: UInt64, in transaction: Transaction,
    _ changes: (UInt64) throws(StorageError) -> ObjectChangeSet?
  ) throws(StorageError) -> Step? {
    guard let old = values, isOfWrite || version > self.version else { return nil }
    let binding = session.requiredBinding(of: objectType)
    var mayDiffer: ObjectChangeSet.Properties?
    if !isOfWrite, let known = try changes(self.version) {
      switch known.types[binding.stored?.id ?? 0]?[row] {
      case nil: mayDiffer = ObjectChangeSet.Properties()
      case .modified(let properties): mayDiffer = properties
      case .deleted, .inserted: break
      }
    }
    // A write that was rolled back, or changed nothing, leaves what was before it: no change.
    let isSilent = isOfWrite && version == self.version
    self.version = version
    isOfWrite = false
    if let mayDiffer, mayDiffer.isEmpty { return nil }
    guard let record = try record(binding, in: transaction) else {
      values = nil
      return .deleted
    }
    var new = old
    var differences: [Difference] = []
    for (position, column) in columns.enumerated() {
      let number = Int(column.number)
      if let mayDiffer, let property = binding.properties[number],
        !mayDiffer.contains(property.ordinal)
      {
        continue
      }
      new[position] = try record.value(number, in: transaction)
      guard !new[position].isIdentical(to: old[position]) else { continue }
      differences.append(Difference(column: column, old: old[position], new: new[position]))
    }
    values = new
    return isSilent || differences.isEmpty ? nil : .change(differences)
  }

  /// Replaces the past by what `transaction` sees.
  package mutating func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    let record = try record(session.requiredBinding(of: objectType), in: transaction)
    // A row of the write that failed: the next step finds it gone.
    guard let record else { return isOfWrite = true }
    values = try columns.map { (column) throws(StorageError) in
      try record.value(Int(column.number), in: transaction)
    }
    self.version = version
    isOfWrite = false
  }

  private func record(
    _ binding: TypeBinding, in transaction: Transaction
  ) throws(StorageError) -> StoredRecord? {
    guard let table = try binding.table(in: transaction), let stored = binding.stored,
      let bytes = unsafe try transaction.value(forRow: row, in: table)
    else { return nil }
    unsafe try RecordView.verify(bytes, type: stored.id, row: row)
    return unsafe try binding.record(bytes)
  }
}
