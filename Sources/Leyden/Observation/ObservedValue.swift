import LeydenStorage

/// What an observed property of an object was when it was last looked at.
enum ObservedValue {
  /// A value of its own: what is told as the old one.
  case value(StoredValue)
  /// The elements of a list, a set or a map.
  case elements(CollectionElements, ElementNumbering)
  /// The rows whose links lead to the object.
  case sources(Set<UInt64>)

  /// The value, or null for what holds many.
  var stored: StoredValue {
    if case .value(let value) = self { value } else { .null }
  }

  /// Whether a later look found something else.
  func differs(from other: ObservedValue) -> Bool {
    switch (self, other) {
    case (.value(let old), .value(let new)): !new.isIdentical(to: old)
    case (.elements(let old, _), .elements(let new, _)): new != old
    case (.sources(let old), .sources(let new)): new != old
    default: true
    }
  }
}

/// Looks at the properties of one object.
struct ObservedObject {
  let binding: TypeBinding
  let row: UInt64
  let record: StoredRecord
  let transaction: Transaction

  /// `nil` where there is no such row.
  init?(
    _ binding: TypeBinding, row: UInt64, in transaction: Transaction
  ) throws(StorageError) {
    guard let record = try binding.record(ofRow: row, in: transaction) else { return nil }
    self.binding = binding
    self.row = row
    self.record = record
    self.transaction = transaction
  }

  /// A property as it is now.
  ///
  /// - Parameters:
  ///   - column: The property.
  ///   - last: What it was.
  ///   - changes: What changed since then; `nil` where that is not known.
  /// - Returns: What it is.
  /// - Throws: What reading may run into.
  func value(
    _ column: ModelType.Column, after last: ObservedValue?, _ changes: ObjectChangeSet?
  ) throws(StorageError) -> ObservedValue {
    let number = Int(column.number)
    switch column.type {
    case .list, .set, .map:
      let reader = try CollectionReader(binding, row: row, column: number, in: transaction)
      var numbering = ElementNumbering()
      if case .elements(_, let known) = last { numbering = known }
      let elements = try reader.map { (reader) throws(StorageError) in
        try numbering.elements(of: reader)
      }
      return .elements(elements ?? CollectionElements(), numbering)
    case .linkingObjects:
      if case .sources(let rows) = last, let changes {
        return .sources(try sources(number, after: rows, changes))
      }
      return .sources(
        try Self.sources(of: row, number, binding, in: transaction))
    default: return .value(try record.value(number, in: transaction))
    }
  }

  /// The rows whose links lead to an object.
  static func sources(
    of row: UInt64, _ column: Int, _ binding: TypeBinding, in transaction: Transaction
  ) throws(StorageError) -> Set<UInt64> {
    guard let type = binding.stored, let origin = binding.properties[column]?.origin else {
      return []
    }
    var rows: Set<UInt64> = []
    try InverseEntry.forEach(
      to: ObjectReference(type: type.id, row: row), origin, in: transaction
    ) { (entry, _) in
      rows.insert(entry.source)
      return true
    }
    return rows
  }

  /// The rows whose links lead to the object: only those that changed are asked for.
  private func sources(
    _ column: Int, after last: Set<UInt64>, _ changes: ObjectChangeSet
  ) throws(StorageError) -> Set<UInt64> {
    guard let type = binding.stored, let property = binding.properties[column],
      let origin = property.origin, let source = property.target
    else { return last }
    let target = ObjectReference(type: type.id, row: row)
    var rows = last
    for changed in (changes.types[source] ?? [:]).keys {
      let entry = InverseEntry(target: target, property: origin, source: changed)
      if try entry.exists(in: transaction) {
        rows.insert(changed)
      } else {
        rows.remove(changed)
      }
    }
    return rows
  }
}
