package import LeydenStorage

/// The past of one observer of an object: the values that it was last told.
///
/// It keeps the values themselves, as old values are told for every change, the writer's own
/// included: the memory of an observed object is that of its observed properties.
package struct ObjectHistory {
  /// A property with another value than before, or that leads to something that changed; both values are null
  /// where it holds many.
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

  private let model: ModelReference
  private let row: UInt64
  private let columns: [ModelType.Column]
  private let paths: [ColumnPath]
  private let filter: ObservedProperties
  /// The hashes of what is observed inside of embedded objects, by the property that holds them.
  private var parts: [Int32: Int] = [:]
  private var version: UInt64
  /// The observed columns' values; `nil` where the object was gone.
  private var values: [ObservedValue]?
  /// Whether the values were seen within a write: what the log says does not begin with them.
  package private(set) var isOfWrite: Bool

  /// Begins with an object as it is now, changes of the running write included.
  ///
  /// - Parameters:
  ///   - row: The object's row.
  ///   - filter: What is observed.
  /// - Throws: What reading may run into.
  package init(_ row: LiveRow, _ filter: ObservedProperties = .all) throws(StoreError) {
    self.filter = filter
    let paths = filter.paths
    let session = row.session
    let model = row.binding.model
    self.model = ModelReference(model)
    self.row = row.row
    let numbers = paths.map { Set($0.map { $0.columns[0].number }) }
    columns = model.columns.filter { numbers?.contains($0.number) ?? true }
    self.paths = (paths ?? []).filter { $0.columns.count > 1 }
    isOfWrite = session.writer != nil
    try session.pin()
    defer { session.unpin() }
    version = try session.version()
    if row.exists {
      values = try columns.map { (column) throws(StoreError) in
        try Self.value(of: column, row)
      }
    }
    if row.exists, filter.paths != nil {
      try session.writer?.flush()
      parts = try session.withTransaction { (transaction) throws(StorageError) in
        try Self.parts(
          of: row.row, ObservedParts(filter, row.binding, session), in: transaction)
      }
    }
    // A value that could not be read looks empty.
    try session.check()
  }

  /// What is observed inside of embedded objects, as hashes by the property that holds them.
  private static func parts(
    of row: UInt64, _ observed: ObservedParts, in transaction: Transaction
  ) throws(StorageError) -> [Int32: Int] {
    var parts: [Int32: Int] = [:]
    for column in observed.columns {
      parts[column] = try observed.hash(of: row, column, in: transaction)
    }
    return parts
  }

  private static func value(
    of column: ModelType.Column, _ row: LiveRow
  ) throws(StoreError) -> ObservedValue {
    let (session, number) = (row.session, Int(column.number))
    if column.type.isCollection {
      var numbering = ElementNumbering()
      let elements = session.reading(row, number) { (reader, _) throws(StorageError) in
        try numbering.elements(of: reader)
      }
      return .elements(elements ?? CollectionElements(), numbering)
    }
    guard column.type == .linkingObjects else {
      guard row.enter(reading: column.number) else { return .value(.null) }
      defer { row.leave() }
      return .value(session.distantValue(of: row, column: number))
    }
    return try session.withTransaction { (transaction) throws(StorageError) in
      .sources(
        try ObservedObject.sources(of: row.row, number, row.binding, in: transaction))
    }
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
    guard let old = values, isOfWrite || version > self.version,
      let binding = model.binding(in: session)
    else { return nil }
    let known = isOfWrite ? nil : try changes(self.version)
    var mayDiffer: ObjectChangeSet.Properties?
    if let known {
      switch known.types[binding.stored?.id ?? 0]?[row] {
      case nil: mayDiffer = ObjectChangeSet.Properties()
      case .modified(let properties): mayDiffer = properties
      case .deleted, .inserted: break
      }
    }
    let distant = try known.map { (known) throws(StorageError) in
      try changedThroughLinks(known, binding, session.catalog, in: transaction)
    }
    // A write that was rolled back, or changed nothing, leaves what was before it: no change.
    let isSilent = isOfWrite && version == self.version
    self.version = version
    isOfWrite = false
    if let mayDiffer, mayDiffer.isEmpty, distant?.isEmpty ?? true { return nil }
    guard let object = try ObservedObject(binding, row: row, in: transaction) else {
      values = nil
      return .deleted
    }
    let oldParts = parts
    parts = try Self.parts(of: row, ObservedParts(filter, binding, session), in: transaction)
    var new = old
    var differences: [Difference] = []
    for (position, column) in columns.enumerated() {
      let property = binding.properties[Int(column.number)]
      let isDistant = distant?.contains(column.number) ?? false
      if property.map({ mayDiffer?.contains($0.ordinal) ?? true }) ?? true {
        new[position] = try object.value(column, after: old[position], known)
      }
      let differs =
        oldParts[column.number].map { $0 != parts[column.number] }
        ?? new[position].differs(from: old[position])
      guard isDistant || differs else { continue }
      differences.append(
        Difference(column: column, old: old[position].stored, new: new[position].stored))
    }
    values = new
    return isSilent || differences.isEmpty ? nil : .change(differences)
  }

  /// The columns from which an observed path leads to something that changed.
  private func changedThroughLinks(
    _ changes: ObjectChangeSet, _ binding: TypeBinding, _ catalog: Catalog,
    in transaction: Transaction
  ) throws(StorageError) -> Set<Int32> {
    var columns: Set<Int32> = []
    for path in paths {
      let roots = try path.changedRoots(
        changes, of: binding.stored, only: row, catalog, in: transaction)
      if !roots.isEmpty { columns.insert(path.columns[0].number) }
    }
    return columns
  }

  /// Replaces the past by what `transaction` sees.
  package mutating func restart(
    _ session: Session, at version: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    // A row of the write that failed: the next step finds it gone.
    guard let binding = model.binding(in: session),
      let object = try ObservedObject(binding, row: row, in: transaction)
    else {
      return isOfWrite = true
    }
    values = try columns.map { (column) throws(StorageError) in
      try object.value(column, after: nil, nil)
    }
    parts = try Self.parts(of: row, ObservedParts(filter, binding, session), in: transaction)
    self.version = version
    isOfWrite = false
  }
}
